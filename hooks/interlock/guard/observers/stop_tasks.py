"""Tasks and locks that a session leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.documents import timestamps
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard import session_locks
from interlock.guard.context import Scene
from interlock.guard.lock_text import findings
from interlock.tasks import lock_holders, task_view
from interlock.tasks.conditions.approvals import is_presented
from interlock.tasks.conditions.gate import judge
from interlock.tasks.conditions.view import View
from interlock.tasks.lock_store import Held

# a condition that only the user can open -> what waits
WAITS = {
    'plan-approved': 'plan waits',
    'checkpoint-approved': 'changes wait',
    'scope-approved': 'scope decision waits',
}


def _main(scene: Scene) -> Iterator[str]:
    space = scene.space
    name = space.protocol.main.name
    held = lock_holders.held(space, name)
    if held is not None and held.is_held_by(scene.event.session):
        yield (
            f'this session still holds the lock of the main worktree\n'
            f'next: interlock lock release {name}'
        )


def _broken(scene: Scene, task: str, held: Held) -> Iterator[str]:
    for found in findings(scene, task, held.path, held.lock):
        if found.refuses:
            yield (
                f'{found.path}:{found.line}: {found.code} {task}: '
                f'{found.message}\nnext: interlock task check {task}'
            )
            return


def _view(scene: Scene, task: str, held: Held, condition: str) -> View:
    here = task_view.Here(
        scene.space,
        SteadySnapshot(scene.space.tasks),
        scene.event.environ,
        scene.actor,
        scene.directory,
        timestamps.now(),
    )
    return task_view.view(here, held.lock, task, '', (condition,))


def _waits(scene: Scene, task: str, held: Held) -> Iterator[str]:
    """What only the user can open, and was shown."""
    asked = {
        name
        for line in scene.space.kind.transitions
        if held.lock.state in line.origins
        for name in line.gate
    }
    for condition, what in WAITS.items():
        if condition not in asked:
            continue
        view = _view(scene, task, held, condition)
        if is_presented(view) and any(
            each.refuses for each in judge(view, [condition])
        ):
            yield (
                f'{task}: the {what} for your approval; say `approved`, or '
                f'run interlock approve {task}'
            )


def look(scene: Scene, left: list[str], waiting: list[str]) -> None:
    left.extend(_main(scene))
    for task, held in session_locks.held(scene):
        left.extend(_broken(scene, task, held))
        waiting.extend(_waits(scene, task, held))
