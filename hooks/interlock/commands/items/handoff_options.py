"""Options that say what was done, for commands that move an item."""

from __future__ import annotations

from typing import Any

import click

from interlock.commands.click_options import F, decorated
from interlock.commands.workflow_options import complete_field, field_of
from interlock.operations.handoff.edit import handoff_spec
from interlock.operations.progress_text import Words
from interlock.workflow.reading.records import Records

# option, metavar, default, help; then those that may be repeated, with a name
ONE = (
    ('--text', 'TEXT', '', 'Set the text of the timeline.'),
    ('--completed', 'TEXT', '', 'Set what is listed as completed.'),
    ('--current', 'TEXT', '', 'Say how things stand.'),
    ('--status', 'STATUS', None, 'Set the status, if it is not the one that follows.'),
    ('--next-action', 'ACTION', None, 'Set the next action, if another one follows.'),
)
SEVERAL = (
    ('--next-step', 'steps', 'TEXT', 'Add what is to be done next'),
    ('--build-artifact', 'artifacts', 'NAME[=PATH]', 'Add what was built'),
    ('--test-done', 'tests', 'TEXT', 'Add a test that passed'),
    ('--context', 'context', 'TEXT', 'Add what must not be forgotten'),
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
            '--set',
            '--field',
            'others',
            multiple=True,
            metavar='KEY=VALUE',
            shell_complete=complete_field,
            help='Set a field of the handoff (may be repeated).',
        ),
    )


def words_of(at: Records, given: dict[str, Any]) -> Words:
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
