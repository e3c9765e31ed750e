"""Files of tasks: whose they are, and who may write them now."""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.documents.wiring.files import shape_of
from interlock.guard.context import Context, is_below
from interlock.guard.decision import Decision, ask, deny
from interlock.guard.event import fold
from interlock.guard.relevance import CALLERS, Write, git_folder
from interlock.guard.session_tasks import held_tasks, listed_name, task_above
from interlock.model import clients
from interlock.model.actor import RESTART
from interlock.model.quick_typing import Iterator
from interlock.tasks import lock_holders
from interlock.tasks.lock_store import Held, locks_of
from interlock.tasks.task_checkouts import task_in
from interlock.workflow.language.protocol import names_of
from interlock.workflow.reading.item_paths import is_task_name

SELECT = 'interlock task select'
MAIN = 'the main worktree'


def _no_session(name: str) -> Decision:
    text = f'{name} needs a lock, and the client does not pass its session id'
    return deny('LCK003', text, RESTART)


def _not_ours(
    context: Context, name: str, held: Held, hint: str = SELECT
) -> Decision | None:
    """A lock that another session holds."""
    if held.is_held_by(context.event.session):
        if locks_of(context.space).is_stale(name):
            from interlock.tasks.lock_confirmation import confirm_later

            confirm_later(context.space, name)
        return None
    elif held.doubt:
        code, _, why = held.doubt.partition(': ')
        return deny(code, f'{name}: {why}', held.way_out)
    space, actor = context.space, context.actor
    who = lock_holders.described(held, actor)
    code = 'LCK002' if held.lock.problem else 'LCK001'
    what = MAIN if name == space.protocol.main.name else name
    hint = lock_holders.way_on(space, name, held, actor, hint)
    return deny(code, f'{what} is held by {who}', hint)


def _of_main(context: Context, path: str = '') -> Decision | None:
    """Every change in the main worktree needs its lock; without a path it is
    a command of git."""
    main = context.space.protocol.main
    held = lock_holders.held(context.space, main.name)
    if not context.event.session:
        return _no_session(MAIN)
    # operations on git, files and configuration, in the workflow's order
    calls = os.path.basename(path) in CALLERS or bool(shape_of(path))
    is_config = calls or path == os.path.realpath(context.file)
    number = 0 if not path else 2 if is_config else 1
    operation = main.operations[min(number, len(main.operations) - 1)]
    acquire = f'interlock lock acquire {main.name} --operation {operation}'
    if held is None:
        text = 'a change in the main worktree needs its lock'
        return deny('LCK007', text, acquire)
    return _not_ours(context, main.name, held, f'{acquire} --until-free 600')


def _locks(context: Context, name: str) -> list[str]:
    return [os.path.realpath(path) for path in locks_of(context.space).places(name)]


def _of_trail(
    context: Context, write: Write, path: str, name: str, held: Held | None
) -> Decision | None:
    """The trail outlives its task, and its holder."""
    trail = context.space.path(context.space.protocol.files.trail, name)
    real = os.path.realpath(trail)
    if path != real and not (write.tree and is_below(real, path)):
        return None
    elif held is None and not os.path.lexists(trail):
        return None
    hint = SELECT
    if held is not None:
        add = f'interlock trail add {name} --help'
        hint = f'interlock task finish {name}' if write.removed else add
    return deny(
        'CLD015',
        f'{os.path.basename(trail)} records what was done for {name}; it is not '
        f'written or removed by hand',
        hint,
    )


def _without_lock(
    context: Context, write: Write, path: str, name: str
) -> Decision | None:
    is_lock = path in _locks(context, name)
    locks = locks_of(context.space)
    grant = locks.grant(name) if locks.is_shared(name) else None
    if grant is not None and grant.lost and grant.session == context.event.session:
        return deny(
            'LCK001',
            f'the lock of {name} was taken away from this session',
            f'interlock lock log {name}',
        )
    elif not os.path.isdir(context.space.code(name)):
        if is_lock:
            from interlock.guard.guards import lock

            return lock.judge(context, write, name, None)
        return _of_trail(context, write, path, name, None)
    decide = deny if is_lock else ask
    return decide(
        'LCK004',
        f'the worktree of {name} has no lock: a session may have crashed, or another '
        f'one may be at work; the user decides whether to clean it up or to adopt it',
        f'{SELECT} {name}',
    )


