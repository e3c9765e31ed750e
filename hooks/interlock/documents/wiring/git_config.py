"""The entries of a git configuration file that decide which code git runs."""

from __future__ import annotations

Entry = tuple[str, str, str]

ESCAPES = {'n': '\n', 't': '\t', 'b': '\b'}


def _value(text: str) -> str:
    """The value without quotes, comments, and unquoted blanks at its ends."""
    found, quoted, escaped, end = '', False, False, 0
    for char in text.lstrip():
        if escaped:
            found, escaped = found + ESCAPES.get(char, char), False
        elif char == '\\':
            escaped = True
            continue
        elif char == '"':
            quoted = not quoted
        elif char in '#;' and not quoted:
            break
        else:
            found += char
        if quoted or not char.isspace():
            end = len(found)
    return found[:end]


def entries(data: bytes) -> list[Entry]:
    """Section, key and value; a key may be on the line of its section."""
    section, found = '', []
    text = data.decode(errors='replace').replace('\\\n', '')
    for line in text.splitlines():
        line = line.strip()
        while line.startswith('['):
            head, _, line = line[1:].partition(']')
            name, quote, below = head.strip().partition('"')
            # quoted text stays as it is written
            section, line = f'{name.lower()}{quote}{below}', line.strip()
        if line and line[0] not in '#;':
            key, _, value = line.partition('=')
            found.append((section, key.strip().lower(), _value(value)))
    return found


def section_name(section: str) -> str:
    """`filter "x"` as a part of a key: `filter.x`."""
    name, _, below = section.partition('"')
    return '.'.join(filter(None, (name.strip(), below.rstrip('"'))))


def _runs(section: str, key: str) -> bool:
    """Whether an entry points git to other code or other entries."""
    first = section.split(' ')[0].split('.')[0].split('"')[0]
    return first in ('include', 'includeif', 'alias') or (
        first == 'core' and key in ('hookspath', 'worktree', 'fsmonitor')
    )


def steering(data: bytes | None) -> list[Entry]:
    return [entry for entry in entries(data or b'') if _runs(*entry[:2])]
