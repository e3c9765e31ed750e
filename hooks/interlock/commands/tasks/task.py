from __future__ import annotations

import os

import click

from interlock.checks.compare import with_severities
from interlock.commands.click_options import (
    Options,
    example,
    formats,
    governed,
    group,
    option,
    writes,
)
from interlock.commands.hooks.reporting import reported, say
from interlock.commands.tasks import verdicts
from interlock.commands.workflow_options import task_argument
from interlock.documents.text import shown
from interlock.model.errors import Denied
from interlock.model.fixes import quoted
from interlock.model.quick_typing import Any
from interlock.model.report import Report
from interlock.model.session_env import identity
from interlock.project.task_findings import task_findings
from interlock.report.terminal import FOUND, err, out, out_json
from interlock.report.text import FORMATS
from interlock.tasks import (
    lock_holders,
    task_actions,
    task_choice,
    task_notes,
    task_worktrees,
)
from interlock.tasks.conditions.advice import Action, advise, pattern, resumption
from interlock.tasks.conditions.agents import COMPLETION, asked_of_agents, unmet_reasons
from interlock.tasks.conditions.approvals import following_state
from interlock.tasks.conditions.gate import gate, is_open, judge
from interlock.tasks.conditions.view import View
from interlock.tasks.engines.overview import LockLine, overview
from interlock.tasks.lock_actions import end_by_person
from interlock.tasks.lock_holders import require_holder
from interlock.tasks.workplace import require_own
from interlock.workflow.reading.item_paths import is_path_name
from interlock.workflow.reading.transition_log import following

# afterwards, only the trail shows how the work was done
CONDITIONS = ('log-complete', 'trail-complete', 'merged-with-todo')
# asked if worktrees exist: their contents are removed with them
COMMITTED = 'work-committed'


@example('interlock task select')
@group('task')
def command() -> None:
    """Start, choose, check, adopt and end tasks."""


@example('interlock task select', 'interlock task select bake-bread')
@command.command()
@task_argument('name', required=False)
@formats('text', 'json')
@governed
def select(options: Options, name: str | None, form: str) -> int:
    """Say whether this session may work on NAME; without NAME, choose a task.

    Exit 0: begin or continue the task; exit 1: choose another task, ask the user,
    or something is wrong. JSON says which (`action`): init, resume, alternative, ask,
    error.
    """
    with options.tasks(reads=True) as at:
        task = '' if name is None else at.task(name)
        answer = task_choice.select(at.space, at.actor, task)
    may = answer.action in task_choice.YES
    if form == 'json':
        values = answer._asdict()
        if not may and answer.free:
            values['alternative'] = answer.free[0]
        out_json(values, indent=None)
        return 0 if may else FOUND
    out(answer.sentence)
    for note in answer.notes:
        err(f'interlock: warning: {answer.task}: {note}')
    for each in answer.options:
        out(f'    next: {each}')
    if answer.free:
        out(f'free: {", ".join(answer.free)}')
    return 0 if may else FOUND


@example('interlock task start bake-bread')
@command.command()
@task_argument('name')
@option('--agent agents AGENT...', 'Name an agent that is needed (may be repeated).')
@option(
    '--base REV',
    'Start from this commit of the main worktree.',
    default='HEAD',
    show_default=True,
)
@option('--on-branch', 'Continue on the branches of an earlier attempt.')
@writes
def start(
    options: Options, name: str, agents: tuple[str, ...], base: str, on_branch: bool
) -> int:
    """Start a task: take its lock, create its worktrees and audit trail.

    If a step fails, everything is undone.
    """
    for agent in agents:
        if not is_path_name(agent):
            raise click.UsageError(f'{shown(agent)!r} cannot be the name of an agent')
    with options.tasks() as at:
        task = at.task(name)
        names = tuple(dict.fromkeys(agents))
        generation = task_actions.start(at, task, names, base, on_branch)
    if not options.quiet:
        err(
            f'{task} started, generation {generation}; next: cd '
            f'{quoted([at.space.code(task)])}'
        )
    out(at.space.code(task))
    return 0


def _lock_line(line: LockLine) -> str:
    own = ' (this session)' if line.is_own else ''
    parts = [f'{line.task:24} {shown(line.state) or "-":18} {line.holder}{own}']
    if line.worktree:
        parts.append(f'  in {shown(line.worktree)}')
    if line.confirmed:
        parts.append(f'  confirmed: {line.confirmed}')
    return '\n    '.join(parts)


@example('interlock task list', 'interlock task list --all')
@command.command('list')
@option('--all everywhere', 'Ask the engine for the locks of others too.')
@formats('text', 'json')
@governed
def list_(options: Options, everywhere: bool, form: str) -> int:
    """List who works on which task: where, since when, confirmed when."""
    with options.tasks(reads=True) as at:
        found = overview(at.space, at.actor, everywhere)
    if found.warning:
        err(found.warning)
    if form == 'json':
        out_json([line._asdict() for line in found.lines], indent=None)
    elif found.lines:
        out('\n'.join(map(_lock_line, found.lines)))
    elif not options.quiet:
        err('no session works on a task')
    return 0


@example('interlock task check bake-bread')
@command.command()
@task_argument('name', metavar='TASK|main')
@formats(*FORMATS)
@governed
def check(options: Options, name: str, form: str) -> int:
    """Check that the lock of a task is valid and its log complete."""
    with reported(form), options.tasks(reads=True) as at:
        found = list(task_findings(at, at.task_or_main(name)))
        kept = with_severities(found, at.space.workflow)
    return say(Report(kept), form, options.verbosity)


