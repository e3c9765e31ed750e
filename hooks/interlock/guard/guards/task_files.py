"""Files of tasks: who owns them, and who may write them now.

Each function yields the objections to a write; the first one is the answer.
"""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.guard.context import Context, is_below
from interlock.guard.decision import Decision, ask, deny
from interlock.guard.event import fold
from interlock.guard.relevance import CALLERS, Write, git_folder
from interlock.guard.session_tasks import held_tasks, listed_name, task_above
from interlock.model import clients
from interlock.model.actor import RESTART
from interlock.model.calling_files import shape_of
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
) -> Iterator[Decision]:
    """Refuse if another session holds the lock."""
    if held.is_held_by(context.event.session):
        if locks_of(context.space).is_stale(name):
            from interlock.tasks.lock_confirmation import confirm_later

            confirm_later(context.space, name)
    elif held.doubt:
        code, _, why = held.doubt.partition(': ')
        yield deny(code, f'{name}: {why}', held.way_out)
    else:
        space, actor = context.space, context.actor
        who = lock_holders.holder_text(held)
        code = 'LCK002' if held.lock.problem else 'LCK001'
        what = MAIN if name == space.protocol.main.name else name
        hint = lock_holders.way_on(space, name, held, actor, hint)
        yield deny(code, f'{what} is held by {who}', hint)


def _of_main(context: Context, path: str = '') -> Iterator[Decision]:
    """Every change in the main worktree needs its lock. Without a path, the change
    is a git command."""
    main = context.space.protocol.main
    held = lock_holders.lock_of(context.space, main.name)
    if not context.event.session:
        yield _no_session(MAIN)
    # operations on git, on files and on configuration, in the workflow's order
    calls = os.path.basename(path) in CALLERS or bool(shape_of(path))
    is_config = calls or path == os.path.realpath(context.file)
    number = 0 if not path else 2 if is_config else 1
    operation = main.operations[min(number, len(main.operations) - 1)]
    acquire = f'interlock lock acquire {main.name} --operation {operation}'
    if held is None:
        yield deny('LCK007', 'a change in the main worktree needs its lock', acquire)
    else:
        yield from _not_ours(context, main.name, held, f'{acquire} --until-free 600')


def _locks(context: Context, name: str) -> list[str]:
    return [os.path.realpath(path) for path in locks_of(context.space).places(name)]


def _of_trail(
    context: Context, write: Write, path: str, name: str, held: Held | None
) -> Iterator[Decision]:
    """Refuse writes to the trail: it outlives its task and the holder of its lock."""
    trail = context.space.path(context.space.protocol.files.trail, name)
    real, hint = os.path.realpath(trail), SELECT
    if held is not None:
        add = f'interlock trail add {name} --help'
        hint = f'interlock task finish {name}' if write.removed else add
    reached = path == real or (write.tree and is_below(real, path))
    if reached and (held is not None or os.path.lexists(trail)):
        yield deny(
            'CLD015',
            f'{os.path.basename(trail)} records what was done for {name}; it is not '
            f'written or removed by hand',
            hint,
        )


def _without_lock(
    context: Context, write: Write, path: str, name: str
) -> Iterator[Decision]:
    is_lock = path in _locks(context, name)
    locks = locks_of(context.space)
    grant = locks.grant(name) if locks.is_shared(name) else None
    if grant is not None and grant.lost and grant.session == context.event.session:
        text = f'the lock of {name} was taken away from this session'
        yield deny('LCK001', text, f'interlock lock log {name}')
    elif os.path.isdir(context.space.code(name)):
        decide = deny if is_lock else ask
        yield decide(
            'LCK004',
            f'the worktree of {name} has no lock: a session may have crashed, or '
            f'another one may be at work; the user decides whether to clean it up or '
            f'to adopt it',
            f'{SELECT} {name}',
        )
    elif is_lock:
        yield from _of_lock(context, write, name, None)
    else:
        yield from _of_trail(context, write, path, name, None)


def _of_lock(
    context: Context, write: Write, name: str, held: Held | None
) -> Iterator[Decision]:
    # imported here, because few writes touch a lock
    from interlock.guard.guards import lock

    return lock.judge(context, write, name, held)


def is_implementation(context: Context, path: str, task: str, held: Held) -> bool:
    """Whether a file in the worktree of a task or of its agents is code."""
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
) -> Iterator[Decision]:
    state = context.space.kind.states.get(held.lock.state)
    if state is None or not state.agents or context.event.agent_id:
        return
    elif not is_implementation(context, path, name, held):
        return
    agents = [*map(shown, held.lock.agents)]
    naming = _naming(context, agents[0]) if agents else ''
    yield deny(
        'CLD007',
        f'{name} is in {state.name}, where agents implement; the main agent '
        f'coordinates and does not write {os.path.basename(path)}',
        f'start the agent whose work it is: {", ".join(agents)}{naming}',
    )


def _naming(context: Context, agent: str) -> str:
    """How to make an agent known by its name, if the client has a way to do it."""
    words = dict(clients.NAMING).get(context.event.client, '')
    return f' ({words.format(agent)})' if words else ''


