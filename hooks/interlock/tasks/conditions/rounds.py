"""Rounds: in a state, only what was done since the task entered it counts. And the
way back to an earlier state."""

from __future__ import annotations

from interlock.documents import timestamps
from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.tasks.conditions.view import View
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import forward_gate, steps_back

# the conditions that ask for work of agents
WORK = frozenset({'agents-complete', 'reviews-approved'})


def entry_time(lock: Lock, state: str) -> str:
    """When the task last entered a state, '' if the log does not say."""
    times = [step.time for step in lock.log if step.target == state]
    return times[-1] if times else ''


def _asks_for_work(kind: Kind, state: str) -> bool:
    return bool(WORK.intersection(forward_gate(kind, state)))


def working_state(kind: Kind, lock: Lock) -> str:
    """The state since which the work of agents counts.

    It is the state of the task, unless the workflow names another one. If the state
    asks nothing of agents, it is the last one that did.
    """
    spec = kind.states.get(lock.state)
    if spec is not None and spec.agents_since:
        return spec.agents_since
    for state in (lock.state, *(step.target for step in reversed(lock.log))):
        if _asks_for_work(kind, state):
            return state
    return lock.state


def stale(view: View, time: str, state: str = '') -> str:
    """Why work from a time does not count, '' if it does.

    `state` is the one since which it counts, by default the task's own.
    """
    state = state or view.state
    since = entry_time(view.lock, state)
    if not since or (
        timestamps.parse(time) is not None and not timestamps.is_before(time, since)
    ):
        return ''
    entered = f'{state} was entered at {shown(since)}'
    if timestamps.parse(time) is not None:
        return f'at {shown(time)}, before {entered}'
    return f'{f"at {shown(time)}" if time else "at an unknown time"}, and {entered}'


def way_back(view: View, state: str) -> str:
    """The commands that lead back to a state, '' if none do."""
    steps = steps_back(view.kind, view.state, state)
    commands = [
        f"interlock transition {view.task} {step} --reason 'WHY'" for step in steps
    ]
    return ' && '.join(commands)


def selecting_state(view: View) -> str:
    """The state in which agents are selected and get their worktrees."""
    spec = view.protocol.conditions.get('agent-worktrees')
    return spec.origin if spec else ''


def add_command(view: View, agent: str) -> str:
    """The command that gives an agent a worktree, even if it lost its own."""
    return f"interlock agents add {view.task} {agent} --why 'WHY'"
