from __future__ import annotations

import click

from interlock.checks.run import findings_of
from interlock.commands.click_options import Options, example, option, writes
from interlock.commands.workflow_options import item_argument
from interlock.operations import verify
from interlock.operations.outcome import Outcome
from interlock.project.item_verdict import known_item, verdict, way_on
from interlock.report.terminal import err, out


@example('interlock verify-state Search')
@click.command('verify-state')
@item_argument()
@option('--clean', 'Delete a stale handoff.')
@writes
def command(options: Options, item: str, clean: bool) -> int:
    """Check that the records of ITEM are sound, so that work can continue.

    Exit 0 they are, 1 no handoff (or no such item), 2 the records disagree, 3 a
    contract differs from its seal, 4 the handoff is stale. The next command
    is printed to standard error.
    """
    with options.project(reads=not clean) as here:
        at = known_item(here, item)
        state = verify.item_state(at, findings_of(at, here.workflow))
        if state.code != verify.FINE or options.quiet == 0:
            out('\n'.join(verdict(here, at, state)))
        if state.code == verify.STALE and clean:
            assert at.handoff is not None
            here.apply(
                Outcome({at.handoff.path: None}, (f'{at.handoff.path}: deleted',))
            )
        elif state.code != verify.FINE:
            err(f'next: {way_on(here, at, state)}')
    return state.code
