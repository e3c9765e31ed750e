"""Which criteria of success hold for one item."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from interlock.commands.items.find_item import find_item
from interlock.documents import handoff, message
from interlock.engine.judge import Judge
from interlock.engine.open_repository import head_of
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.finding import ERROR, Finding
from interlock.model.state import State
from interlock.report.colour import paint
from interlock.report.terminal import FOUND, colour, out
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import BEFORE, DONE
from interlock.workflow.reading import commit_subject, evidence, transitions
from interlock.workflow.reading.records import Placed, Records, placed
from interlock.workflow.reading.status_words import label

HOLDS = 'holds'
FAILS = 'fails'
UNKNOWN = 'unknown'


class Criterion(NamedTuple):
    name: str
    verdict: str
    why: str


def stage_commits(commits: Sequence[Commit], at: Records) -> list[tuple[Commit, State]]:
    """The commits that end a state of an item, and which state."""
    found = []
    for commit in commits:
        text = message.parse(commit.message).subject
        named = commit_subject.read(text, at.kind, {at.item})
        if named is not None and named.state is not None:
            found.append((commit, named.state))
    return found


def _may_end(last: State | None, at: Records) -> bool:
    """Whether what is done may follow a stage, by a step of its own."""
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


def _name(state: State | None, at: Records) -> str:
    return label(state, at.kind) if state else 'nothing'


def _gaps(states: Sequence[State], at: Records) -> Iterator[str]:
    """Where the stages of the commits do not follow each other."""
    names = list(dict.fromkeys(state.name for state in states))
    path: list[State | None] = [None, *(State(name) for name in names)]
    last = path[-1]
    if at.role == DONE and not _may_end(last, at):
        yield f'the stages after {_name(last, at)} have none'
    for before, after in pairwise(path):
        assert after is not None
        origins = [before]
        if before is None:
            # what comes before the stages has no commits of its own
            origins.extend(
                State(name)
                for name, spec in at.kind.states.items()
                if spec.role == BEFORE
            )
        if all(
            transitions.step(origin, after, at.kind).severity == 'error'
            for origin in origins
        ):
            yield f'none between {_name(before, at)} and {_name(after, at)}'


def _in_sequence(findings: Sequence[Finding], item: str) -> Criterion:
    bad = [f for f in findings if f.item == item and f.check == 'stages' and f.refuses]
    if not bad:
        return Criterion('all stages completed in sequence', HOLDS, '')
    first = bad[0]
    return Criterion(
        'all stages completed in sequence',
        FAILS,
        f'{first.commit[:10]} {first.message}',
    )


def _last_handoff(at: Records, repository: Repository) -> Placed | None:
    """The handoff, or the last one that the history holds."""
    if at.current is not None or at.kind.handoff is None:
        return at.current
    path = expand(at.kind.handoff.file, at.item)
    for _, blob in repository.versions(path):
        return placed(path, handoff.parse(blob), at.kind)
    return None


def _tried(
    name: str, wanted: Sequence[tuple[str, str]], at: Records, placed: Placed | None
) -> Criterion:
    """Whether the handoff says of states and kinds that they have passed."""
    found = [evidence.recorded(placed, at.kind, state, what) for state, what in wanted]
    failed = [each for each in found if each.result == evidence.FAILED]
    open_ = [each.key for each in found if not each.result]
    if failed:
        return Criterion(name, FAILS, f'{failed[0].key}: {failed[0].text}')
    elif len(open_) == len(found):
        why = 'the repository holds no evidence of it'
        return Criterion(name, UNKNOWN, why)
    elif open_:
        why = f'no evidence of {", ".join(open_)}'
        return Criterion(name, UNKNOWN, why)
    return Criterion(name, HOLDS, '')


def _builds(at: Records, placed: Placed | None) -> Criterion:
    """Nobody asks for builds: those that were tried count."""
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


def _criteria(
    at: Records,
    placed: Placed | None,
    commits: Sequence[Commit],
    findings: Sequence[Finding],
) -> Iterator[Criterion]:
    done = at.role == DONE
    yield _builds(at, placed)
    yield _in_sequence(findings, at.item)
    yield _tests(at, placed)
    yield Criterion(
        'the registry says that it is done',
        HOLDS if done else FAILS,
        f'it says {_name(at.state, at)}',
    )
    where = at.handoff.path if at.handoff else ''
    yield Criterion(
        'the handoff is deleted',
        FAILS if where else HOLDS,
        f'{where} exists' if where else '',
    )
    staged = stage_commits(commits, at)
    gaps = list(_gaps([state for _, state in staged], at))
    seen = ', '.join(dict.fromkeys(_name(state, at) for _, state in staged))
    yield Criterion(
        'the history shows all stage commits',
        FAILS if gaps or not staged else HOLDS,
        '; '.join(gaps) or f'found: {seen or "none"}',
    )
    errors = [f for f in findings if f.item == at.item and f.refuses and not f.commit]
    yield Criterion(
        'it is ready for installation or improvement',
        HOLDS if done and not errors else FAILS,
        f'{errors[0].code} {errors[0].message}'
        if errors
        else ('' if done else f'it is {_name(at.state, at)}'),
    )


def report_item(
    repository: Repository, config: str, commits: Sequence[Commit], item: str, form: str
) -> int:
    head = head_of(repository)
    judge = Judge(repository, config, by_disk=True)
    tree = repository.tree(head.tree)
    workflow = judge.governing.before(tree)
    at = find_item(tree, workflow, item)
    for commit in commits:
        judge.commit(commit)
    findings = [*judge.findings, *judge.tree_findings(head.tree)]
    last = _last_handoff(at, repository)
    criteria = list(_criteria(at, last, commits, findings))
    if form == 'json':
        out(
            json.dumps(
                {'item': item, 'criteria': [c._asdict() for c in criteria]},
                ensure_ascii=False,
                indent=2,
            )
        )
    else:
        styles = {HOLDS: 'ok', FAILS: 'error', UNKNOWN: 'warning'}
        for criterion in criteria:
            word = paint(f'{criterion.verdict:8}', styles[criterion.verdict], colour())
            why = f' ({criterion.why})' if criterion.why else ''
            out(f'{word} {criterion.name}{why}')
    failed = any(criterion.verdict == FAILS for criterion in criteria)
    return FOUND if failed else 0
