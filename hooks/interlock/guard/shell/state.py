"""The shell that a command runs in: its directory, its variables, and the
effects that were found so far."""

from __future__ import annotations

from interlock.guard.shell.effects import (
    CopiedContent,
    Effect,
    Origin,
    Poses,
    Removes,
    Runs,
    Skips,
    Unknown,
    Writes,
)
from interlock.guard.shell.heredocs import Heredoc
from interlock.guard.shell.path_patterns import resolve
from interlock.guard.shell.plain_commands import plain_commands
from interlock.guard.shell.words import ANY, clean, shown
from interlock.model.quick_typing import Iterable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.shell_syntax import Node

# levels of nesting; Python's own stack is far from full by then
DEPTH = 60
# statements and commands, loops and functions unrolled
BUDGET = 20_000
# of it, what one script of the disk may take
SCRIPT_BUDGET = 4_000
# not files, whatever is written to them
DEVICES = ('/dev/null', '/dev/tty', '/dev/zero', '/dev/full')
STREAMS = ('/dev/fd/', '/dev/std', '/proc/')
# commands of interlock that only a person may run
PERSONAL = frozenset(('approve', 'uninstall', 'adopt', 'restore'))


class TooComplex(Exception):
    """The text is too long or nested too deeply to be read."""


class Scripts:
    """The scripts on the disk, as far as they are to be read; here none is."""

    def text(self, path: str) -> str | None:
        return None

    def matching(self, pattern: str) -> list[str]:
        """The paths that a pattern stands for."""
        return []

    def is_committed(self, path: str) -> bool:
        """As it is now: then it is a tool of the project."""
        return False


class Shared:
    """What all subshells of one command line share."""

    def __init__(
        self, environ: Mapping[str, str], top: str, scripts: Scripts | None = None
    ) -> None:
        self.environ = environ
        self.top = top
        self.scripts = scripts or Scripts()
        # scripts that are being read: one may call itself
        self.reading: set[str] = set()
        self.heredocs: list[Heredoc] = []
        self.effects: list[Effect] = []
        # what the line itself has written, by path: it may be run next
        self.files: dict[str, str] = {}
        # what it has copied, moved or linked, and where that was before
        self.copies: dict[str, str] = {}
        self.depth = 0
        self.left = BUDGET


