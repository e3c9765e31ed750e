"""JSON documents: their data, the line of each value, and how to write them.

`json.loads` lets the last of two equal keys win, accepts numbers that JSON
does not have, and forgets the lines.
"""

from __future__ import annotations

from interlock.documents.text import decode
from interlock.model import quick_json
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, Iterator, NamedTuple

INFINITY = float('inf')
MAX_DEPTH = 100
TOO_DEEP = 'is nested too deeply'
# strings, marks, and numbers or words
TOKEN_RE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
INDENT_RE = re.compile(r'\{\n([ \t]+)"')

Path = tuple['str | int', ...]


class Json(NamedTuple):
    data: Any
    text: str

    def line(self, *path: str | int) -> int:
        """The line of a value, or of its parent where it is absent."""
        lines = _lines(self.text)
        while path and path not in lines:
            path = path[:-1]
        return lines.get(path, 1)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Unreadable(f'has the key `{key}` twice')
        found[key] = value
    return found


def _constant(word: str) -> Any:
    raise Unreadable(f'holds `{word}`, which is not a number of JSON')


def _float(text: str) -> float:
    number = float(text)
    if number in (INFINITY, -INFINITY):
        raise Unreadable(f'holds a number that is too large: {text[:20]}')
    return number


def _refuse_depth(text: str) -> None:
    """Refuse data that can be read but not written again."""
    if text.count('{') + text.count('[') <= MAX_DEPTH:
        return
    depth = 0
    for match in TOKEN_RE.finditer(text):
        if match[0] in '{[':
            depth += 1
            if depth > MAX_DEPTH:
                line = text.count('\n', 0, match.start()) + 1
                raise Unreadable(TOO_DEEP, line)
        elif match[0] in '}]':
            depth -= 1


def parse(blob: Blob) -> Json:
    """Parse JSON; raises Unreadable, and nothing else."""
    text = decode(blob)
    if not text.strip():
        raise Unreadable('is empty')
    try:
        data = quick_json.loads(text, quick_json.Strict)
    except ValueError:
        data = _loads(text)
    _refuse_depth(text)
    return Json(data, text)


def _loads(text: str) -> Any:
    """Parse slowly, with a message that says what is wrong and where."""
    import json

    try:
        return json.loads(
            text, object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float
        )
    except json.JSONDecodeError as e:
        raise Unreadable(f'is not valid JSON: {e.msg}', e.lineno) from None
    except ValueError as e:
        # a number with more digits than Python converts
        raise Unreadable(f'is not valid JSON: {e}') from None
    except RecursionError:
        raise Unreadable(TOO_DEEP) from None


def parse_object(blob: Blob) -> Json:
    found = parse(blob)
    if not isinstance(found.data, dict):
        raise Unreadable('is not an object of keys and values')
    return found


def text_of(value: Any) -> str:
    """A value that is a text, '' for any other."""
    return value if isinstance(value, str) else ''


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line, position = 1, 0
    for match in TOKEN_RE.finditer(text):
        line += text.count('\n', position, match.start())
        position = match.start()
        yield match[0], line


# the line of every list entry is asked for
@functools.lru_cache(maxsize=16)
def _lines(text: str) -> dict[Path, int]:
    """path -> line of its key or value, for a text that is valid JSON."""
    found: dict[Path, int] = {}
    # for each open object or list: the key or index being read
    path: list[str | int] = []
    objects: list[bool] = []
    expects_key = False
    for part, line in _tokens(text):
        if part in ('}', ']'):
            path.pop()
            objects.pop()
            expects_key = False
        elif part == ',':
            if objects[-1]:
                expects_key = True
            else:
                path[-1] = int(path[-1]) + 1
        elif part == ':':
            expects_key = False
        elif expects_key:
            path[-1] = quick_json.loads(part)
            found.setdefault(tuple(path), line)
        else:
            found.setdefault(tuple(path), line)
            if part in ('{', '['):
                objects.append(part == '{')
                path.append('' if part == '{' else 0)
                expects_key = part == '{'
    return found


def render(data: Any, like: bytes | None = None) -> bytes:
    """Render data as text, indented like the file before."""
    import json

    before = (like or b'').decode(errors='replace')
    found = INDENT_RE.search(before.replace('\r\n', '\n'))
    indent = found[1] if found else 2
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # half of a character can only be written as an escape
        text = json.dumps(data, indent=indent)
    ending = '\r\n' if '\r\n' in before else '\n'
    end = '' if like and not before.endswith('\n') else '\n'
    return f'{text}{end}'.replace('\n', ending).encode()
