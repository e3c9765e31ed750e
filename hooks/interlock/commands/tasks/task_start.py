from __future__ import annotations

import os

import click

from interlock.commands.click_options import writes
from interlock.commands.tasks.workspace import Workplace, opened
from interlock.documents import timestamps
from interlock.documents.json import render
from interlock.documents.tasks import trail as documents
from interlock.documents.text import shown
from interlock.model.errors import Denied, Refusal
from interlock.operations.tasks import locks, trail
from interlock.report.terminal import err, out
from interlock.tasks import lock_holders, task_choice, task_files, task_notes
from interlock.tasks.task_start import Beginning, begin
from interlock.workflow.reading import todo_entries
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.transition_log import first_state


def _refuse_too_many(at: Workplace, task: str) -> None:
    most = at.space.protocol.numbers.tasks_per_session
    held = lock_holders.of_session(at.space, at.actor.session)
    if most and len(held) >= most:
        names = [name for name, _ in held]
        raise Denied(
            f'this session works on {", ".join(names)} already',
            f'interlock task resume {names[0]}',
        )


def _refuse_taken(at: Workplace, task: str) -> None:
    decision = task_choice.choice_of(at.space, task, at.actor)
    if decision.action == task_choice.ASK:
        # which says what the user may answer
        raise Denied(decision.sentence, f'interlock task select {task}')
    elif decision.action != task_choice.INIT:
        raise Denied(decision.sentence, decision.options[0])


def _todo_notes(at: Workplace, task: str) -> None:
    todo = task_files.todo_list(at.space)
    if todo.problem is not None:
        raise Refusal(
            f'{at.space.protocol.todo} {todo.problem.message}',
            f'fix {os.path.join(at.space.main, at.space.protocol.todo)}',
        )
    entry = todo.entries.get(task)
    for note in todo_entries.notes(entry, todo, at.space.protocol):
        err(f'interlock: warning: {task}: {note}')
    if entry is not None:
        task_notes.note(at.space, task, task_notes.TODO, task_files.checksum(entry))


def _trail(at: Workplace, task: str, now: str) -> bytes:
    data = trail.begun(task, at.actor.session, now)
    data[documents.TRANSITIONS].append(
        {
            'from_state': None,
            'to_state': first_state(at.space.kind),
            'timestamp': now,
            'verification_passed': True,
        }
    )
    return render(data)


def _begin(at: Workplace, beginning: Beginning) -> int:
    task, now = beginning.task, timestamps.now()
    generation = lock_holders.next_generation(at.space, task)
    lock = locks.task_lock(
        at.space.kind,
        task,
        at.holder(task),
        generation,
        now,
        agents=list(beginning.agents),
    )
    path = at.space.path(at.space.protocol.files.trail, task)
    # what somebody prepared for the first attempt is not of an earlier one
    is_again = generation > 1 or os.path.lexists(path)
    aside = (
        task_files.earlier_files(at.space, task, generation - 1)
        if is_again
        else task_files.early_flags(at.space, task)
    )
    begin(beginning, lock, generation, {path: _trail(at, task, now)}, aside)
    for old in () if is_again else aside:
        err(
            f'interlock: warning: {os.path.basename(old)} was there '
            f'before {task} began, so it approves nothing: it is '
            f'{os.path.basename(aside[old])} now'
        )
    # nobody goes on where an earlier attempt was
    at.locks.forget_contents(task)
    return generation


@click.command('start')
@click.argument('name')
@click.option(
    '--agent',
    'agents',
    multiple=True,
    metavar='AGENT',
    help='An agent that is needed (may be repeated).',
)
@click.option(
    '--base',
    default='HEAD',
    metavar='REV',
    show_default=True,
    help='The commit of the main worktree that work starts from.',
)
@click.option(
    '--on-branch',
    is_flag=True,
    help='Go on with the branches that an earlier attempt left.',
)
@writes
def command(
    name: str,
    agents: tuple[str, ...],
    base: str,
    on_branch: bool,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Begin a task: lock, worktrees and audit trail.

    All of it, or nothing: what fails is undone.
    """
    for agent in agents:
        if not is_name(agent):
            raise click.UsageError(f'{shown(agent)!r} cannot be the name of an agent')
    with opened(config, wait) as at:
        task = at.task(name)
        lock_holders.require_session(at.actor)
        _refuse_taken(at, task)
        _refuse_too_many(at, task)
        if at.space.without_git:
            raise Refusal(
                f'a task needs a worktree, and {at.space.without_git}',
                f'git init {at.space.main}',
            )
        _todo_notes(at, task)
        beginning = Beginning(
            at.space,
            task,
            tuple(dict.fromkeys(agents)),
            base,
            os.environ,
            at.actor,
            on_branch,
        )
        generation = _begin(at, beginning)
    if not quiet:
        err(f'{task} begins, generation {generation}; next: cd to its code')
    out(at.space.code(task))
    return 0
