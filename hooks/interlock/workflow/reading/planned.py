from __future__ import annotations

from interlock.workflow.reading.records import Records, handoff_state, scalar


def is_planned(at: Records) -> bool:
    """The plan stands: from a stage with a status on, as the workflow says."""
    handoff, kind = at.kind.handoff, at.kind
    state = handoff_state(at.current)
    if handoff is None or handoff.planned is None or state is None:
        return False
    first, status = handoff.planned
    if state.name != first:
        return kind.position(state.name) > kind.position(first)
    written = scalar(at.current, kind, 'status')
    return written is not None and written.text == status
