"""Files of tasks: whose they are, and who may write them now."""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.documents.wiring.claude_settings import is_settings
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.file_write import Write, is_below
from interlock.guard.guards import task_agent_paths
from interlock.guard.relevance import CALLERS, git_folder
from interlock.model.actor import RESTART
from interlock.tasks import lock_holders
from interlock.tasks.lock_store import Held, locks_of
from interlock.tasks.task_checkouts import task_in
from interlock.workflow.reading.item_paths import is_task_name

SELECT = 'interlock task select'


def _no_session(name: str) -> Objection:
    return Objection(
        'LCK003',
        f'{name} needs a lock, and the client does not say which session this is',
        RESTART,
    )


def _foreign(scene: Scene, name: str, held: Held, way: str = SELECT) -> Objection:
    who = lock_holders.described(held, scene.actor)
    code = 'LCK002' if held.lock.problem else 'LCK001'
    return Objection(code, f'{name} is held by {who}', way)


def _operation(scene: Scene, path: str) -> str:
    """What is done in the main worktree: git ('' for a path), files, or
    what configures it, in the order of the workflow."""
    operations = scene.space.protocol.main.operations
    calls = os.path.basename(path) in CALLERS or is_settings(path)
    is_config = calls or path == os.path.realpath(scene.file)
    number = 0 if not path else 2 if is_config else 1
    return operations[min(number, len(operations) - 1)]


def _of_main(scene: Scene, path: str = '') -> Objection | None:
    """Whatever is written in the main worktree needs its lock."""
    space = scene.space
    name = space.protocol.main.name
    held = lock_holders.held(space, name)
    if not scene.event.session:
        return _no_session('the main worktree')
    elif held is None:
        return Objection(
            'LCK007',
            'a change in the main worktree needs its lock',
            f'interlock lock acquire {name} --operation {_operation(scene, path)}',
        )
    elif not held.is_held_by(scene.event.session):
        return _foreign(
            scene,
            'the main worktree',
            held,
            f'interlock lock acquire {name} --operation '
            f'{_operation(scene, path)} --until-free 600',
        )
    return None


def _locks(scene: Scene, name: str) -> list[str]:
    return [os.path.realpath(path) for path in locks_of(scene.space).places(name)]


def _is_trail(scene: Scene, write: Write, path: str, name: str) -> bool:
    """Whether the trail of a task is written, or removed with others."""
    space = scene.space
    trail = os.path.realpath(space.path(space.protocol.files.trail, name))
    return path == trail or (write.tree and is_below(trail, path))


def _kept(scene: Scene, write: Write, path: str, name: str) -> Objection | None:
    """The trail outlives its task, and whoever held it."""
    space = scene.space
    trail = space.path(space.protocol.files.trail, name)
    if not _is_trail(scene, write, path, name) or not os.path.lexists(trail):
        return None
    return Objection(
        'CLD015',
        f'{os.path.basename(trail)} says what was done for {name}; it is '
        f'kept, and not written or removed by hand',
        SELECT,
    )


def _without_lock(scene: Scene, write: Write, path: str, name: str) -> Objection | None:
    space = scene.space
    if not os.path.isdir(space.code(name)):
        if path in _locks(scene, name):
            from interlock.guard.guards import lock

            return lock.judge(scene, write, name, None)
        return _kept(scene, write, path, name)
    return Objection(
        'LCK004',
        f'the worktree of {name} exists without a lock: a session may have '
        f'crashed, or another one is at work; the user decides whether it '
        f'is cleaned or adopted',
        f'interlock task select {name}',
        ask=path not in _locks(scene, name),
    )


def _in_worktree(scene: Scene, path: str, task: str, held: Held) -> str:
    """The path from the top of the worktree of a task or of an agent of
    it, '' where it lies in none."""
    space = scene.space
    pattern = space.protocol.files.agent_code
    for code in (
        space.code(task),
        *(space.path(pattern, task, agent) for agent in held.lock.agents),
    ):
        top = os.path.realpath(code)
        if is_below(path, top) and path != top:
            return os.path.relpath(path, top)
    return ''


def is_implementation(scene: Scene, path: str, task: str, held: Held) -> bool:
    spec = scene.space.protocol.implementation
    *folders, name = _in_worktree(scene, path, task, held).split(os.sep)
    return (
        name in spec.files
        or name.endswith(spec.suffixes)
        or bool(set(folders).intersection(spec.folders))
    )


def _of_main_agent(scene: Scene, path: str, name: str, held: Held) -> Objection | None:
    state = scene.space.kind.states.get(held.lock.state)
    if state is None or not state.agents or scene.event.agent_id:
        return None
    elif not is_implementation(scene, path, name, held):
        return None
    agents = ', '.join(shown(each) for each in held.lock.agents)
    return Objection(
        'CLD007',
        f'{name} is in {state.name}: agents implement, the main agent '
        f'coordinates, so it does not write {os.path.basename(path)}',
        f'start the agent whose work it is ({agents})',
    )


