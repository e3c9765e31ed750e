from __future__ import annotations

import click

from interlock.commands.gating import at_task
from interlock.commands.parsing import writes
from interlock.operations import approve as operations
from interlock.operations.approve import ASKED
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
    """Approve what TASK waits for: its plan, or its changes.

    Only a person can, on a terminal, and only what was presented.
    """
    with at_task(config, wait, task) as at:
        require_person(
            at.place.actor, 'approve',
            f'ask the user to run interlock approve {task} on a terminal',
        )
        view = at.view(needs=ASKED)
        outcome = operations.approve(
            view, at.lock, at.now, user(), TERMINAL,
        )
        # said before it is done: what is not logged does not happen
        at.place.register.log(
            event='approved', name=task, what=operations.asked(view),
            person=user(), time=at.now,
        )
        at.place.apply(outcome)
    return 0
