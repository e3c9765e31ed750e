from __future__ import annotations

import os

import click

from interlock.commands.click_options import Options, example, group, option, writes
from interlock.commands.tasks.verdicts import say
from interlock.commands.workflow_options import task_argument
from interlock.documents.tasks.trail import (
    BUILDS,
    COMMITS,
    COMPLETED,
    FAILED,
    INVOCATIONS,
    TOOLS,
    TRANSITIONS,
)
from interlock.git.commit_summary import commit_facts, entry
from interlock.operations.outcome import Outcome
from interlock.operations.tasks import trail as operations
from interlock.operations.tasks.trail import Entry
from interlock.report.terminal import FOUND
from interlock.tasks.conditions.gate import is_open, judge
from interlock.tasks.workplace import LockedTask, require_own

CONDITION = 'trail-complete'
KINDS = ('transition', 'agent-start', 'agent-end', 'tool', 'commit', 'build')
COUNTS = ('tests_run', 'tests_passed', 'tests_failed')


@example('interlock trail check bake-bread')
@group('trail')
def command() -> None:
    """Log what is done for a task, and check that the log is complete."""


class GivenValues(dict[str, str]):
    """The options of `add`; '' for missing ones."""

    def __missing__(self, key: str) -> str:
        return ''


def _entry(
    at: LockedTask, kind: str, name: str, given: GivenValues
) -> tuple[str, Entry]:
    """The section of the trail, and its new entry."""
    if kind == 'transition':
        origin, _, target = name.partition('->')
        if {origin, target} - set(at.space.kind.states):
            raise click.UsageError('a transition is named FROM->TO, both states')
        return TRANSITIONS, operations.transition(origin, target, at.now, given['note'])
    elif kind == 'agent-start':
        directory = given['directory'] or os.getcwd()
        return INVOCATIONS, operations.started_agent(
            name, given['mode'], directory, at.now
        )
    elif kind == 'commit':
        facts = commit_facts(os.environ, at.space.code(at.name), name)
        return COMMITS, entry(facts, given['agent'], at.now, given['branch'])
    elif kind == 'build':
        if not given['result']:
            raise click.UsageError('a build has a --result')
        return BUILDS, {
            'timestamp': at.now,
            'command': name,
            'result': given['result'],
            **{key: int(given[key]) for key in COUNTS if given[key]},
        }
    return TOOLS, {
        'tool': name,
        'agent_name': given['agent'],
        'file_path': given['file'],
        'timestamp': at.now,
        'working_dir': given['directory'],
        'note': given['note'],
    }


@example('interlock trail add bake-bread build make --result SUCCESS')
@command.command()
@task_argument('task')
@click.argument('kind', type=click.Choice(KINDS))
@click.argument('name')
@option('--agent TEXT', 'Name the agent that did it.', default=None)
@option('--mode TEXT', 'Say what an agent was started for.', default=None)
@option('--directory TEXT', 'Say where an agent or a tool works.', default=None)
@option('--report TEXT', 'Say where the report of an agent lies.', default=None)
@click.option('--status', type=click.Choice([COMPLETED, FAILED]))
@option('--file TEXT', 'Name the file that a tool changed.', default=None)
@option('--note TEXT', 'Add a remark.', default=None)
@option('--branch TEXT', 'Name the branch of a commit.', default=None)
@option('--result TEXT', 'Say how a build ended.', default=None)
@option('--tests-run', 'Give the number of tests.', type=click.IntRange(0))
@option('--tests-passed', 'Give the number that passed.', type=click.IntRange(0))
@option('--tests-failed', 'Give the number that failed.', type=click.IntRange(0))
@writes
def add(
    options: Options, task: str, kind: str, name: str, **given: str | int | None
) -> int:
    """Log a step for TASK: NAME is the agent, tool, commit or command.

    A transition is named FROM->TO; agent-end closes what agent-start opened.
    """
    values = GivenValues(
        {key: str(value) for key, value in given.items() if value is not None}
    )
    with options.task(task) as at:
        require_own(at.view())
        if kind == 'agent-end':
            data = at.trail.with_end(name, values['report'], values['status'])
        else:
            data = at.trail.with_entry(*_entry(at, kind, name, values))
        at.apply(Outcome({at.trail.path: data}))
    return 0


@example('interlock trail check bake-bread')
@command.command()
@task_argument('task')
@writes
def check(options: Options, task: str) -> int:
    """Check that the audit trail of TASK is complete; exit 1 if it is not."""
    with options.task(task, reads=True) as at:
        verdicts = judge(at.view(needs=(CONDITION,)), (CONDITION,))
    say(verdicts, options.quiet)
    return 0 if is_open(verdicts) else FOUND
