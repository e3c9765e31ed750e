"""Options that say what was done, for commands that move an item."""

from __future__ import annotations

import click

from interlock.commands.click_options import F, decorated
from interlock.model.quick_typing import Any
from interlock.operations.handoff.edit import handoff_spec
from interlock.operations.progress_text import Words
from interlock.workflow.reading.records import Records

# option -> the field of a handoff that it sets, where a workflow has it
FIELDS = {
    'complexity': 'complexity_score',
    'phased': 'phased_implementation',
    'gui_type': 'gui_type',
}


# option, metavar, default, help; then those that may be repeated, with a name
ONE = (
    ('--text', 'TEXT', '', 'Set the text of the timeline.'),
    ('--completed', 'TEXT', '', 'Set what is listed as completed.'),
    ('--current', 'TEXT', '', 'Say how things stand.'),
    ('--status', 'STATUS', None, 'Set the status, if it is not the one that follows.'),
    ('--next-action', 'ACTION', None, 'Set the next action, if another one follows.'),
    ('--next-phase', 'PHASE', None, 'Name the next phase, if the plan does not.'),
    ('--complexity', 'SCORE', None, 'Say how complex it is.'),
    ('--gui-type', 'TYPE', None, 'Say what interface it has.'),
)
SEVERAL = (
    ('--next-step', 'steps', 'TEXT', 'Add what is to be done next'),
    ('--build-artifact', 'artifacts', 'NAME[=PATH]', 'Add what was built'),
    ('--test-done', 'tests', 'TEXT', 'Add a test that passed'),
    ('--context', 'context', 'TEXT', 'Add what must not be forgotten'),
    ('--field', 'others', 'KEY=VALUE', 'Set any other field'),
)


def says(command: F) -> F:
    return decorated(
        command,
        *(
            click.option(option, default=default, metavar=metavar, help=text)
            for option, metavar, default, text in ONE
        ),
        *(
            click.option(
                option,
                name,
                multiple=True,
                metavar=metavar,
                help=f'{text} (may be repeated).',
            )
            for option, name, metavar, text in SEVERAL
        ),
        click.option(
            '--phased/--no-phased', default=None, help='Say if it is done in phases.'
        ),
    )


def words_of(at: Records, given: dict[str, Any]) -> Words:
    spec = handoff_spec(at)
    keys = {
        'status': spec.keys.get('status', ''),
        'next_action': spec.action,
        'next_phase': spec.phases.field if spec.phases else '',
        **FIELDS,
    }
    fields = {}
    for option, key in keys.items():
        value = given[option]
        if isinstance(value, bool):
            value = str(value).lower()
        if value is not None:
            fields[key or option] = value
    for each in given['others']:
        key, equals, value = each.partition('=')
        if not equals:
            raise click.UsageError(f'`{each}` is not KEY=VALUE')
        fields[key] = value
    return Words(
        given['text'],
        given['completed'],
        given['steps'],
        given['current'],
        given['artifacts'],
        given['tests'],
        given['context'],
        fields,
    )