class Level:
    """A context manager: it counts how deep the text is nested."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def __enter__(self) -> None:
        self._shared.depth += 1
        if self._shared.depth > DEPTH:
            raise TooComplex('it is nested too deeply')

    def __exit__(self, *error: object) -> None:
        self._shared.depth -= 1


class Shell:
    def __init__(self, shared: Shared, cwd: str) -> None:
        self.shared = shared
        self.cwd = cwd
        self.variables: dict[str, str] = {}
        self.arrays: dict[str, list[str]] = {}
        self.exported: set[str] = set()
        self.exports_all = False
        self.functions: dict[str, Node] = {}
        self.aliases: dict[str, str] = {}
        self.git_aliases: dict[str, str] = {}
        # repositories besides the one around us, and where git has its files
        self.git_places: tuple[str, ...] = ()
        self.git_files = ''
        self.stack: list[str] = []
        # the text on standard input; None is a terminal
        self.stdin: str | None = None
        # the file that this text comes from, if it has a name
        self.stdin_file = ''

    def child(self) -> Shell:
        """A subshell: what it sets is gone when it ends."""
        other = Shell(self.shared, self.cwd)
        for name, value in vars(self).items():
            held = isinstance(value, dict | set | list)
            setattr(other, name, value.copy() if held else value)
        return other

    def in_directory(self, word: str) -> Shell:
        other = self.child()
        other.enter(word)
        return other

    def enter(self, word: str) -> None:
        """cd; a directory that is not known is any."""
        if resolve(self.cwd, word) is None:
            self.cwd = ANY
        else:
            whole = word.startswith(('/', ANY))
            self.cwd = word if whole else f'{self.cwd}/{word}'

    @property
    def directory(self) -> str:
        found = resolve(self.cwd, '.')
        return found.path if found is not None else '**'

    @property
    def top(self) -> str:
        """The top of the worktree, as git says it here."""
        top = self.shared.top
        return top if top and f'{self.cwd}/'.startswith(f'{top}/') else ANY

    @property
    def effects(self) -> list[Effect]:
        return self.shared.effects

    def level(self) -> Level:
        """One more level of nesting."""
        return Level(self.shared)

    def spend(self, why: str) -> None:
        self.shared.left -= 1
        if self.shared.left < 0:
            raise TooComplex(why)

    def run(self, words: list[str]) -> str:
        """Run a command; returns what it prints."""
        # imported late: they import this module
        from interlock.guard.shell.read import run

        return run(self, words) if words else ''

    def text(self, text: str) -> str:
        """Read text as commands of this shell."""
        plain = plain_commands(text)
        if plain is not None:
            return ''.join([self.run(words) for words in plain])
        from interlock.guard.shell.walk import read_text

        return read_text(self, text)

    def _place(self, word: str) -> str:
        """The file that a word names, before the line has copied it."""
        found = resolve(self.cwd, word)
        path = found.path if found and not found.glob else ''
        return self.shared.copies.get(path, path)

    def written_text(self, word: str) -> str | None:
        """The text of a file, if the line itself has written it."""
        found = resolve(self.cwd, word)
        own = self.shared.files.get(found.path) if found else None
        return self.shared.files.get(self._place(word)) if own is None else own

    def stored_text(self, word: str) -> tuple[str, str | None]:
        """The path of a script on the disk, and its text."""
        path = self._place(word)
        return path, self.shared.scripts.text(path) if path else None

    def script(self, word: str) -> bool:
        """Read a script, if the line itself has written it or it can be read."""
        found = resolve(self.cwd, word)
        if found and found.glob:
            paths = self.shared.scripts.matching(found.path)
            return any([self.script(path) for path in paths])
        path, text = '', self.written_text(word)
        if text is None:
            path, text = self.stored_text(word)
        first = (text or '').partition('\n')[0]
        if text is None or (first.startswith('#!') and 'sh' not in first):
            return False
        elif not path:
            with self.level():
                self.text(text)
        elif path not in self.shared.reading:
            self.read_stored(path, text)
        return True

    def read_stored(self, path: str, text: str) -> None:
        """Of a script on the disk only what is sure counts: a command that says
        less than that is asked about, a script would be asked about too often."""
        shared, count = self.shared, len(self.effects)
        before, shared.left = shared.left, min(shared.left, SCRIPT_BUDGET)
        start = shared.left
        shared.reading.add(path)
        try:
            with self.level():
                self.text(clean(text))
        except TooComplex:
            pass
        finally:
            shared.reading.discard(path)
            shared.left = before - start + max(shared.left, 0)
        self.effects[count:] = filter(is_sure, self.effects[count:])

    def dry_read(self, text: str) -> list[Effect]:
        """What a text would do if it were run; nothing of it is added.

        Text that is too long or nested too deeply does nothing.
        """
        shared = self.shared
        effects, shared.effects = shared.effects, []
        files, depth = dict(shared.files), shared.depth
        try:
            with self.level():
                self.child().text(text)
            return shared.effects
        except TooComplex:
            return []
        finally:
            shared.effects, shared.files, shared.depth = effects, files, depth

    def value(self, name: str) -> str | None:
        if name == 'PWD':
            return self.cwd
        if name in self.variables:
            return self.variables[name]
        if name == 'OLDPWD':
            # the shell's own, not that of the hook
            return None
        return self.shared.environ.get(name)

    def add(self, effect: Effect) -> None:
        self.effects.append(effect)

    def unknown(self, why: str) -> None:
        self.add(Unknown(why if len(why) < 120 else f'{why[:110]}…`'))

    def runs(self, program: str, args: Iterable[str]) -> None:
        self.add(Runs(program, tuple(map(shown, args)), self.directory))

    def writes(
        self,
        word: str,
        how: str,
        content: bytes | None = None,
        recursive: bool = False,
        origin: Origin | None = None,
    ) -> None:
        # an empty name is an error, not a file
        found = resolve(self.cwd, word or '/dev/null')
        if found is None:
            self.unknown(f'`{how}` writes to `{shown(word)}`')
        elif not found.path.startswith(STREAMS) and found.path not in DEVICES:
            path, glob = found
            if isinstance(origin, CopiedContent) and not (origin.glob or glob):
                before = self.shared.copies.get(origin.path, origin.path)
                self.shared.copies[path] = before
            if content is not None and not glob:
                self.keep(path, content.decode('UTF-8', 'replace'), how)
            self.add(Writes(path, how, content, glob, recursive, origin))

    def each_writes(
        self,
        words: Iterable[str],
        how: str,
        recursive: bool = False,
        origin: Origin | None = None,
    ) -> None:
        for word in words:
            self.writes(word, how, recursive=recursive, origin=origin)

    def keep(self, path: str, text: str, how: str) -> None:
        """Remember what a file holds that the line itself writes."""
        before = self.shared.files.get(path, '') if how == '>>' else ''
        self.shared.files[path] = before + text

    def keep_word(self, word: str, text: str) -> None:
        found = resolve(self.cwd, word)
        if found is not None and not found.glob:
            self.keep(found.path, text, '')

    def removes(
        self, word: str, how: str, recursive: bool = False, target: str = ''
    ) -> None:
        found = resolve(self.cwd, word)
        goal = resolve(self.cwd, target) if target else None
        if found is None:
            self.unknown(f'`{how}` removes `{shown(word)}`')
        elif word:
            moved = goal.path if goal and not goal.glob else ''
            self.add(Removes(found.path, how, recursive, found.glob, moved))

    def copy_of(
        self, word: str, into: bool = False, link: bool = False
    ) -> CopiedContent | None:
        """A file as the origin of another one."""
        found = resolve(self.cwd, word)
        return CopiedContent(*found, into, link) if found else None


def is_sure(effect: Effect) -> bool:
    """It says what it does, and to which file."""
    if isinstance(effect, Writes | Removes) and effect.glob:
        name = effect.path.rpartition('/')[2]
        return not any(sign in name for sign in '*?[')
    return not isinstance(effect, Unknown)


def is_telling(effect: Effect) -> bool:
    """It is worth asking about, even if it is not sure that it happens."""
    if isinstance(effect, Runs):
        personal = not PERSONAL.isdisjoint(effect.args[:2])
        return effect.program == 'interlock' and personal
    return isinstance(effect, Skips | Poses)