def _flag(scene: Scene, write: Write, path: str, name: str) -> Objection | None:
    """Whoever holds the task, and whether anybody does."""
    groups = scene.space.protocol.flags.values()
    flag = os.path.basename(path)
    if write.removed or not any(flag in names for names in groups):
        return None
    return Objection(
        'CLD005',
        f'{flag} says that the user approved, and only the user can say so',
        f'interlock present {name}',
    )


def _own(
    scene: Scene, write: Write, path: str, name: str, held: Held
) -> Objection | None:
    trail = os.path.basename(scene.space.protocol.files.trail)
    if path in _locks(scene, name):
        from interlock.guard.guards import lock

        return lock.judge(scene, write, name, held)
    elif _is_trail(scene, write, path, name):
        return Objection(
            'CLD015',
            f'{trail} says what was done for {name}; it is '
            f'not written or removed by hand',
            f'interlock trail add {name} --help'
            if not write.removed
            else f'interlock task finish {name}',
        )
    if not write.removed:
        objection = task_agent_paths.of_status(scene, write, name)
        if objection:
            return objection
    return _of_main_agent(scene, path, name, held)


def _of_task(scene: Scene, write: Write, path: str, name: str) -> Objection | None:
    if not scene.event.session:
        return _no_session(name)
    held = lock_holders.held(scene.space, name)
    if name == scene.space.protocol.main.name:
        if held is not None and not held.is_held_by(scene.event.session):
            return _foreign(scene, 'the main worktree', held)
        elif path in _locks(scene, name):
            from interlock.guard.guards import lock

            return lock.judge_main(scene, write)
        return None
    elif held is None:
        return _without_lock(scene, write, path, name)
    elif not held.is_held_by(scene.event.session):
        return _foreign(scene, name, held)
    return _own(scene, write, path, name, held)


def _of_all(scene: Scene) -> Objection | None:
    """The directory of all tasks, removed whole."""
    for name, held in lock_holders.all_held(scene.space):
        if not held.is_held_by(scene.event.session):
            return _foreign(scene, name, held)
    return Objection(
        'CLD015',
        f'{scene.space.tasks} holds the trails of all tasks',
        'interlock task finish TASK',
    )


def _older_lock(scene: Scene, path: str) -> str:
    """The task whose lock lies at a place of older projects."""
    name = os.path.splitext(os.path.basename(path))[0]
    known = is_task_name(name, scene.space.kind)
    return name if known and path in _locks(scene, name) else ''


def judge_git(scene: Scene, directory: str) -> Objection | None:
    """A command of git that changes a worktree, or what it is of."""
    place = scene.space.place(directory)
    task = task_in(scene.space, directory)
    held = lock_holders.held(scene.space, task) if task else None
    if held is not None and not scene.event.session:
        return _no_session(task)
    elif held is not None and not held.is_held_by(scene.event.session):
        return _foreign(scene, task, held)
    elif place is None:
        return None
    elif not place.task:
        return _of_main(scene)
    elif not scene.event.session:
        return _no_session(place.task)
    held = lock_holders.held(scene.space, place.task)
    if held is None:
        return _without_lock(scene, Write(directory), '', place.task)
    elif not held.is_held_by(scene.event.session):
        return _foreign(scene, place.task, held)
    return None


def _of_list(scene: Scene, write: Write, path: str) -> Objection | None:
    """A list of tasks that a command removes, or rewrites unseen."""
    protocol = scene.space.protocol
    folder, name = os.path.split(path)
    if name not in (protocol.todo, protocol.changelog) or not (
        os.path.lexists(os.path.join(folder, '.git'))
    ):
        return None
    elif (
        not write.how
        or write.kept
        or write.restored
        or (write.new is not None and not write.removed)
        or not os.path.lexists(path)
    ):
        return None
    what = 'remove' if write.removed else 'rewrite'
    return Objection(
        'CLD016',
        f'this would {what} {path}, which says what is to be done '
        f'and what was done, and the result cannot be judged before',
        'make the change with the Edit tool, whose result is judged',
    )


def judge(scene: Scene, write: Write) -> Objection | None:
    for path in write.places:
        objection = _judged(scene, write, path) or (_of_list(scene, write, path))
        if objection:
            return objection
    return None


def _judged(scene: Scene, write: Write, path: str) -> Objection | None:
    space = scene.space
    tasks, main = map(os.path.realpath, (space.tasks, space.main))
    objection = task_agent_paths.of_agent(scene, path)
    if objection:
        return objection
    name = _older_lock(scene, path)
    if write.tree and is_below(tasks, path) and os.path.isdir(tasks):
        return _of_all(scene)
    elif is_below(path, tasks) and path != tasks:
        name = os.path.relpath(path, tasks).split(os.sep)[0]
    elif not name:
        name = space.linked(path, write.tree)
        if is_below(path, main) and not git_folder(path):
            # a link of a task may lead into the main worktree
            objection = _of_main(scene, path)
        if objection:
            return objection
    if name and (name == space.protocol.main.name or is_task_name(name, space.kind)):
        return _flag(scene, write, path, name) or _of_task(scene, write, path, name)
    return None
