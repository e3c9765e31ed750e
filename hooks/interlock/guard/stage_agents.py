"""The agents of stages: they start in turn, and write the state they reach."""

from __future__ import annotations

import datetime
import os

from interlock.checks.run import findings_of
from interlock.documents.text import shown
from interlock.engine.stage_commits import unconfirmed
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.repository import Repository
from interlock.git.worktree_snapshot import StoredSnapshot
from interlock.guard.context import Context
from interlock.guard.decision import Decision, ask, deny
from interlock.guard.session_files import (
    AgentRun,
    last_message,
    record_run,
    report_in,
    running,
)
from interlock.guard.texts import items_named, known_items
from interlock.model.errors import NoRepository, Refusal
from interlock.model.fixes import ours
from interlock.model.quick_tools import closing
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.model.state import State
from interlock.operations import verify
from interlock.operations.registry.status import next_proof
from interlock.tasks import agent_work
from interlock.tasks.agent_work import in_repository
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import BEFORE, STAGE, Kind
from interlock.workflow.reading import next_state
from interlock.workflow.reading.agent_report import AgentReport, read
from interlock.workflow.reading.fix_command import make_readable
from interlock.workflow.reading.gates import failed, missing, sentence, unfit
from interlock.workflow.reading.records import STAGE_RE, Records, records, registry
from interlock.workflow.reading.transitions import step

CODE = 'CLD011'
# how many items a question names, and how many failures an answer lists
FEW_ITEMS = 8
FEW_FAILURES = 4


def _first_stage(kind: Kind) -> State:
    return next(State(name) for name, spec in kind.states.items() if spec.role == STAGE)


def _is_new(at: Records) -> bool:
    """Whether no stage of the item is done yet."""
    stage = at.handoff_state
    return at.role == BEFORE and (
        stage is None or (stage == _first_stage(at.kind) and at.is_open)
    )


def _coming(at: Records, done: State) -> list[State]:
    """The states that may follow: the one that the workflow names, and skipped ones."""
    kind = at.kind
    legal = [
        State(name)
        for name, spec in kind.states.items()
        if spec.role == STAGE
        and name != done.name
        and not step(State(done.name), State(name), kind).severity
    ]
    found = next_state.after(at, done, at.handoff_values)
    if found.state is None:
        named = kind.handoff.next
        return [] if named else legal
    start, end = (kind.position(s.name) for s in (done, found.state))
    left_out = [state for state in legal if start < kind.position(state.name) < end]
    # the main agent does this work itself, although the state has an agent
    return left_out if found.led else [*left_out, found.state]


def _next_in_words(at: Records) -> str:
    kind, done = at.kind, at.handoff_state
    states = _coming(at, done) if done else []
    agents = {
        kind.label(state): kind.states[state.name].agent or 'no agent'
        for state in ([_first_stage(kind)] if _is_new(at) else states)
    }
    found = next_state.after(at, done, at.handoff_values) if done else None
    if found is not None and found.led and found.state:
        agents[kind.label(found.state)] = 'no agent'
    return ' or '.join(f'{name} ({agents[name]})' for name in agents) or 'nothing'


def _turn(at: Records, head: Records, agent: str) -> State | None:
    """The state that an agent should work on now, None if there is none."""
    kind, done = at.kind, at.handoff_state
    if _is_new(at):
        first = _first_stage(kind)
        return first if kind.states[first.name].agent == agent else None
    elif done is None:
        return None
    open_now = at.is_open
    for state in _coming(at, done):
        if not open_now and kind.states[state.name].agent == agent:
            return state
    # work that is in progress, unproven or uncommitted
    unfinished = (
        open_now
        or unfit(at.current, kind, State(done.name))
        or head.handoff_state != done
        or head.is_open
    )
    return done if unfinished and kind.states[done.name].agent == agent else None


class Start(NamedTuple):
    """An agent that is about to start, and where."""

    context: Context
    repository: Repository
    snapshot: SteadySnapshot
    agent: str


