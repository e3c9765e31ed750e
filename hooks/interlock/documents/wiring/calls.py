"""Which files call us: each is read as what it is.

A call counts where it runs and where its failure is a failure.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from interlock.documents.wiring import files as wiring_files
from interlock.documents.wiring import hook_files
from interlock.documents.wiring.files import LEFTHOOK, kind_of
from interlock.documents.wiring.hook_files import CALLS, EVERY
from interlock.model.errors import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.wiring.shell_calls import Calls

CI = 'CI'
NAME = b'interlock'
# what a hook of git makes sure of -> the hooks that do; git runs commit-msg
# at merges too
GATES: Mapping[str, tuple[str, ...]] = {
    'commit': ('pre-commit', 'commit-msg'),
    'commit-msg': ('commit-msg',),
    **{
        name: (name,)
        for name in CALLS
        if name not in ('pre-commit', 'pre-merge-commit', 'commit-msg')
    },
}


class Wiring(NamedTuple):
    # hook of git, CI or event of a client -> the checks that are called there
    at: Mapping[str, frozenset[str]] = {}
    # programs that may call us in their turn
    runners: frozenset[str] = frozenset()
    # hook of git or CI -> the scripts of the tree that it runs
    scripts: Mapping[str, frozenset[str]] = {}


NOWHERE = Wiring()
# a file of a tree by its path
Reader = Callable[[str], bytes | None]
MAX_SCRIPTS = 50


def parsed(data: bytes) -> Any:
    """A YAML or JSON file, None where it cannot be read."""
    from interlock.documents import yaml

    try:
        return yaml.value(yaml.parse(data.decode()))
    except (UnicodeDecodeError, Unreadable):
        return None


def _config(path: str, data: bytes) -> Any:
    return hook_files.toml(data) if path.endswith('.toml') else parsed(data)


def _ci(path: str, data: bytes) -> Wiring:
    from interlock.documents.wiring import ci_files

    text = data.decode(errors='replace')
    kind = kind_of(path)
    if posixpath.basename(path) == 'Jenkinsfile':
        found = ci_files.jenkins(text)
    else:
        config = parsed(data)
        if config is None:
            # tags of its own, or several documents
            config = {'script': _commands(text)}
            kind = ''
        found = {
            wiring_files.GITHUB: ci_files.github,
            wiring_files.GITLAB: ci_files.gitlab,
        }.get(kind, ci_files.other)(config)
    return _made(CI, found)


def _made(name: str, found: Calls) -> Wiring:
    return Wiring(
        {name: found.checks} if found.checks else {},
        found.runners,
        {name: found.scripts} if found.scripts else {},
    )


def _commands(text: str) -> list[str]:
    """The lines of a file that is not read otherwise, without their keys."""
    found = []
    for line in text.splitlines():
        line = line.strip().removeprefix('- ')
        key, colon, rest = line.partition(': ')
        found.append(rest if colon and key.isidentifier() else line)
    return found


def _script(path: str, data: bytes) -> Wiring:
    from interlock.documents.wiring.shell_calls import calls

    folder, name = posixpath.split(path)
    husky = '.husky' in folder.split('/')
    if folder.startswith('.lefthook/'):
        name = posixpath.basename(folder)
    return _made(name, calls(data.decode(errors='replace'), errexit=husky))


def _client(data: bytes) -> Wiring:
    from interlock.documents.wiring.claude_settings import is_off, our_calls
    from interlock.documents.wiring.claude_settings import parsed as settings_of
    from interlock.model.errors import Refusal

    try:
        settings = settings_of(data)
    except (Unreadable, Refusal):
        return NOWHERE
    if is_off(settings):
        return NOWHERE
    return Wiring(
        {f'event {event}': frozenset({EVERY}) for event in our_calls(settings)}
    )


def _runner(data: bytes) -> Wiring:
    """Whether a call stands in it at all: targets are not followed."""
    from interlock.documents.wiring.shell_calls import calls

    checks: frozenset[str] = frozenset()
    for line in data.decode(errors='replace').splitlines():
        line = line.strip().lstrip('@-').strip()
        if NAME.decode() in line and not line.startswith(('#', '//', ';')):
            for part in (line, *line.split('"')[1::2], *line.split('=')[1:]):
                checks |= calls(part).checks
    return Wiring({'': checks} if checks else {})


def in_file(path: str, data: bytes | None) -> Wiring:
    """What a file of a tree calls of ours."""
    kind = kind_of(path)
    if not data or not kind:
        return NOWHERE
    elif kind in (wiring_files.PRE_COMMIT, wiring_files.PREK):
        found = hook_files.of_pre_commit(_config(path, data))
        return Wiring(found) if NAME in data else NOWHERE
    elif kind == LEFTHOOK:
        return Wiring(hook_files.of_lefthook(_config(path, data)))
    elif kind == wiring_files.CLIENT:
        return _client(data) if NAME in data else NOWHERE
    elif kind == wiring_files.RUNNER:
        return _runner(data) if NAME in data else NOWHERE
    elif kind == wiring_files.SCRIPT:
        return _script(path, data)
    return _ci(path, data)


def _overlaid(base: Any, over: Any) -> Any:
    """Mappings are merged, all else is replaced."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {
        **base,
        **{key: _overlaid(base.get(key), value) for key, value in over.items()},
    }


