"""Parses JSON with the C scanner alone.

Every tool call of an agent starts one of our processes, and most of them end
without output. Importing `json`, and the `re` it imports, would take half of
their time.
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
    """The settings of the scanner, with the names that `json` uses."""

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
    """Accepts only what JSON allows, and no duplicate keys."""

    strict = True
    object_pairs_hook = staticmethod(_once)
    parse_float = staticmethod(_finite)
    parse_constant = staticmethod(_not_json)


def loads(text: str, asked: Any = Settings) -> Any:
    """The value; raises ValueError for invalid, too deep or trailing input."""
    start = len(text) - len(text.lstrip(SPACE))
    try:
        value, end = make_scanner(asked)(text, start)
    except (StopIteration, RecursionError, SystemError):
        # SystemError if `json`, which defines the real error, is not loaded
        raise ValueError('is not JSON') from None
    if text[end:].strip(SPACE):
        raise ValueError('has extra data after its JSON')
    return value
