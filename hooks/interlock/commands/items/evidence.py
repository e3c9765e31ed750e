from __future__ import annotations

import click

from interlock import __version__
from interlock.commands.click_options import writes
from interlock.commands.items.project import project, today
from interlock.operations.commit_stage import parse_stage
from interlock.operations.handoff.record import add_evidence, worked_on


@click.group('evidence')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Record what was tried: tests and builds of a stage."""


@command.command()
@click.argument('item')
@click.option(
    '--kind',
    'what',
    required=True,
    metavar='KIND',
    help='What was tried: test, build, or what a gate asks for.',
)
@click.option('--result', required=True, type=click.Choice(['passed', 'failed']))
@click.option(
    '--stage',
    default='',
    metavar='STAGE',
    help='The stage that was tried; without this the one being worked on.',
)
@click.option('--text', default='', help='What is to be said of it.')
@writes
def add(
    item: str,
    what: str,
    result: str,
    stage: str,
    text: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Record in the handoff of ITEM that a test or a build passed or failed.

    A stage whose gate asks for evidence is done only when it has passed.
    """
    with project(config, wait) as here:
        at = here.item(item)
        state = parse_stage(stage, at.kind) if stage else worked_on(at)
        here.apply(add_evidence(at, state, what, result, today(), text))
    return 0
