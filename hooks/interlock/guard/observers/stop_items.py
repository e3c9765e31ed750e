"""Items whose records a session leaves broken, or not committed."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Sequence

from interlock.checks.run import OF_RECORDS, judge
from interlock.documents.text import shown
from interlock.engine import stage_commits
from interlock.git.repository import Repository
from interlock.git.worktree_snapshot import StoredSnapshot
from interlock.git.worktrees import tree
from interlock.guard import project_paths
from interlock.guard.context import Scene
from interlock.model.change import Change, Nothing, Snapshot
from interlock.model.errors import NoRepository
from interlock.model.finding import Finding
from interlock.model.fixes import ours
from interlock.model.state import State
from interlock.operations.progress_text import timeline_text
from interlock.workflow.language.patterns import path_re
from interlock.workflow.language.spec import STAGE, Kind
from interlock.workflow.reading.item_paths import item_of
from interlock.workflow.reading.records import Records, handoff_state, is_open, records
from interlock.workflow.reading.status_words import label, written_stage
from interlock.workflow.reading.touched_items import touched_items

# what can be said before there is a message
CHECKS = (*OF_RECORDS, 'stages', 'commit')
FEW = 3


def _kinds(scene: Scene) -> list[Kind]:
    return [kind for kind in scene.workflow.kinds if kind.protocol is None]


def _is_state(kind: Kind, path: str) -> bool:
    """A registry or a handoff: where a state is written."""
    registry, handoff = kind.registry, kind.handoff
    patterns = [*(handoff.places if handoff else ())]
    if registry is not None:
        patterns += [registry.file, registry.entry_file]
    return any(path_re(each).match(path) for each in patterns if each)


def _errors(found: Sequence[Finding]) -> list[str]:
    guilty = [each for each in found if each.introduced and each.refuses]
    lines = []
    for each in guilty[:FEW]:
        where = f'{shown(each.path)}:{each.line}'
        lines.append(f'{where}: {each.code} {shown(each.item)}: {each.message}')
        lines.append(f'next: {each.fix.command}')
    return lines


def _ended(before: Records, after: Records) -> State | None:
    """The state whose work the handoff newly says is done, None if none."""
    kind, old, new = after.kind, before.current, after.current
    state = handoff_state(new)
    if (
        state is None
        or is_open(new, kind)
        or (state == handoff_state(old) and not is_open(old, kind))
    ):
        return None
    return state


def _next(moved: Sequence[tuple[Records, Records]], paths: Sequence[str]) -> str:
    """The command that commits what was written."""
    for before, after in moved:
        state = _ended(before, after)
        if state is not None and after.kind.commit is not None:
            return ours(
                'commit-stage',
                after.item,
                written_stage(state, after.kind),
                '-m',
                timeline_text(after, state),
            )
    # nothing ended: a note, a pause, a status that no stage leads to
    said = [
        f'{after.item} is {label(after.state, after.kind)}'
        if after.state and after.state != before.state
        else f'where {after.item} stands'
        for before, after in moved
    ]
    subject = f'chore: {", ".join(said) or "state files"}'
    files = shlex.join(paths)
    return f'git add -A -- {files} && git commit -m {shlex.quote(subject)} -- {files}'


def _uncommitted(
    paths: Sequence[str], moved: Sequence[tuple[Records, Records]]
) -> list[str]:
    items = sorted({after.item for _, after in moved})
    named = ', '.join(map(shown, paths[:FEW]))
    more = f' and {len(paths) - FEW} more' if len(paths) > FEW else ''
    of = f' of {", ".join(map(shown, items[:FEW]))}' if items else ''
    return [
        f'the state{of} changed and is not committed: {named}{more}',
        f'next: {_next(moved, paths)}',
    ]


def _changed(
    scene: Scene, repository: Repository, before: Snapshot, left: list[str]
) -> None:
    top, kinds = repository.facts.top, _kinds(scene)
    paths = [
        path
        for path in tree(repository.environ, top).changed
        if any(item_of(path, kind) or _is_state(kind, path) for kind in kinds)
    ]
    if not paths:
        return
    touched = {
        path: 'M' if os.path.lexists(os.path.join(top, path)) else 'D' for path in paths
    }
    with contextlib.closing(StoredSnapshot(repository)) as after:
        change = Change(before, after, touched)
        left.extend(_errors(judge([change], scene.workflow, CHECKS)))
        written = [path for path in paths if any(_is_state(k, path) for k in kinds)]
        moved = [
            (records(before, kind, item), records(after, kind, item))
            for kind in kinds
            for item in touched_items(change, kind)
        ]
        if written:
            left.extend(_uncommitted(written, moved))


def _waiting(
    scene: Scene, repository: Repository, before: Snapshot, waiting: list[str]
) -> None:
    """The stage that was committed last, if the user is still to speak."""
    newest = stage_commits.newest(repository, scene.workflow)
    found = (
        stage_commits.unconfirmed(
            repository, repository.facts.common_dir, scene.workflow, newest.item
        )
        if newest
        else None
    )
    if found is None or not any(
        records(before, kind, found.item).role == STAGE for kind in _kinds(scene)
    ):
        return
    waiting.append(
        f'stage {found.name} of {found.item} is committed and waits for '
        f'your word; interlock menu {found.item} shows the choices'
    )


def look(scene: Scene, left: list[str], waiting: list[str]) -> None:
    try:
        with project_paths.repository(scene) as repository:
            commit = repository.head()
            before: Snapshot = Nothing()
            if commit is not None:
                before = repository.tree(commit.tree)
            _changed(scene, repository, before, left)
            _waiting(scene, repository, before, waiting)
    except NoRepository:
        # nothing can be committed, as is said elsewhere
        return
