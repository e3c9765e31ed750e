from __future__ import annotations

from collections.abc import Iterator

import click

from interlock.checks.standing import findings_of
from interlock.commands.host import err
from interlock.commands.host import out
from interlock.commands.parsing import writes
from interlock.commands.project import project
from interlock.operations import verify
from interlock.operations.change import Outcome
from interlock.report.text import where
from interlock.workflow.records import Records
from interlock.workflow.status import label


def verdict(at: Records, state: verify.State) -> Iterator[str]:
    """What is said of a state: every finding, or one sentence."""
    for finding in state.findings:
        yield f'{where(finding)}: {finding.code} {finding.message}'
        yield f'    {finding.fix.label}: {finding.fix.command}'
    if state.code == verify.NO_HANDOFF:
        yield f'{at.item} has no handoff'
    elif state.code == verify.STALE:
        assert at.handoff is not None and at.state is not None
        reached = label(at.state, at.kind)
        yield f'{at.item} is {reached}: {at.handoff.path} is stale'
    elif state.code == verify.MISMATCH and not state.findings:
        yield f'{at.item} has a handoff and is not registered'
    elif state.code == verify.FINE:
        yield f'{at.item}: the state is whole'


@click.command('verify-state')
@click.argument('item')
@click.option('--clean', is_flag=True, help='Delete a stale handoff.')
@writes
def command(
        item: str,
        clean: bool,
        config: str,
        wait: float,
        verbose: int,
        quiet: int,
) -> int:
    """Is the state of ITEM whole, so that work may go on?

    Exit 0 yes, 1 no handoff, 2 the records disagree, 3 a contract is not
    what was sealed, 4 the handoff is stale.
    """
    with project(config, wait, reads=not clean) as here:
        at = here.item(item)
        state = verify.verify_state(at, findings_of(at, here.workflow))
        if state.code != verify.FINE or quiet == 0:
            out('\n'.join(verdict(at, state)))
        if state.code == verify.STALE:
            assert at.handoff is not None
            if clean:
                here.apply(Outcome(
                    {at.handoff.path: None}, (f'{at.handoff.path}: deleted',),
                ))
            else:
                err(f'next: interlock verify-state --clean {item}')
    return state.code
