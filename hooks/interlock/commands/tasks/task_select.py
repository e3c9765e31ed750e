from __future__ import annotations

import json

import click

from interlock.commands.click_options import common
from interlock.commands.tasks.workspace import opened
from interlock.report.terminal import FOUND, err, out
from interlock.tasks.task_choice import YES, Choice, select


def _json(answer: Choice) -> str:
    values: dict[str, object] = {
        'action': answer.action,
        'task': answer.task,
        'sentence': answer.sentence,
        'options': list(answer.options),
        'notes': list(answer.notes),
        'free': list(answer.free),
    }
    if answer.action not in YES and answer.free:
        values['alternative'] = answer.free[0]
    return json.dumps(values)


def _text(answer: Choice) -> None:
    out(f'{answer.action}: {answer.sentence}')
    for note in answer.notes:
        err(f'interlock: warning: {answer.task}: {note}')
    for option in answer.options:
        out(f'    next: {option}')
    if answer.free:
        out(f'free: {", ".join(answer.free)}')


@click.command('select')
@click.argument('name', required=False)
@click.option('--format', 'form', type=click.Choice(['text', 'json']), default='text')
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def command(name: str | None, form: str, config: str, verbose: int, quiet: int) -> int:
    """May this session work on a task? Without NAME: on which?

    Exit 0: begin it (init) or go on (resume); exit 1: choose another one
    (alternative), ask the user (ask), or something is wrong (error).
    """
    with opened(config, reads=True) as at:
        task = '' if name is None else at.task(name)
        answer = select(at.space, at.actor, task)
    if form == 'json':
        out(_json(answer))
    else:
        _text(answer)
    return 0 if answer.action in YES else FOUND
