"""Files of a tree that make git call us, and what they want to be run."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from interlock.documents.wiring import calls, hook_files
from interlock.documents.wiring.files import GENERATED, HOOK_FOLDERS, SCRIPT, kind_of
from interlock.documents.wiring.hook_files import CALLS, HOOK_TYPES, Wired
from interlock.git.installed_hooks import CONFIGS

# folders of hooks that are committed; git finds them by core.hooksPath
FOLDERS = tuple(name.rstrip('/') for name in HOOK_FOLDERS)
# hook -> the checks that are to run there
Wanted = Mapping[str, AbstractSet[str]]


def paths(hooks: str) -> Iterator[str]:
    """Where wishes are written; `hooks`: where git looks, '' if outside."""
    for names in CONFIGS.values():
        yield from names
    above, name = posixpath.split(hooks)
    found = (hooks, above) if above and name == GENERATED else (hooks,)
    for folder in dict.fromkeys((*FOLDERS, *found) if hooks else FOLDERS):
        yield from (posixpath.join(folder, name) for name in CALLS)


def _of_script(name: str, data: bytes) -> Wired:
    if name in hook_files.HOOK_TYPES and (data == hook_files.git_hook(CALLS[name])):
        # `init` writes them together
        return dict.fromkeys(hook_files.HOOK_TYPES, frozenset({hook_files.EVERY}))
    found = hook_files.called(data)
    return {name: found} if found else {}


def in_file(path: str, data: bytes | None) -> Wired:
    """hook -> the checks that a file has it run."""
    if not data:
        return {}
    name = posixpath.basename(path)
    if kind_of(path) not in ('', SCRIPT):
        return calls.in_file(path, data).at
    elif kind_of(path) and name not in HOOK_TYPES:
        return calls.in_file(path, data).at
    return {**_of_script(name, data), **calls.in_file(path, data).at}


def together(files: Mapping[str, bytes | None]) -> dict[str, set[str]]:
    wanted: dict[str, set[str]] = {name: set() for name in CALLS}
    for path, data in files.items():
        for name, checks in in_file(path, data).items():
            wanted.setdefault(name, set()).update(checks)
    return wanted
