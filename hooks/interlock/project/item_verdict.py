"""What is wrong with the records of an item, and what comes next."""

from __future__ import annotations

from interlock.model.errors import Denied
from interlock.model.fixes import nearest, ours
from interlock.model.quick_typing import Iterator
from interlock.operations import verify
from interlock.project.project import SHOW, Project, UnknownItem, item_names
from interlock.report.hints import localized
from interlock.report.text import where
from interlock.workflow.language.spec import DONE
from interlock.workflow.reading.fix_command import toward
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
    if state.code == verify.FINE and at.kind.handoff is None:
        return SHOW if at.role == DONE else toward(at).step
    elif state.code == verify.FINE:
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
