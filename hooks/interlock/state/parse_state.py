"""What may be saved: text to a state, and what is wrong as a refusal."""

from __future__ import annotations

import json
from typing import Any

from interlock.model.errors import Denied
from interlock.state.schema import schema
from interlock.state.validate import (
    NOT_A_STATE,
    Violation,
    described,
    shown,
    violations,
)

NAMED = 5


class Refused(Denied):
    def __init__(self, what: str, found: list[Violation], hint: str = '') -> None:
        said = '; '.join(f'{each.code} {described(each)}' for each in found[:NAMED])
        more = f'; and {len(found) - NAMED} more' if len(found) > NAMED else ''
        super().__init__(
            f'{what} is refused: {said}{more}',
            hint or f'interlock explain {found[0].code}',
        )
        self.violations = found


def accepted(state: object, what: str, hint: str = '') -> dict[str, Any]:
    """The state itself, if it may be saved and given back."""
    found = violations(state)
    if found:
        raise Refused(what, found, hint)
    assert isinstance(state, dict)
    return state


def accept_trigger(trigger: object, hint: str = '') -> None:
    known = schema()['properties']['mode']['enum']
    if trigger not in known:
        raise Denied(
            f'STA003 the trigger is {shown(trigger)}, none of {", ".join(known)}',
            hint or 'interlock explain STA003',
        )


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key {shown(key)} stands there twice')
        found[key] = value
    return found


def parsed(text: str) -> Any:
    """JSON of unknown origin; the last of two equal keys does not win."""
    try:
        return json.loads(text, object_pairs_hook=_pairs)
    except RecursionError:
        problem = 'it is nested too deeply'
    except ValueError as e:
        problem = str(e)
    said = f'it cannot be read as JSON: {problem}'
    raise Refused('the state', [Violation(NOT_A_STATE, 'type', (), said)])
