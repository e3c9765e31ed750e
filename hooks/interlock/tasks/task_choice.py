"""Which task may a session work on? Six answers, by lock and worktree."""

from __future__ import annotations

import os

from interlock.documents.tasks.todo import Todo
from interlock.model.actor import RESTART, Actor
from interlock.model.fixes import nearest
from interlock.model.quick_typing import NamedTuple
from interlock.tasks import lock_holders, task_notes
from interlock.tasks.lock_store import Held, locks_of
from interlock.tasks.task_files import checksum, todo_list
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.reading import todo_entries
from interlock.workflow.reading.todo_entries import is_listed

RESUME = 'resume'
ERROR = 'error'
ALTERNATIVE = 'alternative'
ASK = 'ask'
INIT = 'init'
# the answers that let work continue
YES = (RESUME, INIT)
CHANGED = 'its entry changed since the task was begun'


class Choice(NamedTuple):
    action: str
    sentence: str
    # the commands that a person may choose from
    options: tuple[str, ...] = ()
    task: str = ''
    notes: tuple[str, ...] = ()
    # tasks that may be begun, in the order of the list
    free: tuple[str, ...] = ()


def _of_own_lock(task: str, state: str, code: str) -> Choice:
    if os.path.isdir(code):
        return Choice(
            RESUME,
            f'{task} is held by this session: continue in {state}',
            (f'interlock task resume {task}',),
        )
    return Choice(
        ERROR,
        f'{task} is held by this session, but its worktree {code} is missing: '
        f'ask the user to clean up, which keeps branches that are not merged; '
        f'`interlock task start {task} --on-branch` continues with them',
        (f'interlock task clean {task}',),
    )


def _of_lock(space: Workspace, task: str, actor: Actor, lock: Held) -> Choice:
    if lock.is_held_by(actor.session):
        return _of_own_lock(task, lock.lock.state, space.code(task))
    holder = lock_holders.holder_text(
        lock, task_notes.session_end_time(space, task, lock)
    )
    if not lock.holder:
        return Choice(
            ASK,
            f'{task} is held by {holder}; ask the user who works on it',
            (f'interlock lock show {task}', 'interlock task select'),
        )
    has_worktree = os.path.isdir(space.code(task))
    missing = '' if has_worktree else '; it has no worktree yet, so it may be starting'
    others = 'interlock task select'
    if lock_holders.is_left(space, task, lock):
        return Choice(
            ALTERNATIVE,
            f'{task} is held by {holder}{missing}: the user may end that lock; '
            f'otherwise choose another task',
            (lock_holders.way_on(space, task, lock, actor, others), others),
        )
    return Choice(
        ALTERNATIVE,
        f'{task} is held by {holder}{missing}: choose another task',
        (others,),
    )


def by_lock(space: Workspace, task: str, actor: Actor) -> Choice:
    """Whether the actor may work on a task, by its lock and its worktree."""
    import shlex

    lock, code = lock_holders.lock_of(space, task), space.code(task)
    if lock is not None:
        return _of_lock(space, task, actor, lock)
    elif not os.path.isdir(code):
        return Choice(INIT, f'{task} is free', (f'interlock task start {task}',))
    whose = shlex.quote(actor.session) if actor.session else 'ID'
    return Choice(
        ASK,
        f'the worktree {code} of {task} exists without a lock: a session may '
        f'have crashed, or another one may be at work; ask the user whether '
        f'to clean it up, to continue in it, or to choose another task (the user '
        f'runs one of the commands, or answers `clean {task}` or '
        f'`adopt {task}`, then you may)',
        (
            f'interlock task clean {task}',
            f'interlock task adopt {task} --session {whose}',
            'interlock task select',
        ),
    )


def _begins_with(task: str, protocol: ProtocolSpec) -> str:
    entry = f'- [ ] **{protocol.words.ready}:** `{task}` - TEXT'
    return f'a task begins with its entry, `{entry}`'


