"""Every condition by its name, and what they say of a task."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from interlock.documents.text import one_line
from interlock.model.finding import OFF
from interlock.rules.index import RULES
from interlock.tasks.conditions import (
    added_agents,
    agents,
    approvals,
    evidence,
    lock,
    plan,
    selection,
    trail,
    work,
)
from interlock.tasks.conditions.verdict import Condition, Fault, Verdict
from interlock.tasks.conditions.view import View
from interlock.workflow.language.patterns import place
from interlock.workflow.language.protocol import FORWARD, ConditionSpec
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import forward, passage

# the parts of a plan: each is a heading, and has its own code
PARTS = {
    'conflict-resolution': 'GAT041',
    'architecture-plan': 'GAT042',
    'trade-offs': 'GAT044',
    'success-criteria': 'GAT045',
    'file-manifest': 'GAT046',
    'api-specifications': 'GAT047',
    'behavioral-specifications': 'GAT048',
    'test-specifications': 'GAT049',
    'implementation-sequence': 'GAT050',
    'decision-log': 'GAT051',
}

CONDITIONS: dict[str, Condition] = {
    'sequence': Condition('GAT001', lock.sequence, 'the state may follow'),
    'log-complete': Condition(
        'GAT002', lock.log_complete, 'the log is complete and in order'
    ),
    'session': Condition('GAT003', lock.session, 'there is a session'),
    'lock-owned': Condition('GAT004', lock.lock_owned, 'the lock is ours'),
    'todo-entry': Condition('GAT005', lock.todo_entry, 'the task is listed'),
    'worktree': Condition('GAT006', lock.worktree, 'the worktree exists'),
    'directory': Condition(
        'GAT007', lock.directory, 'this is the worktree of the task'
    ),
    'agent-worktrees': Condition(
        'GAT008', selection.agent_worktrees, 'every agent has a worktree'
    ),
    'risk-level': Condition(
        'GAT009', selection.risk_level, 'the risk level is recorded'
    ),
    'risk-reason': Condition(
        'GAT010', selection.risk_reason, 'the risk level has a reason'
    ),
    'agents-selected': Condition(
        'GAT011', selection.agents_selected, 'agents are selected'
    ),
    'selection-reasons': Condition(
        'GAT012', selection.selection_reasons, 'the selection of agents has reasons'
    ),
    'skip-allowed': Condition('GAT013', selection.skip_allowed, 'the change is small'),
    'plan-file': Condition('GAT014', plan.plan_file, 'the plan exists'),
    'plan-sections': Condition(
        'GAT015', plan.plan_sections, 'the plan has its sections'
    ),
    'report-section': Condition(
        'GAT016', plan.report_section, 'the plan has a section for reports'
    ),
    'agents-complete': Condition(
        'GAT017', agents.agents_complete, 'every agent is done'
    ),
    'reports': Condition('GAT018', agents.reports, 'every agent has reported'),
    'no-agent-errors': Condition(
        'GAT019', agents.no_agent_errors, 'no agent reports an error'
    ),
    'plan-written': Condition('GAT020', plan.plan_written, 'the plan is written'),
    'plan-approved': Condition(
        'GAT021', approvals.plan_approved, 'the user approved this plan'
    ),
    'nothing-remaining': Condition(
        'GAT022', agents.nothing_remaining, 'no agent has work left'
    ),
    'work-committed': Condition('GAT023', work.work_committed, 'the work is committed'),
    'build-evidence': Condition(
        'GAT024', work.build_evidence, 'it builds, or needs no build'
    ),
    'clean-worktree': Condition('GAT025', work.clean_worktree, 'the worktree is clean'),
    'reviews-approved': Condition(
        'GAT026', agents.reviews_approved, 'every agent approved'
    ),
    'review-rejected': Condition(
        'GAT027', agents.review_rejected, 'a review was rejected'
    ),
    'checkpoint': Condition(
        'GAT028', approvals.checkpoint, 'the checkpoint is where the work is'
    ),
    'checkpoint-approved': Condition(
        'GAT029', approvals.checkpoint_approved, 'the user approved these changes'
    ),
    'scope-resolve': Condition(
        'GAT030', work.scope_resolve, 'something is to be resolved now'
    ),
    'scope-deferred': Condition(
        'GAT031', work.scope_deferred, 'everything open is deferred'
    ),
    'scope-approved': Condition(
        'GAT054',
        approvals.scope_approved,
        'the user decided to complete the work as it is',
    ),
    'evidence': Condition('GAT032', evidence.evidence, 'the state left its evidence'),
    'trail-complete': Condition(
        'GAT033', trail.trail_complete, 'the audit trail is complete'
    ),
    'merged-with-todo': Condition(
        'GAT034',
        work.merged_with_todo,
        'the work and the todo list reached main together',
    ),
    'additions-justified': Condition(
        'GAT035',
        added_agents.additions_justified,
        'every agent that was added has a justification',
    ),
    'additions-in-time': Condition(
        'GAT036', added_agents.additions_in_time, 'no agent was added too late'
    ),
    'additions-no-bypass': Condition(
        'GAT037',
        added_agents.additions_no_bypass,
        'no agent was added against a rejection',
    ),
    'additions-listed': Condition(
        'GAT038', added_agents.additions_listed, 'the agents and their additions agree'
    ),
    'requirement-mapping': Condition(
        'GAT043',
        plan.requirement_mapping,
        'the plan maps the requirements of every agent',
    ),
    **{
        name: Condition(
            code, plan.heading(name), f'the plan has its {name.replace("-", " ")}'
        )
        for name, code in PARTS.items()
    },
    'plan-wording': Condition(
        'GAT052', plan.plan_wording, 'the plan has agents implement'
    ),
    'plan-clarity': Condition(
        'GAT053', plan.plan_clarity, 'the plan says who starts agents'
    ),
}
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


def _recovery(text: str, fault: Fault, view: View) -> str:
    """With the names that are known, so that it can be run as it stands."""
    state = view.target or forward(view.kind, view.state) or 'STATE'
    agent = shlex.quote(one_line(fault.agent)) if fault.agent else 'AGENT'
    return place(text.replace('{state}', state), view.task, agent)


def _failed(name: str, fault: Fault, view: View) -> Verdict:
    code = CONDITIONS[name].code
    rule = RULES[code]
    texts = view.protocol.conditions.get(name, ConditionSpec('', '', ''))
    return Verdict(
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


def _verdicts(name: str, view: View) -> Iterator[Verdict]:
    condition = CONDITIONS[name]
    failed = [_failed(name, fault, view) for fault in condition.judge(view)]
    found = [each for each in failed if each.severity != OFF]
    yield from found or [Verdict(name, condition.code, '', condition.holds)]


def judge(view: View, names: Iterable[str]) -> list[Verdict]:
    """All of them, those that hold and those that do not."""
    return [each for name in names for each in _verdicts(name, view)]


def asked(kind: Kind, origin: str, target: str) -> tuple[str, ...]:
    """The conditions of a step; of one that is none, of the way forward."""
    lines = [line for line in kind.transitions if target in line.targets]
    lines.sort(key=lambda line: line.kind != FORWARD)
    line = passage(kind, origin, target) or next(iter(lines), None)
    return tuple(dict.fromkeys((*ALWAYS, *(line.gate if line else ()))))


def gate(view: View) -> list[Verdict]:
    return judge(view, asked(view.kind, view.state, view.target))


def is_open(verdicts: Iterable[Verdict]) -> bool:
    return not any(verdict.refuses for verdict in verdicts)
