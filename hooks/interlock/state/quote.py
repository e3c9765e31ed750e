"""Text from the store, as data: whoever wrote it gives no orders here."""

from __future__ import annotations

import json
import re

TAG_RE = re.compile(r'</?[\w-][^<>]*>')
MARKUP = str.maketrans('', '', '`<>*#[]|~\\')
MAX_LINE = 200
# written so that neither markup nor the end of our block can be in it
ESCAPED = {'<': '\\u003c', '>': '\\u003e', '`': '\\u0060', '&': '\\u0026'}


def plain(text: object, limit: int = MAX_LINE) -> str:
    """On one line, no control characters, no markup, cut to length."""
    words = ''.join(c if c.isprintable() else ' ' for c in str(text))
    words = TAG_RE.sub(' ', words).translate(MARKUP).replace('"', "'")
    words = ' '.join(words.split())
    return words if len(words) <= limit else f'{words[: limit - 1]}…'


def quoted(text: object, limit: int = MAX_LINE) -> str:
    return f'"{plain(text, limit)}"'


def literal(value: object) -> str:
    """JSON that means exactly the value, and nothing to a reader of text."""
    text = json.dumps(value)
    for char, escape in ESCAPED.items():
        text = text.replace(char, escape)
    return text
