"""SessionStart: the facts about where work stands, if there are any."""

from __future__ import annotations

import os

from interlock.documents.text import date, shown
from interlock.engine import last_audit
from interlock.files import settings_record
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.git_paths import top_of
from interlock.guard import hook_log
from interlock.guard.context import Context
from interlock.guard.decision import CONTEXT, RECOVERY, START, Decision, cut
from interlock.guard.event import SESSION_START, Event
from interlock.guard.session_files import mark_start
from interlock.guard.texts import MOST, clean, listed
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Callable, Iterator, Sequence
from interlock.model.state import State
from interlock.state.recovery_text import COMPACTED, CONTINUED, fitting
from interlock.state.state_hooks import on_session_start
from interlock.tasks import task_notes
from interlock.tasks.lock_store import Held, event, locks_of
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.spec import STAGE, Kind
from interlock.workflow.reading import status_words
from interlock.workflow.reading.records import records, registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.operations.tasks.locks import Holder

# the sources of an event for which the client gives the session another id
RENAMED = ('clear', 'fork')
# lengths in characters: of a line, so that it leaves room for others, of a
# sentence that names a directory, and of lists of names
LINE = 700
SENTENCE = 220
ABANDONED = 100
OTHERS = 120
ITEMS = 400
# how many tasks of the session are shown; it rarely has more
MOST_OWN = 2
Named = Sequence[tuple[str, Held]]


def _gate(context: Context) -> Iterator[str]:
    # imported here, because it loads the shell parser to read hooks
    from interlock.guard.observers.gate_status import problems

    top, watch = top_of(context.directory) or context.top, context.watch
    if not top:
        return
    settings_record.refresh(top, context.state, context.event.environ)
    if not (watch['has_items'] or watch['tasks'] or watch['has_documents']):
        # there is nothing that git could refuse
        return
    found = problems(top, context.event.environ, context.event.client)
    if found:
        what = clean('; '.join(found), 200)
        yield f'The gate is not live: {what} (interlock doctor).'


def _rebound(context: Context) -> Iterator[str]:
    """Keep the locks of a session whose id changed.

    The client gives a new id after `/clear` and to a fork. The holder is the
    same if its process is: the process id, its start time and the boot of the
    machine.
    """
    if not context.has_tasks or context.event.text('source') not in RENAMED:
        return
    # imported here, because most sessions keep their id
    from interlock.files import process
    from interlock.guard.session_tasks import WAIT
    from interlock.operations.tasks.locks import Holder
    from interlock.tasks import lock_holders
    from interlock.transactions.journal import Journal

    space, actor = context.space, context.actor
    started = process.start_time(actor.pid)
    machine = process.machine()
    if not actor.session or not started or not machine:
        return
    same = (actor.pid, machine, started)
    with Journal(space.state).locked(WAIT):
        for name, held in lock_holders.all_held(space):
            lock = held.lock
            process_of = (lock.get('pid'), lock.text('machine'), lock.text('started'))
            if not held.holder or held.is_held_by(actor.session) or process_of != same:
                continue
            agent, worktree = lock.text('agent'), lock.text('worktree')
            holder = Holder(
                actor.session, agent, actor.pid, started, actor.host, worktree, machine
            )
            _rebind(space, name, held, holder)
            yield (
                f'The lock of {name} was held by this process as session '
                f'{shown(held.holder)}, and is now held as this session.'
            )


def _rebind(space: Workspace, name: str, held: Held, holder: Holder) -> None:
    from interlock.operations.tasks.locks import rebound_lock

    assert held.data is not None, 'it was read'
    rebinding = event(
        'rebound',
        name,
        generation=held.lock.generation,
        before=held.holder,
        session=holder.session,
        pid=holder.pid,
    )
    data = rebound_lock(held.lock, holder, space.protocol, held.data)
    locks_of(space).changes(name).replace(held, data, rebinding, later=True)
    task_notes.remove_note(space, name, task_notes.ENDED)


