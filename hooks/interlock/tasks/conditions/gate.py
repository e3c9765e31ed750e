"""The gate of a task: who may continue, and the results of all its conditions."""

from __future__ import annotations

import os

from interlock.documents.text import one_line, shown
from interlock.model.finding import OFF, WARNING
from interlock.model.fixes import ask_to_end_lock, ours, probable_word
from interlock.model.quick_typing import Iterable, Iterator
from interlock.rules.index import RULES

# each registers its conditions
from interlock.tasks.conditions import added_agents as added_agents
from interlock.tasks.conditions import agents as agents
from interlock.tasks.conditions import approvals as approvals
from interlock.tasks.conditions import plan as plan
from interlock.tasks.conditions import selection as selection
from interlock.tasks.conditions import work as work
from interlock.tasks.conditions.condition import CONDITIONS as CONDITIONS
from interlock.tasks.conditions.condition import ConditionResult, Unmet, condition
from interlock.tasks.conditions.view import View
from interlock.workflow.language.patterns import item_path
from interlock.workflow.language.protocol import FORWARD, ConditionSpec
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading import transition_log
from interlock.workflow.reading.transition_log import following, forward, passage

# asked at every gate: whether the step is in order, and the log complete
ALWAYS = ('sequence', 'log-complete')
# the conditions that show agents added or removed by hand
BY_HAND = (
    'additions-justified',
    'additions-in-time',
    'additions-no-bypass',
    'additions-listed',
)
ADDITIONS = (*BY_HAND, 'agent-worktrees')


@condition('GAT001', 'the state may follow')
def sequence(view: View) -> Iterator[Unmet]:
    if view.target not in view.kind.states:
        near = probable_word(view.target, view.kind.states)
        hint = f'; did you mean `{near}`?' if near else ''
        yield Unmet(
            f'`{shown(view.target)}` is not a state{hint}',
            recovery=ours('gate', view.task, near) if near else '',
        )
    elif view.transition is None:
        origins = [
            origin
            for line in view.kind.transitions
            if view.target in line.targets
            for origin in line.origins
        ]
        state = shown(view.state) or 'no state'
        after = ' or '.join(following(view.kind, view.state)) or 'nothing'
        yield Unmet(
            f'the lock says {state}, and {view.target} comes after '
            f'{" or ".join(origins)}; after {state} comes {after}'
        )


@condition('GAT003', 'there is a session')
def session(view: View) -> Iterator[Unmet]:
    if not view.actor.session:
        if view.actor.is_human:
            yield Unmet('you have no session: a person may continue', WARNING)
        else:
            yield Unmet('an agent runs this, and its session id is missing')


@condition('GAT004', 'this session holds the lock')
def lock_owned(view: View) -> Iterator[Unmet]:
    owner, problem = view.lock.session, view.lock.problem
    way = ask_to_end_lock(
        view.task, view.lock.generation, ours('task', 'select', view.task)
    )
    if view.actor.is_human:
        # there a person sees who holds the lock, and how to end it
        way = ours('lock', 'show', view.task)
    if problem is not None:
        yield Unmet(
            f'held by an unknown session: the lock {problem.message}', recovery=way
        )
    elif not owner:
        yield Unmet(
            'held by an unknown session: the lock does not name a session', recovery=way
        )
    elif view.actor.is_human:
        yield Unmet(
            f'session {shown(owner)} holds the lock, and you are not a session',
            WARNING,
            recovery=way,
        )
    elif owner != view.actor.session:
        yield Unmet(
            f'session {shown(owner)} holds the lock, this is '
            f'{shown(view.actor.session) or "no session"}',
            recovery=way,
        )


@condition('GAT002', 'the log is complete and in order')
def log_complete(view: View) -> Iterator[Unmet]:
    for problem in transition_log.problems(view.lock, view.kind):
        yield Unmet(problem.message)


@condition('GAT007', 'this is the worktree of the task')
def directory(view: View) -> Iterator[Unmet]:
    here = os.path.realpath(view.directory)
    if here != os.path.realpath(view.code):
        yield Unmet(f'the working directory is {view.directory}, not {view.code}')


@condition('GAT006', 'the worktree exists')
def worktree(view: View) -> Iterator[Unmet]:
    if not view.worktree:
        yield Unmet(f'there is no worktree at {view.code}')


@condition('GAT005', 'the task is listed')
def todo_entry(view: View) -> Iterator[Unmet]:
    if view.todo_problem:
        yield Unmet(f'{view.protocol.todo} {view.todo_problem}')
    elif not view.listed:
        yield Unmet(f'{view.protocol.todo} does not list {view.task}')


def _recovery(text: str, fault: Unmet, view: View) -> str:
    """Fill in the known names, so that the command runs as printed."""
    import shlex

    state = view.target or forward(view.kind, view.state) or 'STATE'
    agent = shlex.quote(one_line(fault.agent)) if fault.agent else 'AGENT'
    return item_path(text.replace('{state}', state), view.task, agent)


def _failed(name: str, fault: Unmet, view: View) -> ConditionResult:
    code = CONDITIONS[name].code
    rule = RULES[code]
    texts = view.protocol.conditions.get(name, ConditionSpec('', '', ''))
    return ConditionResult(
        name,
        code,
        view.workflow.severities.get(code, fault.severity),
        # names of agents and paths may hold anything
        one_line(fault.message),
        texts.cause or rule.title,
        # for work that any state may leave undone: the current state
        texts.origin or fault.origin or view.state,
        _recovery(fault.recovery or texts.recovery or rule.fix, fault, view),
    )


def _verdicts(name: str, view: View) -> Iterator[ConditionResult]:
    condition = CONDITIONS[name]
    failed = [_failed(name, fault, view) for fault in condition.judge(view)]
    found = [each for each in failed if each.severity != OFF]
    yield from found or [ConditionResult(name, condition.code, '', condition.holds)]


def judge(view: View, names: Iterable[str]) -> list[ConditionResult]:
    """The results of all conditions, whether they hold or not."""
    return [each for name in names for each in _verdicts(name, view)]


def conditions_of_step(kind: Kind, origin: str, target: str) -> tuple[str, ...]:
    """The conditions of a step; if it is illegal, those of the way forward."""
    lines = [line for line in kind.transitions if target in line.targets]
    lines.sort(key=lambda line: line.kind != FORWARD)
    line = passage(kind, origin, target) or next(iter(lines), None)
    return tuple(dict.fromkeys((*ALWAYS, *(line.gate if line else ()))))


def gate(view: View) -> list[ConditionResult]:
    return judge(view, conditions_of_step(view.kind, view.state, view.target))


def is_open(verdicts: Iterable[ConditionResult]) -> bool:
    return not any(verdict.refuses for verdict in verdicts)
