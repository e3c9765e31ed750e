from __future__ import annotations

import click

from interlock.commands.click_options import Options, example, writes
from interlock.commands.workflow_options import task_argument
from interlock.files.actor import require_person, user
from interlock.operations.tasks.approve import approve, requested_approval
from interlock.tasks.conditions.approvals import USER
from interlock.tasks.lock_store import event

TERMINAL = 'terminal'


@example('interlock approve bake-bread')
@click.command('approve')
@task_argument('task')
@writes
def command(options: Options, task: str) -> int:
    """Approve what TASK waits for: its plan, its changes, or its scope.

    Only a person can, on a terminal, and only what was presented.
    """
    with options.task(task) as at:
        require_person(
            at.actor,
            'approve',
            f'ask the user to answer `approved` after interlock present {task}, or to '
            f'run interlock approve {task} on a terminal',
        )
        view = at.view(needs=USER)
        approved = event(
            'approved', task, what=requested_approval(view), person=user(), via=TERMINAL
        )
        at.apply(approve(view, at.lock, at.now, user(), TERMINAL), approved)
    return 0