def _approval(space: Workspace, name: str, lock: Held) -> Iterator[str]:
    from interlock.documents.tasks.approvals import PLAN, SCOPE
    from interlock.model.quick_tools import partial
    from interlock.operations.tasks.approve import pending_approval
    from interlock.tasks import task_files

    plan = partial(task_files.plan_checksum, space, name)
    found = pending_approval(space.kind, lock.lock, plan)
    if found is None or task_files.has_mark(space, name, lock.lock, found.of):
        return
    commit = f' ({clean(found.what, 10)})' if found.what else ''
    what = {PLAN: 'plan', SCOPE: 'scope decision'}.get(found.of, f'work{commit}')
    if found.at:
        yield (
            f'{name}: its {what} was presented at {clean(found.at, 30)} and '
            f"waits for the user's approval."
        )
    else:
        yield f"Its current {what} was not presented for the user's approval."


def _confirmed(space: Workspace, own: Named) -> Iterator[str]:
    """What the team's engine of locks says about the locks of this session."""
    locks = locks_of(space)
    names = [name for name, _ in own if locks.is_shared(name)]
    if not names:
        return
    from interlock.tasks.lock_confirmation import AT_START, confirm_all

    for name, found in confirm_all(space, names, AT_START).items():
        if not found.is_ours:
            yield (
                f'LCK001: {name} was taken away from this session: work there is '
                f'refused (interlock lock log {name}).'
            )
        elif found.why:
            yield (
                f'LCK009: the lock engine does not answer ({clean(found.why, 80)}). '
                f'{name} was last confirmed: '
                f'{found.since}. Local work may continue; pushes and changes of state '
                f'are refused (interlock lock confirm {name}).'
            )


def _own_tasks(context: Context, own: Named) -> Iterator[str]:
    space = context.space
    for name, lock in own[:MOST_OWN]:
        if name == space.protocol.main.name:
            yield (
                f'This session holds the lock of the main worktree '
                f'(interlock lock release {name} gives it back).'
            )
            continue
        # imported here, because most sessions begin without a task
        from interlock.tasks import task_choice

        choice = task_choice.by_lock(space, name, context.actor)
        yield f'{clean(choice.sentence, SENTENCE)} ({choice.options[0]}).'
        yield from _approval(space, name, lock)
    if len(own) > MOST_OWN:
        yield f'It holds {len(own) - MOST_OWN} more (interlock lock list).'


def _other_task(space: Workspace, name: str) -> str:
    lock = locks_of(space).get(name)
    if lock is None:
        return f'{clean(name)} (just released)'
    ended = task_notes.session_end_time(space, name, lock)
    words = clean(lock.lock.state, 30)
    if not lock.holder:
        words = 'held by an unknown session'
    elif ended:
        words += f', its session ended at {clean(ended, 30)}'
    return f'{clean(name)} ({words})'


def _other_tasks(space: Workspace, others: Sequence[str]) -> Iterator[str]:
    main = space.protocol.main.name
    tasks = [name for name in others if name != main]
    if main in others:
        who = _other_task(space, main)
        yield f'The main worktree is locked by another session: {who}.'
    if tasks:
        named = [_other_task(space, name) for name in tasks[:MOST]]
        names = listed(named, OTHERS, len(tasks))
        yield f'Tasks of other sessions ({len(tasks)}): {names}.'


def _abandoned(names: Sequence[str], session: str) -> Iterator[str]:
    if names:
        name = names[0] if len(names) == 1 else 'NAME'
        yield (
            f'Worktrees without a lock ({len(names)}): '
            f'{listed(names[:MOST], ABANDONED, len(names))}. A session may have '
            f'crashed or be at work; the user decides: clean it up (interlock task '
            f'clean {name}), continue in it (interlock task adopt '
            f'{name} --session {clean(session) or "ID"}), or another task '
            f'(interlock task select).'
        )


def _tasks(context: Context) -> Iterator[str]:
    if not context.has_tasks:
        return
    space, session = context.space, context.actor.session
    tasks = space.names()
    own, locked = locks_of(space).of_session(session, tasks)
    if locked and not session:
        yield 'LCK003: this session has no id, so it cannot hold a lock.'
    owned = {name for name, _ in own}
    free = set(tasks).difference(locked)
    for name, _ in own:
        # a session that starts again has not ended
        task_notes.remove_note(space, name, task_notes.ENDED)
    yield from _confirmed(space, own)
    yield from _own_tasks(context, own)
    yield from _abandoned(
        [name for name in sorted(free) if os.path.isdir(space.code(name))], session
    )
    yield from _other_tasks(space, [name for name in locked if name not in owned])


