"""What is wrong with the files of a task, or of the main worktree."""

from __future__ import annotations

import os
from shlex import quote

from interlock.checks import task_files
from interlock.documents.tasks.lock import parse
from interlock.model.errors import Refusal
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit
from interlock.model.quick_typing import Iterator
from interlock.report.terminal import err
from interlock.rules.new_finding import Location
from interlock.tasks import lock_holders, task_view
from interlock.tasks.conditions.gate import BY_HAND, judge
from interlock.tasks.lock_store import Held
from interlock.tasks.task_files import todo_list
from interlock.tasks.workplace import LockedTask, Workplace
from interlock.workflow.reading.todo_entries import is_done


def _ask_user(task: str) -> Fix:
    return Fix('ask the user', f'interlock task select {task}')


def _of_place(at: Workplace, task: str, lock: Held) -> Iterator[Finding]:
    right, code = at.locks.place(task), at.space.code(task)
    if lock.path != right:
        yield Location(task, lock.path).finding(
            'TSK005',
            f'the lock is at an older path, not at {right}',
            expected=right,
            found=lock.path,
            fix=Fix('move it', f'mv {quote(lock.path)} {quote(right)}'),
        )
    if not os.path.isdir(code):
        message = f'the lock has no worktree {code}'
        fix = _ask_user(task)
        yield Location(task, lock.path).finding(
            'LCK004', message, expected=code, fix=fix
        )


def _of_todo(at: Workplace, task: str) -> Iterator[Finding]:
    protocol, todo = at.space.protocol, todo_list(at.space)
    entry = todo.entries.get(task)
    path = os.path.join(at.space.main, protocol.todo)
    if todo.problem is not None:
        line, why = todo.problem.line, todo.problem.message
        message = f'the todo list {why}'
        fix = edit(path, line)
        yield Location(task, path, line).finding('TSK009', message, found=why, fix=fix)
    elif entry and is_done(entry, protocol):
        message = 'the entry is marked as done: delete it, do not tick it'
        fix = edit(path, entry.line, 'delete the entry')
        yield Location(task, path, entry.line).finding('TSK008', message, fix=fix)


def _of_agents(at: Workplace, task: str, lock: Held) -> Iterator[Finding]:
    """Agents that were added or removed without our commands."""
    if lock.lock.problem is not None:
        return
    for verdict in judge(LockedTask(at.space, task, lock).view(), BY_HAND):
        if verdict.severity:
            yield Location(task, lock.path, lock.lock.line('agents')).finding(
                verdict.code,
                verdict.message,
                found=verdict.message,
                severity=verdict.severity,
                fix=Fix('look at them', f'interlock agents check {task}'),
            )


def _without_lock(at: Workplace, task: str) -> Iterator[Finding]:
    code = at.space.code(task)
    if not os.path.isdir(code):
        raise Refusal(
            f'there is no task `{task}`',
            'interlock lock list',
            meant=lock_holders.retyped_task(at.space, task),
        )
    message = f'the worktree {code} has no lock'
    path, fix = at.locks.place(task), _ask_user(task)
    yield Location(task, path).finding('LCK004', message, found=code, fix=fix)


def task_findings(at: Workplace, name: str) -> Iterator[Finding]:
    space, protocol = at.space, at.space.protocol
    held = lock_holders.lock_of(space, name)
    if held is None:
        if name != protocol.main.name:
            yield from _without_lock(at, name)
        else:
            err(f'{name} is not locked')
        return
    path, lock = held.path, held.lock
    given = lock_holders.is_given(space, name, lock)
    yield from task_files.of_generation(name, path, lock, protocol, given)
    if name == protocol.main.name:
        yield from task_files.of_main(path, lock, protocol)
        return
    yield from task_files.of_lock(name, path, lock, space.kind)
    yield from task_files.of_log(name, path, lock, space.kind)
    yield from _of_place(at, name, held)
    copy = space.path(protocol.files.mirror, name)
    blob = task_view.blob_of(at.snapshot, copy)
    if blob is not None:
        mirror = parse(blob, protocol.lock_keys)
        yield from task_files.of_mirror(name, copy, mirror, lock)
    yield from _of_todo(at, name)
    yield from _of_agents(at, name, held)
