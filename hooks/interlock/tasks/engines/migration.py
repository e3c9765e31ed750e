"""Moves the locks of a repository from one engine to another."""

from __future__ import annotations

from interlock.files.actor import user
from interlock.model.errors import Denied
from interlock.model.quick_typing import Sequence
from interlock.operations.tasks.locks import Holder
from interlock.tasks.engines import selection
from interlock.tasks.engines.engine import Engine, EngineError, LockRecord, Marker
from interlock.tasks.engines.register import new_token
from interlock.tasks.lock_changes import silent
from interlock.tasks.task_layout import Workspace


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
    with its generation. The old engine is marked, so that whoever still uses it
    is refused.
    """
    old, new = selection.engine_named(space, origin), selection.configured_engine(space)
    token = new_token(selection.authority(space))
    try:
        found = _records(space, old)
        _refuse_held(found)
        epoch = max(
            (each.epoch for each in (old.marker(), new.marker()) if each), default=0
        )
        marker = Marker(new.kind, epoch + 1)
        old.mark(marker, token)
        moved = [(record.name, _moved(new, record)) for record in found]
        new.mark(marker, token)
    except EngineError as e:
        raise silent(new, 'every lock', e) from None
    return moved


def _moved(engine: Engine, record: LockRecord) -> int:
    """As long as nobody counts further there, count on from the old record."""
    there = engine.show(record.name)
    if there is not None and there.generation >= record.generation:
        return there.generation
    holder = Holder(f'migration by {user()}', '', 0, '', '', '')
    note = {'event': 'migrated', 'person': user()}
    tokens = new_token(record.name), new_token(record.name)
    taken = engine.acquire(
        record.name,
        holder,
        lambda _: record.data,
        tokens[0],
        # the generation that a lock had is the one that it has
        record.generation - 1,
        note,
    )
    if not taken.ok or taken.record is None:
        raise Denied(
            f'{record.name} is not moved: {taken.why}',
            f'interlock lock show {record.name}',
        )
    engine.release(record.name, holder, taken.record.generation, tokens[1], note)
    return taken.record.generation
