"""Checks the values of handoff fields."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.workflow.language.patterns import is_one_of
from interlock.workflow.language.spec import FieldSpec
from interlock.workflow.reading.plan_phases import is_planned
from interlock.workflow.reading.records import Placed, Records, is_null


def _wrong_type(field: FieldSpec, node: yaml.Scalar) -> str:
    if field.type == 'boolean' and not isinstance(yaml.value(node), bool):
        return 'is neither true nor false'
    elif field.type == 'number':
        if node.kind not in {'int', 'float'}:
            return 'is not a number'
        value = yaml.value(node)
        low, high = field.minimum, field.maximum
        if not isinstance(value, (int, float)) or (
            (low is not None and value < low) or (high is not None and value > high)
        ):
            return f'is not between {low} and {high}'
    return ''


def none_of(field: FieldSpec) -> str:
    return f'is not one of {", ".join(field.values)}'


def wrong_value(field: FieldSpec, node: yaml.Scalar) -> str:
    """Why a field cannot have a value, '' if it can."""
    wrong = _wrong_type(field, node)
    text = node.text.lower() if node.kind == 'bool' else node.text
    if wrong:
        return wrong
    elif field.values and not is_one_of(text, field.values):
        return none_of(field)
    return ''


def follows(field: FieldSpec, other: yaml.Node | None) -> bool | None:
    """The value that another field requires, None if it requires none."""
    if field.exactly_when is None:
        return None
    limit = yaml.value(other)
    if not isinstance(limit, (int, float)):
        return None
    return bool(limit >= field.exactly_when[1])


def contradiction(field: FieldSpec, node: yaml.Scalar, other: yaml.Node | None) -> str:
    """Why a field contradicts the one it follows, '' if it does not."""
    must = follows(field, other)
    if must is None or field.exactly_when is None or must == yaml.value(node):
        return ''
    name, minimum = field.exactly_when
    return f'must be true exactly when `{name}` is at least {minimum}'


def _wrong_field(field: FieldSpec, placed: Placed, at: Records) -> str:
    nodes = placed.handoff.nodes
    node = nodes.get(field.name)
    if is_null(node):
        if field.planned and is_planned(at):
            return 'has no value, although there is a plan'
        elif node is not None and field.values and 'null' not in field.values:
            return none_of(field)
        return ''
    elif not isinstance(node, yaml.Scalar):
        return 'is not a single value'
    wrong = wrong_value(field, node)
    if wrong or field.exactly_when is None:
        return wrong
    return contradiction(field, node, nodes.get(field.exactly_when[0]))


def wrong_fields(placed: Placed, at: Records) -> list[tuple[FieldSpec, str]]:
    """The wrong fields of a handoff, each with its problem."""
    fields = at.kind.handoff.fields
    judged = [(field, _wrong_field(field, placed, at)) for field in fields]
    return [(field, wrong) for field, wrong in judged if wrong]
