from __future__ import annotations

import json
import os

import click

from interlock import __version__
from interlock.commands.click_options import writes
from interlock.commands.tasks.context import AtTask, at_task, require_own, say, values
from interlock.documents.tasks.approvals import PLAN
from interlock.git import worktrees
from interlock.model.errors import Denied
from interlock.model.suggest import did_you_mean
from interlock.operations.tasks import agents as operations
from interlock.operations.tasks.agents import Places
from interlock.report.terminal import FOUND, out
from interlock.tasks.conditions.advice import Advice, advise
from interlock.tasks.conditions.agents import COMPLETION, asked_of_agents
from interlock.tasks.conditions.condition import ConditionResult
from interlock.tasks.conditions.gate import ADDITIONS, is_open, judge
from interlock.tasks.conditions.view import View
from interlock.workflow.language.patterns import expand, place
from interlock.workflow.language.protocol import names_of

# what a refusal that leads to `agents check` says
ITSELF = 'interlock agents check '


@click.group('agents')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Agents of a task: add one, see whether they are done."""


def _places(at: AtTask, view: View) -> Places:
    folder = at.place.space.folder(at.name)
    return Places(
        at.lock,
        at.file(view.protocol.files.plan),
        tuple(os.path.join(folder, name) for name in view.flags.get(PLAN, ())),
    )


def _make_worktree(at: AtTask, view: View, agent: str) -> str:
    """The worktree of a new agent, with a branch from that of the task.

    '' where it is there already, as a command that was killed left it.
    """
    space = at.place.space
    if space.without_git:
        raise Denied(f'{space.without_git}, so no worktree can be made', 'git init')
    directory = at.path(view.protocol.files.agent_code, agent)
    if os.path.isdir(directory):
        return ''
    branch = place(view.protocol.agent_branch, at.name, agent)
    if worktrees.has_branch(os.environ, space.main, branch):
        # its worktree was lost, and its commits were not
        worktrees.restore(os.environ, space.main, directory, branch)
        return directory
    base = expand(view.protocol.branch, at.name)
    if not worktrees.has_branch(os.environ, space.main, base):
        base = 'HEAD'
    worktrees.add(os.environ, space.main, directory, branch, base)
    return directory


def _undo(at: AtTask, view: View, agent: str, directory: str) -> None:
    main = at.place.space.main
    branch = place(view.protocol.agent_branch, at.name, agent)
    worktrees.remove(os.environ, main, directory)
    worktrees.delete_branch(os.environ, main, branch)


@command.command()
@click.argument('task')
@click.argument('agent')
@click.option('--why', default='', help='Why it is needed, and not before.')
@writes
def add(
    task: str, agent: str, why: str, config: str, wait: float, verbose: int, quiet: int
) -> int:
    """Have AGENT take part in TASK: worktree, branch, and the reason."""
    with at_task(config, wait, task) as at:
        view = at.view()
        require_own(view)
        operations.refuse(view, agent, why, at.now)
        directory = _make_worktree(at, view, agent)
        try:
            at.apply(
                operations.add(view, _places(at, view), agent, why.strip(), at.now)
            )
        except BaseException:
            if directory:
                _undo(at, view, agent, directory)
            raise
    return 0


def _only(view: View, agent: str) -> View:
    names = names_of(agent, view.protocol)
    found = tuple(each for each in view.agents if each.name in names)
    if not found:
        known = [each.name for each in view.agents]
        raise click.UsageError(
            f'{view.task} has no agent `{agent}`{did_you_mean(agent, known)}'
        )
    return view._replace(agents=found)


def _audit(view: View) -> tuple[list[ConditionResult], None]:
    return judge(view, ADDITIONS), None


def _completion(view: View) -> tuple[list[ConditionResult], Advice]:
    """Of the one agent in the view; what is next is not this command."""
    names = list(dict.fromkeys((*COMPLETION, *asked_of_agents(view))))
    advice = advise(view.agents[0], view, names)
    return [
        verdict._replace(recovery=advice.why) if ITSELF in verdict.recovery else verdict
        for verdict in judge(view, ('agent-worktrees', *names))
    ], advice


@command.command()
@click.argument('task')
@click.argument('agent', required=False)
@click.option('--format', 'form', type=click.Choice(['text', 'json']), default='text')
@writes
def check(
    task: str,
    agent: str | None,
    form: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Is AGENT done, and what if not? Without one: audit the additions.

    Exit 1 where it is not done, or was added against the rules.
    """
    with at_task(config, wait, task, reads=True) as at:
        view = at.view()
    if agent is not None:
        view = _only(view, agent)
    verdicts, advice = _audit(view) if agent is None else _completion(view)
    if form == 'json':
        out(
            json.dumps(
                {
                    'task': task,
                    'agent': agent,
                    'conditions': values(verdicts),
                    'advice': advice._asdict() if advice else None,
                }
            )
        )
    else:
        say(verdicts, quiet)
        if advice is not None:
            out(f'{agent}: {advice.action}: {advice.why}')
    return 0 if is_open(verdicts) else FOUND
