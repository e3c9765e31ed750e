"""A registry that moves is the same registry.

The step of a ref is judged by the workflow from before it, which looks for
the registry at its old place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from interlock.model.change import Blob, Change, Snapshot
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import quoted
from interlock.workflow.language.spec import Workflow

T = TypeVar('T')
# the old path of a registry -> the new one
Places = Mapping[str, str]


def moved_places(old: Workflow, new: Workflow) -> Places:
    """Where the registries of one workflow are by another one."""
    files = {kind.name: kind.registry.file for kind in new.kinds if kind.registry}
    return {
        kind.registry.file: files[kind.name]
        for kind in old.kinds
        if kind.registry
        and kind.name in files
        and kind.registry.file != files[kind.name]
    }


class MovedSnapshot:
    """A tree whose registries are at the places that others know."""

    def __init__(self, tree: Snapshot, places: Places) -> None:
        self._tree = tree
        self._places = places
        self._cache: dict[Hashable, Any] = {}

    def _at(self, path: str) -> str:
        return self._places.get(path, path)

    def blob(self, path: str) -> Blob | None:
        return self._tree.blob(self._at(path))

    def prefetch(self, paths: Iterable[str]) -> None:
        self._tree.prefetch(map(self._at, paths))

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        return self._tree.parsed(self._at(path), parse)

    def digest(self, path: str, algorithm: str) -> str | None:
        return self._tree.digest(self._at(path), algorithm)

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._cache:
            self._cache[key] = make()
        found: T = self._cache[key]
        return found

    def paths(self) -> Sequence[str]:
        new = {path: old for old, path in self._places.items()}
        return [
            new.get(path, path)
            for path in self._tree.paths()
            if path not in self._places
        ]


def there(places: Places, tree: Snapshot) -> Places:
    """Those that a tree has: the workflow may change before the move."""
    return {old: new for old, new in places.items() if tree.blob(new) is not None}


def as_moved(change: Change, before: Places, after: Places) -> Change:
    """A change with the registries of both of its trees at their old places."""
    if not before and not after:
        return change
    old = MovedSnapshot(change.before, before) if before else change.before
    new = MovedSnapshot(change.after, after) if after else change.after
    touched = {
        path: letter
        for path, letter in change.touched.items()
        if path not in {*before.values(), *after.values()}
    }
    touched.update(dict.fromkeys((*before, *after), 'M'))
    return change._replace(before=old, after=new, touched=touched)


def at_its_place(finding: Finding, places: Places) -> Finding:
    """What is wrong with a registry is said of where it is now."""
    new = places.get(finding.path)
    if new is None:
        return finding
    elif finding.found == 'missing':
        # the workflow names the new place, and the file did not follow
        finding = finding._replace(
            fix=Fix(
                'move it there, and push both commits',
                f'git mv {quoted([finding.path, new])}',
            )
        )
    return finding._replace(path=new)
