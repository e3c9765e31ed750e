"""Moves the locks of a repository from one engine to another."""

from __future__ import annotations

from interlock.files.actor import user
from interlock.model.errors import Denied
from interlock.model.quick_typing import Sequence
from interlock.tasks.engines import selection
from interlock.tasks.engines.engine import Engine, EngineError, LockRecord, Marker
from interlock.tasks.engines.register import new_token
from interlock.tasks.lock_changes import silent
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.sharing import GIT_REMOTE, locks_on


def _records(space: Workspace, engine: Engine) -> Sequence[LockRecord]:
    main = space.protocol.main.name
    return [record for record in engine.list() if record.name != main]


def _refuse_held(records: Sequence[LockRecord]) -> None:
    held = [record.name for record in records if not record.is_free]
    if held:
        raise Denied(
            f'{", ".join(held)} is held, and a lock is not moved under its holder',
            f'interlock lock show {held[0]}',
        )


def migrate(space: Workspace, origin: str) -> list[tuple[str, int]]:
    """Let the engine that is configured count on where another one was.

    `origin` is as in $INTERLOCK_LOCKS. Gives the locks that were moved, each
    with its generation. The old engine is marked, so that those who still use it
    are refused.
    """
    spec = selection.settings(space)
    if locks_on(space.workflow.locks, origin) == spec:
        raise Denied(
            f'the engine {origin} keeps the locks already: name the one that kept '
            f'them before',
            'interlock lock migrate --help',
        )
    old, new = selection.engine_named(space, origin), selection.configured_engine(space)
    # two remotes, or two databases, are told apart by their names
    name = f':{spec.remote if new.kind == GIT_REMOTE else spec.service}'
    keeper = new.kind if old.kind != new.kind else new.kind + name
    try:
        return _migrate(space, old, new, keeper)
    except EngineError as e:
        raise silent(new, 'every lock', e) from None


def _migrate(
    space: Workspace, old: Engine, new: Engine, keeper: str
) -> list[tuple[str, int]]:
    _refuse_held([*_records(space, old), *_records(space, new)])
    markers = (old.marker(), new.marker())
    epoch = max((each.epoch for each in markers if each), default=0) + 1
    _mark(space, old, Marker(keeper, epoch))
    try:
        found = _records(space, old)
        _refuse_held(found)
        moved = [(record.name, _moved(space, old, new, record)) for record in found]
    except Denied:
        # a session that was faster than the mark has its lock there
        _mark(space, old, Marker(old.kind, epoch + 1))
        raise
    _mark(space, new, Marker(new.kind, epoch))
    return moved


def _mark(space: Workspace, engine: Engine, marker: Marker) -> None:
    answer = engine.mark(marker, new_token(selection.authority(space)))
    if not answer.ok:
        raise Denied(
            f'the engine {engine.kind} cannot be marked: {answer.why}', 'run this again'
        )


def _moved(space: Workspace, old: Engine, new: Engine, record: LockRecord) -> int:
    """First to where it goes: a lock that is nowhere would count from 1."""
    name, data, number = record.name, record.data, record.generation
    for engine, reason in ((new, f'from {old.kind}'), (old, f'to {new.kind}')):
        token = new_token(selection.authority(space))
        answer = engine.move(name, number, data, user(), reason, token)
        if not answer.ok or answer.record is None:
            raise Denied(
                f'{name} is not moved: {answer.why}', f'interlock lock show {name}'
            )
        number = answer.record.generation
    return number
