"""The shell that a command runs in: its directory, its variables, and the effects
found so far."""

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

# levels of nesting, far below the limit of Python's stack
DEPTH = 60
# how many statements and commands are read, with loops and functions unrolled
BUDGET = 20_000
# the part of the budget that one script on the disk may use
SCRIPT_BUDGET = 4_000
# not files, whatever a command writes to them
DEVICES = ('/dev/null', '/dev/tty', '/dev/zero', '/dev/full')
STREAMS = ('/dev/fd/', '/dev/std', '/proc/')
# commands of interlock that only a person may run
PERSONAL = frozenset(('approve', 'uninstall', 'adopt', 'restore'))


class TooComplex(Exception):
    """The text is too long, or nested too deeply, to be read."""


class Scripts:
    """Access to the scripts on the disk; this base class reads none."""

    def text(self, path: str) -> str | None:
        return None

    def matching(self, pattern: str) -> list[str]:
        """The paths that a pattern matches."""
        return []

    def git_alias(self, directory: str, name: str) -> str:
        """The command that the configuration of git gives this name, '' for none."""
        return ''

    def is_committed(self, path: str) -> bool:
        """Whether its current content is committed: then the project owns it."""
        return False


class Shared:
    """What all subshells of one command line share. As a context manager it counts
    how deep the text is nested."""

    def __init__(
        self, environ: Mapping[str, str], top: str, scripts: Scripts | None = None
    ) -> None:
        self.environ = environ
        self.top = top
        self.scripts = scripts or Scripts()
        # scripts that are being read, because one may call itself
        self.reading: set[str] = set()
        self.heredocs: list[Heredoc] = []
        self.effects: list[Effect] = []
        # what shells run when they end, with the variables that they have then
        self.at_exit: list[tuple[Shell, str]] = []
        # path -> text that the command line itself wrote, because it may run it next
        self.files: dict[str, str] = {}
        # path -> the source from which the command line copied, moved or linked it
        self.copies: dict[str, str] = {}
        self.depth = 0
        self.left = BUDGET

    def __enter__(self) -> None:
        if self.depth == DEPTH:
            raise TooComplex('it is nested too deeply')
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1


class Shell:
    def __init__(self, shared: Shared, cwd: str) -> None:
        self.shared = shared
        self.cwd = cwd
        self.variables: dict[str, str] = {}
        self.arrays: dict[str, list[str]] = {}
        self.exported: set[str] = set()
        self.exports_all = False
        # its commands may run more than once
        self.is_repeated = False
        self.functions: dict[str, Node] = {}
        self.aliases: dict[str, str] = {}
        self.git_aliases: dict[str, str] = {}
        # repositories besides the current one, and where git has its files
        self.git_places: tuple[str, ...] = ()
        self.git_files = ''
        self.stack: list[str] = []
        # the text on standard input; None means a terminal
        self.stdin: str | None = None
        # the file that this text comes from, if it has a name
        self.stdin_file = ''

    def child(self) -> Shell:
        """A subshell: its settings are lost when it ends."""
        other = Shell(self.shared, self.cwd)
        for name, value in vars(self).items():
            held = isinstance(value, dict | set | list)
            setattr(other, name, value.copy() if held else value)
        return other

    def repeated(self) -> Shell:
        """A subshell whose commands may run more than once."""
        other = self.child()
        other.is_repeated = True
        return other

    def in_directory(self, word: str) -> Shell:
        other = self.child()
        other.enter(word)
        return other

    def enter(self, word: str) -> None:
        """Change the directory; an unknown directory may be any."""
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
        """The top of the worktree, as git reports it here."""
        top = self.shared.top
        return top if top and f'{self.cwd}/'.startswith(f'{top}/') else ANY

    @property
    def effects(self) -> list[Effect]:
        return self.shared.effects

    def spend(self, why: str) -> None:
        self.shared.left -= 1
        if self.shared.left < 0:
            raise TooComplex(why)

    def run(self, words: list[str]) -> str:
        """Run a command; returns what it prints."""
        # imported late, because they import this module
        from interlock.guard.shell.read import run

        return run(self, words) if words else ''

    def text(self, text: str) -> str:
        """Read text as commands of this shell."""
        with self.shared:  # one level deeper
            plain = plain_commands(text)
            if plain is not None:
                return ''.join([self.run(words) for words in plain])
            from interlock.guard.shell.walk import read_text

            return read_text(self, text)

    def _place(self, word: str) -> str:
        """The file that a word names, or the file that it was copied from."""
        found = resolve(self.cwd, word)
        path = found.path if found and not found.glob else ''
        return self.shared.copies.get(path, path)

    def written_text(self, word: str) -> str | None:
        """The text of a file, if the command line itself wrote it."""
        found = resolve(self.cwd, word)
        own = self.shared.files.get(found.path) if found else None
        return self.shared.files.get(self._place(word)) if own is None else own

    def stored_text(self, word: str) -> tuple[str, str | None]:
        """The path of a script on the disk, and its text."""
        path = self._place(word)
        return path, self.shared.scripts.text(path) if path else None

    def file_text(self, word: str) -> str:
        """The text of a file, as the command line wrote it or as on the disk."""
        return self.written_text(word) or self.stored_text(word)[1] or ''

    def script(self, word: str) -> bool:
        """Read a script, if the command line wrote it or it can be read."""
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
            self.text(text)
        elif path not in self.shared.reading:
            self.read_stored(path, text)
        return True

    def read_stored(self, path: str, text: str) -> None:
        """Read a script on the disk, and keep only the effects that are sure. The user
        is asked about an unsure command; for scripts that would be too often."""
        shared, count = self.shared, len(self.effects)
        before, shared.left = shared.left, min(shared.left, SCRIPT_BUDGET)
        start = shared.left
        shared.reading.add(path)
        try:
            self.text(clean(text))
        except TooComplex:
            pass
        finally:
            shared.reading.discard(path)
            shared.left = before - start + max(shared.left, 0)
        self.effects[count:] = filter(is_sure, self.effects[count:])

    def dry_read(self, text: str) -> list[Effect]:
        """The effects of a text if it were run; they are not added to the shell's.

        A text that is too long or nested too deeply has none.
        """
        shared = self.shared
        effects, shared.effects = shared.effects, []
        files, at_exit = dict(shared.files), list(shared.at_exit)
        try:
            self.child().text(text)
            return shared.effects
        except TooComplex:
            return []
        finally:
            shared.effects, shared.files = effects, files
            shared.at_exit = at_exit

    def value(self, name: str) -> str | None:
        if name == 'PWD':
            return self.cwd
        if name in self.variables:
            return self.variables[name]
        if name == 'OLDPWD':
            # it belongs to this shell, not to the hook's environment
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
        """Remember the text that the command line itself writes to a file."""
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
        """A file as the origin of another file's content."""
        found = resolve(self.cwd, word)
        return CopiedContent(*found, into, link) if found else None


def is_sure(effect: Effect) -> bool:
    """Whether an effect is certain, and its file known."""
    if isinstance(effect, Writes | Removes) and effect.glob:
        name = effect.path.rpartition('/')[2]
        return not any(sign in name for sign in '*?[')
    return not isinstance(effect, Unknown)


def is_evasion(effect: Effect) -> bool:
    """Whether an effect is worth asking about, even if it is uncertain."""
    if isinstance(effect, Runs):
        personal = not PERSONAL.isdisjoint(effect.args[:2])
        return effect.program == 'interlock' and personal
    return isinstance(effect, Skips | Poses)
