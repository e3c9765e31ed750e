"""Which criteria of success hold for one item."""

from __future__ import annotations

from itertools import pairwise

from interlock.model.finding import ERROR, Finding
from interlock.model.quick_typing import Iterable, Iterator, NamedTuple, Sequence
from interlock.model.state import State
from interlock.workflow.language.spec import BEFORE, DONE
from interlock.workflow.reading import commit_subject, evidence, transitions
from interlock.workflow.reading.records import Placed, Records

HOLDS = 'holds'
FAILS = 'fails'
UNKNOWN = 'unknown'


class Criterion(NamedTuple):
    name: str
    verdict: str
    why: str


def named_state(subject: str, at: Records) -> State | None:
    """The state of an item that the subject of a commit says was reached."""
    named = commit_subject.read(subject, at.kind, {at.item})
    return named.state if named else None


def _may_end(last: State | None, at: Records) -> bool:
    """Whether an item may go from a stage straight to done."""
    if last is None or at.state is None:
        return False
    elif transitions.step(last, at.state, at.kind).severity == '':
        return True
    return any(
        last.name in line.origins
        and line.severity != ERROR
        and any(at.kind.states[name].role == DONE for name in line.targets)
        for line in at.kind.transitions
    )


def _gaps(states: Sequence[State], at: Records) -> Iterator[str]:
    """Where the stages of the commits do not follow each other."""
    names = list(dict.fromkeys(state.name for state in states))
    path: list[State | None] = [None, *(State(name) for name in names)]
    last = path[-1]
    if at.role == DONE and not _may_end(last, at):
        yield f'the stages after {at.kind.label(last)} have none'
    for before, after in pairwise(path):
        assert after is not None
        origins = [before]
        if before is None:
            # the states before the stages have no commits of their own
            origins.extend(
                State(name)
                for name, spec in at.kind.states.items()
                if spec.role == BEFORE
            )
        if all(
            transitions.step(origin, after, at.kind).severity == 'error'
            for origin in origins
        ):
            yield f'none between {at.kind.label(before)} and {at.kind.label(after)}'


def _in_sequence(findings: Sequence[Finding], item: str) -> Criterion:
    name = 'all stages completed in sequence'
    for each in findings:
        if each.item == item and each.check == 'stages' and each.refuses:
            return Criterion(name, FAILS, f'{each.commit[:10]} {each.message}')
    return Criterion(name, HOLDS, '')


def _tried(
    name: str, wanted: Sequence[tuple[str, str]], at: Records, placed: Placed | None
) -> Criterion:
    """Whether the handoff records a pass for each pair of state and kind."""
    found = [evidence.recorded(placed, at.kind, state, what) for state, what in wanted]
    failed = [each for each in found if each.result == evidence.FAILED]
    open_ = [each.key for each in found if not each.result]
    if failed:
        return Criterion(name, FAILS, f'{failed[0].key}: {failed[0].text}')
    elif len(open_) == len(found):
        return Criterion(name, UNKNOWN, 'the repository holds no evidence of it')
    elif open_:
        return Criterion(name, UNKNOWN, f'no evidence of {", ".join(open_)}')
    return Criterion(name, HOLDS, '')


def _builds(at: Records, placed: Placed | None) -> Criterion:
    """No gate asks for builds, so only those that were tried count."""
    wanted = [
        (name, evidence.BUILD)
        for name, spec in at.kind.states.items()
        if spec.stage and evidence.recorded(placed, at.kind, name, evidence.BUILD).text
    ]
    return _tried('it builds without errors', wanted, at, placed)


def _tests(at: Records, placed: Placed | None) -> Criterion:
    wanted = [
        (name, what) for name, gate in at.kind.gates.items() for what in gate.evidence
    ]
    return _tried('tests pass', wanted, at, placed)


def _committed(at: Records, subjects: Iterable[str]) -> Criterion:
    states = [state for text in subjects if (state := named_state(text, at))]
    gaps = list(_gaps(states, at))
    seen = ', '.join(dict.fromkeys(at.kind.label(state) for state in states))
    return Criterion(
        'the history shows all stage commits',
        FAILS if gaps or not states else HOLDS,
        '; '.join(gaps) or f'found: {seen or "none"}',
    )


def success_criteria(
    at: Records,
    placed: Placed | None,
    subjects: Iterable[str],
    findings: Sequence[Finding],
) -> Iterator[Criterion]:
    """Judge an item by its records, its handoff (or the last one that the
    history holds), the subjects of its commits, and what was found.

    A workflow that does not ask for something is not judged by it.
    """
    done = at.role == DONE
    if at.kind.handoff:
        yield _builds(at, placed)
    yield _in_sequence(findings, at.item)
    if at.kind.handoff:
        yield _tests(at, placed)
    yield Criterion(
        'the registry says that it is done',
        HOLDS if done else FAILS,
        f'it says {at.kind.label(at.state)}',
    )
    if at.kind.handoff:
        where = at.handoff.path if at.handoff else ''
        yield Criterion(
            'the handoff is deleted',
            FAILS if where else HOLDS,
            f'{where} exists' if where else '',
        )
    if at.kind.commit:
        yield _committed(at, subjects)
    errors = [f for f in findings if f.item == at.item and f.refuses and not f.commit]
    wrong = f'{errors[0].code} {errors[0].message}' if errors else ''
    if not at.kind.handoff:
        yield Criterion('nothing is wrong with it', FAILS if wrong else HOLDS, wrong)
        return
    yield Criterion(
        'it is ready for installation or improvement',
        HOLDS if done and not wrong else FAILS,
        wrong or ('' if done else f'it is {at.kind.label(at.state)}'),
    )
