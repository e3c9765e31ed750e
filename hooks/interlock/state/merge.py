"""How an update changes a state: the schema says how, for each list.

Both the state and the update are valid states.
"""

from __future__ import annotations

from interlock.model.quick_typing import Any
from interlock.state.validate import State, resolved, schema

Schema = dict[str, Any]


def merge(state: State, updates: State) -> State:
    """A new state: objects are merged, everything else is replaced."""
    return _object(schema(), state, updates)


def _object(part: Schema, old: State, new: State) -> State:
    properties = part.get('properties', {})
    result = dict(old)
    for key, value in new.items():
        below = resolved(properties.get(key, {}))
        result[key] = _value(below, old.get(key), value)
    return result


def _value(part: Schema, old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return _object(part, old, new)
    elif not isinstance(old, list) or not isinstance(new, list):
        return new
    how = part.get('x-merge', 'replace')
    if how == 'replace':
        return new
    elif how == 'append':
        return old + new
    return _keyed(part, old, new, front=how == 'front')


def _keyed(
    part: Schema, old: list[State], new: list[State], front: bool
) -> list[State]:
    """One item per key: a new item is merged into the old one with its key."""
    key, below = part['x-key'], resolved(part['items'])
    result = list(old)
    moved: list[State] = []
    for item in new:
        same = [n for n, each in enumerate(result) if each.get(key) == item.get(key)]
        at = same[0] if same and key in item else len(result)
        whole = _object(below, result[at] if at < len(result) else {}, item)
        if front:
            del result[at : at + 1]
            moved.append(whole)
        else:
            result[at : at + 1] = [whole]
    return moved + result
