from __future__ import annotations

from typing import Any

import click

from interlock.commands.click_options import Options, group, writes
from interlock.commands.items.handoff_options import says, words_of
from interlock.commands.workflow_options import FieldsCommand
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ours
from interlock.operations import advance as operations
from interlock.operations.commit_stage import parse_stage
from interlock.operations.handoff import rebuild
from interlock.operations.handoff.migrate import migrate as migrated
from interlock.project import handoff_history
from interlock.report.terminal import FOUND, err


@group('handoff')
def command() -> None:
    """Write, move and repair the handoff of an item."""


@command.command(cls=FieldsCommand)
@click.argument('item')
@click.argument('stage', required=False)
@says
@writes
def create(options: Options, item: str, stage: str | None, **given: Any) -> int:
    """Write the handoff of ITEM, with the checksums of its contracts.

    STAGE is `0`, `3.1` or `Stage 3`; the registry moves with it.
    """
    with options.project() as here, here.stored() as contents:
        at = here.item(item)
        if here.has_lost_handoff(at):
            raise Denied(
                f'the handoff of {item} is in the last commit, and would be lost',
                ours('handoff', 'restore', item),
            )
        state = parse_stage(stage, at.kind) if stage else None
        words = words_of(at, given)
        here.apply(operations.create(at, state, contents, here.today, words))
    return 0


@command.command(cls=FieldsCommand)
@click.argument('item')
@click.argument('stage', required=False)
@click.option(
    '--expect', metavar='STAGE', help='Refuse unless the handoff is at this stage now.'
)
@click.option(
    '--amend', default='', metavar='REASON', help='Say why a contract changed.'
)
@says
@writes
def update(
    options: Options,
    item: str,
    stage: str | None,
    expect: str | None,
    amend: str,
    **given: Any,
) -> int:
    """Mark the work of ITEM at STAGE as done.

    STAGE is `3`, `3.1` or `Stage 3`; the registry moves with it. Without it
    the handoff stays where it is, and only what is given changes.
    """
    with options.project() as here, here.stored() as contents:
        at = here.item(item)
        state = parse_stage(stage, at.kind) if stage else None
        expected = parse_stage(expect, at.kind) if expect else None
        here.apply(
            operations.update(
                at, state, expected, contents, here.today, words_of(at, given), amend
            )
        )
    return 0


@command.command()
@click.argument('item')
@click.option(
    '--older',
    is_flag=True,
    help='Delete only a handoff left at the path of older projects.',
)
@writes
def delete(options: Options, item: str, older: bool) -> int:
    """Delete the handoff of ITEM, and note it in its timeline."""
    with options.project() as here:
        at = here.item(item)
        here.apply(
            rebuild.delete_older(at) if older else rebuild.delete(at, here.today)
        )
    return 0


@command.command()
@click.argument('item', required=False)
@click.option('--all', 'every', is_flag=True, help='Migrate the handoffs of all items.')
@writes
def migrate(options: Options, item: str | None, every: bool) -> int:
    """Add the fields and checksums that an older handoff of ITEM lacks."""
    if every == bool(item):
        raise click.UsageError('give an ITEM, or --all')
    code = 0
    with options.project() as here, here.stored() as contents:
        for at in [here.item(item)] if item else handoff_history.all_handoffs(here):
            try:
                here.apply(migrated(at, contents))
            except Refusal as e:
                if item:
                    raise
                err(f'interlock: {e.message}\n    next: {e.hint}')
                code = FOUND
    return code


@command.command()
@click.argument('item')
@writes
def restore(options: Options, item: str) -> int:
    """Restore the last sound handoff of ITEM from the history."""
    with options.project() as here:
        at = here.item(item)
        version = handoff_history.last_sound_version(here, at)
        broken = handoff_history.has_broken_handoff(here, at)
        here.apply(rebuild.restore(at, version, broken))
    return 0


@command.command()
@click.argument('item')
@writes
def regenerate(options: Options, item: str) -> int:
    """Rebuild the handoff of ITEM from registry, history and contracts."""
    with options.project() as here, here.stored() as contents:
        at = here.item(item)
        found = handoff_history.known_of(here, at)
        broken = handoff_history.has_broken_handoff(here, at)
        here.apply(rebuild.regenerate(at, found, contents, here.today, broken))
    return 0
