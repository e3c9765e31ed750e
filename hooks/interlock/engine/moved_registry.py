"""A registry that moves is the same registry.

The workflow from before a step judges it, and looks for the registry at its
old path.
"""

from __future__ import annotations

from interlock.model.change import Change, Snapshot
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import quoted
from interlock.model.merge import DerivedSnapshot
from interlock.model.quick_typing import Iterable, Mapping, Sequence
from interlock.workflow.language.spec import Workflow

# the old path of a registry -> the new one
NewPaths = Mapping[str, str]


def new_paths(old: Workflow, new: Workflow) -> NewPaths:
    """Where another workflow has the registries of a workflow."""
    files = {kind.name: kind.registry.file for kind in new.kinds if kind.registry}
    paths = {
        kind.registry.file: files.get(kind.name) for kind in old.kinds if kind.registry
    }
    return {path: file for path, file in paths.items() if file and file != path}


class MovedSnapshot(DerivedSnapshot):
    """A tree that has its registries at their old paths."""

    def __init__(self, tree: Snapshot, new: NewPaths) -> None:
        super().__init__()
        self._tree = tree
        self._new = new

    def _source(self, path: str) -> tuple[Snapshot, str]:
        return self._tree, self._new.get(path, path)

    def prefetch(self, paths: Iterable[str]) -> None:
        self._tree.prefetch(self._new.get(path, path) for path in paths)

    def paths(self) -> Sequence[str]:
        old = {new: old for old, new in self._new.items()}
        return [
            old.get(path, path) for path in self._tree.paths() if path not in self._new
        ]


def moved(change: Change, before: NewPaths, after: NewPaths) -> Change:
    """A change with the registries of both of its trees at their old paths."""
    if not before and not after:
        return change
    new = {*before.values(), *after.values()}
    touched = {path: how for path, how in change.touched.items() if path not in new}
    touched.update(dict.fromkeys((*before, *after), 'M'))
    return change._replace(
        before=MovedSnapshot(change.before, before) if before else change.before,
        after=MovedSnapshot(change.after, after) if after else change.after,
        touched=touched,
    )


def at_new_path(finding: Finding, paths: NewPaths) -> Finding:
    """A finding about a registry names the path that it has now."""
    new = paths.get(finding.path)
    if new is None:
        return finding
    elif finding.found == 'missing':
        # the workflow names the new path, and the file did not follow
        label = 'move it back, and push both commits'
        fix = Fix(label, f'git mv {quoted([finding.path, new])}')
        finding = finding._replace(fix=fix)
    return finding._replace(path=new)
