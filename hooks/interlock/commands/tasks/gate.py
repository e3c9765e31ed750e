from __future__ import annotations

import click

from interlock.commands.click_options import Options, example, formats, writes
from interlock.commands.tasks.verdicts import say, values
from interlock.commands.workflow_options import state_argument, task_argument
from interlock.report.terminal import FOUND, out, out_json
from interlock.tasks.conditions.gate import gate, is_open


@example('interlock gate bake-bread SYNTHESIS')
@click.command('gate')
@task_argument('task')
@state_argument()
@formats('text', 'json')
@writes
def command(options: Options, task: str, state: str, form: str) -> int:
    """Show every condition for TASK to enter STATE, whether it holds or not.

    Exit 1: the gate is closed.
    """
    with options.task(task, reads=True) as at:
        view = at.at_gate(state)
        verdicts = gate(view)
    opens = is_open(verdicts)
    if form == 'json':
        out_json(
            {
                'task': task,
                'from': view.state,
                'to': state,
                'open': opens,
                'conditions': values(verdicts),
            },
            indent=None,
        )
    else:
        say(verdicts, options.quiet)
        word = 'open' if opens else 'closed'
        out(f'{view.state} -> {state}: the gate is {word}')
    return 0 if opens else FOUND
