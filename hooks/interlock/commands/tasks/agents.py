from __future__ import annotations

import os

import click

from interlock.commands.click_options import (
    Options,
    example,
    formats,
    group,
    option,
    writes,
)
from interlock.commands.tasks.verdicts import say, values
from interlock.commands.workflow_options import task_argument
from interlock.documents.tasks.approvals import PLAN
from interlock.model.fixes import did_you_mean
from interlock.operations.tasks import agents as operations
from interlock.operations.tasks.agents import Places
from interlock.report.terminal import FOUND, out, out_json
from interlock.tasks.conditions.advice import Advice, advise
from interlock.tasks.conditions.agents import COMPLETION, asked_of_agents
from interlock.tasks.conditions.condition import ConditionResult
from interlock.tasks.conditions.gate import ADDITIONS, is_open, judge
from interlock.tasks.conditions.view import View
from interlock.tasks.task_worktrees import make_agent_worktree, remove_worktree
from interlock.tasks.workplace import LockedTask, require_own
from interlock.workflow.language.patterns import item_path
from interlock.workflow.language.protocol import names_of

# the beginning of recoveries that lead to `agents check`
ITSELF = 'interlock agents check '


@example('interlock agents check bake-bread')
@group('agents')
def command() -> None:
    """Add agents to a task, and check whether they are done."""


def _places(at: LockedTask, view: View) -> Places:
    folder = at.space.folder(at.name)
    return Places(
        at.lock,
        at.file(view.protocol.files.plan),
        tuple(os.path.join(folder, name) for name in view.flags.get(PLAN, ())),
    )


def _undo(at: LockedTask, agent: str, directory: str) -> None:
    branch = item_path(at.space.protocol.agent_branch, at.name, agent)
    remove_worktree(at.space, directory, branch)


@example("interlock agents add bake-bread cook --why 'knows bread'")
@command.command()
@task_argument('task')
@click.argument('agent')
@option('--why TEXT', 'Say why it is needed now.')
@writes
def add(options: Options, task: str, agent: str, why: str) -> int:
    """Add AGENT to TASK, with a worktree, a branch and the reason."""
    with options.task(task) as at:
        view = at.view()
        require_own(view)
        operations.refuse(view, agent, why, at.now)
        directory = make_agent_worktree(at.space, at.name, agent)
        try:
            at.apply(
                operations.add(view, _places(at, view), agent, why.strip(), at.now)
            )
        except BaseException:
            if directory:
                _undo(at, agent, directory)
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


def _completion(view: View) -> tuple[list[ConditionResult], Advice]:
    """The results for the one agent in the view; each leads to another command."""
    names = list(dict.fromkeys((*COMPLETION, *asked_of_agents(view))))
    advice = advise(view.agents[0], view, names)
    step = advice.step or advice.fact
    return [
        verdict._replace(recovery=step) if ITSELF in verdict.recovery else verdict
        for verdict in judge(view, ('agent-worktrees', *names))
    ], advice


@example('interlock agents check bake-bread cook')
@command.command()
@task_argument('task')
@click.argument('agent', required=False)
@formats('text', 'json')
@writes
def check(options: Options, task: str, agent: str | None, form: str) -> int:
    """Check whether AGENT is done; without one, audit the additions.

    Exit 1: it is not done, or was added against the rules.
    """
    with options.task(task, reads=True) as at:
        view = at.view()
    advice = None
    if agent is None:
        verdicts = judge(view, ADDITIONS)
    else:
        verdicts, advice = _completion(_only(view, agent))
    if form == 'json':
        out_json(
            {
                'task': task,
                'agent': agent,
                'conditions': values(verdicts),
                'advice': advice.values() if advice else None,
            },
            indent=None,
        )
    else:
        say(verdicts, options.quiet)
        if advice is not None:
            out(f'{agent}: {advice.why}')
    return 0 if is_open(verdicts) else FOUND
