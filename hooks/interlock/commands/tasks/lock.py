from __future__ import annotations

import os

import click

from interlock.commands.click_options import (
    Options,
    example,
    formats,
    governed,
    group,
    option,
    writes,
)
from interlock.commands.workflow_options import task_argument
from interlock.documents.text import shown
from interlock.files.actor import require_person, user
from interlock.git.git_paths import folder_of, top_of
from interlock.git.workflow_source import nearest, of_file
from interlock.model.errors import Busy, Refusal
from interlock.model.fixes import ours
from interlock.report.terminal import FOUND, err, out, out_json
from interlock.tasks import lock_actions, lock_holders, task_notes
from interlock.tasks.lock_store import Held
from interlock.tasks.workplace import Workplace, find_workplace
from interlock.workflow.language.sharing import POSTGRESQL, LocksSpec

# a migration may have to wait for a table that is in use
MIGRATION_SECONDS = 60.0


@example('interlock lock list')
@group('lock')
def command() -> None:
    """Take, give back and show the locks of tasks and of the main worktree."""


def _operation(at: Workplace, name: str, operation: str | None) -> str:
    main = at.space.protocol.main
    if name != main.name:
        if operation is not None:
            raise click.UsageError(
                f'--operation works only with the lock of {main.name}'
            )
        return ''
    elif operation not in main.operations:
        known = ', '.join(main.operations)
        raise click.UsageError(f'{main.name} is locked for one of --operation {known}')
    return operation


@example('interlock lock acquire main --operation git-operation')
@command.command()
@task_argument('name', metavar='TASK|main')
@option('--operation TEXT', 'Say what is done in the main worktree.', default=None)
@option(
    '--until-free SECONDS',
    'Wait up to this long for a lock that another session holds.',
    type=click.FloatRange(0),
    default=0.0,
)
@writes
def acquire(
    options: Options, name: str, operation: str | None, until_free: float
) -> int:
    """Take the lock of a task, or of the main worktree."""
    at = find_workplace(options.config)
    name = at.task_or_main(name)
    operation = _operation(at, name, operation)
    lock_holders.require_session(at.actor)
    found = lock_actions.await_lock(at, name, until_free)
    if found is not None:
        # refuse before waiting for other commands
        lock_actions.refuse_foreign(at, name, found)
    with at.journal.locked(options.wait):
        said = lock_actions.take(at, name, operation)
    if not options.quiet:
        err(said)
    return 0


@example('interlock lock release main')
@command.command()
@task_argument('name', metavar='TASK|main')
@option(
    '--holder generation GENERATION',
    "End another session's lock (run by a person, on a terminal).",
    type=click.IntRange(0),
)
@writes
def release(options: Options, name: str, generation: int | None) -> int:
    """Give back the lock of a task, or of the main worktree."""
    at = find_workplace(options.config)
    name = at.task_or_main(name)
    if generation is not None:
        require_person(at.actor, "end another session's lock")
    else:
        lock_actions.require_releaser(at, name)
    with at.journal.locked(options.wait):
        if generation is None:
            lock_actions.end_own(at, name)
        else:
            lock_actions.end_generation(at, name, generation)
    if not options.quiet:
        is_task = name != at.space.protocol.main.name
        begun = is_task and generation is None and os.path.isdir(at.space.code(name))
        step = f'; next: interlock task select {name}' if begun else ''
        err(f'{name} is no longer locked{step}')
    return 0


def _asked(at: Workplace, name: str) -> Held | None:
    """Who holds a lock: by its engine, or by this clone if that does not answer."""
    try:
        return at.locks.current(name)
    except Busy as e:
        err(f'interlock: warning: {e.message}')
        return lock_holders.lock_of(at.space, name)


def _values(at: Workplace, name: str, lock: Held) -> dict[str, object]:
    return {
        'name': name,
        'locked': True,
        'own': lock.is_held_by(at.actor.session),
        **lock_holders.facts(lock)._asdict(),
        'ended': task_notes.session_end_time(at.space, name, lock),
    }


def _text(at: Workplace, name: str, lock: Held) -> str:
    facts = lock_holders.facts(lock)
    ended = task_notes.session_end_time(at.space, name, lock)
    lines = [f'{name} is held by {lock_holders.holder_text(lock, ended)}']
    if facts.generation or not facts.session:
        lines.append(f'  generation {facts.generation}')
    if not lock.is_held_by(at.actor.session):
        is_left = lock_holders.is_left(at.space, name, lock)
        when = '' if is_left else 'if nobody works on the task, '
        lines.append(
            f'  {when}a person ends the lock: {lock_holders.ending_command(name, lock)}'
        )
    if facts.state:
        lines.append(f'  state      {shown(facts.state)}')
    if facts.worktree:
        lines.append(f'  worktree   {shown(facts.worktree)}')
    return '\n'.join(lines)


@example('interlock lock show bake-bread')
@command.command()
@task_argument('name', metavar='TASK|main')
@formats('text', 'json')
@governed
def show(options: Options, name: str, form: str) -> int:
    """Show who holds a lock, since when, and whether that process runs.

    Exit 1: it is not locked.
    """
    with options.tasks(reads=True) as at:
        name = at.task_or_main(name)
        lock = _asked(at, name)
        if form == 'json':
            absent = {'name': name, 'locked': False}
            out_json(_values(at, name, lock) if lock else absent, indent=None)
        else:
            out(_text(at, name, lock) if lock else f'{name} is not locked')
    return FOUND if lock is None else 0


def _line(at: Workplace, name: str, lock: Held) -> str:
    own = ' (this session)' if lock.is_held_by(at.actor.session) else ''
    state = shown(lock.lock.state) or '-'
    line = f'{name:32} {state:24} {shown(lock.holder) or "?"}{own}'
    if own or not lock_holders.is_left(at.space, name, lock):
        return line
    return f'{line}\n    no session can release it; a person ends the lock: {lock_holders.ending_command(name, lock)}'


