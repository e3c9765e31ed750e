"""What may be in a saved state: one answer for save, update and load.

Reads the part of JSON Schema that our schema uses; a test compares its
verdicts with those of a whole implementation, whose import takes longer than
a hook may.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from interlock.model.suggest import did_you_mean
from interlock.state.schema import resolved, schema
from interlock.state.unsafe_calls import danger, only_a_call

MAX_STATE = 1024 * 1024
MAX_FIELD = 100 * 1024
MAX_DEPTH = 40
# no report of ours is longer
MAX_VIOLATIONS = 50

NOT_A_STATE = 'STA001'
UNKNOWN = 'STA002'
WRONG = 'STA003'
TOO_LARGE = 'STA004'
DANGEROUS = 'STA005'

Path = tuple[str | int, ...]
Schema = dict[str, Any]


class Violation(NamedTuple):
    code: str
    # unknown, missing, type, enum, const, pattern, minimum, size, depth,
    # number or command
    kind: str
    path: Path
    # a sentence about the value at the path
    message: str


def where(path: Path) -> str:
    """`skill_stack[0].iteration`."""
    text = ''.join(
        f'[{part}]' if isinstance(part, int) else f'.{part}' for part in path
    )
    return text.lstrip('.')


def described(violation: Violation) -> str:
    at = where(violation.path)
    return f'`{at}` {violation.message}' if at else violation.message


def shown(value: object) -> str:
    """A value of unknown origin, short and on one line."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 80 else f'{text[:77]}...'


_TYPES: dict[str, Callable[[Any], bool]] = {
    'string': lambda value: isinstance(value, str),
    'null': lambda value: value is None,
    'boolean': lambda value: isinstance(value, bool),
    'object': lambda value: isinstance(value, dict),
    'array': lambda value: isinstance(value, list),
    # as JSON Schema has it: 1.0 is an integer
    'integer': lambda value: (
        not isinstance(value, bool)
        and (
            isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        )
    ),
}
_NAMES = {
    'string': 'a text',
    'null': 'null',
    'boolean': 'true or false',
    'object': 'a mapping',
    'array': 'a list',
    'integer': 'an integer',
}


def _kinds(part: Schema) -> list[str]:
    kinds = part.get('type', [])
    return [kinds] if isinstance(kinds, str) else kinds


def _value(part: Schema, value: Any, path: Path) -> Violation | None:
    """What is wrong with a value itself, whatever it holds."""
    kinds = _kinds(part)
    if kinds and not any(_TYPES[kind](value) for kind in kinds):
        wanted = ' or '.join(_NAMES[kind] for kind in kinds)
        said = f'is {shown(value)}, not {wanted}'
        return Violation(WRONG, 'type', path, said)
    if 'const' in part and value != part['const']:
        said = f'is {shown(value)}, not {shown(part["const"])}'
        return Violation(WRONG, 'const', path, said)
    if 'enum' in part and value not in part['enum']:
        near = did_you_mean(str(value)[:80], part['enum'])
        said = f'is {shown(value)}, none of {", ".join(part["enum"])}{near}'
        return Violation(WRONG, 'enum', path, said)
    if isinstance(value, str) and 'pattern' in part:
        if re.search(part['pattern'], value) is None:
            said = f'is {shown(value)}, not {part["title"]}'
            return Violation(WRONG, 'pattern', path, said)
    if 'minimum' in part and value < part['minimum']:
        said = f'is {shown(value)}, less than {part["minimum"]}'
        return Violation(WRONG, 'minimum', path, said)
    return _command(part, value, path) if isinstance(value, str) else None


def _command(part: Schema, value: str, path: Path) -> Violation | None:
    if part.get('x-command') and (call := danger(value)):
        said = (
            f'is shown to an agent as part of a call, and holds a call of '
            f'{call}: {shown(value)}'
        )
    elif part.get('x-text') and (call := only_a_call(value)):
        said = (
            f'is given back to an agent as it stands, and is a call of '
            f'{call}: {shown(value)}'
        )
    else:
        return None
    return Violation(DANGEROUS, 'command', path, said)


class _Reader:
    def __init__(self, complete: bool) -> None:
        self.complete = complete

    def read(self, part: Schema, value: Any, path: Path) -> Iterator[Violation]:
        part = resolved(part)
        wrong = _value(part, value, path)
        if wrong is not None:
            yield wrong
        elif isinstance(value, dict):
            yield from self._object(part, value, path)
        elif isinstance(value, list) and 'items' in part:
            for number, item in enumerate(value):
                yield from self.read(part['items'], item, (*path, number))

    def _object(
        self, part: Schema, value: dict[str, Any], path: Path
    ) -> Iterator[Violation]:
        properties = part.get('properties', {})
        for key in part.get('required', ()) if self.complete else ():
            if key not in value:
                said = 'is missing'
                yield Violation(WRONG, 'missing', (*path, key), said)
        for key, item in value.items():
            if key in properties:
                yield from self.read(properties[key], item, (*path, key))
            elif part.get('additionalProperties', True) is False:
                near = did_you_mean(key[:80], properties)
                said = f'is no key of a state{near}'
                yield Violation(UNKNOWN, 'unknown', (*path, key), said)
        if 'if' in part:
            holds = not any(_Reader(True).read(part['if'], value, path))
            branch = part['then'] if holds else part['else']
            yield from self.read(branch, value, path)


def _contents(value: Any, path: Path, depth: int) -> Iterator[Violation]:
    """Sizes and depth: they hold for what the schema does not name too."""
    if depth > MAX_DEPTH:
        said = f'is nested more than {MAX_DEPTH} levels deep'
        yield Violation(TOO_LARGE, 'depth', path, said)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _contents(item, (*path, key), depth + 1)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _contents(item, (*path, number), depth + 1)
    elif isinstance(value, str):
        size = _size(value)
        if size > MAX_FIELD:
            said = f'is {size} bytes long; a field may have {MAX_FIELD}'
            yield Violation(TOO_LARGE, 'size', path, said)
    elif isinstance(value, float) and value - value != 0:
        yield Violation(WRONG, 'number', path, 'is no number of JSON')


def _size(text: str) -> int:
    # half of a surrogate pair is what cutting a text leaves behind
    return len(text.encode(errors='surrogatepass'))


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(',', ':'))


def violations(state: object, complete: bool = False) -> list[Violation]:
    """What must not be saved, nor given back; [] for a good state.

    `complete` asks for every key too, as a handoff document does; what is in
    the store may be partial.
    """
    if not isinstance(state, dict):
        said = f'a state is a mapping, and this is {shown(state)}'
        return [Violation(NOT_A_STATE, 'type', (), said)]
    found = list(_contents(state, (), 0))
    if any(each.kind == 'depth' for each in found):
        return found[:MAX_VIOLATIONS]
    size = _size(compact(state))
    if size > MAX_STATE:
        said = f'the state has {size} bytes; it may have {MAX_STATE}'
        found.insert(0, Violation(TOO_LARGE, 'size', (), said))
    found += _Reader(complete).read(schema(), state, ())
    return found[:MAX_VIOLATIONS]