def is_implementation(context: Context, path: str, task: str, held: Held) -> bool:
    """Whether a file in a worktree of a task or of its agents is code."""
    space, spec = context.space, context.space.protocol.implementation
    pattern = space.protocol.files.agent_code
    agents = (space.path(pattern, task, agent) for agent in held.lock.agents)
    tops = map(os.path.realpath, (space.code(task), *agents))
    inside = (os.path.relpath(path, top) for top in tops if is_below(path, top))
    *folders, name = next(inside, '').split(os.sep)
    return (
        name in spec.files
        or name.endswith(spec.suffixes)
        or bool(set(folders).intersection(spec.folders))
    )


def _of_main_agent(
    context: Context, path: str, name: str, held: Held
) -> Decision | None:
    state = context.space.kind.states.get(held.lock.state)
    if state is None or not state.agents or context.event.agent_id:
        return None
    elif not is_implementation(context, path, name, held):
        return None
    agents = [*map(shown, held.lock.agents)]
    naming = _naming(context, agents[0]) if agents else ''
    return deny(
        'CLD007',
        f'{name} is in {state.name}, where agents implement; the main agent '
        f'coordinates and does not write {os.path.basename(path)}',
        f'start the agent whose work it is: {", ".join(agents)}{naming}',
    )


def _naming(context: Context, agent: str) -> str:
    """How an agent becomes known by its name, where the client has a way."""
    words = dict(clients.NAMING).get(context.event.client, '')
    return f' ({words.format(agent)})' if words else ''


def _of_flag(context: Context, write: Write, path: str, name: str) -> Decision | None:
    groups, flag = context.space.protocol.flags.values(), os.path.basename(path)
    if write.removed or not any(flag in names for names in groups):
        return None
    text = f'{flag} says that the user approved; only the user can say that'
    return deny('CLD005', text, f'interlock present {name}')


def _acting_agent(context: Context, path: str) -> tuple[str, str] | None:
    """The task that the acting agent works for, and its name there."""
    agent = context.event.agent_type
    for task, held in _possible_tasks(context, path) if agent else ():
        name = listed_name(held, agent, context.space)
        if name:
            return task, name
    return None


def _possible_tasks(context: Context, path: str) -> Iterator[tuple[str, Held]]:
    for place in (context.directory, path):
        found = task_above(context, place)
        if found:
            yield found
    # rarely is it another task of the session
    yield from held_tasks(context)


def _of_agent(context: Context, path: str) -> Decision | None:
    """An agent of a task writes in its own directories, and its report."""
    space, protocol = context.space, context.space.protocol
    tops = map(os.path.realpath, (space.main, space.tasks))
    ours = context.owns(path) or any(is_below(path, top) for top in tops)
    found = _acting_agent(context, path) if ours or space.linked(path) else None
    if found is None:
        return None
    files = protocol.files
    reports = (files.report, *protocol.older.get('report', ()))
    if path in [os.path.realpath(space.path(each, *found)) for each in reports]:
        return None
    folders = [
        os.path.realpath(os.path.dirname(space.path(pattern, *found)))
        for pattern in (files.agent_code, files.status)
    ]
    if any(is_below(path, folder) for folder in folders):
        return None
    return deny(
        'CLD008',
        f'{shown(found[1])} works in {folders[0]} and writes its report; '
        f'{path} is neither',
        f'write below {folders[0]}',
    )


def _of_status(context: Context, write: Write, task: str) -> Decision | None:
    """Gates read the status of an agent: only the agent writes it."""
    space = context.space
    pattern = space.path(space.protocol.files.status, task, '*')
    head, _, tail = pattern.partition('*')
    head = os.path.realpath(head) + os.sep
    own = fold(context.event.agent_type)
    for path in write.places:
        agent = path[len(head) : len(path) - len(tail)]
        if not (path.startswith(head) and path.endswith(tail)):
            continue
        elif not agent or os.sep in agent:
            continue
        elif own not in map(fold, names_of(agent, space.protocol)):
            agent = shown(agent)
            text = f'only {agent} writes the status of {agent}'
            words = _naming(context, agent)
            start = f'start {agent}{words} and let it write its status'
            return deny('CLD008', text, start)
    return None


