"""Who may go on, from where, and where to."""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.documents.text import shown
from interlock.model.finding import WARNING
from interlock.model.suggest import did_you_mean
from interlock.tasks.conditions.verdict import Fault
from interlock.tasks.conditions.view import View
from interlock.workflow.reading import transition_log
from interlock.workflow.reading.transition_log import following


def sequence(view: View) -> Iterator[Fault]:
    if view.target not in view.kind.states:
        near = did_you_mean(view.target, view.kind.states)
        yield Fault(f'`{shown(view.target)}` is no state{near}')
    elif view.line is None:
        origins = [
            origin
            for line in view.kind.transitions
            if view.target in line.targets
            for origin in line.origins
        ]
        state = shown(view.state) or 'no state'
        after = ' or '.join(following(view.kind, view.state)) or 'nothing'
        yield Fault(
            f'the lock says {state}, and {view.target} comes after '
            f'{" or ".join(origins)}; after {state} comes {after}'
        )


def session(view: View) -> Iterator[Fault]:
    if not view.actor.session:
        if view.actor.is_human:
            yield Fault('you have no session: a person goes on', WARNING)
        else:
            yield Fault('an agent runs this, and its session id is missing')


def lock_owned(view: View) -> Iterator[Fault]:
    owner, problem = view.lock.session, view.lock.problem
    if problem is not None:
        yield Fault(f'held by unknown: the lock {problem.message}')
    elif not owner:
        yield Fault('held by unknown: the lock names no session')
    elif view.actor.is_human:
        yield Fault(f'session {shown(owner)} holds the lock, and you are none', WARNING)
    elif owner != view.actor.session:
        yield Fault(
            f'session {shown(owner)} holds the lock, this is '
            f'{shown(view.actor.session) or "no session"}'
        )


def log_complete(view: View) -> Iterator[Fault]:
    for problem in transition_log.problems(view.lock, view.kind):
        yield Fault(problem.message)


def directory(view: View) -> Iterator[Fault]:
    here = os.path.realpath(view.directory)
    if here != os.path.realpath(view.code):
        yield Fault(f'the working directory is {view.directory}, not {view.code}')


def worktree(view: View) -> Iterator[Fault]:
    if not view.worktree:
        yield Fault(f'there is no worktree at {view.code}')


def todo_entry(view: View) -> Iterator[Fault]:
    if view.todo_problem:
        yield Fault(f'{view.protocol.todo} {view.todo_problem}')
    elif not view.listed:
        yield Fault(f'{view.protocol.todo} does not list {view.task}')
