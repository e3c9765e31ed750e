from __future__ import annotations

import json
import os
import time

import click

from interlock import __version__
from interlock.commands.click_options import common, writes
from interlock.commands.tasks.workspace import Workplace, looked_at, opened
from interlock.documents import timestamps
from interlock.documents.text import shown
from interlock.files.actor import require_person, user
from interlock.model.errors import Denied
from interlock.operations.tasks import locks as operations
from interlock.report.terminal import FOUND, err, out
from interlock.tasks import lock_holders, task_notes
from interlock.tasks.lock_store import Held, event

# seconds between two looks at a lock that is waited for
POLL = 0.5
FORM = click.option(
    '--format', 'form', type=click.Choice(['text', 'json']), default='text'
)


@click.group('lock')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Who may change a task, or the main worktree, now."""


def _wait_for(at: Workplace, name: str) -> str:
    """Of the main worktree there is only one; tasks there are others."""
    main = at.space.protocol.main
    if name != main.name:
        return 'interlock task select'
    return (
        f'interlock lock acquire {name} --operation {main.operations[0]} '
        f'--until-free 600'
    )


def _refuse_foreign(at: Workplace, name: str, lock: Held) -> None:
    if not lock.is_held_by(at.actor.session):
        raise Denied(
            f'LCK001: {name} is held by {lock_holders.described(lock, at.actor)}',
            _wait_for(at, name),
        )


def _refuse_abandoned(at: Workplace, name: str) -> None:
    """Whether somebody still works there only a person knows."""
    if name != at.space.protocol.main.name and (os.path.isdir(at.space.code(name))):
        raise Denied(
            f'LCK004: the worktree {at.space.code(name)} of {name} stands '
            f'without a lock, and only a person gives it to a session',
            f'interlock task select {name}',
        )


def _is_overtaken(at: Workplace, name: str, lock: Held) -> bool:
    """Whether others gave out a higher generation, or nobody gave ours."""
    if not lock_holders.is_given(at.space, name, lock.lock):
        return True
    return bool(lock.lock.generation) and (
        lock_holders.given_elsewhere(at.space, name) > lock.lock.generation
    )


def _again(at: Workplace, name: str, lock: Held) -> str:
    """The lock is ours already: it names the process that holds it now."""
    assert lock.data is not None, 'it was read'
    generation, said, renumbered = lock.lock.generation, ' already', None
    if _is_overtaken(at, name, lock):
        generation = lock_holders.next_generation(at.space, name)
        said = f', now as generation {generation}'
        renumbered = event(
            'renumbered',
            name,
            before=lock.lock.generation,
            generation=generation,
            session=at.actor.session,
        )
    data = operations.rebound(
        lock.lock, at.holder(name), at.space.protocol, lock.data, generation
    )
    at.locks.replace(name, lock, data, renumbered)
    return f'{name} is held by this session{said}'


def _content(at: Workplace, name: str, operation: str, generation: int) -> bytes:
    holder, now = at.holder(name), timestamps.now()
    if name == at.space.protocol.main.name:
        return operations.main_lock(
            at.space.protocol, operation, holder, generation, now
        )
    return operations.task_lock(at.space.kind, name, holder, generation, now)


def take(at: Workplace, name: str, operation: str) -> str:
    found = lock_holders.held(at.space, name)
    if found is not None:
        _refuse_foreign(at, name, found)
        return _again(at, name, found)
    _refuse_abandoned(at, name)
    generation = lock_holders.next_generation(at.space, name)
    data = _content(at, name, operation, generation)
    acquired = event('acquired', name, generation=generation, session=at.actor.session)
    lock_holders.make(at.space, name, data, at.actor, acquired)
    return f'{name} is held by this session, generation {generation}'


def _operation(at: Workplace, name: str, operation: str | None) -> str:
    main = at.space.protocol.main
    if name != main.name:
        if operation is not None:
            raise click.UsageError(f'--operation belongs to the lock of {main.name}')
        return ''
    elif operation not in main.operations:
        known = ', '.join(main.operations)
        raise click.UsageError(f'{main.name} is locked for one of --operation {known}')
    return operation


def _awaited(at: Workplace, name: str, seconds: float) -> Held | None:
    """The lock that is there, once its holder had so long to give it back."""
    end = time.monotonic() + seconds
    while True:
        found = lock_holders.held(at.space, name)
        if (
            found is None
            or found.is_held_by(at.actor.session)
            or (time.monotonic() >= end)
        ):
            return found
        time.sleep(min(POLL, max(end - time.monotonic(), 0)))


@command.command()
@click.argument('name', metavar='TASK|main')
@click.option('--operation', help='What is done in the main worktree.')
@click.option(
    '--until-free',
    type=click.FloatRange(0),
    default=0.0,
    metavar='SECONDS',
    help='Wait so long for a lock that another session holds.',
)
@writes
def acquire(
    name: str,
    operation: str | None,
    until_free: float,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Take the lock of a task, or of the main worktree."""
    at = looked_at(config)
    name = at.task_or_main(name)
    operation = _operation(at, name, operation)
    lock_holders.require_session(at.actor)
    found = _awaited(at, name, until_free)
    if found is not None:
        # whoever is late need not wait to be told so
        _refuse_foreign(at, name, found)
    with at.journal.locked(wait):
        said = take(at, name, operation)
    if not quiet:
        err(said)
    return 0


