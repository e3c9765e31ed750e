"""The forms of answers: for each kind of decision the output, none if it is missing.
An adapter names one form, and may change parts of it."""

from __future__ import annotations

from interlock.agents.adapter import Output
from interlock.guard.decision import ASK, BLOCK, CONTEXT, DENY, SAY, Decision, cut
from interlock.model.quick_json import loads, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.agents.adapter import Answers

# placeholders for the text, and for the client's name of the event
TEXT, EVENT = 'TEXT', 'EVENT'
REFUSED = 2
BLOCKED = {'decision': 'block', 'reason': TEXT}
# the keys under which a client looks for a decision
SPECIFIC = 'hookSpecificOutput'
KEYS = ('permissionDecision', 'permission', 'decision')


def _permission(kind: str) -> dict[str, str]:
    return {'permissionDecision': kind, 'permissionDecisionReason': TEXT}


def _specific(values: dict[str, str]) -> dict[str, Any]:
    return {SPECIFIC: {'hookEventName': EVENT, **values}}


FORMS: dict[str, Answers] = {
    'nested': {
        DENY: _specific(_permission(DENY)),
        ASK: _specific(_permission(ASK)),
        BLOCK: BLOCKED,
        CONTEXT: _specific({'additionalContext': TEXT}),
        SAY: {'systemMessage': TEXT},
    },
    'flat': {
        DENY: _permission(DENY),
        ASK: _permission(ASK),
        BLOCK: BLOCKED,
        CONTEXT: {'additionalContext': TEXT},
    },
    'own': {},
}


def as_json(value: Any, said: dict[str, str]) -> str:
    """JSON of nested objects and texts, with placeholders replaced."""
    if isinstance(value, str):
        return quoted(said.get(value, value))
    inner = (f'{quoted(key)}: {as_json(each, said)}' for key, each in value.items())
    return f'{{{", ".join(inner)}}}'


def rendered(answers: Answers, called: str, decision: Decision) -> Output:
    text = cut(decision.text, decision.limit)
    answer = answers.get(decision.kind, '')
    if isinstance(answer, str):
        return Output(text if answer == TEXT else answer)
    return Output(as_json(answer, {TEXT: text, EVENT: called}))


def decision_in(out: str) -> str:
    """The decision in an answer of any form, '' if there is none."""
    try:
        data = loads(out)
    except ValueError:
        return ''
    if isinstance(data, dict) and isinstance(data.get(SPECIFIC), dict):
        data = data[SPECIFIC]
    found = [data.get(key) for key in KEYS] if isinstance(data, dict) else []
    return next((each for each in found if each in (DENY, ASK, BLOCK)), '')
