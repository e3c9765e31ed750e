from __future__ import annotations

import os
import shlex

import click

from interlock.commands.click_options import writes
from interlock.commands.tasks.workspace import Workplace, opened
from interlock.documents import timestamps
from interlock.files.actor import require_person, user
from interlock.model.errors import Denied
from interlock.model.session_env import identity
from interlock.operations.tasks import locks
from interlock.report.terminal import err
from interlock.tasks import lock_holders, task_notes
from interlock.tasks.lock_store import event


def require_user(at: Workplace, task: str, deed: str, what: str) -> None:
    """A person does it, or told this session to, by a prompt."""
    if not task_notes.has_consent(at.space, task, deed, at.actor.session):
        require_person(
            at.actor,
            what,
            f'ask the user to run this on a terminal, or to answer `{deed} {task}`',
        )


def require_abandoned(at: Workplace, task: str) -> None:
    """A worktree that stands without a lock."""
    lock, code = lock_holders.held(at.space, task), at.space.code(task)
    if lock is not None:
        ended = task_notes.ended(at.space, task, lock)
        holder = lock_holders.described(lock, at.actor, ended)
        raise Denied(f'{task} is held by {holder}', f'interlock lock show {task}')
    elif not os.path.isdir(code):
        raise Denied(
            f'{task} has no worktree at {code}', f'interlock task start {task}'
        )


def _refuse_for_others(at: Workplace, task: str, session: str, state: str) -> None:
    """An agent goes on itself, and where the work was; a person decides."""
    own = at.actor.session
    if own and (session != own or state):
        raise Denied(
            f'the user told this session to go on with {task}, where its lock was last',
            f'interlock task adopt {task} --session {shlex.quote(own)}',
        )


def _adopt(at: Workplace, task: str, session: str, state: str) -> str:
    require_abandoned(at, task)
    generation = lock_holders.next_generation(at.space, task)
    now = timestamps.now()
    try:
        data = locks.adopted(
            at.space.kind,
            task,
            at.holder(task)._replace(session=session),
            generation,
            now,
            state,
            at.locks.last_contents(task),
            at.space.agents(task),
            user(),
        )
    except Denied as e:
        if not at.actor.session:
            raise
        # which state it is, an agent does not decide
        raise Denied(
            e.message,
            f'ask the user to answer `clean {task}`, or to run this on a '
            f'terminal: {e.hint}',
        ) from None
    adopted = event(
        'adopted', task, generation=generation, session=session, person=user()
    )
    lock_holders.make(at.space, task, data, at.actor, adopted)
    held = lock_holders.held(at.space, task)
    return held.lock.state if held else ''


@click.command('adopt')
@click.argument('name')
@click.option(
    '--session', required=True, metavar='ID', help='The session that goes on with it.'
)
@click.option(
    '--state',
    default='',
    metavar='STATE',
    help='Where it goes on; without it, where its lock was last.',
)
@writes
def command(
    name: str,
    session: str,
    state: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Give a worktree without a lock to a session; a person does."""
    session = identity(session)
    if not session:
        raise click.UsageError(
            '--session is not the id of a session: give the one that goes on'
        )
    with opened(config, wait) as at:
        task = at.task(name)
        require_user(at, task, task_notes.ADOPT, 'adopt a task')
        _refuse_for_others(at, task, session, state)
        reached = _adopt(at, task, session, state)
        task_notes.forget(at.space, task, task_notes.CONSENT)
    if not quiet:
        err(f'{task} is held by session {session.strip()}, in {reached}')
    return 0
