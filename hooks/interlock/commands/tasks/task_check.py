from __future__ import annotations

import click

from interlock.checks.compare import counted
from interlock.commands.click_options import Options, formats, governed
from interlock.commands.hooks.reporting import reported, say
from interlock.model.report import Report
from interlock.project.task_findings import task_findings
from interlock.report.formats import FORMATS


@click.command('check')
@click.argument('name', metavar='TASK|main')
@formats(*FORMATS)
@governed
def command(options: Options, name: str, form: str) -> int:
    """Check that the lock of a task is valid and its log complete."""
    with reported(form), options.tasks(reads=True) as at:
        found = list(task_findings(at, at.task_or_main(name)))
        kept = counted(found, at.space.workflow)
    return say(Report(kept), form, options.verbosity)
