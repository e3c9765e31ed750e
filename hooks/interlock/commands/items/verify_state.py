from __future__ import annotations

from collections.abc import Iterator

import click

from interlock.checks.run import findings_of
from interlock.commands.click_options import writes
from interlock.commands.items.lost_records import is_lost
from interlock.commands.items.project import Project, project
from interlock.model.errors import Denied
from interlock.model.fixes import ours
from interlock.model.suggest import nearest
from interlock.operations import verify
from interlock.operations.outcome import Outcome
from interlock.report.hints import localized
from interlock.report.terminal import err, out
from interlock.report.text import where
from interlock.workflow.language.spec import DONE
from interlock.workflow.reading.records import Records, all_items
from interlock.workflow.reading.status_words import label


def verdict(here: Project, at: Records, state: verify.ItemState) -> Iterator[str]:
    """What is said of a state: every finding, or one sentence."""
    top = here.top
    for finding in state.findings:
        fix = localized(finding.fix, top)
        yield f'{where(finding)}: {finding.code} {finding.message}'
        yield f'    {fix.label}: {fix.command}'
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


def way_on(here: Project, at: Records, state: verify.ItemState) -> str:
    """The command that comes next, whatever the verdict."""
    if state.code == verify.FINE:
        return ours('menu', at.item)
    elif state.code == verify.STALE:
        return ours('verify-state', '--clean', at.item)
    elif state.code != verify.NO_HANDOFF or state.findings:
        return ours('resolve', at.item)
    elif is_lost(here, at):
        return ours('handoff', 'restore', at.item)
    elif at.role == DONE:
        # there is no work to hand over
        return ours('menu', at.item)
    return ours('handoff', 'create', at.item)


def known_item(here: Project, name: str, command: str) -> Records:
    """What nobody has heard of has no handoff either.

    The exit code of a usage error means here that records disagree.
    """
    try:
        return here.item(name)
    except click.UsageError as e:
        near = nearest(
            name,
            [
                each
                for kind in here.workflow.kinds
                for each in all_items(here.snapshot, kind)
            ],
        )
        raise Denied(
            e.message, ours(*((command, near) if near else ('registry', 'show')))
        ) from None


@click.command('verify-state')
@click.argument('item')
@click.option('--clean', is_flag=True, help='Delete a stale handoff.')
@writes
def command(
    item: str, clean: bool, config: str, wait: float, verbose: int, quiet: int
) -> int:
    """Is the state of ITEM whole, so that work may go on?

    Exit 0 yes, 1 no handoff (or no such item), 2 the records disagree, 3 a
    contract is not what was sealed, 4 the handoff is stale. What comes next
    is said on standard error.
    """
    with project(config, wait, reads=not clean) as here:
        at = known_item(here, item, 'verify-state')
        state = verify.item_state(at, findings_of(at, here.workflow))
        if state.code != verify.FINE or quiet == 0:
            out('\n'.join(verdict(here, at, state)))
        if state.code == verify.STALE and clean:
            assert at.handoff is not None
            here.apply(
                Outcome({at.handoff.path: None}, (f'{at.handoff.path}: deleted',))
            )
        elif state.code != verify.FINE:
            err(f'next: {way_on(here, at, state)}')
    return state.code
