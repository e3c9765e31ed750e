"""Stop: what a session leaves behind is said once."""

from __future__ import annotations

import os
import shlex

from interlock.checks.run import OF_RECORDS, judge
from interlock.documents.text import shown
from interlock.engine import stage_commits
from interlock.git.repository import Repository
from interlock.git.worktree_snapshot import StoredSnapshot
from interlock.git.worktrees import tree
from interlock.guard.context import Context
from interlock.guard.decision import BLOCK, SAY, Decision
from interlock.guard.guards.records import record_of
from interlock.guard.session_files import first_time
from interlock.model.change import Change, Nothing, Snapshot
from interlock.model.errors import NoRepository
from interlock.model.fixes import ours
from interlock.model.quick_tools import closing
from interlock.model.quick_typing import Iterator, Sequence
from interlock.model.state import State
from interlock.operations.progress_text import timeline_text
from interlock.tasks.lock_store import Held
from interlock.workflow.language.spec import STAGE, Kind
from interlock.workflow.reading.changed_items import touched_items
from interlock.workflow.reading.item_paths import item_of
from interlock.workflow.reading.records import Records, handoff_state, is_open, records

# what can be checked before there is a message
CHECKS = (*OF_RECORDS, 'stages', 'commit')
FEW = 3
# a condition that only the user can open -> what waits
WAITS = {
    'plan-approved': 'plan waits',
    'checkpoint-approved': 'changes wait',
    'scope-approved': 'scope decision waits',
}
Moved = Sequence[tuple[Records, Records]]


def _item_kinds(context: Context) -> list[Kind]:
    return [kind for kind in context.workflow.kinds if kind.protocol is None]


def _ended(before: Records, after: Records) -> State | None:
    """The state whose work the handoff newly says is done, None if none."""
    kind, old, new = after.kind, before.current, after.current
    state = handoff_state(new)
    if state is None or is_open(new, kind):
        return None
    return None if state == handoff_state(old) and not is_open(old, kind) else state


def _commit_command(moved: Moved, paths: Sequence[str]) -> str:
    """The command that commits what was written."""
    for before, after in moved:
        state, kind = _ended(before, after), after.kind
        if state is not None and kind.commit:
            text = timeline_text(after, state)
            stage = kind.written_stage(state)
            return ours('commit-stage', after.called, stage, '-m', text)
    # nothing ended: a note, a pause, a status that no stage leads to
    said = [
        f'{after.item} is {after.kind.label(after.state)}'
        if after.state and after.state != before.state
        else f'where {after.item} stands'
        for before, after in moved
    ]
    subject = shlex.quote(f'chore: {", ".join(said) or "state files"}')
    files = shlex.join(paths)
    return f'git add -A -- {files} && git commit -m {subject} -- {files}'


def _uncommitted(paths: Sequence[str], moved: Moved) -> Iterator[str]:
    items = sorted({after.item for _, after in moved})
    named = ', '.join(map(shown, paths[:FEW]))
    more = f' and {len(paths) - FEW} more' if len(paths) > FEW else ''
    of = f' of {", ".join(map(shown, items[:FEW]))}' if items else ''
    yield f'the state{of} changed and is not committed: {named}{more}'
    yield f'next: {_commit_command(moved, paths)}'


def _changed_items(
    context: Context, repository: Repository, before: Snapshot
) -> Iterator[str]:
    """Items whose records the session leaves broken, or not committed."""
    top, kinds = repository.facts.top, _item_kinds(context)
    changed = tree(repository.environ, top).changed
    # registries and handoffs: where states are written
    written = [path for path in changed if record_of(context.workflow, path)]
    touched = {
        path: 'M' if os.path.lexists(os.path.join(top, path)) else 'D'
        for path in changed
        if path in written or any(item_of(path, kind) for kind in kinds)
    }
    if not touched:
        return
    with closing(StoredSnapshot(repository)) as after:
        change = Change(before, after, touched)
        judged = judge([change], context.workflow, CHECKS)
        found = [each for each in judged if each.introduced and each.refuses]
        for each in found[:FEW]:
            where = f'{shown(each.path)}:{each.line}'
            yield f'{where}: {each.code} {shown(each.item)}: {each.message}'
            yield f'next: {each.fix.step}'
        # a commit would be refused until the findings are gone
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
            commit = repository.head()
            before = repository.tree(commit.tree) if commit else Nothing()
            left.extend(_changed_items(context, repository, before))
            waiting.extend(_waiting_stage(context, repository, before))
    except NoRepository:
        # nothing can be committed, as is said elsewhere
        return


def _waiting_approvals(context: Context, task: str, held: Held) -> Iterator[str]:
    """What only the user can open, and was presented."""
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
    """Tasks and locks that a session leaves behind."""
    from interlock.guard.guards.lock import findings
    from interlock.guard.session_tasks import held_tasks
    from interlock.tasks import lock_holders

    main = context.space.protocol.main.name
    held = lock_holders.held(context.space, main)
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
        # told already, or only paused
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
