from __future__ import annotations

import click

from interlock.commands.click_options import Options, formats, governed
from interlock.report.terminal import FOUND, err, out, out_json
from interlock.tasks.task_choice import YES, select


@click.command('select')
@click.argument('name', required=False)
@formats('text', 'json')
@governed
def command(options: Options, name: str | None, form: str) -> int:
    """Say whether this session may work on a task; without NAME, on which.

    Exit 0: begin it (init) or go on (resume); exit 1: choose another one
    (alternative), ask the user (ask), or something is wrong (error).
    """
    with options.tasks(reads=True) as at:
        task = '' if name is None else at.task(name)
        answer = select(at.space, at.actor, task)
    may = answer.action in YES
    if form == 'json':
        values: dict[str, object] = {
            'action': answer.action,
            'task': answer.task,
            'sentence': answer.sentence,
            'options': list(answer.options),
            'notes': list(answer.notes),
            'free': list(answer.free),
        }
        if not may and answer.free:
            values['alternative'] = answer.free[0]
        out_json(values, indent=None)
        return 0 if may else FOUND
    out(f'{answer.action}: {answer.sentence}')
    for note in answer.notes:
        err(f'interlock: warning: {answer.task}: {note}')
    for option in answer.options:
        out(f'    next: {option}')
    if answer.free:
        out(f'free: {", ".join(answer.free)}')
    return 0 if may else FOUND
