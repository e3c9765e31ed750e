from __future__ import annotations

from typing import Any

import click

from interlock.commands.click_options import writes
from interlock.commands.tasks.context import AtTask, at_task, say
from interlock.model.errors import Denied
from interlock.operations.tasks import transition as operations
from interlock.operations.tasks.transition import Files, Given
from interlock.report.terminal import FOUND, out
from interlock.tasks.conditions.gate import gate, is_open
from interlock.workflow.language.spec import Kind


def _files(at: AtTask) -> Files:
    spec = at.place.space.protocol.files
    return Files(at.lock, at.trail, at.file(spec.mirror))


def _entering(kind: Kind, state: str) -> None:
    """What the state allows and forbids."""
    for text in kind.states[state].entering:
        out(f'  {text}')


def _given(
    reason: str, why: str, evidence: tuple[str, ...], fields: dict[str, Any]
) -> Given:
    if why and not fields['risk'] and not fields['change']:
        raise click.UsageError('--why is the reason of --risk or --change')
    return Given(
        reason, why, evidence, {role: value for role, value in fields.items() if value}
    )


@click.command('transition')
@click.argument('task')
@click.argument('state')
@click.option('--reason', default='', help='Why; a step back needs it.')
@click.option(
    '--evidence',
    multiple=True,
    metavar='TEXT',
    help='What the state that is left achieved; NAME=VALUE for several.',
)
@click.option('--risk', default='', help='Record the risk level.')
@click.option(
    '--why',
    default='',
    help='Why it has that risk level or type; to change one needs it.',
)
@click.option('--change', default='', help='Record the type of change.')
@click.option(
    '--scope',
    multiple=True,
    metavar='DECISION',
    help='Record what the user decided; MATTER=DECISION for several.',
)
@writes
def command(
    task: str,
    state: str,
    reason: str,
    evidence: tuple[str, ...],
    risk: str,
    why: str,
    change: str,
    scope: tuple[str, ...],
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Move TASK to STATE, if its gate is open.

    State, log and audit trail change together, and by this command alone.
    """
    given = _given(
        reason,
        why,
        evidence,
        {
            'risk': risk,
            'risk_reason': why if risk else '',
            'change': change,
            'scope': operations.recorded(scope),
        },
    )
    with at_task(config, wait, task) as at:
        if at.held.data is None or at.held.lock.problem is not None:
            raise Denied(
                f'LCK002: {at.held.path} cannot be read, so nobody knows '
                f'who holds {task}',
                f'interlock lock show {task}',
            )
        view = at.at_gate(state)
        operations.refuse_unknown(view, given)
        operations.refuse_correction(view, given)
        verdicts = gate(operations.with_given(view, given, at.now))
        # what holds is said by `gate`
        say(verdicts, quiet=not verbose)
        if not is_open(verdicts):
            out(f'{view.state} -> {state}: the gate is closed')
            return FOUND
        at.apply(operations.transition(view, _files(at), at.now, given))
    if not quiet:
        _entering(view.kind, state)
    return 0
