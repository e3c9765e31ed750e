"""JSON with nothing but the C scanner.

Every tool call of an agent starts a process of ours, and most of those end
without a word: `json` and the `re` it imports would be half of their time.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quoted
from _json import make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ('loads', 'quoted')

SPACE = ' \t\n\r'


class Settings:
    """What the scanner asks; `json` has the same names."""

    strict = False
    object_hook: Any = None
    object_pairs_hook: Any = None
    parse_float: Any = float
    parse_int: Any = int
    parse_constant: Any = float


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError('has a key twice')
    return found


def _finite(text: str) -> float:
    number = float(text)
    if number in (float('inf'), float('-inf')):
        raise ValueError(f'holds a number that is too large: {text[:20]}')
    return number


def _not_json(text: str) -> float:
    raise ValueError(f'{text} is not JSON')


class Strict(Settings):
    """What JSON allows, and no key twice."""

    strict = True
    object_pairs_hook = staticmethod(_once)
    parse_float = staticmethod(_finite)
    parse_constant = staticmethod(_not_json)


def loads(text: str, asked: Any = Settings) -> Any:
    """The value, or ValueError: no JSON, too deep, something behind it."""
    start = len(text) - len(text.lstrip(SPACE))
    try:
        value, end = make_scanner(asked)(text, start)
    except (StopIteration, RecursionError, SystemError):
        # the last one where `json`, whose error it would be, is not loaded
        raise ValueError('is not JSON') from None
    if text[end:].strip(SPACE):
        raise ValueError('has extra data after its JSON')
    return value
