"""A state that is reached again asks for what it asks for anew."""
from __future__ import annotations

from interlock.conditions.view import View
from interlock.documents import moments
from interlock.documents.text import shown


def _entered_again(view: View) -> str:
    """When the task came to its state, if not for the first time."""
    times = [
        step.time for step in view.lock.log if step.target == view.state
    ]
    return times[-1] if len(times) > 1 else ''


def stale(view: View, time: str) -> str:
    """Why what was done at a time does not count any more, '' if it does."""
    since = _entered_again(view)
    if not since or (
            moments.parse(time) is not None and
            not moments.is_before(time, since)
    ):
        return ''
    when = f'at {shown(time)}' if time else 'nobody knows when'
    return f'{when}, and {view.state} was entered again at {shown(since)}'
