"""May an agent of a task start? Only where agents run."""

from __future__ import annotations

from interlock.documents import timestamps
from interlock.documents.tasks.trail import INVOCATIONS
from interlock.documents.text import shown
from interlock.guard import session_locks
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.model.actor import RESTART
from interlock.operations.tasks.trail import started, with_entry
from interlock.tasks import lock_holders
from interlock.tasks.lock_store import Held
from interlock.tasks.task_layout import WorktreeOwner
from interlock.workflow.language.protocol import BACK, CONDITIONAL, FORWARD
from interlock.workflow.language.spec import Kind, TransitionSpec

CODE = 'CLD011'


def _leads_to_agents(line: TransitionSpec, state: str, kind: Kind) -> str:
    """The state with agents that a transition leads to, '' for none."""
    if state not in line.origins:
        return ''
    targets = [name for name in line.targets if kind.states[name].agents]
    return targets[0] if targets else ''


def _way(task: str, state: str, kind: Kind) -> str:
    """The command that leads to a state in which agents run."""
    for direction in (BACK, FORWARD, CONDITIONAL):
        for line in kind.transitions:
            target = _leads_to_agents(line, state, kind)
            if target and line.kind == direction:
                reason = ' --reason TEXT' if line.reason else ''
                return f'interlock transition {task} {target}{reason}'
    return f'interlock task resume {task}'


def _wrong_state(task: str, held: Held, agent: str, kind: Kind) -> Objection | None:
    state = held.lock.state
    spec = kind.states.get(state)
    if spec is not None and spec.agents:
        return None
    return Objection(
        CODE,
        f'{task} is in {shown(state) or "no state"}, and {agent} does not run in it',
        _way(task, state, kind),
    )


def _wrong_place(scene: Scene, task: str, agent: str) -> Objection | None:
    if scene.space.place(scene.directory) == WorktreeOwner(task):
        return None
    code = scene.space.code(task)
    return Objection(
        CODE,
        f'{agent} of {task} is started from the worktree of the task, '
        f'and this is {shown(scene.directory)}',
        f'cd {code}',
    )


def _nobody(scene: Scene, agent: str) -> Objection | None:
    """Without a session nobody knows whose task an agent would work on."""
    for task, lock in lock_holders.all_held(scene.space):
        if session_locks.required(lock, agent, scene.space):
            return Objection(
                'LCK003',
                f'{agent} is an agent of {task}, and this agent '
                f'does not say its session, so no lock is its own',
                RESTART,
            )
    return None


def _begin(scene: Scene, task: str, held: Held, agent: str) -> None:
    space, now = scene.space, timestamps.now()
    where = session_locks.working_dir(space, task, agent, scene.directory)
    entry = started(agent, held.lock.state, where, now)
    session_locks.log(
        space,
        task,
        lambda file: with_entry(file, INVOCATIONS, entry, task, held.lock.session, now),
    )


def judge(scene: Scene, agent: str) -> Objection | None:
    if not scene.event.session:
        return _nobody(scene, agent)
    for task, held in session_locks.held(scene):
        name = session_locks.required(held, agent, scene.space)
        if not name:
            continue
        found = _wrong_state(task, held, name, scene.space.kind) or _wrong_place(
            scene, task, name
        )
        if found is None:
            _begin(scene, task, held, name)
        return found
    return None
