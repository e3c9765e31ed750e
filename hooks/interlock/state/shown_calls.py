"""The three fields of a state that are shown as calls, if they are such."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from interlock.state.quote import literal

# two texts in quotes, without what ends them, escapes or is markup
SKILL_RE = re.compile(
    r"""Skill\((?:'[\w:./ -]{1,100}'|"[\w:./ -]{1,100}")"""
    r"""(?:, ?(?:'[^'`<>\\]{0,500}'|"[^"`<>\\]{0,500}"))?\)"""
)
FINISHED = 'completed'
# what the tool accepts; the others wait
STATUSES = ('pending', 'in_progress', FINISHED)

Exists = Callable[[str], bool]


def skill_call(command: object) -> str:
    """The resume command, '' where it is no call of a skill."""
    text = command.strip() if isinstance(command, str) else ''
    return text if SKILL_RE.fullmatch(text) and text.isprintable() else ''


def read_call(path: object, exists: Exists) -> str:
    """`Read("…")`, '' where there is no such file."""
    if not isinstance(path, str) or not os.path.isabs(path):
        return ''
    safe = path.isprintable() and not set(path) & set('"\\`<>')
    return f'Read("{path}")' if safe and exists(path) else ''


def _todo(todo: dict[str, Any]) -> dict[str, str]:
    content = str(todo.get('content', ''))
    status = todo.get('status')
    return {
        'content': content,
        'status': status if status in STATUSES else STATUSES[0],
        'activeForm': str(todo.get('activeForm') or content),
    }


def todo_call(todos: list[dict[str, Any]]) -> str:
    """`TodoWrite([…])`, the exact list."""
    return f'TodoWrite({literal([_todo(todo) for todo in todos])})'
