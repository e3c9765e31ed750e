"""How an update changes a state; the schema says how each list does.

Both are valid: whoever calls has asked.
"""

from __future__ import annotations

from typing import Any

from interlock.state.schema import resolved, schema

Schema = dict[str, Any]
Object = dict[str, Any]


def merged(state: Object, updates: Object) -> Object:
    """A new state: objects are merged, anything else is replaced."""
    return _object(schema(), state, updates)


def _object(part: Schema, old: Object, new: Object) -> Object:
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
    part: Schema, old: list[Object], new: list[Object], front: bool
) -> list[Object]:
    """One item per key: a new one is merged into its namesake."""
    key, below = part['x-key'], resolved(part['items'])
    result = list(old)
    moved: list[Object] = []
    for item in new:
        at = next(
            (
                number
                for number, each in enumerate(result)
                if key in item and each.get(key) == item[key]
            ),
            len(result),
        )
        known = result[at] if at < len(result) else {}
        whole = _object(below, known, item)
        if front:
            del result[at : at + 1]
            moved.append(whole)
        else:
            result[at : at + 1] = [whole]
    return moved + result
