"""Set or remove one key of a JSON object; the rest stays, byte for byte.

Where that would change anything else, the whole object is written anew with its old
indentation.
"""

from __future__ import annotations

import json

from interlock.documents.json import INDENT_RE, TOKEN_RE, render
from interlock.documents.text import BOM
from interlock.model.quick_typing import Any, NamedTuple


class Member(NamedTuple):
    key: str
    start: int
    # where its value starts and ends
    value: int
    end: int


def _members(text: str) -> list[Member]:
    """The members of the object in a valid text."""
    found: list[Member] = []
    depth, start, value = 0, -1, -1
    key = ''
    for match in TOKEN_RE.finditer(text):
        part = match[0]
        if depth == 1 and value < 0 and part[0] == '"' and start < 0:
            key, start = json.loads(part), match.start()
        elif depth == 1 and part not in ',:}' and value < 0:
            value = match.start()
        depth += (part in '{[') - (part in '}]')
        if depth == 1 and value >= 0 and part not in ',:':
            found.append(Member(key, start, value, match.end()))
            start = value = -1
    return found


def _shown(value: Any, indent: str) -> str:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.replace('\n', f'\n{indent}')


def _set(text: str, key: str, value: Any, indent: str) -> str:
    members = _members(text)
    shown = _shown(value, indent)
    for each in members:
        if each.key == key:
            return text[: each.value] + shown + text[each.end :]
    line = f'\n{indent}{json.dumps(key)}: {shown}'
    if members:
        end = members[-1].end
        return f'{text[:end]},{line}{text[end:]}'
    end = text.index('{') + 1
    return f'{text[:end]}{line}\n{text[text.rindex("}") :]}'


def _dropped(text: str, key: str) -> str:
    members = _members(text)
    number = [each.key for each in members].index(key)
    if len(members) == 1:
        return text[: text.index('{') + 1] + text[text.rindex('}') :]
    elif number == len(members) - 1:
        return text[: members[-2].end] + text[members[-1].end :]
    return text[: members[number].start] + text[members[number + 1].start :]


def edited(old: bytes | None, data: dict[str, Any], key: str) -> bytes:
    """The text of `data`, which differs from the old data in `key` alone."""
    old = old if old and old.strip() else None
    if old is None:
        return render(data)
    mark = BOM if old.startswith(BOM) else b''
    text = old[len(mark) :].decode()
    ending = '\r\n' if '\r\n' in text else '\n'
    text = text.replace('\r\n', '\n')
    found = INDENT_RE.search(text)
    if found is not None:
        new = (
            _set(text, key, data[key], found[1]) if key in data else _dropped(text, key)
        )
        try:
            result = new.replace('\n', ending).encode()
            if json.loads(new) == data:
                return mark + result
        except ValueError:
            # half of a character, or text in an unknown form
            pass
    return mark + render(data, old[len(mark) :])