def end_own(at: Workplace, name: str) -> None:
    lock = lock_holders.require_holder(at.space, name, at.actor)
    released = event(
        'released', name, generation=lock.lock.generation, session=at.actor.session
    )
    at.locks.remove(name, lock, released)


def _end_others(at: Workplace, name: str, generation: int) -> None:
    """Only a person decides that a session will not come back."""
    lock = lock_holders.held(at.space, name)
    if lock is None:
        raise Denied(f'{name} is not locked', f'interlock lock show {name}')
    elif lock.lock.generation != generation:
        raise Denied(
            f'the lock of {name} is of generation '
            f'{lock.lock.generation}, not {generation}: look who holds it',
            f'interlock lock show {name}',
        )
    end_by_person(at, name, lock)


def end_by_person(at: Workplace, name: str, lock: Held) -> None:
    ended = event(
        'ended by a person',
        name,
        generation=lock.lock.generation,
        session=lock.holder,
        person=user(),
    )
    at.locks.remove(name, lock, ended)


def _require_releaser(at: Workplace, name: str) -> None:
    """A person holds no lock, and ends another's by its generation."""
    lock = lock_holders.held(at.space, name) if at.actor.is_human else None
    if lock is not None:
        raise Denied(
            f'LCK003: {name} is held by '
            f'{lock_holders.described(lock, at.actor)}, and a person ends it by '
            f'its generation',
            f'interlock lock release {name} --holder {lock.lock.generation}',
        )
    lock_holders.require_session(at.actor)


@command.command()
@click.argument('name', metavar='TASK|main')
@click.option(
    '--holder',
    'generation',
    type=click.IntRange(0),
    metavar='GENERATION',
    help="End another session's lock; only a person, on a terminal.",
)
@writes
def release(
    name: str,
    generation: int | None,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Give the lock of a task, or of the main worktree, back."""
    at = looked_at(config)
    name = at.task_or_main(name)
    if generation is not None:
        require_person(
            at.actor,
            "end another session's lock",
            'ask the user to run this on a terminal',
        )
    else:
        _require_releaser(at, name)
    with at.journal.locked(wait):
        if generation is None:
            end_own(at, name)
        else:
            _end_others(at, name, generation)
    if not quiet:
        err(f'{name} is not locked any more')
    return 0


def _shown(at: Workplace, name: str, lock: Held) -> dict[str, object]:
    facts = lock_holders.facts(lock, at.actor)
    return {
        'name': name,
        'locked': True,
        'own': lock.is_held_by(at.actor.session),
        **facts._asdict(),
        'ended': task_notes.ended(at.space, name, lock),
    }


def _text(at: Workplace, name: str, lock: Held) -> str:
    facts = lock_holders.facts(lock, at.actor)
    ended = task_notes.ended(at.space, name, lock)
    lines = [f'{name} is held by {lock_holders.described(lock, at.actor, ended)}']
    if facts.generation or not facts.session:
        # a person ends by it what nobody can give back
        lines.append(f'  generation {facts.generation}')
    if not facts.session:
        lines.append(
            f'  a person ends it: interlock lock release {name} --holder '
            f'{facts.generation}'
        )
    if facts.state:
        lines.append(f'  state      {shown(facts.state)}')
    if facts.worktree:
        lines.append(f'  worktree   {shown(facts.worktree)}')
    return '\n'.join(lines)


@command.command()
@click.argument('name', metavar='TASK|main')
@FORM
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def show(name: str, form: str, config: str, verbose: int, quiet: int) -> int:
    """Who holds a lock, since when, and does that process still run?

    Exit 1 where it is not locked.
    """
    with opened(config, reads=True) as at:
        name = at.task_or_main(name)
        lock = lock_holders.held(at.space, name)
        if form == 'json':
            absent = {'name': name, 'locked': False}
            values = absent if lock is None else _shown(at, name, lock)
            out(json.dumps(values))
        elif lock is None:
            out(f'{name} is not locked')
        else:
            out(_text(at, name, lock))
    return FOUND if lock is None else 0


def _line(at: Workplace, name: str, lock: Held) -> str:
    own = ' (this session)' if lock.is_held_by(at.actor.session) else ''
    state = shown(lock.lock.state) or '-'
    return f'{name:32} {state:24} {shown(lock.holder) or "?"}{own}'


@command.command('list')
@FORM
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def list_(form: str, config: str, verbose: int, quiet: int) -> int:
    """Every lock, with its holder."""
    with opened(config, reads=True) as at:
        found = lock_holders.all_held(at.space)
        if form == 'json':
            out(json.dumps([_shown(at, name, lock) for name, lock in found]))
            return 0
        # all at once: to write line by line takes longer than to read
        out('\n'.join(_line(at, name, lock) for name, lock in found))
    return 0
