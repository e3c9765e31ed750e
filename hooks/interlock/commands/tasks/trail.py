from __future__ import annotations

import os

import click

from interlock import __version__
from interlock.commands.click_options import writes
from interlock.commands.tasks.context import AtTask, at_task, require_own, say
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

CONDITION = 'trail-complete'
KINDS = ('transition', 'agent-start', 'agent-end', 'tool', 'commit', 'build')


@click.group('trail')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Log what is done for a task, and see whether all of it is."""


class Options(dict[str, str]):
    """What came with `add`; '' for what did not."""

    def __missing__(self, key: str) -> str:
        return ''


def _transition(at: AtTask, name: str, given: Options) -> Entry:
    origin, mark, target = name.partition('->')
    states = at.place.space.kind.states
    if not mark or target not in states or origin not in states:
        raise click.UsageError('a transition is named FROM->TO, both states')
    return operations.transition(origin, target, at.now, given['note'])


def _commit(at: AtTask, name: str, given: Options) -> Entry:
    facts = commit_facts(os.environ, at.place.space.code(at.name), name)
    return entry(facts, given['agent'], at.now, given['branch'])


def _build(at: AtTask, name: str, given: Options) -> Entry:
    if not given['result']:
        raise click.UsageError('a build has a --result')
    counts = ('tests_run', 'tests_passed', 'tests_failed')
    return {
        'timestamp': at.now,
        'command': name,
        'result': given['result'],
        **{key: int(given[key]) for key in counts if given[key]},
    }


def _entry(at: AtTask, kind: str, name: str, given: Options) -> tuple[str, Entry]:
    if kind == 'transition':
        return TRANSITIONS, _transition(at, name, given)
    elif kind == 'agent-start':
        directory = given['directory'] or os.getcwd()
        return INVOCATIONS, operations.started(name, given['mode'], directory, at.now)
    elif kind == 'commit':
        return COMMITS, _commit(at, name, given)
    elif kind == 'build':
        return BUILDS, _build(at, name, given)
    return TOOLS, {
        'tool': name,
        'agent_name': given['agent'],
        'file_path': given['file'],
        'timestamp': at.now,
        'working_dir': given['directory'],
        'note': given['note'],
    }


def _written(at: AtTask, kind: str, name: str, given: Options) -> bytes:
    session = at.held.lock.session
    if kind == 'agent-end':
        return operations.with_end(
            at.trail, name, given['report'], given['status'], at.name, session, at.now
        )
    section, new = _entry(at, kind, name, given)
    return operations.with_entry(at.trail, section, new, at.name, session, at.now)


@command.command()
@click.argument('task')
@click.argument('kind', type=click.Choice(KINDS))
@click.argument('name')
@click.option('--agent', help='Which agent did it.')
@click.option('--mode', help='What an agent was started for.')
@click.option('--directory', help='Where an agent or a tool works.')
@click.option('--report', help='Where the report of an agent lies.')
@click.option('--status', type=click.Choice([COMPLETED, FAILED]))
@click.option('--file', help='The file that a tool changed.')
@click.option('--note', help='A remark.')
@click.option('--branch', help='The branch of a commit.')
@click.option('--result', help='How a build ended.')
@click.option('--tests-run', type=click.IntRange(0), help='Of a build.')
@click.option('--tests-passed', type=click.IntRange(0), help='Of a build.')
@click.option('--tests-failed', type=click.IntRange(0), help='Of a build.')
@writes
def add(
    task: str,
    kind: str,
    name: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
    **given: str | int | None,
) -> int:
    """Log a step for TASK: NAME is the agent, tool, commit or command.

    A transition is named FROM->TO; agent-end closes what agent-start opened.
    """
    values = Options(
        {key: str(value) for key, value in given.items() if value is not None}
    )
    with at_task(config, wait, task) as at:
        require_own(at.view())
        data = _written(at, kind, name, values)
        at.apply(Outcome({at.trail.path: data}))
    return 0


@command.command()
@click.argument('task')
@writes
def check(task: str, config: str, wait: float, verbose: int, quiet: int) -> int:
    """Is the audit trail of TASK complete? Exit 1 where it is not."""
    with at_task(config, wait, task, reads=True) as at:
        verdicts = judge(at.view(needs=(CONDITION,)), (CONDITION,))
    say(verdicts, quiet)
    return 0 if is_open(verdicts) else FOUND
