from __future__ import annotations

import click

from interlock.checks.run import findings_of
from interlock.commands.click_options import Options, writes
from interlock.model.errors import Denied
from interlock.model.fixes import nearest, ours
from interlock.model.quick_typing import Iterator
from interlock.operations import verify
from interlock.operations.outcome import Outcome
from interlock.project.project import Project, UnknownItem, item_names
from interlock.report.hints import localized
from interlock.report.terminal import err, out
from interlock.report.text import where
from interlock.workflow.language.spec import DONE
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.status_words import label


def verdict(here: Project, at: Records, state: verify.ItemState) -> Iterator[str]:
    """The lines about a state: every finding, or one sentence."""
    for finding in state.findings:
        fix = localized(finding.fix, here.top)
        yield f'{where(finding)}: {finding.code} {finding.message}'
        yield f'    {fix.said}'
    if state.code == verify.NO_HANDOFF:
        yield f'{at.item} has no handoff'
    elif state.code == verify.STALE:
        assert at.handoff is not None and at.state is not None
        reached = label(at.state, at.kind)
        yield f'{at.item} is {reached}: {at.handoff.path} is stale'
    elif state.code == verify.MISMATCH and not state.findings:
        yield f'{at.item} has a handoff but is not registered'
    elif state.code == verify.FINE:
        yield f'{at.item}: the records are sound'


def way_on(here: Project, at: Records, state: verify.ItemState) -> str:
    """The command that comes next, whatever the verdict."""
    if state.code == verify.FINE:
        return ours('menu', at.item)
    elif state.code == verify.STALE:
        return ours('verify-state', '--clean', at.item)
    elif state.code != verify.NO_HANDOFF or state.findings:
        return ours('resolve', at.item)
    elif here.has_lost_handoff(at):
        return ours('handoff', 'restore', at.item)
    elif at.role == DONE:
        # there is no work to hand over
        return ours('menu', at.item)
    return ours('handoff', 'create', at.item)


def known_item(here: Project, name: str, command: str) -> Records:
    """As `Project.item`, but an unknown item has no handoff: exit 1, not 2."""
    try:
        return here.item(name)
    except UnknownItem as e:
        near = nearest(name, item_names(here.snapshot, here.workflow))
        words = (command, near) if near else ('registry', 'show')
        raise Denied(e.message, ours(*words)) from None


@click.command('verify-state')
@click.argument('item')
@click.option('--clean', is_flag=True, help='Delete a stale handoff.')
@writes
def command(options: Options, item: str, clean: bool) -> int:
    """Check that the records of ITEM are sound, so that work can continue.

    Exit 0 they are, 1 no handoff (or no such item), 2 the records disagree, 3 a
    contract differs from its seal, 4 the handoff is stale. The next command
    is printed to standard error.
    """
    with options.project(reads=not clean) as here:
        at = known_item(here, item, 'verify-state')
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
