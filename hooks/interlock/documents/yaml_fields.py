"""Fields in YAML, one below the other, each read on its own.

Most fields of a document stand in its next version as they are, and a long
history is read by what is new in it. What is not plainly a list of fields is
read as a whole, and so is whatever is wrong.
"""

from __future__ import annotations

import functools
import re

from interlock.documents import yaml
from interlock.model.errors import Unreadable

# a field starts its line, and what belongs to it is indented below
FIELD_RE = re.compile(r'[A-Za-z_][A-Za-z0-9_-]*:(?:[ ].*)?\n(?:(?:[ ].*)?\n)*')


def parse(text: str, first_line: int = 1) -> yaml.Node | None:
    found = _parts(text, first_line)
    return yaml.parse(text, first_line) if found is None else found


def _parts(text: str, first_line: int) -> yaml.Mapping | None:
    """None where the text is to be read as a whole."""
    bare = text.lstrip('\n')
    parts = FIELD_RE.findall(bare)
    if not parts or sum(map(len, parts)) != len(bare):
        return None
    elif len(text) > yaml.MAX_NODES or '&' in text or '*' in text:
        # one field may have to do with another one
        return None
    elif len(text.splitlines()) != text.count('\n'):
        # a line ends in more ways in YAML than here
        return None
    line = start = first_line + len(text) - len(bare)
    items: dict[str, yaml.Node] = {}
    lines: dict[str, int] = {}
    for part in parts:
        key, node = _field(part, line)
        if node is None or key in items:
            return None
        items[key], lines[key] = node, line
        line += part.count('\n')
    return yaml.Mapping(items, lines, start)


@functools.lru_cache(maxsize=4096)
def _field(text: str, line: int) -> tuple[str, yaml.Node | None]:
    """Its key and its value; None where it is not one field."""
    try:
        field = yaml.parse(text, line)
    except Unreadable:
        return '', None
    if not isinstance(field, yaml.Mapping) or len(field.items) != 1:
        return '', None
    return next(iter(field.items.items()))
