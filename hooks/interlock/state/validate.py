"""What a saved state may hold: one answer for save, update and load."""

from __future__ import annotations

from interlock.model import quick_tools as functools
from interlock.model.errors import Denied
from interlock.model.quick_typing import Any, Iterator, NamedTuple
from interlock.model.schema_check import SchemaCheck, SchemaError, where
from interlock.model.schemas import schema_text
from interlock.state.agent_text import only_a_call, unsafe_call

FILE = 'saved-state.schema.json'
MAX_STATE = 1024 * 1024
MAX_FIELD = 100 * 1024
MAX_DEPTH = 40
# how many invalid values are collected, and how many a refusal names
MAX_COLLECTED = 50
MAX_NAMED = 5

NOT_A_STATE = 'STA001'
UNKNOWN = 'STA002'
WRONG = 'STA003'
TOO_LARGE = 'STA004'
DANGEROUS = 'STA005'

State = dict[str, Any]
Path = tuple[str | int, ...]


# schema keys for text that agents are shown -> finds the call that it holds
CALLS = {'x-command': unsafe_call, 'x-text': only_a_call}


@functools.lru_cache(maxsize=1)
def _check() -> SchemaCheck:
    import json

    return SchemaCheck(json.loads(schema_text(FILE)), CALLS)


def schema() -> dict[str, Any]:
    return _check().schema


def keys() -> tuple[str, ...]:
    """The keys of a state, in the order of the document."""
    return tuple(schema()['properties'])


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """A part of the schema, with its reference followed."""
    return _check().resolved(part)


def value_at(state: object, *path: str | int) -> Any:
    """The value at a path, None if there is none."""
    found: Any = state
    for part in path:
        if isinstance(found, dict) and isinstance(part, str):
            found = found.get(part)
        elif isinstance(found, list) and isinstance(part, int):
            found = found[part] if part < len(found) else None
        else:
            return None
    return found


def rows_at(state: object, *path: str | int) -> list[dict[str, Any]]:
    """The mappings of a list; [] if there is no list."""
    found = value_at(state, *path)
    listed = found if isinstance(found, list) else []
    return [each for each in listed if isinstance(each, dict)]


class InvalidValue(NamedTuple):
    code: str
    # unknown, missing, type, enum, const, pattern, minimum, size, depth,
    # number or command
    kind: str
    path: Path
    # a sentence about the value at the path
    message: str

    def __str__(self) -> str:
        at = where(self.path)
        return f'`{at}` {self.message}' if at else self.message


def shown(value: object) -> str:
    """A value of unknown origin, short and on one line."""
    import json

    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 80 else f'{text[:77]}...'


def _described(error: SchemaError) -> Iterator[InvalidValue]:
    # imported here, because most states are valid
    from interlock.model.fixes import did_you_mean

    path, rule, value = error.path, error.rule, error.value
    if rule == 'required':
        for key in error.expected:
            if key not in value:
                yield InvalidValue(WRONG, 'missing', (*path, key), 'is missing')
    elif rule == 'additionalProperties':
        for key in value:
            if key not in error.expected:
                known = ', '.join(error.expected)
                near = did_you_mean(key[:80], error.expected) or f': {known}'
                said = f'is not a key of a state{near}'
                yield InvalidValue(UNKNOWN, 'unknown', (*path, key), said)
    elif rule in CALLS:
        call = CALLS[rule](value)
        said = f'is shown to an agent, and holds a call of {call}: {shown(value)}'
        yield InvalidValue(DANGEROUS, 'command', path, said)
    else:
        near = did_you_mean(str(value)[:80], error.expected) if rule == 'enum' else ''
        said = f'is {shown(value)}, not {error.wanted}{near}'
        yield InvalidValue(WRONG, rule, path, said)


def _contents(value: Any, path: Path, depth: int) -> Iterator[InvalidValue]:
    """Check sizes and depth, also of values that the schema does not name."""
    if depth > MAX_DEPTH:
        said = f'is nested more than {MAX_DEPTH} levels deep'
        yield InvalidValue(TOO_LARGE, 'depth', path, said)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _contents(item, (*path, key), depth + 1)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _contents(item, (*path, number), depth + 1)
    elif isinstance(value, str):
        size = _size(value)
        if size > MAX_FIELD:
            said = f'has {size} bytes; a field may have {MAX_FIELD}'
            yield InvalidValue(TOO_LARGE, 'size', path, said)
    elif isinstance(value, float) and value - value != 0:
        yield InvalidValue(WRONG, 'number', path, 'is not a JSON number')


def _size(text: str) -> int:
    # cutting a text may leave half of a surrogate pair
    return len(text.encode(errors='surrogatepass'))


def invalid_values(state: object, complete: bool = False) -> list[InvalidValue]:
    """The values that must not be saved or loaded; [] for a valid state.

    `complete` also requires every key, as a handoff document does; a state in
    the store may be partial.
    """
    import json

    if not isinstance(state, dict):
        said = f'a state is a mapping, not {shown(state)}'
        return [InvalidValue(NOT_A_STATE, 'type', (), said)]
    found = list(_contents(state, (), 0))
    if any(each.kind == 'depth' for each in found):
        return found[:MAX_COLLECTED]
    size = _size(json.dumps(state, ensure_ascii=False, separators=(',', ':')))
    if size > MAX_STATE:
        said = f'the state has {size} bytes; it may have {MAX_STATE}'
        found.insert(0, InvalidValue(TOO_LARGE, 'size', (), said))
    for error in _check().errors(state):
        if complete or error.rule != 'required':
            found += _described(error)
    return found[:MAX_COLLECTED]


class InvalidState(Denied):
    def __init__(self, what: str, found: list[InvalidValue], hint: str = '') -> None:
        said = '; '.join(f'{each.code} {each}' for each in found[:MAX_NAMED])
        more = f'; and {len(found) - MAX_NAMED} more' if found[MAX_NAMED:] else ''
        super().__init__(
            f'{what} is refused: {said}{more}',
            hint or f'interlock explain {found[0].code}',
        )
        self.codes = tuple(dict.fromkeys(each.code for each in found))


def valid_state(state: object, what: str, hint: str = '') -> State:
    """The state itself; InvalidState if it may not be saved or loaded."""
    found = invalid_values(state)
    if found:
        raise InvalidState(what, found, hint)
    assert isinstance(state, dict)
    return state


def check_trigger(trigger: object, hint: str = '') -> None:
    known = schema()['properties']['mode']['enum']
    if trigger not in known:
        raise Denied(
            f'STA003 the trigger is {shown(trigger)}, not one of {", ".join(known)}',
            hint or 'interlock explain STA003',
        )


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'it has the key {shown(key)} twice')
        found[key] = value
    return found


def parse_json(text: str) -> Any:
    """JSON of unknown origin; a key that occurs twice is refused."""
    import json

    try:
        return json.loads(text, object_pairs_hook=_pairs)
    except RecursionError:
        problem = 'it is nested too deeply'
    except ValueError as e:
        problem = str(e)
    said = f'it cannot be read as JSON: {problem}'
    raise InvalidState('the state', [InvalidValue(NOT_A_STATE, 'type', (), said)])