def _of_flag(
    context: Context, write: Write, path: str, name: str
) -> Iterator[Decision]:
    groups, flag = context.space.protocol.flags.values(), os.path.basename(path)
    if not write.removed and any(flag in names for names in groups):
        text = f'{flag} says that the user approved; only the user can say that'
        yield deny('CLD005', text, f'interlock present {name}')


def _acting_agent(context: Context, path: str) -> tuple[str, str] | None:
    """The task that the acting agent works for, and the agent's name in that task."""
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
    # in rare cases it is another task of the session
    yield from held_tasks(context)


def _of_agent(context: Context, path: str) -> Iterator[Decision]:
    """An agent of a task may write only its own directories and its report."""
    space, protocol = context.space, context.space.protocol
    tops = map(os.path.realpath, (space.main, space.tasks))
    ours = context.owns(path) or any(is_below(path, top) for top in tops)
    found = _acting_agent(context, path) if ours or space.linked(path) else None
    if found is None:
        return
    files = protocol.files
    reports = (files.report, *protocol.older.get('report', ()))
    if path in [os.path.realpath(space.path(each, *found)) for each in reports]:
        return
    folders = [
        os.path.realpath(os.path.dirname(space.path(pattern, *found)))
        for pattern in (files.agent_code, files.status)
    ]
    if not any(is_below(path, folder) for folder in folders):
        yield deny(
            'CLD008',
            f'{shown(found[1])} works in {folders[0]} and writes its report; '
            f'{path} is neither',
            f'write below {folders[0]}',
        )


def _of_status(context: Context, write: Write, task: str) -> Iterator[Decision]:
    """Gates read the status of an agent, so only that agent may write it."""
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
            yield deny('CLD008', text, start)


def _of_task(
    context: Context, write: Write, path: str, name: str
) -> Iterator[Decision]:
    yield from _of_flag(context, write, path, name)
    if not context.event.session:
        yield _no_session(name)
    held = lock_holders.lock_of(context.space, name)
    is_main = name == context.space.protocol.main.name
    is_lock = path in _locks(context, name)
    if held is not None:
        yield from _not_ours(context, MAIN if is_main else name, held)
    if is_main and is_lock:
        from interlock.guard.guards import lock

        yield from lock.judge_main(context, write)
    elif is_main:
        return
    elif held is None:
        yield from _without_lock(context, write, path, name)
    elif is_lock:
        yield from _of_lock(context, write, name, held)
    else:
        yield from _of_trail(context, write, path, name, held)
        if not write.removed:
            yield from _of_status(context, write, name)
        yield from _of_main_agent(context, path, name, held)


def _of_all(context: Context) -> Iterator[Decision]:
    """Refuse the removal of the directory of all tasks."""
    for name, held in lock_holders.all_held(context.space):
        yield from _not_ours(context, name, held)
    text = f'{context.space.tasks} holds the trails of all tasks'
    yield deny('CLD015', text, 'interlock task finish TASK')


def judge_git(context: Context, directory: str) -> Iterator[Decision]:
    """Judge a git command that changes a worktree or its repository."""
    space, place = context.space, context.space.place(directory)
    session, task = context.event.session, task_in(space, directory)
    held = lock_holders.lock_of(space, task) if task else None
    if held is not None:
        yield from _not_ours(context, task, held) if session else [_no_session(task)]
    if place is None:
        return
    elif not place.task:
        yield from _of_main(context)
    elif not session:
        yield _no_session(place.task)
    elif held := lock_holders.lock_of(space, place.task):
        yield from _not_ours(context, place.task, held)
    else:
        yield from _without_lock(context, Write(directory), '', place.task)


def _of_list(context: Context, write: Write, path: str) -> Iterator[Decision]:
    """Refuse a command that removes a list of tasks, or whose result is unknown."""
    protocol = context.space.protocol
    folder, name = os.path.split(path)
    if name not in (protocol.todo, protocol.changelog) or not os.path.lexists(path):
        return
    elif not os.path.lexists(os.path.join(folder, '.git')):
        return
    elif not write.how or write.kept or write.restored:
        return
    elif write.removed or write.new is None:
        what = 'remove' if write.removed else 'rewrite'
        yield deny(
            'CLD016',
            f'this would {what} {path}, which lists the tasks, and the result is unknown',
            'make the change with the tool for edits, whose result is judged',
        )


def _at(context: Context, write: Write, path: str) -> Iterator[Decision]:
    space = context.space
    tasks, main = map(os.path.realpath, (space.tasks, space.main))
    yield from _of_agent(context, path)
    # a lock of an older project lies in another directory
    name = os.path.splitext(os.path.basename(path))[0]
    if not is_task_name(name, space.kind) or path not in _locks(context, name):
        name = ''
    if write.tree and is_below(tasks, path) and os.path.isdir(tasks):
        yield from _of_all(context)
    elif is_below(path, tasks) and path != tasks:
        name = os.path.relpath(path, tasks).split(os.sep)[0]
    elif not name:
        name = space.linked(path, write.tree)
        if is_below(path, main) and not git_folder(path):
            # a link of a task may lead into the main worktree
            yield from _of_main(context, path)
    if name == space.protocol.main.name or is_task_name(name, space.kind):
        yield from _of_task(context, write, path, name)


def judge(context: Context, write: Write) -> Iterator[Decision]:
    for path in write.places:
        yield from _at(context, write, path)
        yield from _of_list(context, write, path)
