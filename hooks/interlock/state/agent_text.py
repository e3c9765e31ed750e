"""Text of a saved state that an agent reads: as data, or in the form of a call.

Its author is unknown. A resume command and the path of a document are shown as
calls, so a call of a tool that changes or fetches something is refused in them;
prose about such tools passes. A todo is text inside a call and is given back word
for word, unless a line of it is nothing but a call of a tool.
"""

from __future__ import annotations

import os

from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Callable

TAG_RE = re.compile(r'</?[\w-][^<>]*>')
MARKUP = str.maketrans('', '', '`<>*#[]|~\\')
MAX_LINE = 200
# escaped, so that a text can write neither markup nor the end of our block
ESCAPED = {'<': '\\u003c', '>': '\\u003e', '`': '\\u0060', '&': '\\u0026'}

TOOLS = r'(?:Bash|PowerShell|Write|Edit|NotebookEdit|WebFetch)'
UNSAFE_RE = re.compile(
    rf'\b{TOOLS}'
    # `Edit(s)` is a plural, `Write (and test)` a sentence
    r'(?:\((?!s\))|\s+\(\s*[\'"{\[])'
    r'|(?<![\w-])(?:curl|wget|rm)'
    # an option, a path or an address follows, not a word of a sentence
    r'\s+(?=\S*[-./:*~$"\'`])'
)
ONLY_A_CALL_RE = re.compile(
    rf'^[\s`]*({TOOLS})\s*\(\s*[\'"{{\[].*\)[\s`;]*$', re.MULTILINE
)
# two quoted texts without quotes, escapes or markup in them
SKILL_RE = re.compile(
    r"""Skill\((?:'[\w:./ -]{1,100}'|"[\w:./ -]{1,100}")"""
    r"""(?:, ?(?:'[^'`<>\\]{0,500}'|"[^"`<>\\]{0,500}"))?\)"""
)
FINISHED = 'completed'
# the statuses that TodoWrite accepts; any other one becomes the first
STATUSES = ('pending', 'in_progress', FINISHED)

Exists = Callable[[str], bool]


def plain(text: object, limit: int = MAX_LINE) -> str:
    """The text on one line, without control characters or markup, cut to length."""
    words = ''.join(c if c.isprintable() else ' ' for c in str(text))
    words = TAG_RE.sub(' ', words).translate(MARKUP).replace('"', "'")
    words = ' '.join(words.split())
    return words if len(words) <= limit else f'{words[: limit - 1]}…'


def quoted(text: object, limit: int = MAX_LINE) -> str:
    return f'"{plain(text, limit)}"'


def unsafe_call(text: str) -> str:
    """The unsafe call in a text, or ''."""
    match = UNSAFE_RE.search(text)
    return match[0].partition('(')[0].strip() if match else ''


def only_a_call(text: str) -> str:
    """The tool that a line calls, if the line holds nothing else, or ''."""
    match = ONLY_A_CALL_RE.search(text)
    return match[1] if match else ''


def skill_call(command: object) -> str:
    """The resume command, '' if it does not call a skill."""
    text = command.strip() if isinstance(command, str) else ''
    return text if SKILL_RE.fullmatch(text) and text.isprintable() else ''


def read_call(path: object, exists: Exists) -> str:
    """`Read("…")`, '' if there is no such file."""
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
    import json

    text = json.dumps([_todo(todo) for todo in todos])
    for char, escape in ESCAPED.items():
        text = text.replace(char, escape)
    return f'TodoWrite({text})'
