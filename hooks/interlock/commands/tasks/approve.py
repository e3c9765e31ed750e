from __future__ import annotations

import click

from interlock.commands.click_options import Options, writes
from interlock.files.actor import require_person, user
from interlock.operations.tasks.approve import logged
from interlock.tasks import task_view
from interlock.tasks.conditions.approvals import USER

TERMINAL = 'terminal'


@click.command('approve')
@click.argument('task')
@writes
def command(options: Options, task: str) -> int:
    """Approve what TASK waits for: its plan, its changes, or its scope.

    Only a person can, on a terminal, and only what was presented.
    """
    with options.task(task) as at:
        require_person(
            at.actor,
            'approve',
            f'ask the user to run interlock approve {task} on a terminal',
        )
        view = task_view.view(at.here, at.held.lock, task, '', USER)
        log = at.register.log
        at.apply(logged(view, at.lock, at.now, user(), TERMINAL, '', log))
    return 0
