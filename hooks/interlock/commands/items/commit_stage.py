from __future__ import annotations

import click

from interlock.commands.click_options import Options, example, option, writes
from interlock.commands.hooks.reporting import say
from interlock.commands.items.menu_prompt import Prompt, has_terminal
from interlock.commands.workflow_options import item_argument, stage_argument
from interlock.project.end_stage import StageInput, judged_stage
from interlock.report.terminal import out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.workflow.reading.agent_report import AgentReport


@example(
    "interlock commit-stage Search 3 -m 'it works'",
    "interlock commit-stage Search 3 -m 'it works' --dry-run",
)
@click.command('commit-stage')
@item_argument()
@stage_argument()
@option(
    '-m --message text TEXT',
    'Say what was done: in the subject, the timeline and the handoff.',
    required=True,
)
@option('--report file FILE', 'Verify the report of the agent; - for standard input.')
@option('--fallback', 'With --report: write the state if the agent did not.')
@option('--amend REASON', 'Say why a contract changed.')
@option('--dry-run', 'Judge it, but write nothing.')
@writes
def command(
    options: Options,
    item: str,
    stage: str,
    text: str,
    file: str,
    fallback: bool,
    amend: str,
    dry_run: bool,
) -> int:
    """End STAGE of ITEM: update its records, check, and commit.

    STAGE is `3`, `3.1` or `Stage 3`. Only the files of the item and its lines in
    the registry are committed; whatever else is staged stays staged. If a
    check, a hook or git refuses, every file and the index are as before.
    """
    if fallback and not file:
        raise click.UsageError('--fallback needs --report')
    report = _report(file) if file else None
    given = StageInput(item, stage, text, amend, report, file, fallback)
    with options.project() as here:
        with judged_stage(here, given, options.config, dry_run) as judged:
            if say(judged.report, 'text', options.verbosity):
                raise judged.refusal
            if dry_run:
                out('\n'.join(judged.dry_run()))
                return 0
            commit = judged.commit()
        out(f'✓ Committed: {commit} - {judged.label} complete (atomic)')
        shown = judged.next_menu()
    if shown is None or options.quiet:
        out(f'✓ {judged.label} complete: {text}')
    else:
        try:
            # the stage is committed, whatever happens in the menu
            Prompt(options, asks=has_terminal()).choose(shown, None)
        except click.Abort:
            # ends the line of the question
            click.echo()
    return 0


def _report(name: str) -> AgentReport:
    # imported here: most stages end without a report
    from interlock.project.reported_stage import read_report

    return read_report(name)
