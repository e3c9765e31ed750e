"""Reports about commits, trees, the working tree, ranges and pushes."""

from __future__ import annotations

import os
import sys

from interlock.documents.text import shown
from interlock.engine.judge import Judge
from interlock.engine.last_audit import leave_report
from interlock.engine.push import PushJudge
from interlock.engine.staged import is_push
from interlock.files.actor import actor
from interlock.git import push_updates, worktree_snapshot
from interlock.git.push_updates import HEADS, Update
from interlock.git.repository import Repository, commit_named, opened
from interlock.model.change import Snapshot
from interlock.model.errors import Busy, Denied, NoWorkflow
from interlock.model.fixes import ours
from interlock.model.quick_typing import Callable, Sequence
from interlock.model.report import Report
from interlock.operations.registry.status import unchecked_items_advice
from interlock.report.terminal import err
from interlock.tasks import task_layout
from interlock.tasks.engines import selection
from interlock.tasks.lock_store import locks_of
from interlock.tasks.task_checkouts import named_after, task_of_branch
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.sharing import GIT_REMOTE
from interlock.workflow.language.spec import Workflow


def _shared_space(judge: Judge) -> Workspace | None:
    try:
        workflow = judge.governing.on_disk()
    except NoWorkflow:
        return None
    space = task_layout.workspace_of(judge.repository, judge.governing, workflow)
    if space is None or not selection.settings(space).is_shared:
        return None
    return space


def _keeps_records(judge: Judge) -> bool:
    """Whether the remote holds records of locks; else their names are free."""
    space = _shared_space(judge)
    return space is not None and selection.settings(space).engine == GIT_REMOTE


def confirm_pushed(judge: Judge, updates: Sequence[Update], main: str) -> None:
    """Ask the engine about the locks of the branches that an agent pushes.

    A fenced push brings the proof itself, and a person holds no lock. `main`
    is the branch that belongs to no task.
    """
    repository = judge.repository
    who = actor(repository.environ, repository.facts.common_dir)
    space = None if who.is_human else _shared_space(judge)
    if space is None:
        return
    refs = {update.ref for update in updates if update.new}
    records = selection.settings(space).refs
    branches = {ref.removeprefix(HEADS) for ref in refs if ref.startswith(HEADS)}
    names = {task_of_branch(space, branch) for branch in branches}
    names |= {named_after(space, branch) for branch in branches - {main}}
    for name in sorted(names - {''}):
        if records + name not in refs:
            _refuse_unheld(space, name, who.session)


def _refuse_unheld(space: Workspace, name: str, session: str) -> None:
    from interlock.tasks.lock_confirmation import AT_PUSH, confirm_quickly

    held = locks_of(space).get(name)
    found = confirm_quickly(space, name, AT_PUSH)
    if found.why:
        raise Busy(
            f'LCK009: the lock engine does not answer, so {name} is not pushed (last '
            f'confirmed: {found.since}): {found.why}',
            f'interlock lock confirm {name}',
        )
    elif held is not None and held.holder == session:
        if held.doubt or not found.is_ours:
            raise Denied(
                held.doubt or f'LCK001: this session no longer holds {name}',
                f'interlock lock confirm {name}',
            )
    elif found.holder not in ('', session):
        raise Denied(
            f'LCK001: {name} is held by session {shown(found.holder)}',
            'interlock task list --all',
        )
    elif found.is_lost:
        raise Denied(
            f'LCK001: this session no longer holds {name}',
            f'interlock lock acquire {name}',
        )


def _refuse_ungoverned(judge: Judge, tree: str) -> None:
    """Refuse if no workflow governs any commit, not even the last one."""
    if judge.adopting and not judge.is_governed and not judge.findings:
        judge.governing.before(judge.repository.tree(tree))


def judge_commit(
    rev: str, only: tuple[str, ...], inherited: bool, config: str
) -> Report:
    with opened() as repository:
        judge = Judge(repository, config, only, inherited)
        commit = commit_named(repository, rev)
        judge.commit(commit)
        _refuse_ungoverned(judge, commit.tree)
        return judge.report()


def judge_tree(rev: str, only: tuple[str, ...], inherited: bool, config: str) -> Report:
    with opened() as repository:
        judge = Judge(repository, config, only)
        tree = commit_named(repository, rev).tree
        judge.tree(tree)
        snapshot = repository.tree(tree)
        say_unwatched(snapshot, judge.governing.before(snapshot))
        if not only:
            leave_report(repository, tree, judge.report())
        return judge.report()._replace(files=None)


