"""Stop: tells a session once what it leaves unfinished."""

from __future__ import annotations

import os

from interlock.checks.run import OF_RECORDS, judge
from interlock.documents.text import shown
from interlock.engine import stage_commits
from interlock.git.repository import Repository
from interlock.git.worktree_snapshot import StoredSnapshot
from interlock.git.worktrees import tree
from interlock.guard.context import Context
from interlock.guard.decision import BLOCK, SAY, Decision
from interlock.guard.guards.records import record_of
from interlock.guard.session_files import first_time, start_time
from interlock.guard.texts import said_at
from interlock.model.change import Change, Snapshot, data_of
from interlock.model.errors import NoRepository
from interlock.model.overlay import Overlay
from interlock.model.quick_tools import closing
from interlock.model.quick_typing import Iterator, Sequence
from interlock.operations.commit_stage import Moved, commit_command
from interlock.tasks.lock_store import Held
from interlock.workflow.language.spec import STAGE, Kind
from interlock.workflow.reading.changed_items import touched_items
from interlock.workflow.reading.item_paths import item_of
from interlock.workflow.reading.records import records

# the checks that need no commit message
CHECKS = (*OF_RECORDS, 'stages', 'commit')
FEW = 3
# a condition that only the user can fulfil -> what waits for the user
WAITS = {
    'plan-approved': 'plan waits',
    'checkpoint-approved': 'changes wait',
    'scope-approved': 'scope decision waits',
}


def _item_kinds(context: Context) -> list[Kind]:
    return [kind for kind in context.workflow.kinds if kind.protocol is None]


def _uncommitted(paths: Sequence[str], moved: Moved) -> Iterator[str]:
    items = sorted({after.item for _, after in moved})
    named = ', '.join(map(shown, paths[:FEW]))
    more = f' and {len(paths) - FEW} more' if len(paths) > FEW else ''
    of = f' of {", ".join(map(shown, items[:FEW]))}' if items else ''
    yield f'the state{of} changed and is not committed: {named}{more}'
    yield f'next: {commit_command(moved, paths)}'


def _is_newer(path: str, began: int) -> bool:
    """Whether a file was written, or deleted from its folder, since a time."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return os.lstat(path).st_mtime_ns > began


def _changed_items(
    context: Context, repository: Repository, before: Snapshot
) -> Iterator[str]:
    """The items whose records the session leaves broken or uncommitted.

    What was left so before the session began is not its work.
    """
    top, kinds, began = (
        repository.facts.top,
        _item_kinds(context),
        start_time(context),
    )
    changed = [
        path
        for path in tree(repository.environ, top).changed
        if record_of(context.workflow, path) or any(item_of(path, k) for k in kinds)
    ]
    touched = {
        path: 'M' if os.path.lexists(os.path.join(top, path)) else 'D'
        for path in changed
        if _is_newer(os.path.join(top, path), began)
    }
    # registries and handoffs, which hold the states
    written = [path for path in touched if record_of(context.workflow, path)]
    if not touched:
        return
    with closing(StoredSnapshot(repository)) as now:
        earlier = {path: data_of(now, path) for path in changed if path not in touched}
        before, after = Overlay(before, earlier), Overlay(now, earlier)
        change = Change(before, after, touched)
        judged = judge([change], context.workflow, CHECKS)
        found = [each for each in judged if each.introduced and each.refuses]
        for each in found[:FEW]:
            yield said_at(each)
            yield f'next: {each.fix.step}'
        # a commit would be refused until the findings are fixed
        if written and not found:
            moved = [
                (records(before, kind, item), records(after, kind, item))
                for kind in kinds
                for item in touched_items(change, kind)
            ]
            yield from _uncommitted(written, moved)


def _waiting_stage(
    context: Context, repository: Repository, before: Snapshot
) -> Iterator[str]:
    """The stage that was committed last, if the user has not confirmed it."""
    workflow, common = context.workflow, repository.facts.common_dir
    newest = stage_commits.newest(repository, workflow)
    found = newest and (
        stage_commits.unconfirmed(repository, common, workflow, newest.item)
    )
    kinds = _item_kinds(context)
    if found and any(records(before, k, found.item).role == STAGE for k in kinds):
        yield (
            f'stage {found.name} of {found.item} is committed and waits for your '
            f'decision; interlock menu {found.item} shows the choices'
        )


def _look_at_items(context: Context, left: list[str], waiting: list[str]) -> None:
    try:
        with closing(context.repository()) as repository:
            before = repository.tree_of(repository.head())
            left.extend(_changed_items(context, repository, before))
            waiting.extend(_waiting_stage(context, repository, before))
    except NoRepository:
        # nothing can be committed, as another message says
        return


def _waiting_approvals(context: Context, task: str, held: Held) -> Iterator[str]:
    """The conditions that were presented and that only the user can fulfil."""
    from interlock.tasks.conditions.approvals import is_presented
    from interlock.tasks.conditions.gate import judge

    lines = context.space.kind.transitions
    gates = [line.gate for line in lines if held.lock.state in line.origins]
    for condition, what in WAITS.items():
        if not any(condition in gate for gate in gates):
            continue
        view = context.task_view(task, held.lock, '', (condition,))
        faults = judge(view, [condition])
        if is_presented(view) and any(each.refuses for each in faults):
            yield (
                f'{task}: the {what} for your approval; say `approved`, or '
                f'run interlock approve {task}'
            )


def _look_at_tasks(context: Context, left: list[str], waiting: list[str]) -> None:
    """Collect the tasks and locks that a session leaves behind."""
    from interlock.guard.guards.lock import findings
    from interlock.guard.session_tasks import held_tasks
    from interlock.tasks import lock_holders

    main = context.space.protocol.main.name
    held = lock_holders.lock_of(context.space, main)
    if held is not None and held.is_held_by(context.event.session):
        left.append('this session still holds the lock of the main worktree')
        left.append(f'next: interlock lock release {main}')
    for task, lock in held_tasks(context):
        found = findings(context, task, lock.path, lock.lock)
        for each in [each for each in found if each.refuses][:1]:
            where = f'{each.path}:{each.line}'
            left.append(f'{where}: {each.code} {task}: {each.message}')
            left.append(f'next: interlock task check {task}')
        waiting.extend(_waiting_approvals(context, task, lock))


def handle(context: Context) -> Decision | None:
    data = context.event.data
    if data.get('stop_hook_active') is True or data.get('background_tasks'):
        # the session was told already, or only pauses
        return None
    left: list[str] = []
    waiting: list[str] = []
    if context.watch['has_items']:
        _look_at_items(context, left, waiting)
    if context.has_tasks and context.event.session:
        _look_at_tasks(context, left, waiting)
    for kind, lines in ((BLOCK, left), (SAY, waiting)):
        if lines and first_time(context, 'stop', *lines):
            return Decision(kind, '\n'.join(lines))
    return None
