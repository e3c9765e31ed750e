from __future__ import annotations

import click

from interlock.commands.click_options import Options, example, option, writes
from interlock.commands.workflow_options import task_argument
from interlock.documents.tasks.approvals import SCOPE
from interlock.operations.tasks import approve as operations
from interlock.operations.tasks.approve import presentation
from interlock.operations.tasks.transition import evidence_from_words
from interlock.report.terminal import out
from interlock.tasks.conditions.approvals import USER
from interlock.tasks.workplace import require_own


@example('interlock present bake-bread')
@click.command('present')
@task_argument('task')
@option(
    '--scope DECISION...', 'Name what would be deferred; MATTER=DECISION for several.'
)
@writes
def command(options: Options, task: str, scope: tuple[str, ...]) -> int:
    """Show the user what TASK asks approval for.

    An approval counts only after this, and only for what was shown.
    """
    with options.task(task) as at:
        view = at.view(needs=USER)
        require_own(view)
        what = operations.require_asked(view)
        if what == SCOPE:
            view = operations.with_scope(view, evidence_from_words(scope))
        elif scope:
            raise click.UsageError(f'--scope: {task} is in {view.state}')
        outcome = operations.present(view, at.lock, at.now)
        lines = list(presentation(view, what, at.path(view.protocol.files.plan)))
        at.apply(outcome)
    out('\n'.join(lines))
    return 0