def _own_task(
    context: Context, write: Write, path: str, name: str, held: Held
) -> Decision | None:
    if path in _locks(context, name):
        from interlock.guard.guards import lock

        return lock.judge(context, write, name, held)
    found = _of_trail(context, write, path, name, held)
    if found is None and not write.removed:
        found = _of_status(context, write, name)
    return found or _of_main_agent(context, path, name, held)


def _of_task(context: Context, write: Write, path: str, name: str) -> Decision | None:
    found = _of_flag(context, write, path, name)
    if found or not context.event.session:
        return found or _no_session(name)
    held = lock_holders.held(context.space, name)
    is_main = name == context.space.protocol.main.name
    if held is not None:
        found = _not_ours(context, MAIN if is_main else name, held)
    if found:
        return found
    elif is_main:
        from interlock.guard.guards import lock

        own = path in _locks(context, name)
        return lock.judge_main(context, write) if own else None
    elif held is None:
        return _without_lock(context, write, path, name)
    return _own_task(context, write, path, name, held)


def _of_all(context: Context) -> Decision:
    """The directory of all tasks, removed whole."""
    for name, held in lock_holders.all_held(context.space):
        found = _not_ours(context, name, held)
        if found:
            return found
    text = f'{context.space.tasks} holds the trails of all tasks'
    return deny('CLD015', text, 'interlock task finish TASK')


def judge_git(context: Context, directory: str) -> Decision | None:
    """A command of git that changes a worktree, or what it is of."""
    space, place = context.space, context.space.place(directory)
    task = task_in(space, directory)
    held = lock_holders.held(space, task) if task else None
    if held is not None and not context.event.session:
        return _no_session(task)
    found = _not_ours(context, task, held) if held is not None else None
    if found or place is None:
        return found
    elif not place.task:
        return _of_main(context)
    elif not context.event.session:
        return _no_session(place.task)
    held = lock_holders.held(space, place.task)
    if held is None:
        return _without_lock(context, Write(directory), '', place.task)
    return _not_ours(context, place.task, held)


def _of_list(context: Context, write: Write, path: str) -> Decision | None:
    """A list of tasks that a command removes, or rewrites unseen."""
    protocol = context.space.protocol
    folder, name = os.path.split(path)
    if name not in (protocol.todo, protocol.changelog) or not os.path.lexists(path):
        return None
    elif not os.path.lexists(os.path.join(folder, '.git')):
        return None
    elif not write.how or write.kept or write.restored:
        return None
    elif write.new is not None and not write.removed:
        return None
    what = 'remove' if write.removed else 'rewrite'
    return deny(
        'CLD016',
        f'this would {what} {path}, the list of what is to be done or was done, '
        f'and the result is unknown',
        'make the change with the Edit tool, whose result is judged',
    )


def _at(context: Context, write: Write, path: str) -> Decision | None:
    space = context.space
    tasks, main = map(os.path.realpath, (space.tasks, space.main))
    found = _of_agent(context, path)
    if found:
        return found
    # a lock of an older project lies elsewhere
    name = os.path.splitext(os.path.basename(path))[0]
    if not is_task_name(name, space.kind) or path not in _locks(context, name):
        name = ''
    if write.tree and is_below(tasks, path) and os.path.isdir(tasks):
        return _of_all(context)
    elif is_below(path, tasks) and path != tasks:
        name = os.path.relpath(path, tasks).split(os.sep)[0]
    elif not name:
        name = space.linked(path, write.tree)
        if is_below(path, main) and not git_folder(path):
            # a link of a task may lead into the main worktree
            found = _of_main(context, path)
    if found:
        return found
    elif name == space.protocol.main.name or is_task_name(name, space.kind):
        return _of_task(context, write, path, name)
    return None


def judge(context: Context, write: Write) -> Decision | None:
    for path in write.places:
        found = _at(context, write, path) or _of_list(context, write, path)
        if found:
            return found
    return None
