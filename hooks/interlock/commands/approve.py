from __future__ import annotations

import click

from interlock.commands.gating import at_task
from interlock.commands.parsing import writes
from interlock.conditions.approvals import USER
from interlock.operations.approve import logged
from interlock.operations.trail import File
from interlock.world import gather
from interlock.world.identity import require_person
from interlock.world.identity import user

TERMINAL = 'terminal'


@click.command('approve')
@click.argument('task')
@writes
def command(
        task: str,
        config: str,
        wait: float,
        verbose: int,
        quiet: int,
) -> int:
    """Approve what TASK waits for: its plan, its changes, or its scope.

    Only a person can, on a terminal, and only what was presented.
    """
    with at_task(config, wait, task) as at:
        require_person(
            at.place.actor, 'approve',
            f'ask the user to run interlock approve {task} on a terminal',
        )
        outcome = logged(
            gather.view(at.here, at.held.lock, task, '', USER),
            File(at.held.path, at.held.data), at.here.now, user(), TERMINAL,
            '', at.place.register.log,
        )
        at.place.apply(outcome)
    return 0
