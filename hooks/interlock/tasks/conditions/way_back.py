"""The way back to an earlier state of a task, and from there on."""

from __future__ import annotations

from interlock.tasks.conditions.view import View
from interlock.workflow.reading.transition_log import steps_back


def way_back(view: View, state: str) -> str:
    """The commands that lead back to a state, '' where none does."""
    steps = steps_back(view.kind, view.state, state)
    commands = [
        f'interlock transition {view.task} {step} --reason TEXT' for step in steps
    ]
    return ', then '.join(commands)


def adding(view: View, agent: str) -> str:
    """What gives an agent a worktree, also one that lost its own."""
    return f'interlock agents add {view.task} {agent} --why TEXT'
