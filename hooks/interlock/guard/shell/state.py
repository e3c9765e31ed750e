"""Where a command stands when it is read: directory, variables, effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from interlock.guard.shell.effects import (
    Copied,
    Effect,
    Origin,
    Removes,
    Unknown,
    Writes,
)
from interlock.guard.shell.heredocs import Heredoc
from interlock.guard.shell.path_patterns import place
from interlock.guard.shell.placeholders import ANY, shown

if TYPE_CHECKING:
    from interlock.documents.shell_syntax import Node

# levels of nesting; the interpreter's own stack is far from full by then
DEPTH = 60
# statements and commands, loops and functions unrolled
BUDGET = 20_000

# not files, whatever is written to them
DEVICES = ('/dev/null', '/dev/tty', '/dev/zero', '/dev/full')


class Enough(Exception):
    """The text is too long or nested too deeply to be read."""


class Shared:
    """What all subshells of one line have together."""

    def __init__(
        self,
        environ: Mapping[str, str],
        top: str,
        run: Callable[[State, list[str]], str],
        text: Callable[[State, str], str],
        walk: Callable[[State, Node], str],
    ) -> None:
        self.environ = environ
        self.top = top
        self.run = run
        self.text = text
        self.walk = walk
        self.heredocs: list[Heredoc] = []
        self.effects: list[Effect] = []
        # what the line itself has written, by path: it may be run next
        self.files: dict[str, str] = {}
        self.depth = 0
        self.left = BUDGET


class State:
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
        # what is fed to the command; None is a terminal
        self.stdin: str | None = None
        # the file that this comes from, if it has a name
        self.stdin_file = ''

    def child(self) -> State:
        """A subshell: what it sets is gone when it ends."""
        other = State(self.shared, self.cwd)
        other.variables = dict(self.variables)
        other.arrays = dict(self.arrays)
        other.exported = set(self.exported)
        other.exports_all = self.exports_all
        other.functions = dict(self.functions)
        other.aliases = dict(self.aliases)
        other.git_aliases = dict(self.git_aliases)
        other.git_places, other.git_files = self.git_places, self.git_files
        other.stack = list(self.stack)
        other.stdin, other.stdin_file = self.stdin, self.stdin_file
        return other

    def add(self, effect: Effect) -> None:
        self.shared.effects.append(effect)

    @property
    def count(self) -> int:
        return len(self.shared.effects)

    def since(self, count: int) -> list[Effect]:
        return self.shared.effects[count:]

    def spend(self, why: str) -> None:
        self.shared.left -= 1
        if self.shared.left < 0:
            raise Enough(why)

    def unknown(self, why: str) -> None:
        self.add(Unknown(why if len(why) < 120 else f'{why[:110]}…`'))

    def run(self, words: list[str]) -> str:
        return self.shared.run(self, words) if words else ''

    def walk(self, node: Node) -> str:
        return self.shared.walk(self, node)

    def text(self, text: str) -> str:
        """Reads text as commands of this shell."""
        return self.shared.text(self, text)

    def script(self, word: str) -> bool:
        """Reads a script, if the line itself has written it."""
        found = place(self.cwd, word)
        text = self.shared.files.get(found.path) if found else None
        first = (text or '').partition('\n')[0]
        if text is None or (first.startswith('#!') and 'sh' not in first):
            return False
        with Level(self):
            self.text(text)
        return True

    def value(self, name: str) -> str | None:
        if name == 'PWD':
            return self.cwd
        if name in self.variables:
            return self.variables[name]
        if name == 'OLDPWD':
            # the shell's own, not that of the hook
            return None
        return self.shared.environ.get(name)

    @property
    def directory(self) -> str:
        found = place(self.cwd, '.')
        return found.path if found is not None else '**'

    def writes(
        self,
        word: str,
        how: str,
        content: bytes | None = None,
        recursive: bool = False,
        origin: Origin | None = None,
    ) -> None:
        # an empty name is no file, and an error
        found = place(self.cwd, word or '/dev/null')
        if found is None:
            self.unknown(f'`{how}` writes to `{shown(word)}`')
        elif not found.path.startswith(('/dev/fd/', '/dev/std', '/proc/')):
            if found.path not in DEVICES:
                path, glob = found
                if content is not None and not glob:
                    self.keep(path, content.decode('UTF-8', 'replace'), how)
                self.add(Writes(path, how, content, glob, recursive, origin))

    def keep(self, path: str, text: str, how: str) -> None:
        """What a file holds that the line itself writes."""
        before = self.shared.files.get(path, '') if how == '>>' else ''
        self.shared.files[path] = before + text

    def removes(
        self, word: str, how: str, recursive: bool = False, target: str = ''
    ) -> None:
        found = place(self.cwd, word)
        goal = place(self.cwd, target) if target else None
        if found is None:
            self.unknown(f'`{how}` removes `{shown(word)}`')
        elif word:
            self.add(
                Removes(
                    found.path,
                    how,
                    recursive,
                    found.glob,
                    goal.path if goal and not goal.glob else '',
                )
            )

    def copied(
        self, word: str, into: bool = False, link: bool = False
    ) -> Copied | None:
        """A file as the origin of another one."""
        found = place(self.cwd, word)
        if found is None:
            return None
        return Copied(found.path, found.glob, into, link)

    def each_writes(
        self,
        words: Iterable[str],
        how: str,
        recursive: bool = False,
        origin: Origin | None = None,
    ) -> None:
        for word in words:
            self.writes(word, how, recursive=recursive, origin=origin)

    def enter(self, word: str) -> None:
        """cd: a directory that is not known is any."""
        found = place(self.cwd, word)
        if found is None:
            self.cwd = ANY
        else:
            whole = word.startswith(('/', ANY))
            self.cwd = word if whole else f'{self.cwd}/{word}'

    def in_directory(self, word: str) -> State:
        other = self.child()
        other.enter(word)
        return other


class Level:
    """One more level of nesting, while it is entered."""

    def __init__(self, state: State) -> None:
        self.shared = state.shared

    def __enter__(self) -> None:
        self.shared.depth += 1
        if self.shared.depth > DEPTH:
            raise Enough('it is nested too deeply')

    def __exit__(self, *_: object) -> None:
        self.shared.depth -= 1
