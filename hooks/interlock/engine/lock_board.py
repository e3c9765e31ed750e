"""Who holds what, and what waits for a person."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from interlock.documents.text import shown
from interlock.engine.judge import Judge
from interlock.files.actor import actor
from interlock.operations.tasks.approve import waiting
from interlock.report.html_board import Holder, Wait
from interlock.tasks import lock_holders, task_layout, task_status
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.spec import Workflow


class People(NamedTuple):
    locks: Sequence[Holder] = ()
    waits: Sequence[Wait] = ()


def _people(space: Workspace) -> People:
    who = actor(os.environ)
    locks, waits = [], []
    for name, held in lock_holders.all_held(space):
        state = shown(held.lock.state)
        locks.append(Holder(name, state, lock_holders.described(held, who)))
        asked = waiting(
            space.kind, held.lock, partial(task_status.plan_checksum, space, name)
        )
        # what was not presented waits for the agent, and not for the user
        if (
            asked is not None
            and asked.at
            and not task_status.is_marked(space, name, held.lock, asked.of)
        ):
            waits.append(
                Wait(name, asked.of, shown(asked.at), f'interlock approve {name}')
            )
    return People(locks, waits)


def people(judge: Judge, workflow: Workflow) -> People:
    """Nobody, where there are no tasks or no files to look at."""
    space = task_layout.of(judge.repository, judge.governing, workflow)
    return _people(space) if space is not None else People()
