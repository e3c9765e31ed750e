from __future__ import annotations

import click

from interlock.claude.approving import approved
from interlock.commands.gating import at_task
from interlock.commands.parsing import writes
from interlock.world.identity import require_person

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
    """Approve what TASK waits for: its plan, or its changes.

    Only a person can, on a terminal, and only what was presented.
    """
    with at_task(config, wait, task) as at:
        require_person(
            at.place.actor, 'approve',
            f'ask the user to run interlock approve {task} on a terminal',
        )
        outcome = approved(at.here, at.held, task, TERMINAL)
        at.place.apply(outcome)
    return 0
