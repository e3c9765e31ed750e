"""The end of a task's agent: is it done, and does it say so?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from interlock.documents import timestamps
from interlock.documents.review_line import decision
from interlock.documents.tasks.trail import COMPLETED, FAILED
from interlock.documents.text import shown
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard import agent_reports, session_locks
from interlock.guard.context import Scene
from interlock.model.errors import Denied
from interlock.operations.tasks.trail import with_end
from interlock.tasks import task_view
from interlock.tasks.conditions.agents import report_fault, status_fault
from interlock.tasks.conditions.view import Agent, View
from interlock.tasks.lock_store import Held

# the condition of a state that ends when all agents have reviewed
REVIEWED = 'reviews-approved'


class Ending(NamedTuple):
    task: str
    held: Held
    agent: Agent
    view: View


def which(scene: Scene, agent: str) -> Ending | None:
    """The task of the session whose agent it is."""
    for task, held in session_locks.held(scene):
        name = session_locks.required(held, agent, scene.space)
        if name:
            here = task_view.Here(
                scene.space,
                SteadySnapshot(scene.space.tasks),
                scene.event.environ,
                scene.actor,
                scene.directory,
                timestamps.now(),
            )
            view = task_view.view(here, held.lock, task, '', ())
            found = next(each for each in view.agents if each.name == name)
            return Ending(task, held, found, view)
    return None


def is_review(scene: Scene, held: Held) -> bool:
    return any(
        held.lock.state in line.origins and REVIEWED in line.gate
        for line in scene.space.kind.transitions
    )


def decided(scene: Scene) -> str:
    """What a review says, by its last line; '' where it says nothing."""
    protocol = scene.space.protocol
    return decision(
        agent_reports.message(scene), protocol.review_line, protocol.decisions.values()
    )


def _review_faults(scene: Scene, agent: Agent) -> Iterator[str]:
    protocol = scene.space.protocol
    said = decided(scene)
    if not said and protocol.review_line:
        words = ' or '.join(
            f'`{protocol.review_line} {word} - REASON`'
            for word in protocol.decisions.values()
        )
        yield (
            f'its message does not end with {words}, so the review counts as '
            f'{protocol.decisions["rejected"]}'
        )
    elif said and agent.decision != said:
        yield (
            f'its message says {said}, and the `decision` of its status file '
            f'is {shown(agent.decision) or "missing"}'
        )


def _faults(scene: Scene, ending: Ending) -> Iterator[str]:
    state = ending.held.lock.state
    spec = scene.space.kind.states.get(state)
    if spec is None or not spec.agents:
        # the task went on meanwhile
        return
    yield from filter(
        None,
        (
            # it was at work in this state, whatever it had done before
            status_fault(ending.agent, ending.view, state),
            report_fault(ending.agent, ending.view),
        ),
    )
    if is_review(scene, ending.held):
        yield from _review_faults(scene, ending.agent)


def faults(scene: Scene, ending: Ending) -> str:
    said = list(_faults(scene, ending))
    if not said:
        return ''
    name, task = ending.agent.name, ending.task
    return '\n'.join(
        [
            f'{name} is not done with {task} ({ending.held.lock.state}):',
            *said,
            f'next: do what is missing (interlock agents check {task} {name} '
            f'says more)',
        ]
    )


def close(scene: Scene, ending: Ending, failed: bool) -> None:
    """The trail says how the agent ended; one it never saw start, not."""
    space, now = scene.space, timestamps.now()
    name, task = ending.agent.name, ending.task
    report = space.path(space.protocol.files.report, task, name)
    status, reviewed = FAILED if failed else COMPLETED, ''
    if is_review(scene, ending.held):
        reviewed = decided(scene) or space.protocol.decisions['rejected']
    with contextlib.suppress(Denied):
        session_locks.log(
            space,
            task,
            lambda file: with_end(
                file,
                name,
                report if ending.agent.report else '',
                status,
                task,
                ending.held.lock.session,
                now,
                reviewed,
            ),
        )
