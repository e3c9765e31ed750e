"""The lock that would result from a write: whole, ours, a legal step."""

from __future__ import annotations

import os

from interlock.checks import task_files
from interlock.documents import timestamps
from interlock.documents.tasks import approvals
from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.file_write import Write
from interlock.guard.guards import lock_fields
from interlock.guard.lock_text import findings, parsed
from interlock.tasks import task_view
from interlock.tasks.conditions import gate
from interlock.tasks.lock_store import Held
from interlock.workflow.reading.transition_log import first_state


def _released(name: str) -> Objection:
    return Objection(
        'CLD006',
        f'the lock of {name} is given back by a command, which logs it',
        f'interlock lock release {name}',
    )


def _by_hand(name: str, held: Held | None) -> Objection:
    return Objection(
        'CLD006',
        f'the lock of {name} is written by a command, which no gate and no '
        f'log would see',
        f'interlock transition {name} STATE'
        if held
        else f'interlock task start {name}',
    )


def _way(name: str, old: Lock | None, new: Lock) -> str:
    """The command that does what a write by hand was meant to do."""
    if old is None:
        return f'interlock task start {name}'
    elif new.state != old.state:
        return f'interlock transition {name} {shown(new.state) or "STATE"}'
    return f'interlock task resume {name}'


def _introduced(
    scene: Scene, name: str, path: str, old: Lock | None, new: Lock
) -> Objection | None:
    before = (
        {found.fingerprint for found in findings(scene, name, path, old)}
        if old
        else set()
    )
    for found in findings(scene, name, path, new):
        if found.refuses and found.fingerprint not in before:
            return Objection(
                found.code, f'{name}: {found.message}', _way(name, old, new)
            )
    return None


def _approved(lock: Lock | None) -> bool:
    found = approvals.checkpoint(lock.get('checkpoint')) if lock else None
    return found is not None and found.approved


def _is_recorded(old: Lock | None, new: Lock) -> bool:
    """Whether a record backs what the checkpoint says."""
    at = approvals.checkpoint(new.get('checkpoint'))
    records = approvals.approvals(old.get('approvals') if old else None)
    return at is not None and any(
        each.of == approvals.CHANGES and each.what == at.commit for each in records
    )


def _approvals(name: str, old: Lock | None, new: Lock) -> Objection | None:
    for role in ('approvals', 'presented', 'scope_presented'):
        before = old.get(role) if old else None
        if new.get(role) != before:
            return Objection(
                'CLD005',
                f'`{new.key(role)}` of {name} is written by Interlock, when '
                f'something is presented and when the user approves it',
                f'interlock present {name}',
            )
    if _approved(new) and not _approved(old) and not _is_recorded(old, new):
        return Objection(
            'CLD005',
            f'the checkpoint of {name} would say that the user approved it, '
            f'and no record says so',
            f'interlock present {name}',
        )
    return None


def _identity(scene: Scene, name: str, old: Lock | None, new: Lock) -> Objection | None:
    if new.session != scene.event.session:
        return Objection(
            'CLD006',
            f'the lock of {name} would name session {shown(new.session)}, '
            f'and this is another one',
            f'interlock lock show {name}',
        )
    elif old is not None and new.generation != old.generation:
        return Objection(
            'CLD006',
            f'the generation of the lock of {name} is counted by Interlock',
            f'interlock lock show {name}',
        )
    return None


def _history(name: str, old: Lock | None, new: Lock) -> Objection | None:
    before = old.get('log') if old else None
    after = new.get('log')
    if (
        isinstance(before, list)
        and isinstance(after, list)
        and (after[: len(before)] != before)
    ):
        return Objection(
            'STG004',
            f'the log of {name} only grows; what was logged is changed',
            _way(name, old, new),
        )
    return None


def _fields(scene: Scene, name: str, old: Lock | None, new: Lock) -> Objection | None:
    if old is None:
        return None
    return lock_fields.judge(name, old, new, scene.space.kind)


def _before_step(old: Lock, new: Lock) -> Lock:
    """The new lock, with the step itself not taken yet."""
    data = dict(new.data)
    for role in ('state', 'log'):
        data[new.key(role)] = old.get(role)
    return new._replace(json=new.json._replace(data=data))


def _step(scene: Scene, name: str, old: Lock | None, new: Lock) -> Objection | None:
    """The gate of the step, as if what comes with it were recorded."""
    space = scene.space
    if old is None:
        if new.state != first_state(space.kind):
            return Objection(
                'STG003',
                f'{name} begins in {first_state(space.kind)}, not '
                f'in {shown(new.state)}',
                f'interlock task start {name}',
            )
        return None
    elif old.state == new.state:
        return None
    here = task_view.Here(
        space,
        SteadySnapshot(space.tasks),
        os.environ,
        scene.actor,
        scene.directory,
        timestamps.now(),
    )
    view = task_view.view(
        here,
        _before_step(old, new),
        name,
        new.state,
        gate.asked(space.kind, old.state, new.state),
    )
    evidence = new.get('evidence')
    if isinstance(evidence, dict) and new.state in evidence:
        return Objection(
            'CLD006',
            f'{name} would come to {shown(new.state)} with '
            f'evidence of it, which is given in that state',
            f'interlock transition {name} {shown(new.state)}',
        )
    for verdict in gate.gate(view):
        if verdict.refuses:
            return Objection(
                'STG005',
                f'{name}: {old.state} -> {shown(new.state)}: '
                f'{verdict.code} {verdict.message}',
                f'interlock gate {name} {shown(new.state)}',
            )
    return None


def judge(scene: Scene, write: Write, name: str, held: Held | None) -> Objection | None:
    if write.removed:
        return _released(name)
    elif write.how or write.new is None:
        return _by_hand(name, held)
    old = held.lock if held and held.lock.problem is None else None
    new = parsed(scene, write.new)
    return (
        _introduced(scene, name, write.path, old, new)
        or _identity(scene, name, old, new)
        or _approvals(name, old, new)
        or _history(name, old, new)
        or _fields(scene, name, old, new)
        or _step(scene, name, old, new)
    )


def judge_main(scene: Scene, write: Write) -> Objection | None:
    """The lock of the main worktree, absent or ours."""
    protocol = scene.space.protocol
    main = protocol.main
    if write.removed:
        return _released(main.name)
    hint = f'interlock lock acquire {main.name} --operation {main.operations[0]}'
    if write.how or write.new is None:
        return Objection(
            'CLD006',
            'the lock of the main worktree is written by a '
            'command, which two sessions may do at once',
            hint,
        )
    new = parsed(scene, write.new)
    for found in task_files.of_main(write.path, new, protocol):
        if found.refuses:
            return Objection(found.code, found.message, hint)
    return _identity(scene, main.name, None, new)