def _unlisted(task: str, todo: Todo, protocol: ProtocolSpec, begun: bool) -> Choice:
    """Why a free task cannot begin: the list lacks it.

    `begun`: somebody worked on it before, so its name is not a typing error.
    """
    open_ones = [name for name in todo.entries if is_listed(todo, name, protocol)]
    near = '' if begun else nearest(task, open_ones)
    if task in todo.entries:
        sentence = f'{protocol.todo} says that {task} is done'
    elif begun:
        sentence = (
            f'{task} was worked on before, and {protocol.todo} no longer lists it: it '
            f'is finished'
        )
    else:
        sentence = f'{protocol.todo} does not list {task}'
    meant = f'did you mean `{near}`?' if near else _begins_with(task, protocol)
    return Choice(
        ERROR, f'{sentence}; {meant}', (f'interlock task select {near}'.strip(),)
    )


def choice_of(space: Workspace, task: str, actor: Actor) -> Choice:
    """Like `by_lock`, but a task that is not listed cannot begin."""
    choice, protocol = by_lock(space, task, actor), space.protocol
    path = os.path.join(space.main, protocol.todo)
    if choice.action != INIT or not os.path.lexists(path):
        return choice
    todo = todo_list(space)
    # an unreadable list is reported where it is read
    if todo.problem is not None or is_listed(todo, task, protocol):
        return choice
    return _unlisted(task, todo, protocol, bool(locks_of(space).last_generation(task)))


def _free(space: Workspace, actor: Actor, besides: str = '') -> tuple[str, ...]:
    todo = todo_list(space)
    free = {name: by_lock(space, name, actor).action == INIT for name in todo.entries}
    found = todo_entries.ready(todo, free, space.protocol)
    return tuple(name for name in found if name != besides)


def _notes(space: Workspace, task: str) -> tuple[str, ...]:
    todo = todo_list(space)
    if todo.problem is not None:
        return (f'{space.protocol.todo} {todo.problem.message}',)
    entry = todo.entries.get(task)
    notes = list(todo_entries.notes(entry, todo, space.protocol))
    begun = task_notes.read_note(space, task, task_notes.TODO)
    is_begun = lock_holders.lock_of(space, task) is not None
    if entry and begun and is_begun and begun != checksum(entry):
        notes.append(CHANGED)
    return tuple(notes)


def _select(space: Workspace, actor: Actor, task: str) -> Choice:
    choice = choice_of(space, task, actor)._replace(task=task)
    if choice.action not in YES:
        choice = choice._replace(free=_free(space, actor, task))
    if choice.action != ERROR:
        choice = choice._replace(notes=_notes(space, task))
    return choice


def _select_any(space: Workspace, actor: Actor) -> Choice:
    own = lock_holders.of_session(space, actor.session)
    if own:
        return _select(space, actor, own[0][0])
    free = _free(space, actor)
    if free:
        return _select(space, actor, free[0])._replace(free=free)
    path, todo = space.protocol.todo, todo_list(space)
    if todo.problem is not None:
        return Choice(ERROR, f'{path} {todo.problem.message}', (f'fix {path}',))
    sentence = f'no task in {path} is ready and free'
    if not todo.entries:
        sentence = (
            f'{path} does not list a task; {_begins_with("NAME", space.protocol)}'
        )
        return Choice(ERROR, sentence, (f'add the entry of a task to {path}',))
    return Choice(ERROR, sentence, _left(space, actor) or ('interlock lock list',))


def _left(space: Workspace, actor: Actor) -> tuple[str, ...]:
    """The commands that free the tasks of ended sessions, and those that say how
    released tasks continue."""
    steps = [
        lock_holders.way_on(space, name, lock, actor, '')
        for name, lock in lock_holders.all_held(space)
        if name != space.protocol.main.name and lock_holders.is_left(space, name, lock)
    ]
    locks, listed = locks_of(space), todo_list(space).entries
    released = (
        f'interlock task select {name}'
        for name in listed
        if os.path.isdir(space.code(name)) and locks.get(name) is None
    )
    return (*steps, *released)


def select(space: Workspace, actor: Actor, task: str = '') -> Choice:
    """Whether the actor may work on a task; without one, on which."""
    if actor.is_anonymous:
        sentence = 'this agent has no session id, so it cannot hold a lock'
        return Choice(ERROR, sentence, (RESTART,), task)
    return _select(space, actor, task) if task else _select_any(space, actor)