def _item(start: Start) -> Records | Decision:
    """The one item that the prompt names."""
    items: dict[str, Kind] = {}
    for kind in start.context.workflow.kinds:
        if all(spec.agent != start.agent for spec in kind.states.values()):
            continue
        read = registry(start.snapshot, kind)
        if read and read.problem:
            file, problem = kind.registry.file, read.problem
            text = f'{file}:{problem.line}: the registry {problem.message}'
            return deny('REG008', text, make_readable(file, problem).step)
        items.update(dict.fromkeys(known_items(start.snapshot, kind), kind))
    found = items_named(start.context.event.given('prompt'), items)
    if len(found) == 1:
        return records(start.snapshot, items[found[0]], found[0])
    names = found or sorted(items)
    few = ', '.join(map(shown, names[:FEW_ITEMS])) or 'the items (none is known)'
    few += ' …' if len(names) > FEW_ITEMS else ''
    return ask(
        CODE,
        f'{start.agent} works on one item, but the prompt names '
        f'{"" if found else "none of "}{few}',
        'name exactly one item in the prompt',
    )


def _broken(start: Start, at: Records) -> Decision | None:
    """Refuse an item whose state is incomplete."""
    if _is_new(at):
        # there is no state yet, only a description of the work
        path = expand(at.kind.registry.description, at.item)
        if not path or at.snapshot.blob(path):
            return None
        text = f'{at.item} cannot begin: {path} is missing'
        return deny(CODE, text, f'write {path}')
    state = verify.item_state(at, findings_of(at, start.context.workflow))
    if state.code == verify.FINE:
        return None
    hint = ours('resolve', at.called)
    if state.code == verify.NO_HANDOFF and not state.findings:
        why, hint = 'it has no handoff', ours('resume', at.called)
    elif state.code == verify.STALE:
        why, hint = 'its handoff is stale', ours('verify-state', '--clean', at.called)
    elif not state.findings:
        why = 'it is not registered'
    else:
        first = state.findings[0]
        why = f'{first.path}:{first.line}: {first.code} {first.message}'
    return deny(CODE, f'the records of {at.item} are not sound: {why}', hint)


def _not_its_turn(at: Records, agent: str) -> Decision:
    kind, reached = at.kind, at.stage
    own = [State(name) for name, spec in kind.states.items() if spec.agent == agent]
    stages = ' and '.join(kind.label(state) for state in own)
    where = f'at {kind.label(reached)}' if reached else 'before its first stage'
    return deny(
        CODE,
        f'{agent} does {stages}; {at.item} is {where}, and '
        f'{_next_in_words(at)} comes next',
        ours('menu', at.called),
    )


def _unready(start: Start, at: Records, state: State) -> Iterator[Decision]:
    """What is missing, failed or unconfirmed before a state may begin."""
    kind, stage = at.kind, at.kind.label(state)
    for absent in missing(at, state.name):
        yield deny(
            CODE,
            f'{stage} of {at.item} needs {absent.path}, which comes from '
            f'{absent.made_by}',
            ours('contracts', 'verify', at.called),
        )
    stages = [name for name, spec in kind.states.items() if spec.stage]
    for gap in failed(at.current, kind, stages[: stages.index(state.name)]):
        text = f'{at.item} may not move to {stage}: {sentence(gap, kind)}'
        yield deny(CODE, text, next_proof(at, gap))
    repository = start.repository
    found = unconfirmed(
        repository, repository.facts.common_dir, start.context.workflow, at.item
    )
    if found is not None:
        yield deny(
            'CLD012',
            f'stage {found.name} of {at.item} was committed ({found.commit[:10]}), '
            f'and the user has not decided how to continue',
            f'show what interlock menu {at.item} says, and wait for the user',
        )


