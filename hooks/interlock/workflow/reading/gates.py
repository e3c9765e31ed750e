"""What must exist when an item enters a state, or leaves it behind."""

from __future__ import annotations

from interlock.model.quick_typing import (
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.model.state import State
from interlock.workflow.language.spec import STAGE, GateSpec, Kind
from interlock.workflow.reading import evidence
from interlock.workflow.reading.evidence import Evidence
from interlock.workflow.reading.records import (
    Placed,
    Records,
    continued_handoff,
    handoff_state,
    is_open,
    registry,
    values_of,
)
from interlock.workflow.reading.status_words import is_begun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.workflow.reading.plan_phases import Phase

# the phase number of work in progress, before all real phases
OPEN = 0


class Missing(NamedTuple):
    contract: str
    path: str
    made_by: str


class UntriedWork(NamedTuple):
    """Work at a state without a passed test or build."""

    state: str
    # the kind of evidence that is missing: a test, a build
    what: str
    evidence: Evidence
    # whether the gate needs it; a failure counts even if no gate does
    asked: bool = True


def missing(at: Records, state: str) -> Iterator[Missing]:
    kind = at.kind
    needed = kind.gates.get(state, GateSpec()).contracts
    if not needed:
        return
    # few states need a contract
    from interlock.workflow.reading.seals import contract_paths

    files = {contract.name: contract for contract in kind.contracts.files}
    paths = contract_paths(at)
    for name in needed:
        if at.snapshot.blob(paths[name]) is None:
            yield Missing(name, paths[name], files[name].made_by)


def was_unreadable(at: Records) -> bool:
    """Whether nothing is known about the item, not even that it is new."""
    read = registry(at.snapshot, at.kind)
    return read is None or read.problem is not None


def _stands(at: Records, placed: Placed | None) -> list[State | None]:
    """The states of an item according to the registry and the handoff.

    Work in progress lies inside its state, like a phase; the registry need not
    mention it.
    """
    read, handoff = at.state, handoff_state(placed)
    if read and not at.kind.milestones and is_begun(at.status, at.kind):
        read = State(read.name, OPEN)
    if handoff and handoff.phase is None and is_open(placed, at.kind):
        handoff = State(handoff.name, OPEN)
    if (
        handoff
        and handoff.phase is not None
        and read in {State(handoff.name), State(handoff.name, OPEN)}
    ):
        read = handoff
    return [read, handoff]


def _ended(old: State | None, new: State, kind: Kind) -> Iterator[str]:
    """The states whose work a step ends; a step back ends none."""
    start = kind.position(old.name) if old else -1
    if kind.position(new.name) < start:
        return
    if new.phase is None:
        yield new.name
    if old is None or old.name == new.name:
        return
    spec = kind.states[new.name]
    # to a later stage or finished, but not archived
    if old.phase is not None and (spec.role == STAGE or spec.handoff):
        yield old.name
    if kind.states[old.name].role == STAGE:
        for name, other in kind.states.items():
            if other.becomes == new.name and kind.position(name) > start:
                yield name


def _behind(old: State | None, new: State, kind: Kind) -> list[str]:
    """The states that must not have a recorded failure after a step.

    A step forward or to the end leaves them behind. A failure can be fixed
    while work at its state is in progress. An archive and a step back need no
    such check.
    """
    end = kind.position(new.name)
    spec = kind.states[new.name]
    if (old and end < kind.position(old.name)) or not (
        spec.role == STAGE or spec.handoff
    ):
        return []
    return [
        name
        for number, (name, other) in enumerate(kind.states.items())
        if other.stage and (number < end or (number == end and new.phase != OPEN))
    ]


class Demands(NamedTuple):
    """What a step must prove."""

    # the states of the registry and the handoff before
    before: Sequence[State | None] = ()
    # the states that the step ends
    ended: Sequence[str] = ()
    # the states that the step leaves behind
    behind: Sequence[str] = ()


def _demands(
    before: Sequence[State | None], after: Sequence[State | None], kind: Kind
) -> Demands:
    """The demands of all steps; a passed gate does not demand evidence again."""
    steps = [
        (old, new)
        for old, new in zip(before, after, strict=True)
        if new is not None and new != old
    ]
    ended = [
        name
        for old, new in steps
        for name in _ended(old, new, kind)
        if State(name) not in before
    ]
    behind = [name for old, new in steps for name in _behind(old, new, kind)]
    return Demands(before, [*dict.fromkeys(ended)], [*dict.fromkeys(behind)])


def _of_change(before: Records, after: Records) -> Demands:
    if after.current is None and before.state == after.state:
        # deleting a handoff does not end any work
        return Demands()
    old = _stands(before, continued_handoff(before, after))
    new = _stands(after, after.current)
    if new[0] != old[0] and was_unreadable(before):
        new[0] = None
    return _demands(old, new, after.kind)


def _of_step(at: Records, registered: State, handoff: State | None) -> Demands:
    """The demands of a step of the registry, and of the handoff if it moves."""
    old = _stands(at, at.current)
    return _demands(old, [registered, handoff or old[1]], at.kind)


def _gaps(placed: Placed | None, kind: Kind, asked: Demands) -> list[UntriedWork]:
    found = [*untried(placed, kind, asked.ended), *failed(placed, kind, asked.behind)]
    # of two gaps with the same key keep the first, which a gate demanded
    by_key = {each.evidence.key: each for each in reversed(found)}
    return list(reversed(by_key.values()))


def unproven_by(
    at: Records, registered: State, handoff: State | None = None
) -> list[UntriedWork]:
    """The evidence that a planned step lacks."""
    if not at.kind.handoff:
        return []
    return _gaps(at.active_handoff, at.kind, _of_step(at, registered, handoff))


def unfit(placed: Placed | None, kind: Kind, state: State) -> list[UntriedWork]:
    """The evidence that work at a state needs before it is done."""
    ended = [state.name] if state.phase is None else []
    return _gaps(placed, kind, Demands((), ended, _behind(None, state, kind)))


def _not_passed(
    placed: Placed | None, kind: Kind, state: str, kinds: Iterable[str], asked: bool
) -> Iterator[UntriedWork]:
    for what in kinds:
        found = evidence.recorded(placed, kind, state, what)
        if found.result != evidence.PASSED:
            yield UntriedWork(state, what, found, asked)


def untried(
    placed: Placed | None, kind: Kind, states: Iterable[str]
) -> Iterator[UntriedWork]:
    """The evidence that the gates of states need and the handoff lacks."""
    for state in states:
        kinds = kind.gates.get(state, GateSpec()).evidence
        yield from _not_passed(placed, kind, state, kinds, True)


def failed(
    placed: Placed | None, kind: Kind, states: Iterable[str]
) -> Iterator[UntriedWork]:
    """The recorded evidence of these states that did not pass."""
    for state in states:
        kinds = evidence.kinds_of(placed, kind, state)
        yield from _not_passed(placed, kind, state, kinds, False)


class SkippedPhases(NamedTuple):
    """Unfinished phases of a state that is done."""

    state: str
    plan: str
    phases: Sequence[Phase]


def _skipped(
    at: Records, asked: Demands, fields: Mapping[str, str]
) -> Iterator[SkippedPhases]:
    """Phases of the plan that were not reached and are not marked as done.

    One may remain: the end of the last phase may be recorded as the end of the
    stage.
    """
    # most steps end no state
    from interlock.workflow.reading import next_state, plan_phases

    plan = plan_phases.read(at) if next_state.is_phased(at.kind, fields) else None
    for name in asked.ended if plan else ():
        assert plan is not None
        states = [state for state in asked.before if state and state.name == name]
        reached = max([0, *(state.phase or 0 for state in states)])
        left = [
            each
            for each in plan.of(name)
            if not each.done and (each.state.phase or 0) > reached
        ]
        if len(left) > 1 and next_state.comes_in_phases(at.kind, name, fields):
            yield SkippedPhases(name, plan.path, left)


class UnprovenWork(NamedTuple):
    """Work that a change declares done without proof."""

    # the handoff that should hold the proof, None if there is none
    holder: Placed | None
    # False for a handoff from before evidence existed: only a warning
    strict: bool
    gaps: Sequence[UntriedWork]
    # the phases that the change skips
    skipped: Sequence[SkippedPhases]


def unproven(before: Records, after: Records) -> UnprovenWork:
    kind, asked = after.kind, _of_change(before, after)
    # a finished item may have lost its handoff
    holder = after.current or before.current
    # an old-format handoff at an older place does not relax the rule
    strict = holder is None or any(
        evidence.is_kept(each, kind)
        for each in (continued_handoff(before, after), before.current, holder)
    )
    skipped = list(_skipped(after, asked, values_of(holder))) if asked.ended else []
    return UnprovenWork(holder, strict, _gaps(holder, kind, asked), skipped)


def skipped_by(
    at: Records, registered: State, handoff: State | None = None
) -> list[SkippedPhases]:
    """The phases that a planned step skips."""
    asked = _of_step(at, registered, handoff)
    return list(_skipped(at, asked, at.handoff_values))


def left_out(gap: SkippedPhases, kind: Kind, verb: str = 'is') -> str:
    """A sentence about skipped phases; for a planned step `verb` is `would be`."""
    names = ', '.join(kind.label(each.state) for each in gap.phases)
    name = kind.label(State(gap.state))
    return f'{name} {verb} done, and {names} of {gap.plan} are not'


def gaps(
    at: Records, target: State, handoff: State | None = None
) -> tuple[bool, list[str]]:
    """Whether gates are closed to a step, and what is missing.

    The step is that of the registry, and of the handoff if it moves too.
    """
    old = {state.name for state in (at.state, at.handoff_state) if state}
    new = dict.fromkeys(each.name for each in (target, handoff) if each)
    absent = [
        f'{each.path} is missing'
        + (f' ({each.made_by} makes it)' if each.made_by else '')
        for name in new
        if name not in old
        for each in missing(at, name)
    ]
    holder = at.active_handoff
    untried = [
        sentence(gap, at.kind, 'would be') for gap in unproven_by(at, target, handoff)
    ]
    untried.extend(
        left_out(each, at.kind, 'would be') for each in skipped_by(at, target, handoff)
    )
    # a handoff older than that rule is excused, a missing one is not
    kept = holder is None or evidence.is_kept(holder, at.kind)
    return bool(absent or (untried and kept)), [*absent, *untried]


def erased(before: Records, after: Records) -> Iterator[UntriedWork]:
    """Recorded failures that disappeared without a later success."""
    kind, old = after.kind, continued_handoff(before, after)
    if not evidence.may_have_failed(old, kind):
        return
    for state, spec in kind.states.items():
        for gap in failed(old, kind, [state] if spec.stage else []):
            now = evidence.recorded(after.current, kind, state, gap.what)
            if gap.evidence.result == evidence.FAILED and not now.text:
                yield gap


def why(gap: UntriedWork) -> str:
    """The problem with the evidence, as the end of a sentence."""
    name, text = gap.evidence.key, gap.evidence.text
    if not text:
        return f'no {gap.what} of it is recorded as passed (`{name}`)'
    elif gap.evidence.result:
        return f'its {gap.what} is recorded as `{text}`'
    return f'`{name}: {text}` is neither passed nor failed on a day'


def sentence(gap: UntriedWork, kind: Kind, verb: str = 'is') -> str:
    name = kind.label(State(gap.state))
    if gap.asked:
        return f'{name} {verb} done, and {why(gap)}'
    return (
        f'the {gap.what} of {name} is recorded as `{gap.evidence.text}`, and '
        f'has to pass first'
    )
