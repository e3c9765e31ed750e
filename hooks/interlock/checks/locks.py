from __future__ import annotations

from collections.abc import Iterator

from interlock.checks import task_files
from interlock.documents import trailers
from interlock.documents.tasks import lock as documents
from interlock.documents.tasks import todo
from interlock.documents.tasks.lock import Lock
from interlock.documents.tasks.todo import Todo
from interlock.documents.text import shown
from interlock.model.actor import RESTART
from interlock.model.change import Change, Message, Site
from interlock.model.errors import Unreadable
from interlock.model.finding import ERROR, EVERY_ITEM, WARNING, Finding, Fix
from interlock.rules.new_finding import Location
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.task_selection import is_listed

SESSION = Fix('say the session', RESTART)
SELECT = Fix('choose another task', 'interlock task select')


def site_lock(site: Site, kind: Kind) -> Lock | None:
    """The lock of a worktree; None where it has none."""
    assert kind.protocol is not None, 'only tasks have sites'
    if not site.locked:
        return None
    elif site.lock is None:
        problem = Unreadable(f'cannot be read ({site.holder})')
        return Lock(kind.protocol.lock_keys, documents.NOTHING, problem)
    return documents.parse(site.lock, kind.protocol.lock_keys)


def site_kind(change: Change, workflow: Workflow) -> Kind | None:
    for kind in workflow.kinds:
        if change.site is not None and kind.name == change.site.kind:
            return kind
    return None


def _without_lock(site: Site, name: str, protocol: ProtocolSpec) -> Iterator[Finding]:
    if site.task:
        yield Location(name, site.path).finding(
            'LCK004',
            'the worktree has no lock: a session crashed, or somebody made it by hand',
            fix=Fix('ask the user', f'interlock task select {name}'),
        )
    elif not site.actor.is_human:
        yield Location(name, site.path).finding(
            'LCK007',
            'a commit in the main worktree needs its lock',
            fix=Fix(
                'take the lock',
                f'interlock lock acquire {name} '
                f'--operation {protocol.main.operations[0]}',
            ),
        )


def _of_holder(site: Site, name: str, lock: Lock) -> Iterator[Finding]:
    if site.actor.is_anonymous:
        yield Location(name, site.path).finding(
            'LCK003', 'an agent commits here that does not say its session', fix=SESSION
        )
    elif lock.session and lock.session != site.actor.session:
        yield Location(name, site.path, lock.line('session')).finding(
            'LCK001',
            f'held by {site.holder}',
            expected=site.actor.session,
            found=lock.session,
            fix=SELECT,
        )


def _of_site(site: Site, kind: Kind) -> Iterator[Finding]:
    protocol = kind.protocol
    assert protocol is not None, 'only tasks have sites'
    name = site.task or protocol.main.name
    lock = site_lock(site, kind)
    if lock is None:
        yield from _without_lock(site, name, protocol)
        return
    yield from _of_holder(site, name, lock)
    if site.actor.is_human or lock.session == site.actor.session:
        # whoever else commits here is told whose lock it is
        yield from task_files.of_generation(name, site.path, lock, protocol, site.given)
    if site.task:
        yield from task_files.of_lock(name, site.path, lock, kind)
    else:
        yield from task_files.of_main(site.path, lock, protocol)


def _softened(found: Finding, site: Site) -> Finding:
    """A person is only warned about locks."""
    if site.actor.is_human and found.severity == ERROR:
        return found._replace(severity=WARNING)
    return found


def _without_generation(
    change: Change, message: Message, workflow: Workflow
) -> Iterator[Finding]:
    """A commit of a task that says nothing, after ones that did.

    A person needs no lock, and who follows the branch of a task after it
    was merged works on something else.
    """
    name = trailers.task(message)
    is_its = bool(name) or any(
        is_listed(
            change.after.parsed(kind.protocol.todo, todo.parse) or Todo({}),
            change.follows,
            kind.protocol,
        )
        for kind in workflow.kinds
        if kind.protocol is not None
    )
    name = name or change.follows
    newest = change.generations.get(name, 0)
    if is_its and newest:
        yield Location(name, '').finding(
            'LCK008',
            f'the commit does not say under which lock it was made; '
            f'generation {newest} is in the history',
            key=change.commit,
            expected=str(newest),
            fix=Fix('look at it', f'git show {change.commit[:10]}'),
        )


def _of_history(change: Change, workflow: Workflow) -> Iterator[Finding]:
    if change.message is None or not change.commit:
        return
    made = trailers.generation(change.message)
    if made is None:
        if not trailers.lock(change.message):
            yield from _without_generation(change, change.message, workflow)
        return
    elif not change.given:
        return
    newest = change.generations.get(made.task, 0)
    if made.number == trailers.NOT_HELD:
        yield Location(made.task, '').finding(
            'LCK006',
            'committed by a session that did not hold the lock',
            key=change.commit,
            expected=str(newest),
            found=str(made.number),
            fix=Fix('look at it', f'git show {change.commit[:10]}'),
        )
    elif made.number < newest:
        yield Location(made.task, '').finding(
            'LCK006',
            f'committed under generation {made.number} of the lock, when '
            f'generation {newest} was in the history already',
            expected=str(newest),
            found=str(made.number),
            fix=Fix('look at it', f'git show {change.commit[:10]}'),
        )


def _of_trailer(change: Change) -> Iterator[Finding]:
    """A generation that nobody gave out is not written into a history."""
    said = trailers.lock(change.message) if change.message else ''
    if not said or change.message is None:
        return
    made = trailers.generation(change.message)
    name = (made.task if made else said.partition('@')[0]) or EVERY_ITEM
    if made is None:
        why = f'`{trailers.LOCK}: {shown(said)}` names no generation'
    elif not change.given:
        why = f'generation {made.number} of the lock was never given out'
    else:
        return
    yield Location(shown(name), '').finding(
        'LCK006',
        why,
        key=change.commit,
        found=shown(said),
        fix=Fix('look at it', f'git show {change.commit[:10]}')
        if change.commit
        else Fix('leave the line out', 'git commit -e'),
    )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    kind = site_kind(change, workflow)
    if kind is not None and change.site is not None:
        for site in (change.site, *change.around):
            for found in _of_site(site, kind):
                yield _softened(found, site)
    yield from _of_trailer(change)
    yield from _of_history(change, workflow)
