"""Registries, handoffs and contracts that would result from a write.

The first half of an edit in two steps is let through: drift is refused at
commit. What no second step can make good is refused here.
"""
from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.checks import contracts
from interlock.checks import stages
from interlock.claude.concern import inside
from interlock.claude.objection import Objection
from interlock.claude.scene import Scene
from interlock.claude.write import Write
from interlock.documents.text import shown
from interlock.model.change import Change
from interlock.model.finding import Finding
from interlock.operations.overlay import Overlay
from interlock.workflow.handoffs import stage_of
from interlock.workflow.names import item_of
from interlock.workflow.names import record_paths
from interlock.workflow.records import records
from interlock.workflow.spec import DONE
from interlock.workflow.spec import Kind
from interlock.workflow.template import expand
from interlock.workflow.template import path_re
from interlock.world.disk import SteadySnapshot

STEPS = frozenset({'STG001', 'STG002'})
SEALS = frozenset({'CON001', 'CON002', 'CON005'})


def _is_sealed(kind: Kind, name: str) -> bool:
    """A contract that does not change while it is frozen."""
    return kind.contracts is not None and any(
        path_re(pattern).match(name)
        for contract in kind.contracts.files if not contract.free
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
        if stage and stage.name in kind.contracts.frozen and (
                at.role != DONE
        ):
            return item
    return ''


def _hint(item: str) -> str:
    return (
        f'ask the user; once it is changed: interlock handoff update {item} '
        f'--amend REASON'
    )


def _known(scene: Scene, top: str) -> Iterator[str]:
    """The records and contracts of every item that has a directory."""
    for kind in scene.workflow.kinds:
        if kind.registry is not None:
            yield kind.registry.file
        folder = os.path.join(top, os.path.dirname(kind.path))
        for item in os.listdir(folder) if os.path.isdir(folder) else ():
            yield from (expand(path, item) for path in record_paths(kind))


def _reached(
        scene: Scene,
        write: Write,
        top: str,
        name: str,
) -> dict[str, bytes | None]:
    """The files that matter of those that a write reaches, with nothing
    known of their content."""
    if not write.tree:
        return {name: None}
    below = os.path.relpath(write.real, top).replace(os.sep, '/')
    return {
        path: None for path in _known(scene, top)
        if below == '.' or path == below or path.startswith(f'{below}/')
        if os.path.lexists(os.path.join(top, path))
    }


def _findings(
        scene: Scene,
        before: SteadySnapshot,
        files: dict[str, bytes | None],
) -> Iterator[Finding]:
    change = Change(
        before, Overlay(before, files), dict.fromkeys(files, 'M'),
    )
    for found in stages.check(change, scene.workflow):
        if found.code in STEPS:
            yield found
    for found in contracts.check(change, scene.workflow):
        sealed = any(
            _is_sealed(kind, found.path) for kind in scene.workflow.kinds
        )
        if found.code in SEALS and sealed and found.path in files:
            yield found


def _refusal(found: Finding) -> Objection:
    hint = found.fix.command
    if found.code in SEALS:
        return Objection(
            'CON006',
            f'{found.path} is a frozen contract of {shown(found.item)}, and '
            f'{found.message}', _hint(found.item),
        )
    return Objection(
        found.code, f'{shown(found.item)}: {found.message}', hint,
    )


def _unknown(
        scene: Scene,
        before: SteadySnapshot,
        name: str,
) -> Objection | None:
    item = _is_frozen(scene, before, name)
    return Objection(
        'CON006', f'{name} is a frozen contract of {shown(item)}',
        _hint(item),
    ) if item else None


def _judged(
        scene: Scene,
        before: SteadySnapshot,
        files: dict[str, bytes | None],
) -> Objection | None:
    for found in _findings(scene, before, files):
        if found.introduced and found.refuses:
            return _refusal(found)
    return None


def _at(scene: Scene, write: Write, path: str) -> Objection | None:
    name = inside(scene, path)
    if not name:
        return None
    top = path[:-len(name)].rstrip(os.sep) or os.sep
    before = SteadySnapshot(top)
    if not write.removed and write.new is not None:
        return _judged(scene, before, {name: write.new})
    files = _reached(scene, write, top, name)
    for each in files:
        # with its handoff gone too, nothing would show what was sealed
        objection = _unknown(scene, before, each)
        if objection:
            # git puts back what a commit holds, which may be the same
            objection.ask = write.tree and write.how.startswith('git ')
            return objection
    return _judged(scene, before, files) if write.removed else None


def judge(scene: Scene, write: Write) -> Objection | None:
    for path in write.places:
        objection = _at(scene, write, path)
        if objection:
            return objection
    return None
