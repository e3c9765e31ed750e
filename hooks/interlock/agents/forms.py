"""The forms in which clients take an answer; each adapter uses one."""

from __future__ import annotations

from interlock.agents.adapter import Output
from interlock.guard.decision import (
    ASK,
    BLOCK,
    CONTEXT,
    DENY,
    PLAIN,
    SAY,
    Decision,
    cut,
)
from interlock.model.quick_json import loads, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REFUSED = 2


def json_object(**values: str) -> str:
    """A flat object of texts."""
    inner = ', '.join(f'"{key}": {quoted(value)}' for key, value in values.items())
    return f'{{{inner}}}'


def _specific(event: str, **values: str) -> str:
    inner = json_object(hookEventName=event, **values)
    return f'{{"hookSpecificOutput": {inner}}}'


def nested(event: str, decision: Decision) -> Output:
    """`hookSpecificOutput`, exit 0."""
    text, kind = cut(decision.text, decision.limit), decision.kind
    if kind in (DENY, ASK):
        return Output(
            _specific(event, permissionDecision=kind, permissionDecisionReason=text)
        )
    elif kind == BLOCK:
        return Output(json_object(decision='block', reason=text))
    elif kind == CONTEXT:
        return Output(_specific(event, additionalContext=text))
    elif kind == SAY:
        return Output(json_object(systemMessage=text))
    return Output(text if kind == PLAIN else '')


def nested_and_refused(event: str, decision: Decision) -> Output:
    """The same, and a refusal is also said on stderr, with exit 2."""
    output = nested(event, decision)
    if decision.kind in (DENY, BLOCK):
        return Output(output.out, cut(decision.text, decision.limit), REFUSED)
    return output


def flat(decision: Decision) -> Output:
    """The same names without `hookSpecificOutput`, exit 0."""
    text, kind = cut(decision.text, decision.limit), decision.kind
    if kind in (DENY, ASK):
        return Output(
            json_object(permissionDecision=kind, permissionDecisionReason=text)
        )
    elif kind == BLOCK:
        return Output(json_object(decision='block', reason=text))
    return Output(json_object(additionalContext=text) if kind == CONTEXT else '')


def _object(out: str) -> dict[str, Any]:
    try:
        found = loads(out)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _text(data: dict[str, Any], key: str) -> str:
    found = data.get(key)
    return found if isinstance(found, str) else ''


def text_in(out: str, key: str) -> str:
    """A field of an answer, '' if it is not there."""
    return _text(_object(out), key)


def in_nested(out: str) -> str:
    """The decision in such an answer, '' if there is none."""
    data = _object(out)
    specific = data.get('hookSpecificOutput')
    if isinstance(specific, dict):
        return _text(specific, 'permissionDecision')
    return _text(data, 'decision')


def in_flat(out: str) -> str:
    data = _object(out)
    return _text(data, 'permissionDecision') or _text(data, 'decision')
