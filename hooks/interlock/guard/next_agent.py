"""Whose turn it is to work on an item."""

from __future__ import annotations

from interlock.model.state import State
from interlock.workflow.language.spec import BEFORE, STAGE, Kind
from interlock.workflow.reading import next_state
from interlock.workflow.reading.gates import unfit
from interlock.workflow.reading.records import (
    Records,
    handoff_state,
    is_open,
    values_of,
)
from interlock.workflow.reading.status_words import label
from interlock.workflow.reading.transitions import step


def first_stage(kind: Kind) -> State:
    return next(State(name) for name, spec in kind.states.items() if spec.role == STAGE)


def begins(at: Records) -> bool:
    """Whether no stage of the item is done yet."""
    stage = handoff_state(at.current)
    return at.role == BEFORE and (
        stage is None
        or (stage == first_stage(at.kind) and is_open(at.current, at.kind))
    )


def coming(at: Records, done: State) -> list[State]:
    """What may follow: what the workflow names, and what that leaves out."""
    kind = at.kind
    legal = [
        State(name)
        for name, spec in kind.states.items()
        if spec.role == STAGE
        and name != done.name
        and not step(State(done.name), State(name), kind).severity
    ]
    found = next_state.after(at, done, values_of(at.current))
    if found.state is None:
        named = kind.handoff is not None and kind.handoff.next
        return [] if named else legal
    start, end = (kind.position(s.name) for s in (done, found.state))
    left_out = [state for state in legal if start < kind.position(state.name) < end]
    # some work is done by whoever leads, though it has an agent
    return left_out if found.led else [*left_out, found.state]


def expected(at: Records) -> str:
    """What comes next, in words."""
    kind, done = at.kind, handoff_state(at.current)
    states = [first_stage(kind)] if begins(at) else (coming(at, done) if done else [])
    words = [
        f'{label(state, kind)} ({kind.states[state.name].agent or "no agent"})'
        for state in states
    ]
    found = next_state.after(at, done, values_of(at.current)) if done else None
    if found is not None and found.led and found.state:
        words.append(f'{label(found.state, kind)} (no agent)')
    return ' or '.join(words) or 'nothing'


def unfinished(at: Records, done: State, head: Records) -> bool:
    """Work that goes on, is not proven, or is not committed."""
    kind = at.kind
    return (
        is_open(at.current, kind)
        or bool(unfit(at.current, kind, State(done.name)))
        or handoff_state(head.current) != done
        or is_open(head.current, kind)
    )


def turn(at: Records, head: Records, agent: str) -> State | None:
    """The state that is an agent's to work on now, None if none is."""
    kind = at.kind
    if begins(at):
        first = first_stage(kind)
        return first if kind.states[first.name].agent == agent else None
    done = handoff_state(at.current)
    if done is None:
        return None
    for state in coming(at, done):
        if not is_open(at.current, kind) and (kind.states[state.name].agent == agent):
            return state
    own = kind.states[done.name].agent == agent
    return done if own and unfinished(at, done, head) else None
