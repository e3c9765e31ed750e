from __future__ import annotations

import click

from interlock.commands.click_options import Options, example, group, option, writes
from interlock.commands.workflow_options import complete_stage, item_argument
from interlock.operations.commit_stage import parse_stage
from interlock.operations.handoff.record import add_evidence, worked_on


@example('interlock evidence add Search --kind test --result passed')
@group('evidence')
def command() -> None:
    """Record what was tried: tests and builds of a stage."""


@example(
    'interlock evidence add Search --kind test --result passed',
    'interlock evidence add Search --stage 3 --kind build --result failed',
)
@command.command()
@item_argument()
@option(
    '--kind what KIND',
    'Name what was tried: test, build, or what a gate asks for.',
    required=True,
)
@click.option('--result', required=True, type=click.Choice(['passed', 'failed']))
@option(
    '--stage STAGE',
    'Name the stage (default: the one being worked on).',
    shell_complete=complete_stage,
)
@option('--text TEXT', 'Add a remark.')
@writes
def add(
    options: Options, item: str, what: str, result: str, stage: str, text: str
) -> int:
    """Record in the handoff of ITEM that a test or a build passed or failed.

    If the gate of a stage asks for evidence, the stage ends only when that has passed.
    """
    with options.project() as here:
        at = here.item(item)
        state = parse_stage(stage, at) if stage else worked_on(at)
        here.apply(add_evidence(at, state, what, result, here.today, text))
    return 0
