"""What completes a task, and its work, come together."""
from __future__ import annotations

from collections.abc import Iterator

from interlock.documents import todo
from interlock.documents import trailers
from interlock.documents.text import shown
from interlock.documents.todo import Entry
from interlock.documents.todo import Todo
from interlock.model.change import Change
from interlock.model.finding import EVERY_ITEM
from interlock.model.finding import Finding
from interlock.model.finding import Fix
from interlock.model.make import finding
from interlock.model.remedy import add
from interlock.model.remedy import edit
from interlock.workflow.protocol import ProtocolSpec
from interlock.workflow.selection import is_done
from interlock.workflow.selection import is_listed
from interlock.workflow.template import expand


def _own_task(change: Change) -> str:
    """The task in whose worktree the change is or was made."""
    if change.site is not None:
        return change.site.task
    return trailers.task(change.message) if change.message else ''


def _unreadable(change: Change, path: str, after: Todo) -> Iterator[Finding]:
    if after.problem is not None and (
            path in change.touched or change.merged
    ):
        yield finding(
            'COM007', EVERY_ITEM, path, after.problem.line,
            f'the todo list {after.problem.message}, so nobody knows which '
            f'tasks the commit completes',
            found=after.problem.message,
            fix=edit(path, after.problem.line, 'mend it'),
        )


def _without_work(
        change: Change,
        entry: Entry,
        protocol: ProtocolSpec,
) -> Iterator[Finding]:
    """Of an entry that the change completes."""
    path, name = protocol.todo, entry.name
    if not change.touched.keys() - {path, protocol.changelog}:
        yield finding(
            'COM007', name, path, entry.line,
            'the commit completes the task, and holds nothing of its work',
            expected='work', fix=add('.'),
        )
    elif name in change.left:
        branch = expand(protocol.branch, name)
        yield finding(
            'COM007', name, path, entry.line,
            f'the commit completes the task, and what the branch {branch} '
            f'has in {shown(", ".join(change.left[name]))} is not in it',
            key='left', expected='work',
            fix=Fix('bring the work', f'git merge --squash {branch}'),
        )


def _without_completion(
        name: str,
        after: Todo,
        protocol: ProtocolSpec,
        what: str,
) -> Iterator[Finding]:
    """Of a task whose work comes."""
    entry = after.entries.get(name)
    if entry is not None and not is_done(entry, protocol):
        yield finding(
            'COM007', name, protocol.todo, entry.line,
            f'{what} brings the work of the task, and its entry is still '
            f'open',
            expected='completed',
            fix=edit(protocol.todo, entry.line, 'remove the entry'),
        )


def of_change(change: Change, protocol: ProtocolSpec) -> Iterator[Finding]:
    path = protocol.todo
    before = change.before.parsed(path, todo.parse) or Todo({})
    after = change.after.parsed(path, todo.parse) or Todo({})
    if after.problem is not None:
        yield from _unreadable(change, path, after)
        return
    for entry in before.entries.values() if path in change.touched else ():
        if not is_done(entry, protocol) and (
                not is_listed(after, entry.name, protocol)
        ):
            yield from _without_work(change, entry, protocol)
    for name in change.merged:
        # an agent's branch comes into the task's own
        if name != _own_task(change):
            yield from _without_completion(
                name, after, protocol, 'the commit',
            )


def of_push(
        change: Change,
        protocol: ProtocolSpec,
        branch: str,
) -> Iterator[Finding]:
    """The work of tasks that comes to a branch commit by commit."""
    after = change.after.parsed(protocol.todo, todo.parse) or Todo({})
    for name in change.merged:
        agents = expand(protocol.agent_branch, name).partition('{agent}')[0]
        if branch != expand(protocol.branch, name) and (
                not branch.startswith(agents)
        ):
            yield from _without_completion(
                name, after, protocol, f'what comes to {branch}',
            )
