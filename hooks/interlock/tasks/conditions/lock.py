"""Who may go on, from where, and where to."""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.model.finding import WARNING
from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Iterator
from interlock.tasks.conditions.condition import Unmet, condition
from interlock.tasks.conditions.view import View
from interlock.workflow.reading import transition_log
from interlock.workflow.reading.transition_log import following


@condition('GAT001', 'the state may follow')
def sequence(view: View) -> Iterator[Unmet]:
    if view.target not in view.kind.states:
        near = did_you_mean(view.target, view.kind.states)
        yield Unmet(f'`{shown(view.target)}` is not a state{near}')
    elif view.line is None:
        origins = [
            origin
            for line in view.kind.transitions
            if view.target in line.targets
            for origin in line.origins
        ]
        state = shown(view.state) or 'no state'
        after = ' or '.join(following(view.kind, view.state)) or 'nothing'
        yield Unmet(
            f'the lock says {state}, and {view.target} comes after '
            f'{" or ".join(origins)}; after {state} comes {after}'
        )


@condition('GAT003', 'there is a session')
def session(view: View) -> Iterator[Unmet]:
    if not view.actor.session:
        if view.actor.is_human:
            yield Unmet('you have no session: a person goes on', WARNING)
        else:
            yield Unmet('an agent runs this, and its session id is missing')


@condition('GAT004', 'the lock is ours')
def lock_owned(view: View) -> Iterator[Unmet]:
    owner, problem = view.lock.session, view.lock.problem
    if problem is not None:
        yield Unmet(f'held by unknown: the lock {problem.message}')
    elif not owner:
        yield Unmet('held by unknown: the lock names no session')
    elif view.actor.is_human:
        yield Unmet(
            f'session {shown(owner)} holds the lock, and you are not a session', WARNING
        )
    elif owner != view.actor.session:
        yield Unmet(
            f'session {shown(owner)} holds the lock, this is '
            f'{shown(view.actor.session) or "no session"}'
        )


@condition('GAT002', 'the log is complete and in order')
def log_complete(view: View) -> Iterator[Unmet]:
    for problem in transition_log.problems(view.lock, view.kind):
        yield Unmet(problem.message)


@condition('GAT007', 'this is the worktree of the task')
def directory(view: View) -> Iterator[Unmet]:
    here = os.path.realpath(view.directory)
    if here != os.path.realpath(view.code):
        yield Unmet(f'the working directory is {view.directory}, not {view.code}')


@condition('GAT006', 'the worktree exists')
def worktree(view: View) -> Iterator[Unmet]:
    if not view.worktree:
        yield Unmet(f'there is no worktree at {view.code}')


@condition('GAT005', 'the task is listed')
def todo_entry(view: View) -> Iterator[Unmet]:
    if view.todo_problem:
        yield Unmet(f'{view.protocol.todo} {view.todo_problem}')
    elif not view.listed:
        yield Unmet(f'{view.protocol.todo} does not list {view.task}')
