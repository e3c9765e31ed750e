"""Which task may a session work on?"""

from __future__ import annotations

from typing import NamedTuple

from interlock.model.actor import RESTART, Actor
from interlock.tasks import lock_holders, task_notes, task_status
from interlock.tasks.task_layout import Workspace
from interlock.workflow.reading import task_selection
from interlock.workflow.reading.task_selection import Decision

CHANGED = 'its entry changed since the task was begun'


class Choice(NamedTuple):
    decision: Decision
    task: str
    notes: tuple[str, ...] = ()
    # tasks that may be begun, in the order of the list
    free: tuple[str, ...] = ()


def _free(space: Workspace, actor: Actor, besides: str = '') -> tuple[str, ...]:
    todo = task_status.todo(space)
    free = {
        name: task_selection.decide(task_status.situation(space, name, actor)).action
        == task_selection.INIT
        for name in todo.entries
    }
    found = task_selection.ready(todo, free, space.protocol)
    return tuple(name for name in found if name != besides)


def _notes(space: Workspace, task: str) -> tuple[str, ...]:
    todo = task_status.todo(space)
    if todo.problem is not None:
        return (f'{space.protocol.todo} {todo.problem.message}',)
    entry = todo.entries.get(task)
    notes = list(task_selection.notes(entry, todo, space.protocol))
    begun = task_notes.noted(space, task, task_notes.TODO)
    is_begun = lock_holders.held(space, task) is not None
    if entry and begun and is_begun and begun != task_status.checksum(entry):
        notes.append(CHANGED)
    return tuple(notes)


def _anonymous(task: str) -> Choice:
    sentence = (
        'an agent runs here that does not say its session, so nobody can '
        'tell which locks are its own'
    )
    options = (RESTART,)
    return Choice(Decision(task_selection.ERROR, sentence, options), task)


def _of_one(space: Workspace, actor: Actor, task: str) -> Choice:
    decision = task_status.decided(space, task, actor)
    free: tuple[str, ...] = ()
    if decision.action not in task_selection.YES:
        free = _free(space, actor, task)
    notes: tuple[str, ...] = ()
    if decision.action != task_selection.ERROR:
        notes = _notes(space, task)
    return Choice(decision, task, notes, free)


def _of_any(space: Workspace, actor: Actor) -> Choice:
    own = lock_holders.of_session(space, actor.session)
    if own:
        return _of_one(space, actor, own[0][0])
    free = _free(space, actor)
    if free:
        return _of_one(space, actor, free[0])._replace(free=free)
    sentence = f'no task in {space.protocol.todo} is ready and free'
    options = ('interlock lock list',)
    todo = task_status.todo(space)
    if todo.problem is not None:
        sentence = f'{space.protocol.todo} {todo.problem.message}'
        options = (f'mend {space.protocol.todo}',)
    return Choice(Decision(task_selection.ERROR, sentence, options), '')


def selected(space: Workspace, actor: Actor, task: str = '') -> Choice:
    """May the actor work on a task? Without one: on which?"""
    if actor.is_anonymous:
        return _anonymous(task)
    return _of_one(space, actor, task) if task else _of_any(space, actor)
