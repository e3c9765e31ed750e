from __future__ import annotations

import click

from interlock import __version__
from interlock.commands.group import LazyGroup

# as in group.py; the module of each is named task_NAME
TASK_COMMANDS = {
    'adopt': 'Assign an unlocked worktree to a session (run by a person).',
    'check': 'Check that the lock of a task is valid and its log complete.',
    'clean': 'Remove the worktrees of an abandoned task (run by a person).',
    'finish': 'Remove the worktrees of TASK and give its lock back.',
    'list': 'List who works on which task: where, since when, confirmed when.',
    'resume': 'Show where TASK is after an interruption, and what comes next.',
    'select': 'Say whether this session may work on a task; without NAME, on which.',
    'start': 'Start a task: take its lock, create its worktrees and audit trail.',
}


class TaskGroup(LazyGroup):
    table = TASK_COMMANDS
    folders = dict.fromkeys(TASK_COMMANDS, 'tasks')
    prefix = 'task_'


@click.group('task', cls=TaskGroup)
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Start, choose, check, adopt and end tasks."""