def _judge_start(start: Start) -> Decision | None:
    at = _item(start)
    if isinstance(at, Decision):
        return at
    repository, context = start.repository, start.context
    broken = _broken(start, at)
    if broken:
        return broken
    commit = repository.head()
    tree = repository.tree_of(commit)
    state = _turn(at, records(tree, at.kind, at.item), start.agent)
    if state is None:
        return _not_its_turn(at, start.agent)
    for decision in _unready(start, at, state):
        return decision
    directory = os.path.join(repository.facts.common_dir, 'interlock')
    head = commit.oid if commit else ''
    agent_work.record_start(directory, start.snapshot.top, at, head)
    record_run(context, 'begin', AgentRun(start.agent, at.item, state))
    return None


def judge_start(context: Context, agent: str) -> Decision | None:
    try:
        with closing(context.repository()) as repository:
            snapshot = SteadySnapshot(repository.facts.top)
            return _judge_start(Start(context, repository, snapshot, agent))
    except NoRepository as e:
        text = f'{agent} does not start, because its work could not be committed'
        return deny(CODE, f'{text}: {e.message}', e.hint)


def ending_run(context: Context, agent: str) -> AgentRun | None:
    """The run that ends; if the agent has several, its last message decides."""
    found = running(context, agent)
    if len(found) > 1:
        items = items_named(last_message(context), [run.item for run in found])
        found = [run for run in found if run.item in items]
    return found[0] if len(found) == 1 else None


def _state_to_verify(run: AgentRun, report: AgentReport | None, at: Records) -> State:
    """The state to verify; the report may name another phase, or all phases."""
    match = STAGE_RE.match(report.phase) if report else None
    if match and match[1] == at.kind.states[run.state.name].stage:
        return State(run.state.name, int(match[2]))
    written = at.handoff_state
    return written if written and written.name == run.state.name else run.state


def _failures(
    context: Context, run: AgentRun, kind: Kind, repository: Repository
) -> tuple[State, list[str]]:
    with closing(StoredSnapshot(repository)) as contents:
        at = records(contents, kind, run.item)
        data = report_in(last_message(context))
        report = read(data) if data else None
        state = _state_to_verify(run, report, at)
        if report is not None and not report.succeeded:
            # the agent reports its own failure, so nothing is missing
            return state, []
        found = findings_of(at, context.workflow)
        today = datetime.date.today().isoformat()
        begun = agent_work.start_record(
            f'{repository.facts.common_dir}/interlock', at.item
        )
        made = in_repository(repository, at, contents, begun)
        if report is not None:
            work = verify.Work(made.find, made.changed)
            verdict = verify.verify_report(report, state, at, found, work, today)
            return state, [each.message for each in verdict.failures]
        verdict = verify.verify_state(state, at, found, today)
        said = [each.message for each in verdict.failures]
        if at.current is not None and not made.changed(at.current.path):
            said.insert(0, f'{at.current.path} has not changed since the agent started')
        return state, said


def _write_state(at: Records, state: State) -> str:
    """The command by which an agent writes the records of its stage."""
    words = at.called, at.kind.written_stage(state)
    write = ours('handoff', 'update', *words)
    return write if at.current else f'{ours("handoff", "create", *words)} && {write}'


def missing_work(context: Context, run: AgentRun) -> str:
    """What the agent left undone, '' if nothing."""
    kinds = context.workflow.kinds
    kind = next(kind for kind in kinds if run.state.name in kind.states)
    with closing(context.repository()) as repository:
        try:
            state, said = _failures(context, run, kind, repository)
        except Refusal as e:
            state, said = run.state, [e.message]
        at = records(SteadySnapshot(repository.facts.top), kind, run.item)
    lines = [shown(line) for line in dict.fromkeys(said)]
    if not lines:
        return ''
    if len(lines) > FEW_FAILURES:
        lines[FEW_FAILURES:] = [f'and {len(lines) - FEW_FAILURES} more']
    return '\n'.join(
        (
            f'{run.agent}: the state of {run.item} at {kind.label(state)} is not '
            f'complete:',
            *lines,
            f'next: do what is missing; then: {_write_state(at, state)}',
        )
    )
