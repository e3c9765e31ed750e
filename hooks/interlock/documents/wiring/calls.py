"""Which files call us: each is read by its format.

A call counts only if it runs and its failure counts.
"""

from __future__ import annotations

import posixpath

from interlock.documents.wiring import hook_files
from interlock.documents.wiring.hook_files import CALLS, EVERY, NAME, read_config
from interlock.model import calling_files
from interlock.model.calling_files import LEFTHOOK, RUNNER, kind_of
from interlock.model.quick_typing import Any, Callable, Iterable, Mapping, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.wiring.shell_calls import Calls

CI = 'CI'
# gate -> the git hooks that guard it; git also runs commit-msg at merges
GATES: Mapping[str, tuple[str, ...]] = {
    'commit': ('pre-commit', 'commit-msg'),
    'commit-msg': ('commit-msg',),
    **{
        name: (name,)
        for name in CALLS
        if name not in ('pre-commit', 'pre-merge-commit', 'commit-msg')
    },
}


class FileCalls(NamedTuple):
    """Where a file calls us, or runs what may."""

    # git hook, CI or client event -> the checks that are called there
    at: Mapping[str, frozenset[str]] = {}
    # programs that may call us in turn
    runners: frozenset[str] = frozenset()
    # git hook or CI -> the scripts of the tree that it runs
    scripts: Mapping[str, frozenset[str]] = {}


NOWHERE = FileCalls()
# reads a file of a tree by its path
Reader = Callable[[str], bytes | None]
MAX_SCRIPTS = 50
FRAMEWORKS = frozenset(calling_files.FRAMEWORKS)


def _made(name: str, found: Calls) -> FileCalls:
    return FileCalls(
        {name: found.checks} if found.checks else {},
        found.runners,
        {name: found.scripts} if found.scripts else {},
    )


def _script(path: str, data: bytes) -> FileCalls:
    from interlock.documents.wiring.shell_calls import calls

    folder, name = posixpath.split(path)
    husky = '.husky' in folder.split('/')
    if folder.startswith('.lefthook/'):
        name = posixpath.basename(folder)
    return _made(name, calls(data.decode(errors='replace'), errexit=husky))


def _client(path: str, data: bytes) -> FileCalls:
    from interlock.documents.wiring.client_settings import (
        STRICT,
        our_calls,
        parsed,
        switch,
    )
    from interlock.model.calling_files import shape_of
    from interlock.model.errors import Refusal, Unreadable

    try:
        settings = parsed(data, shape_of(path) or STRICT)
    except (Unreadable, Refusal):
        return NOWHERE
    events = () if switch(settings) else our_calls(settings)
    return FileCalls({f'event {event}': frozenset({EVERY}) for event in events})


def _runner(data: bytes) -> FileCalls:
    """Whether the file calls us at all: targets are not followed."""
    from interlock.documents.wiring.shell_calls import calls

    checks: frozenset[str] = frozenset()
    for line in data.decode(errors='replace').splitlines():
        line = line.strip().lstrip('@-').strip()
        if NAME.decode() in line and not line.startswith(('#', '//', ';')):
            for part in (line, *line.split('"')[1::2], *line.split('=')[1:]):
                checks |= calls(part).checks
    return FileCalls({'': checks} if checks else {})


def in_file(path: str, data: bytes | None, kind: str = '') -> FileCalls:
    """The calls in a file of a tree; `kind`: if the path does not tell it."""
    kind = kind or kind_of(path)
    if not data or not kind:
        return NOWHERE
    elif kind == calling_files.SCRIPT:
        return _script(path, data)
    elif kind == LEFTHOOK:
        return FileCalls(hook_files.of_lefthook(read_config(path, data)))
    elif kind in calling_files.CI_KINDS:
        from interlock.documents.wiring import ci_files

        return _made(CI, ci_files.read(kind, path, data))
    elif NAME not in data:
        return NOWHERE
    elif kind == calling_files.CLIENT:
        return _client(path, data)
    elif kind == RUNNER:
        return _runner(data)
    return FileCalls(hook_files.of_pre_commit(read_config(path, data)))


def _overlaid(base: Any, over: Any) -> Any:
    """Merge mappings, replace everything else."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {
        **base,
        **{key: _overlaid(base.get(key), value) for key, value in over.items()},
    }


def in_files(files: Mapping[str, bytes | None]) -> dict[str, frozenset[str]]:
    """The calls in several files together; lefthook lays a local file over another."""
    found: list[FileCalls] = []
    config: Any = {}
    for path, data in files.items():
        if kind_of(path) == LEFTHOOK:
            config = _overlaid(config, read_config(path, data or b'') or {})
        else:
            found.append(in_file(path, data))
    return merged_calls((*found, FileCalls(hook_files.of_lefthook(config))))


def _followed(path: str, read: Reader) -> FileCalls:
    """The calls of a file, directly or through scripts of the tree that it runs."""
    wiring = in_file(path, read(path))
    at = dict(wiring.at)
    for name, scripts in wiring.scripts.items():
        from interlock.documents.wiring.shell_calls import calls

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


def merged_calls(found: Iterable[FileCalls]) -> dict[str, frozenset[str]]:
    """The calls of several files."""
    at: dict[str, frozenset[str]] = {}
    for wiring in found:
        for name, checks in wiring.at.items():
            at[name] = at.get(name, frozenset()) | checks
    return at


def called_gates(at: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """The gates at which we are called, by any of their hooks."""
    found = {
        gate: frozenset[str]().union(*(at.get(name, ()) for name in names))
        for gate, names in GATES.items()
    }
    found.update(
        (name, checks) for name, checks in at.items() if name and name not in CALLS
    )
    return {gate: checks for gate, checks in found.items() if checks}


def lost_gates(
    before: Mapping[str, frozenset[str]], after: Mapping[str, frozenset[str]]
) -> list[str]:
    """The gates at which a check is no longer called."""
    now = called_gates(after)
    return [
        gate
        for gate, checks in called_gates(before).items()
        if EVERY not in now.get(gate, ()) and not (checks <= now.get(gate, frozenset()))
    ]


class WiredTree(NamedTuple):
    """Every file of a tree that may call us."""

    files: Mapping[str, FileCalls]
    # whether a file of make, tox or npm calls us
    runners: bool

    @property
    def at(self) -> dict[str, frozenset[str]]:
        return merged_calls(self.files.values())

    def runs_us(self, runners: frozenset[str]) -> bool:
        """Whether any of these programs calls us, by a file that it reads."""
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


def in_tree(paths: Iterable[str], read: Reader) -> WiredTree:
    kinds = {path: kind for path in paths if (kind := kind_of(path))}
    return WiredTree(
        {path: _followed(path, read) for path in kinds if kinds[path] != RUNNER},
        any(in_file(path, read(path)).at for path in kinds if kinds[path] == RUNNER),
    )
