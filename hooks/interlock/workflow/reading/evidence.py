"""The evidence of tests and builds that the handoff records."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.text import DATE_RE
from interlock.model import quick_re as re
from interlock.model.quick_typing import NamedTuple
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.records import Placed, is_null

PASSED = 'passed'
FAILED = 'failed'
# may be recorded for every stage, whether or not a gate needs it
BUILD = 'build'

VALUE_RE = re.compile(
    rf'(?P<result>{PASSED}|{FAILED}) {DATE_RE.pattern}(?:: (?P<text>\S.*))?'
)


class Evidence(NamedTuple):
    # such as `3.test`
    key: str
    # as written, '' if there is none
    text: str
    # '' if there is none, or it is not understood
    result: str
    line: int


def key(kind: Kind, state: str, what: str) -> str:
    return f'{kind.states[state].stage}.{what}'


def value(result: str, day: str, text: str = '') -> str:
    return f'{result} {day}: {text}' if text else f'{result} {day}'


def kinds(kind: Kind) -> list[str]:
    """The kinds of evidence: those that gates need, and builds."""
    asked = [word for gate in kind.gates.values() for word in gate.evidence]
    return list(dict.fromkeys([*asked, BUILD]))


def _field(placed: Placed | None, kind: Kind) -> yaml.Node | None:
    if placed is None or not kind.handoff.evidence:
        return None
    return placed.handoff.nodes.get(kind.handoff.evidence)


def is_kept(placed: Placed | None, kind: Kind) -> bool:
    """Whether a handoff has a field for evidence; an old one has none."""
    return _field(placed, kind) is not None


def may_have_failed(placed: Placed | None, kind: Kind) -> bool:
    """Whether a handoff records any failure: a quick test, as most do not."""
    field = _field(placed, kind)
    return isinstance(field, yaml.Mapping) and any(
        isinstance(node, yaml.Scalar) and node.text.startswith(FAILED)
        for node in field.items.values()
    )


def kinds_of(placed: Placed | None, kind: Kind, state: str) -> list[str]:
    """The recorded kinds for a state, whether or not a gate needs them."""
    field, start = _field(placed, kind), key(kind, state, '')
    recorded = field.items.items() if isinstance(field, yaml.Mapping) else ()
    return [
        name.removeprefix(start)
        for name, node in recorded
        if name.startswith(start) and not is_null(node)
    ]


def recorded(placed: Placed | None, kind: Kind, state: str, what: str) -> Evidence:
    field, name = _field(placed, kind), key(kind, state, what)
    node = field.items.get(name) if isinstance(field, yaml.Mapping) else None
    if is_null(node):
        return Evidence(name, '', '', field.line if field else 1)
    assert node is not None
    text = node.text if isinstance(node, yaml.Scalar) else '...'
    match = VALUE_RE.fullmatch(text)
    return Evidence(name, text, match['result'] if match else '', node.line)
