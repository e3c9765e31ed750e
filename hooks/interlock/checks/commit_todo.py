"""The completion of a task and its work must come in one commit."""

from __future__ import annotations

from interlock.documents import trailers
from interlock.documents.tasks import todo
from interlock.documents.tasks.todo import Todo, TodoEntry
from interlock.documents.text import shown
from interlock.model.change import Change
from interlock.model.finding import EVERY_ITEM, Finding, Fix
from interlock.model.fixes import edit
from interlock.model.quick_typing import Iterator
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.reading.todo_entries import is_done, is_listed


def _own_task(change: Change) -> str:
    """The task in whose worktree the change is being made or was made."""
    if change.site is not None:
        return change.site.task
    return trailers.task(change.message) if change.message else ''


def _unreadable(change: Change, path: str, after: Todo) -> Iterator[Finding]:
    if after.problem is not None and (path in change.touched or change.merged):
        yield Location(EVERY_ITEM, path, after.problem.line).finding(
            'COM007',
            f'the todo list {after.problem.message}, so the tasks that the commit '
            f'completes are unknown',
            found=after.problem.message,
            fix=edit(path, after.problem.line, 'fix it'),
        )


def _without_work(
    change: Change, entry: TodoEntry, protocol: ProtocolSpec
) -> Iterator[Finding]:
    """Findings about an entry that the change completes."""
    path, name = protocol.todo, entry.name
    if not change.touched.keys() - {path, protocol.changelog}:
        message = 'the commit completes the task but holds none of its work'
        yield Location(name, path, entry.line).finding(
            'COM007',
            message,
            expected='work',
            # an amend is judged by what it adds
            fix=Fix(
                f'stage the work as well (`git reset --soft HEAD~1` takes the last '
                f'commit back), or leave the entry in {path} open',
                '',
            ),
        )
    elif name in change.left_behind:
        branch = expand(protocol.branch, name)
        yield Location(name, path, entry.line).finding(
            'COM007',
            f'the commit completes the task but lacks what the branch {branch} '
            f'changed in {shown(", ".join(change.left_behind[name]))}',
            key='left',
            expected='work',
            fix=Fix('merge the work', f'git merge --squash {branch}'),
        )
    elif name in change.merged and name != _own_task(change):
        yield from _without_changelog(change, entry, protocol)


def _without_changelog(
    change: Change, entry: TodoEntry, protocol: ProtocolSpec
) -> Iterator[Finding]:
    """Findings about a commit that brings all the work: the next gate wants
    the changelog in the same commit."""
    path = protocol.changelog
    if path and path not in change.touched and change.after.blob(path) is not None:
        yield Location(entry.name, path).finding(
            'COM007',
            f'the commit completes the task, but does not change {path}',
            key='changelog',
            expected=path,
            fix=edit(path, 1, 'add a line about the task'),
        )


def _without_completion(
    name: str, after: Todo, protocol: ProtocolSpec, what: str
) -> Iterator[Finding]:
    """Findings about a task whose work the change brings."""
    entry = after.entries.get(name)
    if entry is not None and not is_done(entry, protocol):
        yield Location(name, protocol.todo, entry.line).finding(
            'COM007',
            f'{what} brings the work of the task, but its entry is still open',
            expected='completed',
            fix=edit(protocol.todo, entry.line, 'remove the entry'),
        )


def _done_in_changelog(
    change: Change, after: Todo, protocol: ProtocolSpec
) -> Iterator[Finding]:
    """Find tasks that the changelog newly lists as done while their entry is open."""
    path = protocol.changelog
    new = change.after.blob(path) if path in change.touched else None
    if new is None:
        return
    words = protocol.words.done
    old = change.before.blob(path)
    known = todo.completed(old, words) if old else {}
    for name, line in todo.completed(new, words).items():
        if (
            name not in known
            and name != _own_task(change)
            and is_listed(after, name, protocol)
        ):
            entry = after.entries[name]
            yield Location(name, path, line).finding(
                'COM007',
                f'the changelog says that the task is done, but its entry in '
                f'{protocol.todo} is still open',
                key='changelog',
                expected='completed',
                fix=edit(protocol.todo, entry.line, 'remove the entry'),
            )


def _unnamed(before: Todo, after: Todo, protocol: ProtocolSpec) -> Iterator[Finding]:
    """Find new entries without a name: a task cannot be started from them."""
    known = {entry.text for entry in before.unnamed}
    words = protocol.words
    states = (words.ready, words.blocked, words.working)
    for entry in after.unnamed:
        if not entry.ticked and entry.state in states and entry.text not in known:
            yield Location(EVERY_ITEM, protocol.todo, entry.line).finding(
                'COM007',
                f'the entry says {entry.state}, but does not name a task',
                found=entry.text,
                fix=edit(
                    protocol.todo, entry.line, 'write the name of the task in backticks'
                ),
            )


def of_change(change: Change, protocol: ProtocolSpec) -> Iterator[Finding]:
    path = protocol.todo
    before = change.before.parsed(path, todo.parse) or Todo({})
    after = change.after.parsed(path, todo.parse) or Todo({})
    if after.problem is not None:
        yield from _unreadable(change, path, after)
        return
    unnamed = [*_unnamed(before, after, protocol)]
    yield from unnamed
    # an entry that lost its name completes nothing: that is said once
    judged = path in change.touched and not unnamed
    for entry in before.entries.values() if judged else ():
        if not is_done(entry, protocol) and (
            not is_listed(after, entry.name, protocol)
        ):
            yield from _without_work(change, entry, protocol)
    yield from _done_in_changelog(change, after, protocol)
    for name in change.merged:
        # an agent's branch is merged into the branch of its own task
        if name != _own_task(change):
            yield from _without_completion(name, after, protocol, 'the commit')


def of_push(change: Change, protocol: ProtocolSpec, branch: str) -> Iterator[Finding]:
    """Findings about task work that reaches a branch commit by commit."""
    after = change.after.parsed(protocol.todo, todo.parse) or Todo({})
    for name in change.merged:
        agents = expand(protocol.agent_branch, name).partition('{agent}')[0]
        if branch != expand(protocol.branch, name) and not branch.startswith(agents):
            yield from _without_completion(
                name, after, protocol, f'the work merged into {branch}'
            )
