"""What the registry and the history know of an item without a handoff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interlock.documents import yaml
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ours
from interlock.model.state import State
from interlock.operations.handoff.fields import Move, handoff_spec, phase_of
from interlock.operations.handoff.repair import Version
from interlock.operations.registry.status import registered
from interlock.workflow.language.spec import BEFORE, STAGE, HandoffSpec
from interlock.workflow.reading import next_state
from interlock.workflow.reading.handoff_fields import follows
from interlock.workflow.reading.records import (
    Placed,
    Records,
    handoff_state,
    is_null,
    scalar,
)
from interlock.workflow.reading.status_words import label
from interlock.workflow.reading.transitions import stage_beside


class Done(NamedTuple):
    """A commit that ends a state."""

    state: State
    subject: str
    commit: str


class Found(NamedTuple):
    """What is known of an item, besides its registry."""

    # oldest first
    history: Sequence[Done]
    # the last sound one of the history
    version: Version | None
    # the one that is there, as far as it can be read
    current: Placed | None = None

    def field(self, key: str) -> yaml.Node | None:
        """What is written now is newer than what was committed."""
        for placed in (self.current, self.version and self.version.placed):
            node = placed.handoff.get(key) if placed else None
            if node is not None:
                return node
        return None


def state_of(at: Records, found: Found) -> tuple[State, State]:
    """Where the handoff stands, and what the registry says."""
    registered(at)
    target = at.state
    if target is None:
        raise Refusal(
            f'{at.canonical_path}: the status of {at.item} is not understood',
            'interlock check --worktree --inherited --only registry',
        )
    role = at.kind.states[target.name].role
    stage = stage_beside(target, at.kind)
    if stage is None:
        raise Denied(
            f'{at.item} is {label(target, at.kind)}: a handoff would have '
            f'nothing to say',
            ours('handoff', 'create', at.item) if role == BEFORE else '',
        )
    elif role != STAGE:
        return stage, target
    last = [each.state for each in found.history][-1:]
    if target.phase is None and last and last[0].name == target.name:
        # the registry need not name the phase
        return last[0], last[0]
    return target, target


def is_done(at: Records, found: Found, state: State) -> bool | None:
    """Whether the work at a state is done, None where nothing says so."""
    if at.state is not None and at.kind.states[at.state.name].role != STAGE:
        return True
    elif any(each.state == state for each in found.history):
        return True
    spec = handoff_spec(at)
    for placed in (found.current, found.version and found.version.placed):
        status = scalar(placed, at.kind, 'status')
        if (
            handoff_state(placed) == state
            and status is not None
            and (status.text in spec.statuses)
        ):
            return status.text != spec.writes.get('open')
    return None


def _known(at: Records, spec: HandoffSpec, found: Found) -> dict[str, yaml.Scalar]:
    """Fields that do not change with the state, as they were last."""
    changing = {spec.action, spec.phases.field if spec.phases else ''}
    fields = {}
    for field in spec.fields:
        node = found.field(field.name)
        if (
            field.name not in changing
            and isinstance(node, yaml.Scalar)
            and not is_null(node)
        ):
            fields[field.name] = node
    for field in spec.fields:
        if field.exactly_when is not None and field.name not in fields:
            must = follows(field, fields.get(field.exactly_when[0]))
            if must is not None:
                text = str(must).lower()
                fields[field.name] = yaml.Scalar(text, 'bool', 1)
    return fields


def fields_of(
    at: Records, spec: HandoffSpec, found: Found, move: Move, done: bool | None
) -> tuple[dict[str, str], list[str], next_state.Next]:
    """The fields that are known, those that are not, and what comes."""
    state, keys = move.state, spec.keys
    known = {key: node.text for key, node in _known(at, spec, found).items()}
    fields = {
        keys['item']: at.item,
        keys['stage']: at.kind.states[state.name].stage,
        keys.get('phase', ''): 'null' if state.phase is None else phase_of(state, at),
        keys.get('updated', ''): move.day,
        **known,
    }
    fields.pop('', None)
    unknown = [
        field.name for field in spec.fields if field.planned and field.name not in known
    ]
    role = 'open' if not done else ('done' if move.target == state else 'last')
    if 'status' in keys and role in spec.writes:
        fields[keys['status']] = spec.writes[role]
    coming = next_state.after(at, state, known) if done else next_state.Next()
    if done and spec.action:
        fields[spec.action] = coming.action
    if done and spec.phases and coming.phase:
        fields[spec.phases.field] = coming.phase
    elif done and spec.phases:
        unknown.append(spec.phases.field)
    return fields, unknown, coming
