"""Options that say what was done, for what moves an item."""

from __future__ import annotations

from typing import Any

import click

from interlock.commands.click_options import F
from interlock.operations.handoff.edit import handoff_spec
from interlock.operations.progress_text import Words
from interlock.workflow.reading.records import Records

# option -> the field of a handoff that it sets, where a workflow has it
FIELDS = {
    'complexity': 'complexity_score',
    'phased': 'phased_implementation',
    'gui_type': 'gui_type',
}


def says(command: F) -> F:
    for option in (
        click.option('--text', default='', help='What the timeline says.'),
        click.option(
            '--completed',
            default='',
            metavar='TEXT',
            help='What is listed as completed.',
        ),
        click.option(
            '--next-step',
            'steps',
            multiple=True,
            metavar='TEXT',
            help='What is to be done next; may be repeated.',
        ),
        click.option('--current', default='', metavar='TEXT', help='How things stand.'),
        click.option(
            '--build-artifact',
            'artifacts',
            multiple=True,
            metavar='NAME[=PATH]',
            help='What was built; may be repeated.',
        ),
        click.option(
            '--test-done',
            'tests',
            multiple=True,
            metavar='TEXT',
            help='A test that passed; may be repeated.',
        ),
        click.option(
            '--context',
            multiple=True,
            metavar='TEXT',
            help='What must not be forgotten; may be repeated.',
        ),
        click.option(
            '--status',
            metavar='STATUS',
            help='The status, if it is not the one that follows.',
        ),
        click.option(
            '--next-action',
            metavar='ACTION',
            help='What comes next, if it is not what follows.',
        ),
        click.option(
            '--next-phase',
            metavar='PHASE',
            help='The phase that comes, if it is not in the plan.',
        ),
        click.option('--complexity', metavar='SCORE', help='How complex it is.'),
        click.option(
            '--phased/--no-phased', default=None, help='Whether it is done in phases.'
        ),
        click.option('--gui-type', metavar='TYPE', help='What interface it has.'),
        click.option(
            '--field',
            'others',
            multiple=True,
            metavar='KEY=VALUE',
            help='Any other field; may be repeated.',
        ),
    ):
        command = option(command)
    return command


def _fields(at: Records, given: dict[str, Any]) -> dict[str, str]:
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
    return fields


def words_of(at: Records, given: dict[str, Any]) -> Words:
    return Words(
        given['text'],
        given['completed'],
        given['steps'],
        given['current'],
        given['artifacts'],
        given['tests'],
        given['context'],
        _fields(at, given),
    )
