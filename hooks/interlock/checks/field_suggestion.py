"""A value that a field of a handoff may have, for whoever mends it."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.model.suggest import nearest
from interlock.workflow.language.spec import FieldSpec, HandoffSpec
from interlock.workflow.reading import next_state
from interlock.workflow.reading.handoff_fields import follows
from interlock.workflow.reading.records import (
    Records,
    handoff_state,
    is_open,
    values_of,
)


def _written(at: Records, name: str) -> yaml.Node | None:
    return at.current.handoff.get(name) if at.current else None


def _coming(field: FieldSpec, at: Records, spec: HandoffSpec) -> str | None:
    """What follows from where the work stands, None for other fields."""
    state = handoff_state(at.current)
    phase = spec.phases.field if spec.phases else ''
    if field.name not in {spec.action, phase} or state is None:
        return None
    elif is_open(at.current, at.kind):
        return next_state.NONE
    coming = next_state.after(at, state, values_of(at.current))
    return coming.action if field.name == spec.action else coming.phase


def _number(field: FieldSpec, at: Records, spec: HandoffSpec) -> str:
    """The nearest one that is allowed and that other fields agree with."""
    value = yaml.value(_written(at, field.name))
    low = field.minimum if field.minimum is not None else 0.0
    for other in spec.fields:
        if (
            other.exactly_when
            and other.exactly_when[0] == field.name
            and (yaml.value(_written(at, other.name)) is True)
        ):
            low = max(low, other.exactly_when[1])
    if isinstance(value, (int, float)) and field.maximum is not None:
        return str(min(max(float(value), low), field.maximum))
    return str(low)


def fitting(field: FieldSpec, at: Records) -> str:
    """'' where only whoever planned the work can know one."""
    spec = at.kind.handoff
    assert spec is not None, 'it has this field'
    coming = _coming(field, at, spec)
    if coming is not None:
        return coming
    if field.exactly_when is not None:
        must = follows(field, _written(at, field.exactly_when[0]))
        return '' if must is None else str(must).lower()
    elif field.type == 'number':
        return _number(field, at, spec)
    node = _written(at, field.name)
    text = node.text if isinstance(node, yaml.Scalar) else ''
    return nearest(text, field.values, 0.0)
