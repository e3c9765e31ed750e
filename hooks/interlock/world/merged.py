"""Did the work of a task reach the main branch, and how?"""
from __future__ import annotations

from collections.abc import Mapping

from interlock.conditions.view import Completion
from interlock.conditions.view import Main
from interlock.documents import todo
from interlock.documents.todo import Todo
from interlock.model.change import Blob
from interlock.model.errors import Refusal
from interlock.workflow.protocol import ProtocolSpec
from interlock.world.git import Commit
from interlock.world.git import Git
from interlock.world.git import GitError
from interlock.world.workspace import Workspace
from interlock.world.worktrees import elsewhere


def is_listed(found: Todo, task: str, protocol: ProtocolSpec) -> bool:
    """Whether a todo list names a task that is not done."""
    entry = found.entries.get(task)
    return (
        entry is not None and not entry.ticked and
        entry.state not in protocol.words.done
    )


def _file(git: Git, commit: str, path: str) -> Blob | None:
    answer = git.objects.read(f'{commit}:{path}')
    return answer[1] if answer and answer[0] == 'blob' else None


def _todo(git: Git, commit: str, protocol: ProtocolSpec) -> Todo:
    blob = _file(git, commit, protocol.todo)
    return todo.parse(blob) if blob else Todo({})


def _known(git: Git, oid: str) -> Commit:
    commit = git.commit(oid)
    assert commit is not None, 'rev-list named it'
    return commit


def _touched(git: Git, commit: Commit) -> list[str]:
    parent = _known(git, commit.parents[0]).tree if commit.parents else (
        git.empty_tree()
    )
    return list(git.diff_trees(parent, commit.tree))


def _completion(
        git: Git,
        head: str,
        task: str,
        protocol: ProtocolSpec,
) -> Completion | None:
    """The newest commit that took the task off the list.

    Along the first parents: a merge brings the whole branch at once.
    """
    now = _todo(git, head, protocol)
    if now.problem is not None:
        raise Refusal(
            f'{protocol.todo} of the main branch {now.problem.message}, so '
            f'nobody knows whether it lists the task',
        )
    elif is_listed(now, task, protocol):
        return None
    out = git.line(
        'rev-list', '--first-parent', head, '--', f':(top){protocol.todo}',
    )
    for oid in out.split():
        commit = _known(git, oid)
        parent = commit.parents[0] if commit.parents else ''
        if _todo(git, oid, protocol).problem is None and parent and (
                is_listed(_todo(git, parent, protocol), task, protocol)
        ):
            touched = _touched(git, commit)
            records = {protocol.todo, protocol.changelog}
            return Completion(
                oid, tuple(path for path in touched if path not in records),
                protocol.changelog in touched,
            )
    return None


def _holds(
        git: Git,
        head: str,
        work: str,
        done: Completion | None,
        protocol: ProtocolSpec,
) -> bool:
    """The work is an ancestor, or its contents came in one new commit."""
    try:
        base = git.line('merge-base', work, head)
    except GitError:
        return False
    if base == work:
        return True
    elif done is None:
        return False
    tree = _known(git, work).tree
    changed = git.diff_trees(_known(git, base).tree, tree)
    differs = git.diff_trees(tree, _known(git, done.commit).tree)
    records = {protocol.todo, protocol.changelog}
    return not (changed.keys() & differs.keys()) - records


def main(
        environ: Mapping[str, str],
        space: Workspace,
        task: str,
        work: str,
) -> Main:
    if space.without_git:
        return Main(space.without_git)
    try:
        with elsewhere(environ, space.main) as git:
            head = git.resolve('HEAD')
            if head is None or not work:
                return Main('the main branch, or the task, has no commit')
            done = _completion(git, head, task, space.protocol)
            changelog = space.protocol.changelog
            return Main(
                '', _holds(git, head, work, done, space.protocol),
                bool(changelog and _file(git, head, changelog)), done,
            )
    except Refusal as e:
        return Main(e.message)
