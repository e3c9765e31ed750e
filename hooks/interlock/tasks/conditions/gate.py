"""What the conditions of a gate say of a task."""

from __future__ import annotations

from interlock.documents.text import one_line
from interlock.model.finding import OFF
from interlock.model.quick_typing import Iterable, Iterator
from interlock.rules.index import RULES

# each registers its conditions
from interlock.tasks.conditions import added_agents as added_agents
from interlock.tasks.conditions import agents as agents
from interlock.tasks.conditions import approvals as approvals
from interlock.tasks.conditions import lock as lock
from interlock.tasks.conditions import plan as plan
from interlock.tasks.conditions import selection as selection
from interlock.tasks.conditions import trail as trail
from interlock.tasks.conditions import work as work
from interlock.tasks.conditions.condition import CONDITIONS as CONDITIONS
from interlock.tasks.conditions.condition import ConditionResult, Unmet
from interlock.tasks.conditions.view import View
from interlock.workflow.language.patterns import place
from interlock.workflow.language.protocol import FORWARD, ConditionSpec
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import forward, passage

# asked at every gate: from where, and whether all before it is logged
ALWAYS = ('sequence', 'log-complete')
# what shows that agents were added or removed by hand
BY_HAND = (
    'additions-justified',
    'additions-in-time',
    'additions-no-bypass',
    'additions-listed',
)
ADDITIONS = (*BY_HAND, 'agent-worktrees')


def _recovery(text: str, fault: Unmet, view: View) -> str:
    """With the names that are known, so that it can be run as it stands."""
    import shlex

    state = view.target or forward(view.kind, view.state) or 'STATE'
    agent = shlex.quote(one_line(fault.agent)) if fault.agent else 'AGENT'
    return place(text.replace('{state}', state), view.task, agent)


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
        # of what every state may leave undone: the one it is in
        texts.origin or view.state,
        _recovery(fault.recovery or texts.recovery or rule.fix, fault, view),
    )


def _verdicts(name: str, view: View) -> Iterator[ConditionResult]:
    condition = CONDITIONS[name]
    failed = [_failed(name, fault, view) for fault in condition.judge(view)]
    found = [each for each in failed if each.severity != OFF]
    yield from found or [ConditionResult(name, condition.code, '', condition.holds)]


def judge(view: View, names: Iterable[str]) -> list[ConditionResult]:
    """All of them, those that hold and those that do not."""
    return [each for name in names for each in _verdicts(name, view)]


def asked(kind: Kind, origin: str, target: str) -> tuple[str, ...]:
    """The conditions of a step; if it is illegal, those of the way forward."""
    lines = [line for line in kind.transitions if target in line.targets]
    lines.sort(key=lambda line: line.kind != FORWARD)
    line = passage(kind, origin, target) or next(iter(lines), None)
    return tuple(dict.fromkeys((*ALWAYS, *(line.gate if line else ()))))


def gate(view: View) -> list[ConditionResult]:
    return judge(view, asked(view.kind, view.state, view.target))


def is_open(verdicts: Iterable[ConditionResult]) -> bool:
    return not any(verdict.refuses for verdict in verdicts)
