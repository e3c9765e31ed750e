from __future__ import annotations

import click

from interlock.commands.click_options import (
    F,
    Options,
    decorated,
    example,
    group,
    option,
    writes,
)
from interlock.commands.workflow_options import (
    FieldsCommand,
    complete_field,
    complete_stage,
    field_of,
    item_argument,
    stage_argument,
)
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ours
from interlock.model.quick_typing import Any
from interlock.model.state import State
from interlock.operations import advance as operations
from interlock.operations.commit_stage import parse_stage
from interlock.operations.handoff import rebuild
from interlock.operations.handoff.edit import handoff_spec
from interlock.operations.handoff.migrate import migrate as migrated
from interlock.operations.progress_text import Words
from interlock.project import record_history
from interlock.report.terminal import FOUND, err
from interlock.workflow.reading.records import Records

SAYS = (
    option('--text TEXT', 'Set the text of the timeline.'),
    option('--completed TEXT', 'Set what is listed as completed.'),
    option('--current TEXT', 'Describe the current state.'),
    option('--status STATUS', 'Set the status (default: the next one).', default=None),
    option(
        '--next-action ACTION',
        'Set the next action (default: the one of the workflow).',
        default=None,
    ),
    option(
        '--next-step steps TEXT...', 'Add what is to be done next (may be repeated).'
    ),
    option(
        '--build-artifact artifacts NAME[=PATH]...',
        'Add what was built (may be repeated).',
    ),
    option('--test-done tests TEXT...', 'Add a test that passed (may be repeated).'),
    option(
        '--context TEXT...', 'Add a note that must not be forgotten (may be repeated).'
    ),
    option(
        '--set --field others KEY=VALUE...',
        'Set a field of the handoff (may be repeated).',
        shell_complete=complete_field,
    ),
)


def says(command: F) -> F:
    return decorated(command, *SAYS)


def words_of(at: Records, given: dict[str, Any], day: str) -> Words:
    spec = handoff_spec(at)
    keys = {'status': spec.keys.get('status', ''), 'next_action': spec.action}
    fields = {
        key or option: given[option]
        for option, key in keys.items()
        if given[option] is not None
    }
    for argument, value in given.items():
        field = field_of(argument)
        if field and value is not None:
            fields[field] = str(value).lower() if isinstance(value, bool) else value
    for each in given['others']:
        key, equals, value = each.partition('=')
        if not equals:
            raise click.UsageError(f'`{each}` is not KEY=VALUE')
        fields[key] = value
    said = {name: given[name] for name in Words._fields if name in given}
    return Words(**said, fields=fields, day=day)


def _stage(at: Records, text: str | None) -> State | None:
    return parse_stage(text, at) if text else None


@example('interlock handoff create Search')
@group('handoff')
def command() -> None:
    """Write, move and repair the handoff of an item."""


@example('interlock handoff create Search', 'interlock handoff create Search 2')
@command.command(cls=FieldsCommand)
@item_argument()
@stage_argument(required=False)
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
        state = _stage(at, stage)
        words = words_of(at, given, here.today)
        here.apply(operations.create(at, state, contents, words))
    return 0


@example(
    'interlock handoff update Search 3',
    "interlock handoff update Search --next-step 'ask for a review'",
)
@command.command(cls=FieldsCommand)
@item_argument()
@stage_argument(required=False)
@option(
    '--expect STAGE',
    'Refuse unless the handoff is at this stage now.',
    default=None,
    shell_complete=complete_stage,
)
@option('--amend REASON', 'Say why a contract changed.')
@says
@writes
def update(
    options: Options, item: str, stage: str | None, expect: str | None, **given: Any
) -> int:
    """Mark the work of ITEM at STAGE as done.

    STAGE is `3`, `3.1` or `Stage 3`; the registry moves with it. Without STAGE the
    handoff stays at its stage, and only what is given changes.
    """
    with options.project() as here, here.stored() as contents:
        at = here.item(item)
        state, expected = _stage(at, stage), _stage(at, expect)
        words = words_of(at, given, here.today)
        here.apply_step(at, operations.update(at, state, expected, contents, words))
    return 0


@example('interlock handoff delete Search')
@command.command()
@item_argument()
@option('--older', 'Delete only a handoff at the legacy path.')
@writes
def delete(options: Options, item: str, older: bool) -> int:
    """Delete the handoff of ITEM, and note it in its timeline."""
    with options.project() as here:
        at = here.item(item)
        here.apply(
            rebuild.delete_older(at) if older else rebuild.delete(at, here.today)
        )
    return 0


@example('interlock handoff migrate --all')
@command.command()
@item_argument(required=False)
@option('--all every', 'Migrate the handoffs of all items.')
@writes
def migrate(options: Options, item: str | None, every: bool) -> int:
    """Add the fields and checksums that an older handoff of ITEM lacks."""
    if every == bool(item):
        raise click.UsageError('give an ITEM, or --all')
    code = 0
    with options.project() as here, here.stored() as contents:
        for at in [here.item(item)] if item else record_history.all_handoffs(here):
            try:
                here.apply(migrated(at, contents))
            except Refusal as e:
                if item:
                    raise
                err(f'interlock: {e.message}\n    next: {e.hint}')
                code = FOUND
    return code


@example('interlock handoff restore Search')
@command.command()
@item_argument()
@writes
def restore(options: Options, item: str) -> int:
    """Restore the last valid handoff of ITEM from the history."""
    with options.project() as here:
        at = here.item(item)
        version = record_history.last_sound_version(here, at)
        broken = record_history.has_broken_handoff(here, at)
        here.apply(rebuild.restore(at, version, broken))
    return 0


@example('interlock handoff regenerate Search')
@command.command()
@item_argument()
@writes
def regenerate(options: Options, item: str) -> int:
    """Rebuild the handoff of ITEM from registry, history and contracts."""
    with options.project() as here, here.stored() as contents:
        at = here.item(item)
        found = record_history.known_of(here, at)
        broken = record_history.has_broken_handoff(here, at)
        here.apply(rebuild.regenerate(at, found, contents, here.today, broken))
    return 0