def _agents(view: View) -> list[dict[str, Any]]:
    names = asked_of_agents(view) or COMPLETION
    return [
        {
            'agent': agent.name,
            'worktree': agent.worktree,
            'status': agent.status,
            'report': agent.report_path,
            'report_bytes': agent.report,
            'complete': not unmet_reasons(agent, view, names),
            'starts': agent.starts,
            **advise(agent, view).values(),
        }
        for agent in view.agents
    ]


def _say_state(view: View, action: Action) -> None:
    out(f'{view.task} is in {shown(view.state) or "no state"}')
    there = 'exists' if view.worktree else 'is missing'
    out(f'  worktree {view.code} {there}')
    for each in _agents(view):
        size = each['report_bytes']
        report = 'no report' if size is None else f'report of {size} bytes'
        worktree = '' if each['worktree'] else ', no worktree'
        out(
            f'  {each["agent"]:16} {each["status"] or "no status":12} '
            f'{report}{worktree}; {each["why"]}'
        )
    common = pattern(view, action.agents)
    if common:
        out(f'  {common}')


@example('interlock task resume bake-bread')
@command.command()
@task_argument('task')
@formats('text', 'json')
@writes
def resume(options: Options, task: str, form: str) -> int:
    """Show where TASK is after an interruption, and what comes next.

    Nothing is changed. Exit 1: agents still have to be started.
    """
    with options.task(task, reads=True) as at:
        view = at.view()
        following = following_state(view.kind, view.state)
        if following:
            view = at.at_gate(following)
    found = gate(view) if following else []
    action = resumption(view, found)
    if form == 'json':
        out_json(
            {
                'task': view.task,
                'state': view.state,
                'held_by': view.lock.session,
                'worktree': {'path': view.code, 'exists': view.worktree},
                'agents': _agents(view),
                'action': action.name,
                'invoke': list(action.agents),
                'why': action.why,
                'next_state': view.target,
                'gate': verdicts.values(found),
            },
            indent=None,
        )
    else:
        _say_state(view, action)
        if following:
            out(f'before {following}:')
            verdicts.say(found, quiet=not options.verbose)
        names = f' [{", ".join(action.agents)}]' if action.agents else ''
        out(f'{action.name}{names}: {action.why}')
    return FOUND if action.agents else 0


def _refuse_early(view: View) -> None:
    if view.state not in view.kind.states or following(view.kind, view.state):
        raise Denied(
            f'{view.task} is in {view.state}, which is not its last state',
            f'interlock task resume {view.task}',
        )


@example('interlock task finish bake-bread')
@command.command()
@task_argument('task')
@writes
def finish(options: Options, task: str) -> int:
    """Remove the worktrees of TASK and give its lock back.

    The task must be in its last state and its audit trail complete; the trail, the
    plan and the reports are kept.
    """
    with options.task(task) as at:
        view = at.view(needs=(*CONDITIONS, COMMITTED))
        require_own(view)
        _refuse_early(view)
        found = judge(view, (*CONDITIONS, COMMITTED) if view.worktree else CONDITIONS)
        if not is_open(found):
            verdicts.say(found, quiet=1)
            return FOUND
        # remove nothing until the engine confirms that the lock is ours
        at.locks.confirm(task)
        require_holder(at.space, task, at.actor)
        agents = [agent.name for agent in view.agents]
        for directory, branch in task_worktrees.task_worktrees(
            at.space, at.name, agents
        ):
            if os.path.isdir(directory):
                deleted = task_worktrees.remove_worktree(at.space, directory, branch)
                kept = '' if deleted else f', the branch {branch} is kept'
                err(f'{directory}: removed{kept}')
        finished = at.event('finished', task, at.held.lock.generation)
        at.locks.changes(task).remove(at.held, finished)
    err(f'{task} is finished; {at.trail.path} is kept')
    return 0


@example('interlock task adopt bake-bread --session s-1')
@command.command()
@task_argument('name')
@option('--session ID', 'Name the session that continues the task.', required=True)
@option('--state STATE', 'Continue in this state (default: the last one of its lock).')
@writes
def adopt(options: Options, name: str, session: str, state: str) -> int:
    """Assign an unlocked worktree to a session (run by a person)."""
    session = identity(session)
    if not session:
        raise click.UsageError(
            '--session is not a session id: give that of the session that continues'
        )
    with options.tasks() as at:
        task = at.task(name)
        reached = task_actions.adopt(at, task, session, state)
    if not options.quiet:
        err(f'{task} is held by session {session.strip()}, in {reached}')
    return 0


@example('interlock task clean bake-bread')
@command.command()
@task_argument('name')
@writes
def clean(options: Options, name: str) -> int:
    """Remove the worktrees of an abandoned task (run by a person).

    A task is abandoned if it has a worktree without a lock, or a lock without a
    worktree. The command stops at uncommitted changes, and keeps unmerged branches
    and the audit trail.
    """
    with options.tasks() as at:
        task = at.task(name)
        lost = None
        if not os.path.isdir(at.space.code(task)):
            lost = lock_holders.lock_of(at.space, task)
        if lost is None:
            task_actions.refuse_locked(at, task)
        task_actions.require_user(
            at, task, task_notes.CLEAN, 'clean up an abandoned task'
        )
        if lost is None:
            task_actions.require_abandoned(at, task)
        left = task_worktrees.clean(at.space, task)
        if lost is not None:
            end_by_person(at, task, lost)
        task_notes.remove_note(at.space, task, task_notes.CONSENT)
    for branch in left:
        err(f'the branch {branch} is not merged, and stays')
    if not options.quiet:
        err(f'{task} is cleaned up; its audit trail stays')
    return 0
