"""Registries, handoffs and contracts that would result from a write.

The first half of an edit in two steps is let through: drift is refused at
commit. What no second step can make good is refused here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from interlock.checks import contracts, handoff, registry, stages
from interlock.documents.text import shown
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.file_write import Write
from interlock.guard.guards.wiring import is_tracked
from interlock.guard.relevance import inside
from interlock.model.change import Change
from interlock.model.finding import Finding
from interlock.operations.overlay import Overlay
from interlock.workflow.language.patterns import expand, path_re
from interlock.workflow.language.spec import DONE, Kind, Workflow
from interlock.workflow.reading.item_paths import item_of, record_paths
from interlock.workflow.reading.records import records, stage_of

STEPS = frozenset({'STG001', 'STG002'})
SEALS = frozenset({'CON001', 'CON002', 'CON005', 'CON007'})
# after which nobody can say where an item stands
LOST = frozenset({'REG008', 'HND001', 'HND002'})
# content that no seal can be of
OTHER = b'\0'
EDIT = 'make the change with the Edit tool, whose result is judged'


def _is_sealed(kind: Kind, name: str) -> bool:
    """A contract that does not change while it is frozen."""
    return kind.contracts is not None and any(
        path_re(pattern).match(name)
        for contract in kind.contracts.files
        if not contract.free
        for pattern in contract.paths
    )


def _is_frozen(scene: Scene, top: SteadySnapshot, name: str) -> str:
    """The item whose frozen contract a file is, '' if it is none."""
    for kind in scene.workflow.kinds:
        item = item_of(name, kind) if _is_sealed(kind, name) else ''
        if not item or kind.contracts is None:
            continue
        at = records(top, kind, item)
        stage = stage_of(at)
        if stage and stage.name in kind.contracts.frozen and (at.role != DONE):
            return item
    return ''


def _hint(item: str) -> str:
    return (
        f'ask the user; once it is changed: interlock handoff update {item} '
        f'--amend REASON'
    )


class Record(NamedTuple):
    """What a file is to an item, and where the workflow says so."""

    kind: str
    pattern: str
    # '' for a registry, which is of all
    item: str = ''

    def __str__(self) -> str:
        return f'the handoff of {shown(self.item)}' if self.item else ('the registry')


def record_of(workflow: Workflow, name: str) -> Record | None:
    """The record that a file is; contracts and notes are none."""
    for kind in workflow.kinds:
        registry = kind.registry
        if registry is not None:
            if name == registry.file or (
                registry.entry_file and path_re(registry.entry_file).match(name)
            ):
                return Record(kind.name, registry.file)
        for pattern in kind.handoff.places if kind.handoff else ():
            match = path_re(pattern).match(name)
            if match:
                return Record(kind.name, pattern, match['item'])
    return None


def _contract_of(workflow: Workflow, name: str) -> tuple[str, str] | None:
    return next(
        (
            (kind.name, pattern)
            for kind in workflow.kinds
            if kind.contracts
            for contract in kind.contracts.files
            for pattern in contract.paths
            if path_re(pattern).match(name)
        ),
        None,
    )


def known(scene: Scene, top: str) -> Iterator[str]:
    """The records and contracts of every item that has a directory."""
    for kind in scene.workflow.kinds:
        if kind.registry is not None:
            yield kind.registry.file
        folder = os.path.join(top, os.path.dirname(kind.path))
        for item in os.listdir(folder) if os.path.isdir(folder) else ():
            yield from (expand(path, item) for path in record_paths(kind))


def _reached(
    scene: Scene, write: Write, top: str, name: str
) -> dict[str, bytes | None]:
    """The files that matter of those that a write reaches, with nothing
    known of their content."""
    if not write.tree:
        return {name: None}
    below = os.path.relpath(write.real, top).replace(os.sep, '/')
    return {
        path: None
        for path in known(scene, top)
        if below == '.' or path == below or path.startswith(f'{below}/')
        if os.path.lexists(os.path.join(top, path))
    }


def _findings(
    scene: Scene, before: SteadySnapshot, files: dict[str, bytes | None]
) -> Iterator[Finding]:
    change = Change(before, Overlay(before, files), dict.fromkeys(files, 'M'))
    for found in stages.check(change, scene.workflow):
        if found.code in STEPS:
            yield found
    for found in contracts.check(change, scene.workflow):
        sealed = any(_is_sealed(kind, found.path) for kind in scene.workflow.kinds)
        if found.code in SEALS and sealed and found.path in files:
            yield found


def _refusal(found: Finding) -> Objection:
    hint = found.fix.command
    if found.code in SEALS:
        return Objection(
            'CON006',
            f'{found.path} is a frozen contract of {shown(found.item)}, and '
            f'{found.message}',
            _hint(found.item),
        )
    return Objection(found.code, f'{shown(found.item)}: {found.message}', hint)


def _unknown(scene: Scene, before: SteadySnapshot, name: str) -> Objection | None:
    """A contract of which nobody can say what becomes of it."""
    item = _is_frozen(scene, before, name)
    if item:
        return Objection(
            'CON006', f'{name} is a frozen contract of {shown(item)}', _hint(item)
        )
    return (
        _judged(scene, before, {name: OTHER})
        if any(_is_sealed(kind, name) for kind in scene.workflow.kinds)
        else None
    )


def _of_record(scene: Scene, write: Write, name: str) -> Objection | None:
    """A record that goes, or gets a content that is not known."""
    found = record_of(scene.workflow, name)
    if found is None:
        return None
    elif write.removed:
        return Objection(
            'CLD016',
            f'this would remove {name}, {found}',
            f'interlock handoff delete {shown(found.item)}'
            if found.item
            else 'ask the user',
        )
    elif not write.how:
        # a tool of the client that cannot do it either
        return None
    return Objection(
        'CLD016',
        f'`{shown(write.how)}` rewrites {name}, {found}, and the result '
        f'cannot be judged before',
        EDIT,
    )


def _is_renamed(scene: Scene, write: Write, path: str, name: str) -> bool:
    """Whether it goes to the same place of another item."""
    if not write.target:
        return False
    target = write.target
    if os.path.isdir(target) and not os.path.isdir(write.real):
        target = os.path.join(target, os.path.basename(write.path))
    there = os.path.realpath(target + path[len(write.real) :])
    return not os.path.lexists(there) and (
        _are_alike(scene, name, inside(scene, there))
    )


def _are_alike(scene: Scene, name: str, other: str) -> bool:
    """Whether two files are the same to two items."""
    old, new = (record_of(scene.workflow, each) for each in (name, other))
    if old and new:
        return bool(old.item) and old._replace(item='') == new._replace(item='')
    contract = _contract_of(scene.workflow, name)
    return contract is not None and (contract == _contract_of(scene.workflow, other))


def _stays(scene: Scene, write: Write, top: str, name: str) -> bool:
    """Whether a removal leaves a file, or moves it to another item."""
    path = os.path.join(top, name)
    if not os.path.lexists(path):
        return True
    elif write.how == 'git clean':
        return is_tracked(scene, path)
    return _is_renamed(scene, write, path, name)


def _judged(
    scene: Scene, before: SteadySnapshot, files: dict[str, bytes | None]
) -> Objection | None:
    for found in _findings(scene, before, files):
        if found.introduced and found.refuses:
            return _refusal(found)
    return None


def _of_content(
    scene: Scene, write: Write, before: SteadySnapshot, name: str, new: bytes
) -> Objection | None:
    files: dict[str, bytes | None] = {name: new}
    objection = _judged(scene, before, files)
    if objection or not write.how or record_of(scene.workflow, name) is None:
        # a tool may well edit in two steps
        return objection
    change = Change(before, Overlay(before, files), {name: 'M'})
    for check in (registry.check, handoff.check):
        for found in check(change, scene.workflow):
            if found.code in LOST and found.introduced and (found.path == name):
                return Objection(
                    'CLD016',
                    f'{name}: {found.message}, so it would say nothing any more',
                    EDIT,
                )
    return None


def _at(scene: Scene, write: Write, path: str) -> Objection | None:
    name = inside(scene, path)
    if not name:
        return None
    top = path[: -len(name)].rstrip(os.sep) or os.sep
    before = SteadySnapshot(top)
    if not write.removed and write.new is not None:
        return _of_content(scene, write, before, name, write.new)
    files = _reached(scene, write, top, name)
    if write.removed:
        files = {each: None for each in files if not _stays(scene, write, top, each)}
    for each in files:
        # with its handoff gone too, nothing would show what was sealed
        objection = _unknown(scene, before, each)
        if objection:
            return objection
    for each in files:
        objection = _of_record(scene, write, each)
        if objection:
            return objection
    return _judged(scene, before, files) if write.removed else None


def judge(scene: Scene, write: Write) -> Objection | None:
    if write.kept or write.restored:
        return None
    source = inside(scene, write.source) if write.source else ''
    for path in write.places:
        if (
            source
            and not os.path.lexists(path)
            and (_are_alike(scene, source, inside(scene, path)))
        ):
            # an item gets another name, and is judged where it is committed
            continue
        objection = _at(scene, write, path)
        if objection:
            return objection
    return None
