"""Who works where: every lock of this clone, or of all that share its engine."""

from __future__ import annotations

from interlock.model.actor import Actor
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.tasks import lock_holders
from interlock.tasks.engines import selection, shared_lock
from interlock.tasks.engines.engine import EngineError, LockRecord
from interlock.tasks.lock_confirmation import confirmed_at
from interlock.tasks.lock_store import Held, locks_of
from interlock.tasks.task_layout import Workspace

# for one question, while somebody waits for a list
SECONDS = 2.0
# the engine was asked just now
NOW = 'now'
FREE = 'LCK001: the engine says that nobody holds it'


class LockLine(NamedTuple):
    task: str
    state: str
    session: str
    # who holds it, in words
    holder: str
    host: str
    worktree: str
    since: str
    # when the engine last said so; '' for an engine of this clone alone
    confirmed: str
    is_own: bool
    is_here: bool


class Overview(NamedTuple):
    lines: list[LockLine]
    # why the engine gave no answer, '' if it did, or was not asked
    silent: str = ''

    @property
    def warning(self) -> str:
        """The warning that some locks may be missing, '' if none are."""
        if not self.silent:
            return ''
        return (
            f'interlock: warning: LCK009: the lock engine gave no list, so only '
            f'the locks of this clone are listed, each with when it was last '
            f'confirmed: {self.silent} (interlock lock confirm)'
        )


def _line(name: str, held: Held, who: Actor, confirmed: str, here: bool) -> LockLine:
    facts = lock_holders.facts(held)
    return LockLine(
        name,
        facts.state,
        facts.session,
        lock_holders.holder_text(held),
        facts.host,
        facts.worktree,
        facts.created,
        confirmed,
        held.is_held_by(who.session),
        here,
    )


def _here(space: Workspace, who: Actor) -> Iterator[LockLine]:
    locks = locks_of(space)
    for name, held in lock_holders.all_held(space):
        confirmed = confirmed_at(locks.grant(name)) if locks.is_shared(name) else ''
        yield _line(name, held, who, confirmed, True)


def _told(space: Workspace, who: Actor, record: LockRecord) -> LockLine:
    """A line for a lock as the engine has it."""
    line = _line(record.name, shared_lock.held_lock(space, record), who, NOW, False)
    where = str(record.holder.get('worktree') or line.worktree)
    return line._replace(session=record.session, worktree=where)


def _compared(
    space: Workspace, who: Actor, line: LockLine, record: LockRecord | None
) -> LockLine:
    """The line of a lock of this clone, updated by the engine's answer."""
    grant = locks_of(space).grant(line.task)
    if record is None:
        said = f'{line.holder}; {FREE}'
        return line._replace(holder=said, confirmed=NOW, is_own=False)
    elif grant is not None and grant.token == record.token:
        # only this clone may know the changes that a hook made
        return line._replace(confirmed=NOW)
    return _told(space, who, record)


def overview(space: Workspace, who: Actor, asks: bool) -> Overview:
    """List the locks; `asks`: ask the engine about locks of others."""
    lines = list(_here(space, who))
    if not asks or not selection.settings(space).is_shared:
        return Overview(lines)
    try:
        records = selection.configured_engine(space, SECONDS).list()
    except EngineError as e:
        return Overview(lines, e.why)
    held = {
        record.name: shared_lock.sound(space, record)
        for record in records
        if not record.is_free
    }
    locks = locks_of(space)
    lines = [
        _compared(space, who, line, held.pop(line.task, None))
        if locks.is_shared(line.task)
        else line
        for line in lines
    ]
    return Overview([*lines, *(_told(space, who, each) for each in held.values())])
