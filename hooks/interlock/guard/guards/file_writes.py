"""Files that would be written, whoever writes them, and what speaks against.

The tools and the commands of a shell come to the same place, so that no rule
is bound to one route.
"""

from __future__ import annotations

import os

from interlock.guard.decision import Objection
from interlock.guard.file_write import Write, is_below
from interlock.guard.relevance import concerns
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene


def _is_ours(scene: Scene, write: Write) -> bool:
    """Whether a file lies in the project, as far as that can be known."""
    folders = {scene.base, scene.top} - {''}
    return any(is_below(place, folder) for place in write.places for folder in folders)


def is_workflow(scene: Scene, write: Write) -> bool:
    name = os.path.join(scene.base, os.path.basename(scene.file))
    return name in write.places


def _unjudged(scene: Scene, write: Write, why: Refusal) -> Objection | None:
    """The workflow makes no sense: it can be mended, and nothing else."""
    if is_workflow(scene, write):
        return Objection(
            'CLD004',
            f'the workflow file makes no sense ({why.message}); this changes it',
            ask=True,
        )
    elif _is_ours(scene, write):
        return Objection(
            'CLD014',
            f'{why.message}, so nothing under the project is written before '
            f'{scene.file} is mended',
            'interlock doctor',
        )
    return None


def judge_write(scene: Scene, write: Write) -> Objection | None:
    folder = os.path.dirname(write.real)
    found = [_judged(each, write) for each in scene.governing(folder)]
    # what is refused by one is not asked about by another
    found.sort(key=lambda objection: bool(objection and objection.ask))
    return next((objection for objection in found if objection), None)


def _judged(scene: Scene, write: Write) -> Objection | None:
    try:
        found = concerns(scene, write)
    except Refusal as error:
        return _unjudged(scene, write, error)
    if not found:
        return None
    # what follows takes ten times as long as all that went before
    from interlock.guard.guards import wiring

    objection = wiring.judge(scene, write)
    if scene.has_tasks and (objection is None or objection.ask):
        from interlock.guard.guards import task_files

        refused = task_files.judge(scene, write)
        # what may be asked about is refused without the lock all the same
        if objection is None or (refused and not refused.ask):
            objection = refused or objection
    if objection is None:
        from interlock.guard.guards import records

        objection = records.judge(scene, write)
    return objection
