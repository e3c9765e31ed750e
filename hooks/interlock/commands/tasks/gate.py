from __future__ import annotations

import json

import click

from interlock.commands.click_options import writes
from interlock.commands.tasks.context import at_task, say, values
from interlock.report.terminal import FOUND, out
from interlock.tasks.conditions.gate import gate, is_open


@click.command('gate')
@click.argument('task')
@click.argument('state')
@click.option('--format', 'form', type=click.Choice(['text', 'json']), default='text')
@writes
def command(
    task: str, state: str, form: str, config: str, wait: float, verbose: int, quiet: int
) -> int:
    """May TASK enter STATE? Every condition, whether it holds or not.

    Exit 1 where the gate is closed.
    """
    with at_task(config, wait, task, reads=True) as at:
        view = at.at_gate(state)
        verdicts = gate(view)
    opens = is_open(verdicts)
    if form == 'json':
        out(
            json.dumps(
                {
                    'task': task,
                    'from': view.state,
                    'to': state,
                    'open': opens,
                    'conditions': values(verdicts),
                }
            )
        )
    else:
        say(verdicts, quiet)
        word = 'open' if opens else 'closed'
        out(f'{view.state} -> {state}: the gate is {word}')
    return 0 if opens else FOUND
