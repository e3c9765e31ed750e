"""What is known about the task once it is classified."""

from __future__ import annotations

from interlock.documents.text import shown
from interlock.model.finding import ERROR, WARNING
from interlock.model.fixes import did_you_mean, ours
from interlock.model.quick_typing import Iterator, Sequence
from interlock.tasks.conditions.added_agents import additions_of, text
from interlock.tasks.conditions.condition import Unmet, condition
from interlock.tasks.conditions.rounds import add_command, selecting_state, way_back
from interlock.tasks.conditions.view import View
from interlock.workflow.language.spec import STRICT
from interlock.workflow.reading.transition_log import (
    EVERY,
    forward,
    forward_gate,
    is_selecting,
    may_skip,
)

# the condition of a state in which the work is reviewed
REVIEWS = 'reviews-approved'


def strictness(mode: str) -> str:
    return ERROR if mode == STRICT else WARNING


@condition('GAT009', 'the risk level is recorded')
def risk_level(view: View) -> Iterator[Unmet]:
    risk, known = view.lock.text('risk'), view.protocol.risks
    if not risk:
        yield Unmet(f'no risk level is recorded: {", ".join(known)}')
    elif risk not in known:
        yield Unmet(
            f'`{shown(risk)}` is not a risk level ({", ".join(known)})'
            f'{did_you_mean(risk, known)}'
        )


@condition('GAT010', 'the risk level has a reason')
def risk_reason(view: View) -> Iterator[Unmet]:
    if not view.lock.text('risk_reason').strip():
        yield Unmet(
            'why the task has its risk level is not recorded',
            strictness(view.workflow.evidence),
        )


@condition('GAT011', 'agents are selected')
def agents_selected(view: View) -> Iterator[Unmet]:
    if not view.agents:
        yield Unmet('no agent is selected')


def _one(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ''


@condition('GAT012', 'the selection of agents has reasons')
def selection_reasons(view: View) -> Iterator[Unmet]:
    given = view.lock.mapping('selection')
    added = [text(each, 'agent') for each in additions_of(view)]
    missing = [
        agent.name
        for agent in view.agents
        if not given.get(agent.name) and agent.name not in added
    ]
    if missing and not view.lock.text('selection').strip():
        yield Unmet(
            f'why {", ".join(missing)} was selected is not recorded',
            strictness(view.workflow.evidence),
            _one(missing),
            add_command(view, missing[0]),
        )


@condition('GAT008', 'every agent has a worktree')
def agent_worktrees(view: View) -> Iterator[Unmet]:
    missing = [agent.name for agent in view.agents if not agent.worktree]
    if missing:
        yield Unmet(
            f'no worktree of {", ".join(missing)} exists',
            agent=_one(missing),
            # the state that selects agents needs no way back
            recovery=add_command(view, missing[0])
            if is_selecting(view.kind, view.state)
            else way_back(view, selecting_state(view)),
        )


def _reviewed(view: View) -> str:
    """When the work was first reviewed, '' if it never was."""
    return next(
        (
            step.time
            for step in view.lock.log
            if REVIEWS in forward_gate(view.kind, step.target)
        ),
        '',
    )


@condition('GAT013', 'the change is small')
def skip_allowed(view: View) -> Iterator[Unmet]:
    reviewed, after = _reviewed(view), forward(view.kind, view.state)
    step = ours('transition', view.task, after) if after else ''
    if reviewed:
        # otherwise a rejection could be skipped as well
        yield Unmet(
            f'the work was to be reviewed at {shown(reviewed)}; from then on '
            f'no state is skipped',
            recovery=step,
        )
        return
    if may_skip(view.lock, view.protocol):
        return
    risk, change = (
        ', before '.join(filter(None, reversed(view.lock.recorded(role))))
        for role in ('risk', 'change')
    )
    ways = [
        level
        if EVERY in allowed
        else f'{level} with a change of type {" or ".join(allowed)}'
        for level, allowed in view.protocol.skips.items()
    ]
    yield Unmet(
        f'the risk level is {shown(risk) or "not recorded"}, the type of '
        f'change {shown(change) or "not recorded"}; states are skipped only '
        f'at {", or at ".join(ways)}',
        recovery=step,
    )