def judge_worktree(only: tuple[str, ...], inherited: bool, config: str) -> Report:
    with worktree_snapshot.opened(os.environ, config) as (repository, tree):
        judge = Judge(repository, config, only, inherited, is_here=True, by_disk=True)
        change = repository.against_head(tree)._replace(is_draft=True)
        judge.changes([change])
        report, path = judge.report(), judge.governing.path_in(change.before)
        if path not in change.touched or change.after.blob(path) is None:
            return report
        here = os.path.relpath(os.path.join(repository.facts.top, path))
        command = ours('check', '--worktree', '--config', here)
        return report._replace(
            note=f'{path} of the last commit governs; to judge by yours: {command}'
        )


def say_unwatched(snapshot: Snapshot, workflow: Workflow) -> None:
    for what, next_ in unchecked_items_advice(snapshot, workflow):
        err(f'interlock: warning: {what}\n    next: {next_}')


def _judge_push(judge: PushJudge, push: push_updates.Push, revisions: str) -> Report:
    if not push.commits:
        err(f'interlock: there are no commits in {revisions}')
    judge.push(push)
    judge.forwarded_work(push, push_updates.on_main(judge.repository, push.tip))
    judge.grants(push)
    if push.tip is not None:
        _refuse_ungoverned(judge, push.tip.tree)
    return judge.report()


def judge_range(
    revisions: str, only: tuple[str, ...], inherited: bool = False, config: str = ''
) -> Report:
    with opened() as repository:
        push = push_updates.of_range(repository, revisions)
        judge = PushJudge(repository, config, only, inherited)
        return _judge_push(judge, push, revisions)


def judge_since(
    base: str, only: tuple[str, ...], inherited: bool = False, config: str = ''
) -> Report:
    """The range of a CI run, or each commit since `base`."""
    from interlock.git.ci_range import ci_range

    with opened() as repository:
        span = ci_range(repository, base)
        err(f'interlock: judging {span}')
        push = span.push(repository)
        judge = PushJudge(repository, config, only, inherited)
        return _judge_push(judge, push, span.revisions)


def _updates(repository: Repository, by_git: bool) -> list[push_updates.Update]:
    """The updates from git on standard input, else those from pre-commit or prek.

    Git takes precedence over any variable.
    """
    if by_git or not is_push():
        data = sys.stdin.buffer.read()
        if data.strip() or not is_push():
            return push_updates.of_pre_push(data)
    tip = os.environ.get('PRE_COMMIT_TO_REF') or (
        os.environ.get('PRE_COMMIT_LOCAL_BRANCH', '')
    )
    # for a new branch this is set too: the commit it starts from
    first = os.environ.get('PRE_COMMIT_FROM_REF', '')
    ref = os.environ['PRE_COMMIT_REMOTE_BRANCH']
    return [push_updates.Update(ref, first, repository.commit(tip).oid)]


def judge_pushed(remote: str, config: str, by_git: bool = False) -> Report:
    remote = remote or os.environ.get('PRE_COMMIT_REMOTE_NAME', '')
    with opened() as repository:
        judge = PushJudge(repository, config)
        remote = push_updates.remote_name(repository, remote)
        updates = _updates(repository, by_git)
        has_records = any(each.is_lock_record for each in updates)
        if has_records and (has_records := _keeps_records(judge)):
            # seldom; not every server judges them
            from interlock.engine.lock_records import judge_records

            judge.findings.extend(judge_records(repository.git, updates, False))
        known = push_updates.known_to_remote(repository, remote, updates)
        default = push_updates.head_of_remote(repository, remote)
        named = push_updates.main_of_remote(repository, remote)
        judge.without_main, judge.remote = '' if named else remote, remote
        # a guess, which does not tell what may be deleted
        main = named or push_updates.main_branch(repository)
        for update in updates:
            if update.is_lock_record and has_records:
                continue
            is_guess = judge.without_main and not update.new
            push = push_updates.push_of_update(
                repository, update, default, '' if is_guess else main, known
            )
            if push is not None:
                judge.push(push)
                judge.forwarded_work(push, main if push.is_main else '')
        report = judge.report()
        if not report.refuses:
            confirm_pushed(judge, updates, main)
        return report


# option of `check` -> the function that judges the revision it names
JUDGEMENTS: dict[str, Callable[[str, tuple[str, ...], bool, str], Report]] = {
    'commit': judge_commit,
    'range': judge_range,
    'base': judge_since,
    'tree': judge_tree,
}
