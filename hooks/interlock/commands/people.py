"""Who holds what, and what waits for a person."""
from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from interlock.commands.judging import Judge
from interlock.documents.text import shown
from interlock.operations.approve import waiting
from interlock.report.page import Holder
from interlock.report.page import Wait
from interlock.workflow.spec import Workflow
from interlock.world import holding
from interlock.world import situations
from interlock.world import workspace
from interlock.world.identity import actor
from interlock.world.workspace import Workspace


class People(NamedTuple):
    locks: Sequence[Holder] = ()
    waits: Sequence[Wait] = ()


def _people(space: Workspace) -> People:
    who = actor(os.environ)
    locks, waits = [], []
    for name, held in holding.all_held(space):
        state = shown(held.lock.state)
        locks.append(Holder(name, state, holding.described(held, who)))
        asked = waiting(
            space.kind, held.lock,
            partial(situations.plan_checksum, space, name),
        )
        # what was not presented waits for the agent, and not for the user
        if asked is not None and asked.at and not situations.is_marked(
                space, name, held.lock, asked.of,
        ):
            waits.append(Wait(
                name, asked.of, shown(asked.at), f'interlock approve {name}',
            ))
    return People(locks, waits)


def people(judge: Judge, workflow: Workflow) -> People:
    """Nobody, where there are no tasks or no files to look at."""
    space = workspace.of(judge.repository, judge.governing, workflow)
    return _people(space) if space is not None else People()
