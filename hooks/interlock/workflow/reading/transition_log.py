"""Checks that the log of a task is complete, and that its steps are legal."""

from __future__ import annotations

from interlock.documents import timestamps
from interlock.documents.tasks.lock import Lock, LogStep
from interlock.documents.text import shown
from interlock.documents.trailers import says_something
from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Iterable, Iterator, NamedTuple
from interlock.workflow.language.protocol import BACK, FORWARD, SKIP, ProtocolSpec
from interlock.workflow.language.spec import NOTHING, Kind, TransitionSpec
from interlock.workflow.reading.transitions import ways

EVERY = '*'


class LogProblem(NamedTuple):
    message: str
    line: int
    expected: str
    found: str
    # a step that the workflow does not have, rather than a broken log
    illegal: bool = False


def first_state(kind: Kind) -> str:
    """The first state of a task."""
    for line in kind.transitions:
        if NOTHING in line.origins:
            return line.targets[0]
    return next(iter(kind.states))


def passage(kind: Kind, origin: str, target: str) -> TransitionSpec | None:
    """The line of the workflow that allows a step."""
    for line in kind.transitions:
        if origin in line.origins and target in line.targets:
            return line
    return None


def following(kind: Kind, origin: str) -> list[str]:
    """The possible next states, in the order of the workflow."""
    targets = {
        target
        for line in kind.transitions
        if origin in line.origins
        for target in line.targets
    }
    return [state for state in kind.states if state in targets]


def forward(kind: Kind, state: str) -> str:
    """The next state, '' at the end."""
    for line in kind.transitions:
        if line.kind == FORWARD and state in line.origins:
            return line.targets[0]
    return ''


def forward_gate(kind: Kind, state: str) -> tuple[str, ...]:
    """The conditions for the step forward from a state."""
    line = passage(kind, state, forward(kind, state))
    return line.gate if line else ()


def first_with_additions(kind: Kind) -> str:
    """The first state in which agents may be added."""
    return next((name for name, spec in kind.states.items() if spec.additions), '')


def ways_along(
    lines: Iterable[TransitionSpec], start: str
) -> dict[str, tuple[str, ...]]:
    """Where steps of some lines lead, with the path to each state."""
    lines = list(lines)
    return ways(
        start,
        lambda name: [
            state for line in lines if name in line.origins for state in line.targets
        ],
    )


def steps_back(kind: Kind, origin: str, target: str) -> tuple[str, ...]:
    """The shortest way back to a state, () if there is none."""
    # steps that need nothing but the lock
    lines = [
        line
        for line in kind.transitions
        if line.kind == BACK and set(line.gate) <= {'lock-owned'}
    ]
    return ways_along(lines, origin).get(target, ())


def is_selecting(kind: Kind, state: str) -> bool:
    """Whether agents are selected: before the first state that adds agents."""
    for name, spec in kind.states.items():
        if spec.additions:
            return False
        elif name == state:
            return True
    return False


def scope_decisions(lock: Lock) -> dict[str, str]:
    """The decision about each matter that was out of scope.

    A decision about everything has no matter.
    """
    scope = lock.get('scope')
    if isinstance(scope, dict):
        return {matter: str(value) for matter, value in scope.items()}
    elif isinstance(scope, list):
        return {f'#{n}': str(value) for n, value in enumerate(scope)}
    return {'#0': scope} if isinstance(scope, str) and scope else {}


def may_skip(lock: Lock, protocol: ProtocolSpec) -> bool:
    """Whether the recorded type of the change may skip states.

    A later correction does not count: anyone who wants to skip could make one.
    """
    allowed = [protocol.skips.get(risk.upper(), ()) for risk in lock.recorded('risk')]
    changes = [change.lower() for change in lock.recorded('change')]
    return all(
        EVERY in types or all(change in types for change in changes)
        for types in allowed
    )


def _of_words(step: LogStep, kind: Kind) -> Iterator[LogProblem]:
    for word in (step.origin, step.target):
        if word == '':
            said = 'an entry of the log does not name both of its states'
            yield LogProblem(said, step.line, 'from, to', '')
        elif word is not None and word not in kind.states:
            near = did_you_mean(word, kind.states)
            said = (
                f'the log names the state `{shown(word)}`, which does not exist{near}'
            )
            yield LogProblem(said, step.line, '', word)


def _of_time(step: LogStep, before: str) -> Iterator[LogProblem]:
    if timestamps.parse(step.time) is None:
        said = f'`{shown(step.time)}` is not a time'
        yield LogProblem(said, step.line, 'a time', step.time)
    elif timestamps.is_before(step.time, before):
        said = f'the log goes back in time, from {before} to {step.time}'
        yield LogProblem(said, step.line, before, step.time)


def _of_chain(
    step: LogStep, before: LogStep | None, kind: Kind
) -> Iterator[LogProblem]:
    """Check that each step starts where the previous one ended."""
    if before is None:
        first = first_state(kind)
        begins = step.target if step.origin is None else step.origin
        if begins != first:
            said = (
                f'the log begins with {shown(begins)}, not with {first}: what '
                f'came before is missing'
            )
            yield LogProblem(said, step.line, first, begins)
    elif step.origin != before.target:
        origin = 'nothing' if step.origin is None else shown(step.origin)
        said = (
            f'the log continues from {origin}, but the entry before ends at '
            f'{shown(before.target)}: a step is missing'
        )
        yield LogProblem(said, step.line, before.target, step.origin or '')


def _of_graph(step: LogStep, lock: Lock, kind: Kind) -> Iterator[LogProblem]:
    assert kind.protocol is not None, 'only a task has a log'
    origin, target = step.origin, step.target
    if origin is None or not {origin, target} <= set(kind.states):
        return
    line = passage(kind, origin, target)
    words = f'{origin} -> {target}'
    if line is None:
        after = ' or '.join(following(kind, origin)) or 'nothing'
        said = f'{words}: after {origin} comes {after}'
        yield LogProblem(said, step.line, origin, target, illegal=True)
    elif line.reason and not says_something(step.reason):
        said = f'{words}: this step needs a `{line.reason}` in the log'
        yield LogProblem(said, step.line, line.reason, '', illegal=True)
    elif line.kind == SKIP and not may_skip(lock, kind.protocol):
        said = f'{words}: states are skipped, and no risk is recorded that allows it'
        yield LogProblem(said, step.line, origin, target, illegal=True)


def problems(lock: Lock, kind: Kind) -> Iterator[LogProblem]:
    """All problems of a task's log and its steps."""
    latest, before = '', None
    for step in lock.log:
        yield from _of_words(step, kind)
        yield from _of_time(step, latest)
        yield from _of_chain(step, before, kind)
        yield from _of_graph(step, lock, kind)
        latest = latest if timestamps.is_before(step.time, latest) else step.time
        before = step
    last = before.target if before else first_state(kind)
    if lock.state != last and lock.state in kind.states:
        ends = shown(last) or 'nothing'
        said = f'the state is {lock.state}, but the log ends at {ends}'
        yield LogProblem(said, lock.line('state'), last, lock.state)
