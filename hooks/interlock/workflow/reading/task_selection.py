"""May a session work on a task? Six answers, by lock and worktree."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from interlock.documents.tasks.todo import Entry, Todo
from interlock.model.suggest import nearest
from interlock.workflow.language.protocol import ProtocolSpec

RESUME = 'resume'
ERROR = 'error'
ALTERNATIVE = 'alternative'
ASK = 'ask'
INIT = 'init'
# the answers with which work may go on
YES = (RESUME, INIT)


class Situation(NamedTuple):
    task: str
    # whether there is a lock, whether it is the session's own, and whether
    # anybody can say whose it is
    locked: bool
    own: bool
    known: bool
    # whether the worktree exists, and where it is or should be
    worktree: bool
    directory: str
    # who holds the lock, in words
    holder: str
    state: str
    # the session that asks, '' for a person
    session: str = ''


class TaskAnswer(NamedTuple):
    action: str
    sentence: str
    # the commands that a person may choose from
    options: tuple[str, ...] = ()


def _own(at: Situation) -> TaskAnswer:
    if at.worktree:
        return TaskAnswer(
            RESUME,
            f'{at.task} is held by this session: go on in {at.state}',
            (f'interlock task resume {at.task}',),
        )
    return TaskAnswer(
        ERROR,
        f'{at.task} is held by this session, but its worktree '
        f'{at.directory} is missing: ask the user to clean up, which keeps '
        f'branches that are not merged; `interlock task start {at.task} '
        f'--on-branch` goes on with them',
        (f'interlock task clean {at.task}',),
    )


def _abandoned(at: Situation) -> TaskAnswer:
    whose = shlex.quote(at.session) if at.session else 'ID'
    return TaskAnswer(
        ASK,
        f'the worktree {at.directory} of {at.task} exists without a lock: '
        f'a session may have crashed, or another one may be at work; ask '
        f'the user whether to clean it, to go on in it, or to choose '
        f'another task (the user runs one of the commands, or answers '
        f'`clean {at.task}` or `adopt {at.task}`, then you may)',
        (
            f'interlock task clean {at.task}',
            f'interlock task adopt {at.task} --session {whose}',
            'interlock task select',
        ),
    )


def decide(at: Situation) -> TaskAnswer:
    if at.locked and not at.known:
        return TaskAnswer(
            ASK,
            f'{at.task} is held by {at.holder}; ask the user who works on it',
            (f'interlock lock show {at.task}', 'interlock task select'),
        )
    elif at.locked and at.own:
        return _own(at)
    elif at.locked:
        missing = '' if at.worktree else '; it has no worktree yet, it may be starting'
        return TaskAnswer(
            ALTERNATIVE,
            f'{at.task} is held by {at.holder}{missing}: choose another task',
            ('interlock task select',),
        )
    elif at.worktree:
        return _abandoned(at)
    return TaskAnswer(INIT, f'{at.task} is free', (f'interlock task start {at.task}',))


def is_done(entry: Entry, protocol: ProtocolSpec) -> bool:
    """Ticked, or said to be done."""
    return entry.ticked or entry.state in protocol.words.done


def is_listed(todo: Todo, task: str, protocol: ProtocolSpec) -> bool:
    """Whether the list names a task that is not done."""
    entry = todo.entries.get(task)
    return entry is not None and not is_done(entry, protocol)


def unlisted(
    task: str, todo: Todo, protocol: ProtocolSpec, begun: bool
) -> TaskAnswer | None:
    """Why a task that nobody works on cannot begin: the list lacks it.

    `begun`: somebody worked on it before, so its name is not a typing error.
    """
    if is_listed(todo, task, protocol):
        return None
    open_ones = [name for name in todo.entries if is_listed(todo, name, protocol)]
    near = '' if begun else nearest(task, open_ones)
    if task in todo.entries:
        sentence = f'{protocol.todo} says that {task} is done'
    elif begun:
        sentence = (
            f'{task} was worked on before, and {protocol.todo} does not '
            f'list it any more: it is finished'
        )
    else:
        sentence = f'{protocol.todo} does not list {task}'
    entry = f'- [ ] **{protocol.words.ready}:** `{task}` - TEXT'
    meant = f'; a task begins with its entry, `{entry}`'
    if near:
        meant = f'; did you mean `{near}`?'
    return TaskAnswer(
        ERROR, f'{sentence}{meant}', (f'interlock task select {near}'.strip(),)
    )


def notes(entry: Entry | None, todo: Todo, protocol: ProtocolSpec) -> Iterator[str]:
    """What the todo list says about a task that speaks against it."""
    if entry is None:
        yield f'it is not in {protocol.todo}'
        return
    if is_done(entry, protocol):
        yield f'{protocol.todo} says that it is done'
    elif entry.state == protocol.words.blocked:
        yield f'{protocol.todo} says {entry.state}'
    open_ones = [
        name
        for name in entry.dependencies
        if name in todo.entries and not is_done(todo.entries[name], protocol)
    ]
    if open_ones:
        yield f'it depends on {", ".join(open_ones)}, not done yet'


def ready(todo: Todo, free: Mapping[str, bool], protocol: ProtocolSpec) -> list[str]:
    """The tasks that may be started, in the order of the list."""
    return [
        name
        for name, entry in todo.entries.items()
        if entry.state in ('', protocol.words.ready)
        and free.get(name, True)
        and not list(notes(entry, todo, protocol))
    ]