def _checkpoint(context: Context) -> Iterator[str]:
    from interlock.guard.observers import stage_confirmation

    found = stage_confirmation.waiting(context)
    if found is not None:
        yield (
            f'{clean(found.item)}: stage {found.name} is committed '
            f"({found.commit[:10]}), and the next one waits for the user's "
            f'approval.'
        )


def under_way(context: Context) -> Iterator[tuple[Kind, dict[str, State]]]:
    """The items at a stage in each registry, newest first, with their states."""
    snapshot = SteadySnapshot(context.top or context.base)
    for kind in context.workflow.kinds:
        read = registry(snapshot, kind)
        found = []
        for item, (status, updated) in read.texts('status', 'updated') if read else ():
            state = status_words.read(status, kind).state
            if state is not None and kind.states[state.name].role == STAGE:
                found.append((date(updated), item, state))
        found.sort(key=lambda each: each[1])
        found.sort(key=lambda each: each[0], reverse=True)
        yield kind, {item: state for _, item, state in found}


def _items(context: Context) -> Iterator[str]:
    snapshot = SteadySnapshot(context.top or context.base)
    audit = last_audit.last_summary(context.state)
    for kind, items in under_way(context):
        named = []
        for item in list(items)[:MOST]:
            words = f'{clean(item)} at {kind.label(items[item])}'
            values = records(snapshot, kind, item).handoff_values
            action = clean(values.get(kind.handoff.action, ''), 40)
            words += f', next {action}' if action else ''
            count = audit.items.get(item, 0) if audit else 0
            words += f', {count} finding{"s" if count > 1 else ""}' if count else ''
            named.append(words)
        if items:
            yield (
                f'In progress ({len(items)}): '
                f'{listed(named, ITEMS, len(items), "; ")}. `interlock resume ITEM` '
                f'shows where work on an item continues.'
            )
    if audit is not None and audit.errors + audit.warnings:
        # imported here, because an audit seldom leaves anything
        from interlock.model.report import plural

        found = (
            f'{plural(audit.errors, "error")} and {plural(audit.warnings, "warning")}'
        )
        yield f'The last audit ({clean(audit.at, 30)}) found {found}.'


def _start(context: Context) -> Iterator[str]:
    """Nothing is said; what is older than this is not the session's work."""
    if context.watch['has_items'] and context.event.session:
        mark_start(context)
    yield from ()


PARTS = (_gate, _rebound, _tasks, _checkpoint, _items, _start)


def _part(context: Context, part: Callable[[Context], Iterator[str]]) -> list[str]:
    """The lines of one part; if it fails, the other parts are still shown."""
    try:
        return [cut(line, LINE) for line in part(context)]
    except Exception as error:
        what = f'{type(error).__name__}: {error}'
        hook_log.failed(context.state, context.event.client, context.event.kind, what)
        return []


def _facts(context: Context) -> list[str]:
    try:
        parts = PARTS if context.workflow.kinds else (_gate,)
    except Refusal as e:
        return [
            f'The workflow cannot be read, so tool calls that write are refused: '
            f'{e.message} (interlock doctor).'
        ]
    return [line for part in parts for line in _part(context, part)]


def after_compaction(context: Context, found: Decision) -> Decision:
    """Add the facts for a client that sends no event after compaction."""
    event = context.event
    data = {**event.data, 'source': COMPACTED}
    start = Event(
        SESSION_START, data, event.environ, event.sessions, event.project, event.client
    )
    told = handle(Context(start, context.file)).text
    text = '\n'.join(filter(None, (told, found.text)))
    return Decision(CONTEXT, text, limit=RECOVERY)


def handle(context: Context) -> Decision:
    recovery = on_session_start(context.event.data, context.event.environ)
    if context.event.agent_id:
        # a compacted subagent: the facts belong to its session
        return Decision(CONTEXT, recovery, limit=RECOVERY)
    if context.event.text('source') not in (COMPACTED, *CONTINUED):
        lines = filter(None, [*_facts(context), recovery])
        return Decision(CONTEXT, fitting(lines, START), limit=START)
    facts = fitting(_facts(context), START)
    text = '\n'.join(filter(None, (recovery, facts)))
    if len(text) > RECOVERY:
        text = recovery
    return Decision(CONTEXT, text, limit=RECOVERY)
