from __future__ import annotations

import click

from interlock.commands.host import err
from interlock.commands.parsing import writes
from interlock.commands.workspace import opened
from interlock.commands.workspace import Workplace
from interlock.model.errors import Denied
from interlock.operations import locks
from interlock.world import holding
from interlock.world import situations
from interlock.world.identity import require_person
from interlock.world.identity import user

ASK = 'ask the user to run this on a terminal'


def require_abandoned(at: Workplace, task: str) -> None:
    """A worktree that stands without a lock."""
    found = situations.situation(at.space, task, at.actor)
    if found.locked:
        raise Denied(
            f'{task} is held by {found.holder}', f'interlock lock show {task}',
        )
    elif not found.worktree:
        raise Denied(
            f'{task} has no worktree at {found.directory}',
            f'interlock task start {task}',
        )


def _adopt(at: Workplace, task: str, session: str, state: str) -> str:
    require_abandoned(at, task)
    generation = holding.next_generation(at.space, task)
    now = holding.now()
    data = locks.adopted(
        at.space.kind, task, at.holder(task)._replace(session=session),
        generation, now, state,
        at.register.kept(task, at.space.protocol.lock_keys),
        at.space.agents(task), user(),
    )
    at.register.log(
        event='adopted', name=task, generation=generation, session=session,
        person=user(), time=now,
    )
    holding.make(at.space, task, data, at.actor)
    held = holding.held(at.space, task)
    return held.lock.state if held else ''


@click.command('adopt')
@click.argument('name')
@click.option(
    '--session', required=True, metavar='ID',
    help='The session that goes on with it.',
)
@click.option(
    '--state', default='', metavar='STATE',
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
    if not session.strip():
        raise click.UsageError('an empty session holds no lock')
    with opened(config, wait) as at:
        task = at.task(name)
        require_person(at.actor, 'adopt a task', ASK)
        reached = _adopt(at, task, session.strip(), state)
    if not quiet:
        err(f'{task} is held by session {session.strip()}, in {reached}')
    return 0