@example('interlock lock list')
@command.command('list')
@formats('text', 'json')
@governed
def list_(options: Options, form: str) -> int:
    """List every lock, with its holder."""
    with options.tasks(reads=True) as at:
        found = lock_holders.all_held(at.space)
        if form == 'json':
            out_json([_values(at, name, lock) for name, lock in found], indent=None)
        elif found:
            # all at once: writing line by line takes longer than reading
            out('\n'.join(_line(at, name, lock) for name, lock in found))
        elif not options.quiet:
            err('nothing is locked')
    return 0


def _known_here(at: Workplace, name: str | None) -> list[str]:
    """One lock, or all locks that this clone knows about."""
    if name is not None:
        return [at.task(name)]
    return [each for each in at.space.names() if at.locks.is_shared(each)]


@example('interlock lock confirm', 'interlock lock confirm bake-bread')
@command.command()
@task_argument('name', metavar='[TASK]', required=False)
@writes
def confirm(options: Options, name: str | None) -> int:
    """Ask the engine who holds a lock; without TASK, all locks of this clone.

    Exit 1: a lock was lost.
    """
    lost = []
    with options.tasks() as at:
        for each in _known_here(at, name):
            if at.locks.is_shared(each) and not at.locks.changes(each).confirm():
                lost.append(each)
    for each in lost:
        err(f'LCK001: {each} is no longer held here')
        err(f'    next: {ours("lock", "acquire", each)}')
    if not lost and not options.quiet:
        err('every lock of this clone is still held')
    return FOUND if lost else 0


@example('interlock lock settle bake-bread')
@command.command()
@task_argument('name', metavar='[TASK]', required=False)
@writes
def settle(options: Options, name: str | None) -> int:
    """Find out whether an interrupted lock operation took effect."""
    words = {
        'done': 'it took effect',
        'never': 'it did not take effect',
        '': 'no operation was interrupted',
    }
    with options.tasks() as at:
        names = [at.task_or_main(name)] if name else _known_here(at, None)
        for each in names:
            found = at.locks.changes(each).settle()
            if found or name:
                out(f'{each}: {words[found]}')
    return 0


@example('interlock lock log bake-bread')
@command.command()
@task_argument('name', metavar='TASK')
@formats('text', 'json')
@governed
def log(options: Options, name: str, form: str) -> int:
    """Show the history of a lock from its engine, oldest first."""
    at = find_workplace(options.config)
    found = at.locks.changes(at.task_or_main(name)).events()
    if form == 'json':
        out_json([entry._asdict() for entry in found], indent=None)
        return 0
    for entry in found:
        who = [f'session {shown(entry.session)}'] if entry.session else []
        who += [f'by {shown(entry.person)}'] if entry.person else []
        role = f' (role {shown(entry.role)})' if entry.role else ''
        why = f': {shown(entry.reason)}' if entry.reason else ''
        number = f'{entry.generation:>4}'
        said = f'{", ".join(who)}{role}{why}'
        out(f'{entry.time:24} {number} {entry.event:10} {said}'.rstrip())
    return 0


@example('interlock lock restore bake-bread')
@command.command()
@task_argument('name', metavar='TASK')
@writes
def restore(options: Options, name: str) -> int:
    """Restore the record of a lock in its engine (run by a person).

    Use it after the record was deleted, overwritten by a mirror or rolled back.
    """
    at = find_workplace(options.config)
    require_person(at.actor, 'restore the record of a lock')
    with at.journal.locked(options.wait):
        task = at.task(name)
        floor = lock_holders.given_elsewhere(at.space, task)
        holder = at.holder(task)._replace(session=f'restored by {user()}')
        number = at.locks.changes(task).restore(holder, floor, user())
    err(f'{task} is free; its next generation follows {number}')
    return 0


@example('interlock lock migrate --from file')
@command.command()
@option(
    '--from origin ENGINE[:NAME]',
    'Name the engine that has the locks now, in the form of $INTERLOCK_LOCKS.',
    required=True,
)
@writes
def migrate(options: Options, origin: str) -> int:
    """Move the locks to the engine that the workflow names (run by a person).

    Generations are kept. No lock may be held.
    """
    at = find_workplace(options.config)
    require_person(at.actor, 'move the locks to another engine')
    with at.journal.locked(options.wait):
        for name, number in lock_actions.move_all(at.space, origin):
            out(f'{name}: generation {number}')
    return 0


def _service(given: str) -> str:
    """The workflow's name for the database of the locks, or of the states."""
    file = nearest(given)
    workflow = of_file(file, top_of(folder_of(file))) if file else None
    if workflow is None:
        return LocksSpec().service
    is_for_locks = workflow.locks.engine == POSTGRESQL
    return workflow.locks.service if is_for_locks else workflow.store.service


@example('interlock lock migrate-schema')
@command.command('migrate-schema')
@option(
    '--service NAME',
    'Name the service in pg_service.conf (default: that of the workflow).',
    default=None,
)
@governed
def migrate_schema(options: Options, service: str | None) -> int:
    """Create or upgrade the tables of Interlock in PostgreSQL.

    Run it as the role that is to own them.
    """
    from interlock.postgresql.database import DatabaseError, migrate

    name = service or _service(options.config)
    try:
        before, after = migrate(name, MIGRATION_SECONDS)
    except DatabaseError as e:
        raise Refusal(
            f'the schema of service {name} stays as it was: {e.why}',
            e.hint or f'psql service={name}',
        ) from None
    said = 'has' if before == after else 'now has'
    out(f'service {name}: the schema {said} version {after}')
    return 0
