from __future__ import annotations

import click

from interlock.commands.click_options import Options, formats, governed, group, writes
from interlock.commands.tasks import lock_engine
from interlock.documents.text import shown
from interlock.files.actor import require_person
from interlock.model.errors import Busy
from interlock.report.terminal import FOUND, err, out, out_json
from interlock.tasks import lock_actions, lock_holders, task_notes
from interlock.tasks.lock_store import Held
from interlock.tasks.workplace import Workplace, find_workplace


@group('lock')
def command() -> None:
    """Take, give back and show the locks of tasks and of the main worktree."""


for engine_command in lock_engine.COMMANDS:
    command.add_command(engine_command)


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


@command.command()
@click.argument('name', metavar='TASK|main')
@click.option('--operation', help='Say what is done in the main worktree.')
@click.option(
    '--until-free',
    type=click.FloatRange(0),
    default=0.0,
    metavar='SECONDS',
    help='Wait up to this long for a lock that another session holds.',
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
        # refused without waiting for other commands
        lock_actions.refuse_foreign(at, name, found)
    with at.journal.locked(options.wait):
        said = lock_actions.take(at, name, operation)
    if not options.quiet:
        err(said)
    return 0


@command.command()
@click.argument('name', metavar='TASK|main')
@click.option(
    '--holder',
    'generation',
    type=click.IntRange(0),
    metavar='GENERATION',
    help="End another session's lock (run by a person, on a terminal).",
)
@writes
def release(options: Options, name: str, generation: int | None) -> int:
    """Give back the lock of a task, or of the main worktree."""
    at = find_workplace(options.config)
    name = at.task_or_main(name)
    if generation is not None:
        require_person(
            at.actor,
            "end another session's lock",
            'ask the user to run this on a terminal',
        )
    else:
        lock_actions.require_releaser(at, name)
    with at.journal.locked(options.wait):
        if generation is None:
            lock_actions.end_own(at, name)
        else:
            lock_actions.end_generation(at, name, generation)
    if not options.quiet:
        err(f'{name} is no longer locked')
    return 0


def _asked(at: Workplace, name: str) -> Held | None:
    """Who holds a lock, wherever; what this clone knows while nobody answers."""
    try:
        return at.locks.current(name)
    except Busy as e:
        err(f'interlock: warning: {e.message}')
        return lock_holders.held(at.space, name)


def _values(at: Workplace, name: str, lock: Held) -> dict[str, object]:
    return {
        'name': name,
        'locked': True,
        'own': lock.is_held_by(at.actor.session),
        **lock_holders.facts(lock, at.actor)._asdict(),
        'ended': task_notes.ended(at.space, name, lock),
    }


def _text(at: Workplace, name: str, lock: Held) -> str:
    facts = lock_holders.facts(lock, at.actor)
    ended = task_notes.ended(at.space, name, lock)
    lines = [f'{name} is held by {lock_holders.described(lock, at.actor, ended)}']
    if facts.generation or not facts.session:
        # by it a person ends a lock that no session can give back
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
    return f'{name:32} {state:24} {shown(lock.holder) or "?"}{own}'


@command.command('list')
@formats('text', 'json')
@governed
def list_(options: Options, form: str) -> int:
    """List every lock, with its holder."""
    with options.tasks(reads=True) as at:
        found = lock_holders.all_held(at.space)
        if form == 'json':
            out_json([_values(at, name, lock) for name, lock in found], indent=None)
        else:
            # all at once: to write line by line takes longer than to read
            out('\n'.join(_line(at, name, lock) for name, lock in found))
    return 0
