"""What a hook says around a compaction and at the start of a session."""

from __future__ import annotations

from interlock.model.quick_typing import Iterable, Sequence
from interlock.state.agent_text import plain, quoted
from interlock.state.recovery_text import (
    binding,
    open_todos,
    position,
    recovery,
    top_skill,
)
from interlock.state.store import LoadedState
from interlock.state.validate import State

# only the recovery text may be longer
LIMIT = 600
MAX_ITEMS = 3
MAX_TEXT = 60
COMPACTED = 'compact'
STARTED = 'startup'
FORKED = 'fork'
# the transcript continues, and holds what was shown before
CONTINUED = ('resume', FORKED)


def fitting(lines: Iterable[str], limit: int) -> str:
    """As many whole lines as fit."""
    text = ''
    for line in lines:
        # an ellipsis at the end says that there was more
        if len(text) + len(line) + 2 > limit:
            return f'{text}…'
        text += f'{line}\n'
    return text.rstrip('\n')


def _some(what: str, items: list[str]) -> list[str]:
    """The first ones, so that no list crowds out the next."""
    lines = [f'Keep: {what} {item}' for item in items[:MAX_ITEMS]]
    more = len(items) - MAX_ITEMS
    return [*lines, f'({more} more: {what}s)'] if more > 0 else lines


def keep_lines(state: State, problem: str = '', left_out: Sequence[str] = ()) -> str:
    """What a summary must keep: skill, position, open todos, decisions.

    `problem` says why the state could not be saved.
    """
    skill = top_skill(state)
    lines = []
    if problem:
        lines.append(plain(f'The workflow state was not saved: {problem}'))
    if left_out:
        more = f' (and {len(left_out) - 1} more)' if left_out[1:] else ''
        said = f'Left out of the saved state: {left_out[0]}'
        lines.append(f'{plain(said)}{more}')
    if skill.get('name'):
        lines.append(f'Keep: skill {quoted(skill["name"], 60)}')
    if position(skill):
        lines.append(f'Keep: position {position(skill)}')
    lines += _some('open todo', open_todos(state, MAX_TEXT))
    lines += _some('decision', binding(state, MAX_TEXT))
    return fitting(lines, LIMIT)


def _none(found: LoadedState) -> str:
    if found.trigger:
        return (
            f'The workflow state that was saved here ({found.trigger}) is '
            f'{found.age_hours:.1f} h old, too old to go on from. '
            f'Show it with: interlock state show'
        )
    return 'No workflow state was saved for this project.'


def start_text(source: str, found: LoadedState) -> str:
    """What a session is told when it starts; '' for nothing.

    The block is not repeated where the transcript still holds it, unless the
    state has changed.
    """
    if found.found and found.other and source in (COMPACTED, 'resume'):
        return _foreign(found)
    elif source == COMPACTED:
        return recovery(found) or _none(found)
    elif not found.found:
        return ''
    elif source in CONTINUED:
        return '' if found.given else recovery(found)
    elif source == STARTED:
        by = f' by session {plain(found.other)}' if found.other else ''
        return (
            f'A workflow state of this project was saved{by} '
            f'{found.age_hours:.1f} h ago ({found.trigger}). '
            f'Show it with: interlock state show'
        )
    return ''


def _foreign(found: LoadedState) -> str:
    """Another session's state is never given as this one's own."""
    return (
        f'No workflow state of this session was saved. The last one of this '
        f'project is of session {plain(found.other)}, saved '
        f'{found.age_hours:.1f} h ago ({found.trigger}); it is not taken '
        f'over. Show it with: interlock state show'
    )


def failure_text(problem: str, hint: str) -> str:
    """Why the store cannot give a state back."""
    next_step = f' Next: {hint}' if hint else ''
    return plain(
        f'The saved workflow state cannot be given back: {problem}.{next_step}', LIMIT
    )
