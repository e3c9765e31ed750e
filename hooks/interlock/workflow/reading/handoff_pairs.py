"""How the handoffs of an item before and after a change belong together."""

from __future__ import annotations

from collections.abc import Container

from interlock.documents import yaml
from interlock.model.state import State
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import DONE, STAGE, Kind
from interlock.workflow.reading import transitions
from interlock.workflow.reading.records import Placed, Records, handoff_state, is_null


def continued(before: Records, after: Records) -> Placed | None:
    """The handoff that the one after continues; a leftover is none."""
    if after.handoff is not None:
        return before.current
    elif before.handoff is None:
        return before.older
    # the file at its place is gone: moved only if the other one is new
    return before.handoff if before.older is None else None


def is_touched(touched: Container[str], kind: Kind, item: str) -> bool:
    return kind.handoff is not None and any(
        expand(path, item) in touched for path in kind.handoff.places
    )


def counting(at: Records) -> Placed | None:
    """The handoff that says where work stands: no leftover, no early one."""
    if at.handoff is not None:
        return at.handoff
    elif at.role == DONE or handoff_state(at.older) is None:
        return None
    return at.older


def stage_of(at: Records) -> State | None:
    """Where work stands: by the handoff, else by the registry."""
    return handoff_state(at.current) or at.state


def ends_stage(old: State, new: State, kind: Kind) -> bool:
    """Whether a step ends a stage, and does not reset or abandon it."""
    if kind.states[old.name].role != STAGE or old.name == new.name:
        return False
    elif kind.states[new.name].role == STAGE:
        return kind.position(new.name) > kind.position(old.name)
    return kind.states[new.name].role == DONE and (
        not transitions.from_anywhere(old, new, kind)
    )


def values_of(placed: Placed | None) -> dict[str, str]:
    """The fields of a handoff that have single values."""
    fields = placed.handoff.fields if placed else None
    nodes = fields.items if fields else {}
    return {
        key: node.text
        for key, node in nodes.items()
        if isinstance(node, yaml.Scalar) and not is_null(node)
    }