def in_files(files: Mapping[str, bytes | None]) -> dict[str, frozenset[str]]:
    """What some files call together; lefthook lays that of one person over
    that of all."""
    found: list[Wiring] = []
    config: Any = {}
    for path, data in files.items():
        if kind_of(path) == LEFTHOOK:
            config = _overlaid(config, _config(path, data or b'') or {})
        else:
            found.append(in_file(path, data))
    return together((*found, Wiring(hook_files.of_lefthook(config))))


def followed(path: str, read: Reader) -> Wiring:
    """The same, with the scripts of the tree that the file runs."""
    from interlock.documents.wiring.shell_calls import calls

    wiring = in_file(path, read(path))
    at = dict(wiring.at)
    for name, scripts in wiring.scripts.items():
        seen: set[str] = set()
        waiting = list(scripts)
        while waiting and len(seen) < MAX_SCRIPTS:
            script = waiting.pop()
            data = None if script in seen else read(script)
            seen.add(script)
            if data:
                found = calls(data.decode(errors='replace'))
                waiting.extend(found.scripts)
                if found.checks:
                    at[name] = at.get(name, frozenset()) | found.checks
    return wiring._replace(at=at)


def together(found: Iterable[Wiring]) -> dict[str, frozenset[str]]:
    """What several files call."""
    at: dict[str, frozenset[str]] = {}
    for wiring in found:
        for name, checks in wiring.at.items():
            at[name] = at.get(name, frozenset()) | checks
    return at


def gates(at: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Where we are asked, whichever hook asks."""
    found = {
        gate: frozenset[str]().union(*(at.get(name, ()) for name in names))
        for gate, names in GATES.items()
    }
    found.update(
        (name, checks) for name, checks in at.items() if name and name not in CALLS
    )
    return {gate: checks for gate, checks in found.items() if checks}


def lost(
    before: Mapping[str, frozenset[str]], after: Mapping[str, frozenset[str]]
) -> list[str]:
    """The gates at which some check is no longer called."""
    now = gates(after)
    return [
        gate
        for gate, checks in gates(before).items()
        if EVERY not in now.get(gate, ()) and not (checks <= now.get(gate, frozenset()))
    ]


FRAMEWORKS = frozenset(wiring_files.FRAMEWORKS)


class Tree(NamedTuple):
    """All of a tree that may call us."""

    files: Mapping[str, Wiring]
    # of make, tox, npm
    runners: bool

    @property
    def at(self) -> dict[str, frozenset[str]]:
        return together(self.files.values())

    def runs_us(self, runners: frozenset[str]) -> bool:
        """Whether programs lead to us, by a file that each of them reads."""
        if runners - FRAMEWORKS and self.runners:
            return True
        return bool(runners & FRAMEWORKS) and any(
            wiring.at
            for path, wiring in self.files.items()
            if kind_of(path) in FRAMEWORKS
        )

    @property
    def indirect(self) -> list[str]:
        """The files that run such a program."""
        return [
            path for path, wiring in self.files.items() if self.runs_us(wiring.runners)
        ]


def in_tree(paths: Iterable[str], read: Reader) -> Tree:
    known = [(path, kind) for path in paths if (kind := kind_of(path))]
    return Tree(
        {
            path: followed(path, read)
            for path, kind in known
            if kind != wiring_files.RUNNER
        },
        any(
            in_file(path, read(path)).at
            for path, kind in known
            if kind == wiring_files.RUNNER
        ),
    )
