"""Tasks of a client that has TaskCreate and TaskUpdate: todos as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interlock.state.store_types import State

# of a todo -> of the tool
CHANGED = (('content', 'subject'), ('status', 'status'), ('activeForm', 'activeForm'))
DELETED = 'deleted'


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ''


def made(given: Mapping[str, Any], name: object = None) -> State:
    """What TaskCreate makes; {} where it names no subject."""
    subject, active = _text(given, 'subject'), _text(given, 'activeForm')
    if not subject:
        return {}
    todo: State = {'content': subject, 'status': 'pending'}
    if name is not None:
        todo['id'] = str(name)
    if active:
        todo['activeForm'] = active
    return todo


def changed(todos: Iterable[State], given: Mapping[str, Any]) -> list[State]:
    """The list after TaskUpdate."""
    name = str(given.get('taskId', ''))
    result = []
    for todo in todos:
        if str(todo.get('id', '')) == name:
            if given.get('status') == DELETED:
                continue
            todo = {
                **todo,
                **{
                    key: _text(given, source)
                    for key, source in CHANGED
                    if _text(given, source)
                },
            }
        result.append(todo)
    return result
