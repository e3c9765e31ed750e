"""The form of a conversation that all dialects are brought to: that of the
messages which `tests/client/messages.py` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

Body = dict[str, Any]


def flat(content: Any) -> str:
    """The text of a content, whichever parts it has."""
    if isinstance(content, str):
        return content
    elif isinstance(content, dict):
        known = content.get('text', content.get('output'))
        return json.dumps(content, ensure_ascii=False) if known is None else flat(known)
    return '\n'.join(map(flat, content or ()))


def said(content: Any) -> list[Body]:
    text = flat(content)
    return [{'type': 'text', 'text': text}] if text else []


def used(id: str, name: str, given: Any) -> Body:
    try:
        found = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        found = given
    return {'type': 'tool_use', 'id': id, 'name': name, 'input': found}


def heard(id: str, content: Any) -> Body:
    """The result of a tool."""
    block = {'type': 'tool_result', 'tool_use_id': id, 'content': flat(content)}
    return {'role': 'user', 'content': [block]}


def spoken(whole: Body) -> str:
    blocks = whole['content']
    return ''.join(each['text'] for each in blocks if each['type'] == 'text')


def data_lines(lines: Iterable[str]) -> tuple[str, bytes]:
    return 'text/event-stream', ''.join(f'data: {line}\n\n' for line in lines).encode()
