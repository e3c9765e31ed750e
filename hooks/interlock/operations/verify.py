"""Is the state of one item whole? For whoever is about to go on with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interlock.model.finding import Finding
from interlock.workflow.language.spec import DONE, KEPT, STAGE
from interlock.workflow.language.spec import STALE as STALE_HANDOFF
from interlock.workflow.reading.records import Records, counting, scalar

FINE = 0
NO_HANDOFF = 1
MISMATCH = 2
DRIFT = 3
STALE = 4

# what is wrong with the records whatever a check makes of it: work goes on
# from what they say
_MISMATCHES = (
    'REG001',
    'REG002',
    'REG003',
    'REG005',
    'REG007',
    'REG008',
    'REG010',
    'HND001',
    'HND002',
    'HND003',
    'HND004',
)
_DRIFTS = ('CON001', 'CON002', 'CON003', 'CON005')
# a handoff from before the stages, wrong once there is a stage
_EARLY = 'HND008'
_CONTRACTS = 'contracts'


_BROKEN = ('HND001', 'HND002', 'HND003', 'HND004')


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
    return policy == STALE_HANDOFF or (policy == KEPT and final)


def verify_state(at: Records, found: Sequence[Finding]) -> State:
    """Staleness comes before the stage, else it could never be seen.

    `found` is what the checks find wrong with the item.
    """
    if _is_stale(at):
        return State(STALE)
    wrong = tuple(each for each in found if _mismatches(each, at))
    if counting(at) is None:
        return State(NO_HANDOFF, wrong)
    drifted = tuple(each for each in found if _drifts(each))
    for code, guilty in ((MISMATCH, wrong), (DRIFT, drifted)):
        if guilty:
            return State(code, guilty)
    if not at.registered and at.kind.registry is not None:
        return State(MISMATCH)
    return State(FINE)


def is_broken(at: Records, found: Sequence[Finding]) -> bool:
    """Whether the handoff cannot say where work stands."""
    return any(
        each.code in _BROKEN or (each.code == _EARLY and _mismatches(each, at))
        for each in found
    )


def _mismatches(finding: Finding, at: Records) -> bool:
    if finding.code == 'REG014':
        return not at.registered
    elif finding.code == _EARLY:
        return at.role in {STAGE, DONE}
    return finding.code in _MISMATCHES or (
        finding.refuses and finding.check != _CONTRACTS
    )


def _drifts(finding: Finding) -> bool:
    return finding.code in _DRIFTS or (finding.refuses and finding.check == _CONTRACTS)
