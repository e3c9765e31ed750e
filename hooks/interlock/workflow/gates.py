"""What must be there when an item enters a state, or leaves it behind."""
from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from interlock.model.state import State
from interlock.workflow import evidence
from interlock.workflow.evidence import Evidence
from interlock.workflow.handoffs import continued
from interlock.workflow.records import handoff_state
from interlock.workflow.records import Placed
from interlock.workflow.records import Records
from interlock.workflow.records import registry
from interlock.workflow.records import scalar
from interlock.workflow.spec import GateSpec
from interlock.workflow.spec import Kind
from interlock.workflow.spec import STAGE
from interlock.workflow.template import expand

# the phase of work that goes on in a state, before any other
OPEN = 0


class Missing(NamedTuple):
    contract: str
    path: str
    made_by: str


class Untried(NamedTuple):
    """A state whose work is said to be done, without proof."""

    state: str
    # of what there is none: a test, a build
    what: str
    evidence: Evidence


def missing(at: Records, state: str) -> Iterator[Missing]:
    kind = at.kind
    files = {c.name: c for c in kind.contracts.files} if kind.contracts else {}
    for name in kind.gates.get(state, GateSpec()).contracts:
        paths = [expand(path, at.item) for path in files[name].paths]
        if not any(at.snapshot.blob(path) for path in paths):
            yield Missing(name, paths[0], files[name].made_by)


def was_unreadable(at: Records) -> bool:
    """Then nothing is known of the item, not even that it is new."""
    read = registry(at.snapshot, at.kind)
    return read is None or read.problem is not None


def is_open(placed: Placed | None, kind: Kind) -> bool:
    """Whether the handoff says that work goes on."""
    status = scalar(placed, kind, 'status')
    return status is not None and kind.handoff is not None and (
        status.text == kind.handoff.writes.get('open')
    )


def _stands(at: Records, placed: Placed | None) -> list[State | None]:
    """Where the registry and the handoff say that an item stands.

    Work that goes on is inside of its state, as a phase is; the registry
    need not say so.
    """
    read, handoff = at.state, handoff_state(placed)
    if handoff and handoff.phase is None and is_open(placed, at.kind):
        handoff = State(handoff.name, OPEN)
    if handoff and handoff.phase is not None and (
            read == State(handoff.name)
    ):
        read = handoff
    return [read, handoff]


def _ended(old: State | None, new: State, kind: Kind) -> Iterator[str]:
    """The states whose work is done by a step; one back ends none."""
    start = kind.position(old.name) if old else -1
    if kind.position(new.name) < start:
        return
    if new.phase is None:
        yield new.name
    if old is None or old.name == new.name:
        return
    spec = kind.states[new.name]
    # on to a later stage, or finished: no archive
    if old.phase is not None and (spec.role == STAGE or spec.handoff):
        yield old.name
    if kind.states[old.name].role == STAGE:
        for name, other in kind.states.items():
            if other.becomes == new.name and kind.position(name) > start:
                yield name


def _asked(
        before: Sequence[State | None],
        after: Sequence[State | None],
        kind: Kind,
) -> list[str]:
    """Gates that want evidence; one that was passed is not asked again."""
    names = dict.fromkeys(
        name for old, new in zip(before, after, strict=True)
        if new is not None and new != old for name in _ended(old, new, kind)
    )
    return [
        name for name in names if State(name) not in before and
        kind.gates.get(name, GateSpec()).evidence
    ]


def asked(before: Records, after: Records) -> list[str]:
    """The states that a change says are done, if a gate wants evidence."""
    if after.current is None and before.state == after.state:
        # a handoff that is deleted ends no work
        return []
    old = _stands(before, continued(before, after))
    new = _stands(after, after.current)
    if was_unreadable(before):
        new[0] = None
    return _asked(old, new, after.kind)


def asked_by(
        at: Records,
        registered: State,
        handoff: State | None = None,
) -> list[str]:
    """As `asked`, for a step of the registry, and of the handoff if any."""
    old = _stands(at, at.current)
    return _asked(old, [registered, handoff or old[1]], at.kind)


def untried(
        placed: Placed | None,
        kind: Kind,
        states: Iterable[str],
) -> Iterator[Untried]:
    """What the handoff does not prove of these states."""
    for state in states:
        for what in kind.gates.get(state, GateSpec()).evidence:
            found = evidence.recorded(placed, kind, state, what)
            if found.result != evidence.PASSED:
                yield Untried(state, what, found)


class Unproven(NamedTuple):
    """What a change says is done and does not prove."""

    # where it would be proven, None where there is no handoff
    holder: Placed | None
    # a handoff from before there was evidence is only warned of
    strict: bool
    gaps: Sequence[Untried]


def unproven(before: Records, after: Records) -> Unproven:
    kind = after.kind
    # an item that is finished may have no handoff any more
    holder = after.current or before.current
    # a leftover that takes the place of the handoff excuses nothing
    strict = holder is None or any(
        evidence.is_kept(each, kind)
        for each in (continued(before, after), before.current, holder)
    )
    return Unproven(
        holder, strict, list(untried(holder, kind, asked(before, after))),
    )


def why(gap: Untried) -> str:
    """What is wrong with the evidence, as the end of a sentence."""
    name, text = gap.evidence.key, gap.evidence.text
    if not text:
        return f'no {gap.what} of it is recorded as passed (`{name}`)'
    elif gap.evidence.result:
        return f'its {gap.what} is recorded as `{text}`'
    return f'`{name}: {text}` is neither passed nor failed on a day'
