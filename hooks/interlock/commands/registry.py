from __future__ import annotations

import json

import click

from interlock import __version__
from interlock.commands.host import FOUND
from interlock.commands.host import out
from interlock.commands.items import find_item
from interlock.commands.judging import opened
from interlock.commands.parsing import common
from interlock.model.errors import Refusal
from interlock.world.config import Governing
from interlock.world.disk import DiskSnapshot


@click.group('registry')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Ask the registry."""


@command.command()
@click.argument('item')
@click.argument('status')
@click.option(
    '--format', 'form', type=click.Choice(['text', 'json']), default='text',
)
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def may(
        item: str,
        status: str,
        form: str,
        config: str,
        verbose: int,
        quiet: int,
) -> int:
    """May ITEM go to STATUS now? Exit 0 if so, 1 if not."""
    from interlock.workflow import machine
    from interlock.workflow import status as statuses

    with opened() as repository:
        workflow = Governing(repository, config).on_disk()
        snapshot = DiskSnapshot(repository.facts.top)
        at = find_item(snapshot, workflow, item)
    if at.state is None and at.registered:
        raise Refusal(
            f'{at.canonical_path}: the status of {item} is not understood',
            'interlock check --worktree --inherited --only registry',
        )
    wanted = statuses.read(status, at.kind)
    if wanted.state is None or not statuses.is_known(wanted, at.kind):
        near = statuses.nearest(wanted, at.kind)
        hint = f'; did you mean `{near}`?' if near else ''
        raise click.UsageError(f'`{status}` is no status{hint}')
    step = machine.step(at.state, wanted.state, at.kind)
    answer: dict[str, object] = {'allowed': step.severity != 'error'}
    if step.severity:
        answer['reason'] = step.why
    if form == 'json':
        out(json.dumps(answer))
    else:
        verb = 'may' if answer['allowed'] else 'may not'
        why = f': {step.why}' if step.why else ''
        origin = statuses.label(at.state, at.kind) if at.state else 'nothing'
        target = statuses.label(wanted.state, at.kind)
        out(f'{item} {verb} go from {origin} to {target}{why}')
    return 0 if answer['allowed'] else FOUND
