"""Did the work of a task reach the main branch, and how?"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.documents.tasks import todo
from interlock.documents.tasks.todo import Todo
from interlock.git.git import Git
from interlock.git.worktrees import elsewhere
from interlock.model.change import Blob
from interlock.model.errors import Refusal
from interlock.tasks.conditions.view import Completion, Main
from interlock.tasks.merge_content import Approved, holds, known, touched, unapproved
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.reading.task_selection import is_listed


def records(protocol: ProtocolSpec) -> frozenset[str]:
    """What is written when work reaches the main branch."""
    return frozenset(filter(None, (protocol.todo, protocol.changelog)))


def _file(git: Git, commit: str, path: str) -> Blob | None:
    answer = git.objects.read(f'{commit}:{path}')
    return answer[1] if answer and answer[0] == 'blob' else None


def _todo(git: Git, commit: str, protocol: ProtocolSpec) -> Todo:
    blob = _file(git, commit, protocol.todo)
    return todo.parse(blob) if blob else Todo({})


def _completion(
    git: Git, head: str, task: str, protocol: ProtocolSpec
) -> Completion | None:
    """The newest commit that took the task off the list.

    Along the first parents: a merge brings the whole branch at once.
    """
    now = _todo(git, head, protocol)
    if now.problem is not None:
        raise Refusal(
            f'{protocol.todo} of the main branch {now.problem.message}, so '
            f'nobody knows whether it lists the task'
        )
    elif is_listed(now, task, protocol):
        return None
    out = git.line('rev-list', '--first-parent', head, '--', f':(top){protocol.todo}')
    for oid in out.split():
        commit = known(git, oid)
        parent = commit.parents[0] if commit.parents else ''
        if (
            _todo(git, oid, protocol).problem is None
            and parent
            and (is_listed(_todo(git, parent, protocol), task, protocol))
        ):
            paths = touched(git, commit)
            return Completion(
                oid,
                tuple(path for path in paths if path not in records(protocol)),
                protocol.changelog in paths,
                len(commit.parents) > 1,
            )
    return None


def main(
    environ: Mapping[str, str],
    space: Workspace,
    task: str,
    tip: str,
    approved: str = '',
) -> Main:
    """`tip`: where the branch of the task is; `approved`: what was shown."""
    if space.without_git:
        return Main(space.without_git)
    protocol = space.protocol
    try:
        with elsewhere(environ, space.main) as git:
            head, work = git.resolve('HEAD'), approved or tip
            if head is None or not work:
                return Main('the main branch, or the task, has no commit')
            done = _completion(git, head, task, protocol)
            commit = done.commit if done else ''
            held = holds(git, head, work, commit, set(records(protocol)))
            at = Approved(task, approved, tip, records(protocol))
            return Main(
                '',
                held,
                bool(protocol.changelog and _file(git, head, protocol.changelog)),
                done,
                approved,
                tuple(unapproved(git, head, commit, at)) if (approved and held) else (),
            )
    except Refusal as e:
        return Main(e.message)
