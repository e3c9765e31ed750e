"""Registries and contracts that moved because the workflow names another path.

The workflow from before a step judges it, and looks for them at their old paths. The
workflow of a commit looks for them at the new paths, where the tree before a move has
nothing. A commit may also change the workflow and move them at once.
"""

from __future__ import annotations

from interlock.model.change import (
    ADDED,
    DELETED,
    MODIFIED,
    Change,
    DerivedSnapshot,
    MergedSnapshot,
    Snapshot,
)
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import quoted
from interlock.model.quick_typing import Callable, Iterable, Iterator, Mapping, Sequence
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.changed_items import touched_items
from interlock.workflow.reading.item_paths import is_record
from interlock.workflow.reading.records import all_items, records
from interlock.workflow.reading.seals import frozen_at

# the path where a workflow looks for a file -> the path where a tree has it
NewPaths = Mapping[str, str]


def new_registries(old: Workflow, new: Workflow) -> NewPaths:
    """The paths that another workflow gives to the registries of a workflow."""
    files = {kind.name: kind.registry.file for kind in new.kinds}
    paths = {kind.registry.file: files.get(kind.name) for kind in old.kinds}
    return {old: new for old, new in paths.items() if old and new and old != new}


def _moved_patterns(old: Kind, new: Kind) -> Iterator[tuple[str, str]]:
    paths = {contract.name: contract.paths for contract in new.contracts.files}
    for contract in old.contracts.files:
        others = paths.get(contract.name, ())
        for here, there in zip(contract.paths, others, strict=False):
            if here != there and here not in others:
                yield here, there


def new_contracts(old: Workflow, new: Workflow, tree: Snapshot) -> NewPaths:
    """The paths that another workflow gives to the contracts of a tree's items."""
    kinds = {kind.name: kind for kind in new.kinds}
    return {
        expand(here, item): expand(there, item)
        for kind in old.kinds
        if kind.name in kinds
        for here, there in _moved_patterns(kind, kinds[kind.name])
        for item in all_items(tree, kind)
    }


class MovedSnapshot(DerivedSnapshot):
    """A tree with files at the paths where a workflow looks for them."""

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
    """A change with the files of both trees where its workflow looks for them."""
    if not before and not after:
        return change
    new = {*before.values(), *after.values()}
    touched = {path: how for path, how in change.touched.items() if path not in new}
    touched.update(dict.fromkeys((*before, *after), MODIFIED))
    return change._replace(
        before=MovedSnapshot(change.before, before) if before else change.before,
        after=MovedSnapshot(change.after, after) if after else change.after,
        touched=touched,
    )


def may_move(change: Change, workflow: Workflow) -> bool:
    """Whether a change may move files to the paths that the workflow names."""
    added = [path for path, letter in change.touched.items() if letter == ADDED]
    registries = {kind.registry.file for kind in workflow.kinds}
    return any(path in registries for path in added) or (
        any(is_record(workflow, path) for path in added)
        and (DELETED in change.touched.values() or _is_any_frozen(change, workflow))
    )


def _is_any_frozen(change: Change, workflow: Workflow) -> bool:
    """Whether contracts that it touches are frozen: their old files may be left."""
    return any(
        frozen_at(records(change.before, kind, item))
        for kind in workflow.kinds
        if kind.contracts.files
        for item in touched_items(change, kind)
    )


def at_old_paths(change: Change, workflow: Workflow, older: Workflow) -> Change:
    """A change that moves files, compared with where an older workflow had them."""
    paths = {
        **new_registries(older, workflow),
        **new_contracts(older, workflow, change.after),
    }
    return moved(
        change,
        {
            new: old
            for old, new in paths.items()
            if change.touched.get(new) == ADDED and change.before.blob(old)
        },
        {},
    )


def present(paths: NewPaths, tree: Snapshot) -> NewPaths:
    return {old: new for old, new in paths.items() if tree.blob(new)}


def moved_with_rules(change: Change, workflow: Workflow, own: Workflow) -> NewPaths:
    """The new paths of what a change of the workflow to `own` finds elsewhere.

    The old file may be left, and the new one may have been there before.
    """
    paths = {
        **new_registries(workflow, own),
        **new_contracts(workflow, own, change.before),
    }
    return present(paths, change.after)


def merged_at_old_paths(
    changes: Sequence[Change], paths: Callable[[Snapshot], NewPaths]
) -> Sequence[Change]:
    """A merge of which some sides have files at other paths than its workflow says.

    It is given, and returned, once for each distinct opinion of its sides.
    """
    old = changes[0].before
    assert isinstance(old, MergedSnapshot), 'it is a merge'
    trees = (*old.sides, *(base for some in old.bases for base in some))
    moved_paths = {path for tree in trees for path in paths(tree)}
    if not moved_paths:
        return changes

    def at(tree: Snapshot) -> Snapshot:
        return MovedSnapshot(tree, paths(tree))

    sides = [at(side) for side in old.sides]
    bases = [[at(base) for base in some] for some in old.bases]
    found: list[Change] = []
    for number, _ in enumerate(sides):
        change = changes[min(number, len(changes) - 1)]
        before = MergedSnapshot(sides, bases, number)
        # caches use its id() as key, so it must live as long as they do
        change.after.known['before', id(before)] = before
        parents = [each._replace(snapshot=at(each.snapshot)) for each in change.parents]
        touched = {**change.touched, **dict.fromkeys(moved_paths, MODIFIED)}
        found.append(
            change._replace(before=before, parents=tuple(parents), touched=touched)
        )
        is_contested = any(map(before.is_contested, moved_paths))
        if number + 1 >= len(changes) and not is_contested:
            break
    return found


def at_new_path(finding: Finding, paths: NewPaths) -> Finding:
    """A finding about a moved file, with its current path."""
    new = paths.get(finding.path)
    if new is None:
        return finding
    elif finding.found == 'missing':
        # the workflow names the new path, but the file was not moved
        label = 'move it back, and push both commits'
        fix = Fix(label, f'git mv {quoted([finding.path, new])}')
        finding = finding._replace(fix=fix)
    return finding._replace(path=new)
