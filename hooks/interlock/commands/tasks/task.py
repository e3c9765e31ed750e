from __future__ import annotations

import click

from interlock import __version__
from interlock.commands.group import LazyGroup

# as in group.py; the module of each is named task_NAME
TASK_COMMANDS = {
    'adopt': 'Give a worktree without a lock to a session; a person does.',
    'check': 'Is the lock of a task whole, and does its log tell the truth?',
    'clean': 'Take the worktrees of an abandoned task away; a person does.',
    'finish': 'Take the worktrees of TASK away and give its lock back.',
    'resume': 'Where TASK stands after an interruption, and what comes next.',
    'select': 'May this session work on a task? Without NAME: on which?',
    'start': 'Begin a task: lock, worktrees and audit trail.',
}


class TaskGroup(LazyGroup):
    table = TASK_COMMANDS
    folders = dict.fromkeys(TASK_COMMANDS, 'tasks')
    prefix = 'task_'


@click.group('task', cls=TaskGroup)
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Start, choose, check, adopt and end tasks."""
