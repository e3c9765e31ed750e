from __future__ import annotations

import click

from interlock.commands.click_options import Options, example, option, writes
from interlock.commands.tasks.verdicts import say
from interlock.commands.workflow_options import state_argument, task_argument
from interlock.model.fixes import ours, probable_word
from interlock.operations.tasks import transition as operations
from interlock.operations.tasks.transition import Files, StepInput
from interlock.report.terminal import FOUND, out
from interlock.tasks.conditions.gate import gate, is_open


@example(
    'interlock transition bake-bread REQUIREMENTS',
    "interlock transition bake-bread CLASSIFIED --reason 'the scope changed'",
)
@click.command('transition')
@task_argument('task')
@state_argument()
@option('--reason TEXT', 'Give the reason; a step back needs one.')
@option(
    '--evidence TEXT...', 'Say what the current state achieved; NAME=VALUE for several.'
)
@option('--risk TEXT', 'Record the risk level.')
@option(
    '--why TEXT',
    'Give the reason for the risk level or the type; changing either needs one.',
)
@option('--change TEXT', 'Record the type of change.')
@option(
    '--scope DECISION...', 'Record what the user decided; MATTER=DECISION for several.'
)
@writes
def command(
    options: Options,
    task: str,
    state: str,
    reason: str,
    evidence: tuple[str, ...],
    risk: str,
    why: str,
    change: str,
    scope: tuple[str, ...],
) -> int:
    """Move TASK to STATE, if its gate is open.

    State, log and audit trail change together, and only by this command.
    """
    if why and not risk and not change:
        raise click.UsageError('--why needs --risk or --change')
    fields = {
        'risk': risk,
        'risk_reason': why if risk else '',
        'change': change,
        'scope': operations.evidence_from_words(scope),
    }
    given = StepInput(reason, why, evidence, {k: v for k, v in fields.items() if v})
    with options.task(task) as at:
        view = at.at_gate(state)
        operations.refuse_unknown(view, given)
        operations.refuse_correction(view, given)
        verdicts = gate(operations.with_given(view, given, at.now))
        if state not in view.kind.states and (
            near := probable_word(state, view.kind.states)
        ):
            again = ours('transition', task, near)
            verdicts = [
                each._replace(recovery=again) if each.code == 'GAT001' else each
                for each in verdicts
            ]
        # where the step itself is illegal, no other condition matters; `gate` lists all
        illegal = [each for each in verdicts if each.code == 'GAT001' and each.refuses]
        say(illegal or verdicts, quiet=not options.verbose)
        if not is_open(verdicts):
            out(f'{view.state} -> {state}: the gate is closed')
            return FOUND
        files = Files(at.lock, at.trail, at.file(at.space.protocol.files.mirror))
        at.apply(operations.transition(view, files, at.now, given))
    if not options.quiet:
        # what the new state allows and forbids
        for text in view.kind.states[state].entering:
            out(f'  {text}')
    return 0
