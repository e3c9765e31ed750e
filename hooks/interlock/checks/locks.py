from __future__ import annotations

from interlock.checks.compare import Case
from interlock.documents import trailers
from interlock.documents.text import shown
from interlock.model.change import Change, Message
from interlock.model.finding import ERROR, EVERY_ITEM, WARNING, Finding
from interlock.model.fixes import reword, show_commit
from interlock.model.quick_typing import Iterator
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import Workflow


def _of_worktrees(change: Change, workflow: Workflow) -> Iterator[Finding]:
    if change.site is None:
        return
    # most changes are made outside of tasks
    from interlock.checks.task_files import of_site, site_kind

    kind = site_kind(change, workflow)
    for site in (change.site, *change.around) if kind else ():
        assert kind is not None
        for found in of_site(site, kind):
            # a person is only warned about locks
            is_softer = site.actor.is_human and found.severity == ERROR
            yield found._replace(severity=WARNING) if is_softer else found


def _without_generation(
    change: Change, message: Message, workflow: Workflow
) -> Iterator[Finding]:
    """Find a commit of a task that names no lock, after commits that did.

    A person needs no lock. After a task was merged, work on its branch is
    about something else.
    """
    name = trailers.task(message) or change.task
    newest = max(
        (
            number
            for counter, number in change.generations.items()
            if counter.partition('@')[0] == name
        ),
        default=0,
    )
    if newest and (trailers.task(message) or _is_listed(change, workflow)):
        yield Location(name, '').finding(
            'LCK008',
            f'the commit does not say under which lock it was made, although an '
            f'earlier commit has generation {newest}',
            key=change.commit,
            expected=str(newest),
            fix=show_commit(change.commit),
        )


def _is_listed(change: Change, workflow: Workflow) -> bool:
    from interlock.documents.tasks import todo
    from interlock.workflow.reading.todo_entries import is_listed

    return any(
        is_listed(
            change.after.parsed(kind.protocol.todo, todo.parse) or todo.Todo({}),
            change.task,
            kind.protocol,
        )
        for kind in workflow.kinds
        if kind.protocol is not None
    )


def _of_history(change: Change, workflow: Workflow) -> Iterator[Finding]:
    if change.message is None or not change.commit:
        return
    made = trailers.generation(change.message)
    if made is None:
        if change.generations and not trailers.lock(change.message):
            yield from _without_generation(change, change.message, workflow)
        return
    newest = change.generations.get(made.counter, 0)
    is_held = made.number != trailers.NOT_HELD
    if not change.is_generation_given or (is_held and made.number >= newest):
        return
    message = 'committed by a session that did not hold the lock'
    if is_held:
        message = (
            f'committed under generation {made.number} of the lock, when '
            f'generation {newest} was already in the history'
        )
    yield Location(made.task, '').finding(
        'LCK006',
        message,
        key='' if is_held else change.commit,
        expected=str(newest),
        found=str(made.number),
        fix=show_commit(change.commit),
    )


def _of_trailer(change: Change) -> Iterator[Finding]:
    """Find a generation in a trailer that was never given out."""
    said = trailers.lock(change.message) if change.message else ''
    if not said or change.message is None:
        return
    made = trailers.generation(change.message)
    name = (made.task if made else said.partition('@')[0]) or EVERY_ITEM
    if made is None:
        why = f'`{trailers.LOCK}: {shown(said)}` names no generation'
    elif not change.is_generation_given:
        why = f'generation {made.number} of the lock was never given out'
    else:
        return
    leave_out = reword(f'a message without `{trailers.LOCK}`')
    yield Location(shown(name), '').finding(
        'LCK006',
        why,
        key=change.commit,
        found=shown(said),
        fix=show_commit(change.commit) if change.commit else leave_out,
    )


def check(case: Case) -> Iterator[Finding]:
    yield from _of_worktrees(case.change, case.workflow)
    yield from _of_trailer(case.change)
    yield from _of_history(case.change, case.workflow)
