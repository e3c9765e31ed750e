"""Is the state of one item whole? For whoever is about to go on with it."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interlock.model.finding import Finding
from interlock.workflow.handoffs import counting
from interlock.workflow.records import Records
from interlock.workflow.records import scalar

FINE = 0
NO_HANDOFF = 1
MISMATCH = 2
DRIFT = 3
STALE = 4

_MISMATCHES = ('REG001', 'REG002', 'REG003', 'REG005', 'REG007', 'REG008',
               'REG010', 'HND001', 'HND002')
_DRIFTS = ('CON001', 'CON002', 'CON003', 'CON005')


class State(NamedTuple):
    code: int
    findings: tuple[Finding, ...] = ()


def _is_stale(at: Records) -> bool:
    """Done for good, or done and said to be so by the handoff itself."""
    state = at.state
    if at.handoff is None or state is None or at.kind.handoff is None:
        return False
    policy = at.kind.states[state.name].handoff
    written = scalar(at.handoff, at.kind, 'status')
    final = written is not None and written.text in at.kind.handoff.status_in
    return policy == 'stale' or (policy == 'kept' and final)


def verify_state(at: Records, found: Sequence[Finding]) -> State:
    """Staleness comes before the stage, else it could never be seen.

    `found` is what the checks find wrong with the item.
    """
    if _is_stale(at):
        return State(STALE)
    elif counting(at) is None:
        return State(NO_HANDOFF)
    for code, codes in ((MISMATCH, _MISMATCHES), (DRIFT, _DRIFTS)):
        guilty = tuple(each for each in found if each.code in codes)
        if guilty:
            return State(code, guilty)
    if not at.registered:
        return State(MISMATCH)
    return State(FINE)
