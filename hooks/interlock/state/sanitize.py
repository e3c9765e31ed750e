"""Remove from a state what must not be saved, and list what was left out.

This is for states that we derive from a session: one todo that must not be given
back must not cost the others. Its place in the list stays and says that something
was left out.
"""

from __future__ import annotations

import copy

from interlock.model.quick_typing import Any
from interlock.state.agent_text import only_a_call
from interlock.state.validate import (
    DANGEROUS,
    InvalidValue,
    Path,
    State,
    invalid_values,
)

# an item of a list that loses one of these is useless
NAMES = {'content', 'path', 'name', 'id', 'decision', 'error', 'command'}
# the text of a todo
TODO = 'content'
# if a state is too large, the oldest of these are removed first
HISTORY = ('user_messages', 'errors', 'corrections')


def _holder(state: State, path: Path) -> Any:
    holder: Any = state
    for part in path[:-1]:
        holder = holder[part]
    return holder


def _remove(state: State, worst: InvalidValue) -> None:
    path = worst.path
    if worst.code == DANGEROUS and path[-1] == TODO:
        holder = _holder(state, path)
        call = only_a_call(holder[TODO])
        holder[TODO] = f'(left out: it is a call of {call})'
        return
    if len(path) > 1 and isinstance(path[-2], int) and path[-1] in NAMES:
        path = path[:-1]
    del _holder(state, path)[path[-1]]


def _shorten(state: State) -> str:
    """Shrink a state that is too large; return what was removed."""
    conversation = state.get('conversation')
    if isinstance(conversation, dict):
        for name in HISTORY:
            listed = conversation.get(name)
            if isinstance(listed, list) and len(listed) > 1:
                half = len(listed) // 2
                del listed[:half]
                return (
                    f'the oldest {half} of `conversation.{name}`: the state '
                    f'is too large'
                )
    largest = max(state, key=lambda key: len(str(state[key])))
    del state[largest]
    return f'`{largest}`: the state is too large'


def sanitized(state: State) -> tuple[State, list[str]]:
    state = copy.deepcopy(state)
    left_out: list[str] = []
    while True:
        found = invalid_values(state)
        if not found:
            return state, left_out
        removable = [each for each in found if each.path]
        if not removable:
            left_out.append(_shorten(state))
            continue
        # one by one: removing an item of a list moves the next ones up
        worst = removable[-1]
        left_out.append(f'{worst} ({worst.code})')
        _remove(state, worst)
