from __future__ import annotations

import os
from collections.abc import Iterator
from shlex import quote

import click

from interlock.checks import task_files
from interlock.checks.run import counted
from interlock.commands.click_options import common
from interlock.commands.hooks.staged import reported, say
from interlock.commands.tasks.context import AtTask
from interlock.commands.tasks.workspace import Workplace, opened
from interlock.documents import timestamps
from interlock.documents.tasks.lock import parse
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit
from interlock.model.report import Report
from interlock.report.formats import FORMATS
from interlock.report.terminal import err
from interlock.rules.new_finding import Location
from interlock.tasks import lock_holders, task_view
from interlock.tasks.conditions.gate import BY_HAND, judge
from interlock.tasks.lock_store import Held
from interlock.tasks.task_files import todo_list
from interlock.workflow.reading.todo_entries import is_done


def _of_place(at: Workplace, task: str, lock: Held) -> Iterator[Finding]:
    right = at.locks.place(task)
    if lock.path != right:
        yield Location(task, lock.path).finding(
            'TSK005',
            f'the lock lies at an older place, not at {right}',
            expected=right,
            found=lock.path,
            fix=Fix('move it', f'mv {quote(lock.path)} {quote(right)}'),
        )
    code = at.space.code(task)
    if not os.path.isdir(code):
        yield Location(task, lock.path).finding(
            'LCK004',
            f'the lock stands without its worktree {code}',
            expected=code,
            fix=Fix('ask the user', f'interlock task select {task}'),
        )


def _of_mirror(at: Workplace, task: str, lock: Held) -> Iterator[Finding]:
    protocol = at.space.protocol
    path = at.space.path(protocol.files.mirror, task)
    blob = task_view.blob_of(at.snapshot, path)
    if blob is not None:
        mirror = parse(blob, protocol.lock_keys)
        yield from task_files.of_mirror(task, path, mirror, lock.lock)


def _of_todo(at: Workplace, task: str) -> Iterator[Finding]:
    protocol, todo = at.space.protocol, todo_list(at.space)
    entry = todo.entries.get(task)
    path = os.path.join(at.space.main, protocol.todo)
    if todo.problem is not None:
        yield Location(task, path, todo.problem.line).finding(
            'TSK009',
            f'the todo list {todo.problem.message}',
            found=todo.problem.message,
            fix=edit(path, todo.problem.line),
        )
    elif entry and is_done(entry, protocol):
        yield Location(task, path, entry.line).finding(
            'TSK008',
            'the entry is marked as done: delete it, do not tick it',
            fix=edit(path, entry.line, 'delete the entry'),
        )


def _of_agents(at: Workplace, task: str, lock: Held) -> Iterator[Finding]:
    """Agents that came or went by another route than ours."""
    if lock.lock.problem is not None:
        return
    view = AtTask(at, task, lock, timestamps.now()).view()
    for verdict in judge(view, BY_HAND):
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
        raise click.UsageError(f'there is no task `{task}`')
    yield Location(task, at.locks.place(task)).finding(
        'LCK004',
        f'the worktree {code} stands without a lock',
        found=code,
        fix=Fix('ask the user', f'interlock task select {task}'),
    )


def findings(at: Workplace, name: str) -> Iterator[Finding]:
    """Everything wrong with the files of a task, or of the main worktree."""
    space = at.space
    lock = lock_holders.held(space, name)
    if lock is not None:
        yield from task_files.of_generation(
            name,
            lock.path,
            lock.lock,
            space.protocol,
            lock_holders.is_given(space, name, lock.lock),
        )
    if name == space.protocol.main.name:
        if lock is None:
            err(f'{name} is not locked')
        else:
            yield from task_files.of_main(lock.path, lock.lock, space.protocol)
    elif lock is None:
        yield from _without_lock(at, name)
    else:
        yield from task_files.of_lock(name, lock.path, lock.lock, space.kind)
        yield from task_files.of_log(name, lock.path, lock.lock, space.kind)
        yield from _of_place(at, name, lock)
        yield from _of_mirror(at, name, lock)
        yield from _of_todo(at, name)
        yield from _of_agents(at, name, lock)


@click.command('check')
@click.argument('name', metavar='TASK|main')
@click.option(
    '--format',
    'form',
    type=click.Choice(FORMATS),
    default='text',
    help='How to report.',
)
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def command(name: str, form: str, config: str, verbose: int, quiet: int) -> int:
    """Is the lock of a task whole, and does its log tell the truth?"""
    with reported(form), opened(config, reads=True) as at:
        found = list(findings(at, at.task_or_main(name)))
        kept = counted(found, at.space.workflow)
    return say(Report(kept, 0, [], 0), form, verbose, quiet)
