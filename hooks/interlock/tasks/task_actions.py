"""Starting a task, and giving an abandoned one to a session."""

from __future__ import annotations

import os
import shlex

from interlock.documents import timestamps
from interlock.documents.json import render
from interlock.documents.tasks import trail as documents
from interlock.documents.tasks.lock import Lock
from interlock.files import atomic_files
from interlock.files.actor import require_person, user
from interlock.git import worktrees
from interlock.model import quick_tools as functools
from interlock.model.actor import Actor
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import quoted
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Any, Callable, Mapping, NamedTuple, Sequence
from interlock.operations.tasks import locks, trail
from interlock.operations.tasks.locks import Holder
from interlock.report.terminal import err
from interlock.tasks import lock_holders, task_choice, task_files, task_notes
from interlock.tasks.engines.selection import settings
from interlock.tasks.lock_changes import LockChanges
from interlock.tasks.lock_store import event, locks_of
from interlock.tasks.task_bundle import unpack
from interlock.tasks.task_layout import Workspace
from interlock.tasks.workplace import Workplace
from interlock.workflow.language.patterns import expand, place
from interlock.workflow.reading import todo_entries
from interlock.workflow.reading.transition_log import first_state


class Beginning(NamedTuple):
    space: Workspace
    task: str
    agents: Sequence[str]
    # the commit that the worktrees start from
    base: str
    environ: Mapping[str, str]
    actor: Actor
    # go on with the branches that an earlier attempt left
    on_branch: bool = False

    @property
    def branch(self) -> str:
        return place(self.space.protocol.branch, self.task)

    def agent_branch(self, agent: str) -> str:
        return place(self.space.protocol.agent_branch, self.task, agent)

    def agent_code(self, agent: str) -> str:
        pattern = self.space.protocol.files.agent_code
        return self.space.path(pattern, self.task, agent)


class _Undo:
    """What has been done so far, and how to take it back."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], object]] = []

    def add(self, step: Callable[..., object], *args: Any) -> None:
        self._steps.append(functools.partial(step, *args))

    def run(self) -> None:
        for step in reversed(self._steps):
            # the failure that brought us here is what is to be said
            with suppress(Refusal, OSError):
                step()


def _worktree(at: Beginning, path: str, branch: str, undo: _Undo) -> None:
    main = at.space.main
    if os.path.lexists(path):
        raise Refusal(f'{path} exists already', f'ls -la {quoted([path])}')
    is_there = worktrees.has_branch(at.environ, main, branch)
    if is_there and not at.on_branch:
        raise Refusal(
            f'there is a branch `{branch}` already, with the commits of an '
            f'earlier attempt; --on-branch goes on with them',
            f'interlock task start {at.task} --on-branch'
            + ''.join(f' --agent {agent}' for agent in at.agents),
        )
    # before it is made: a worktree may be left half made
    if not is_there:
        undo.add(worktrees.delete_branch, at.environ, main, branch)
    undo.add(worktrees.prune, at.environ, main)
    undo.add(worktrees.remove, at.environ, main, path)
    if is_there:
        worktrees.restore(at.environ, main, path, branch)
    else:
        worktrees.add(at.environ, main, path, branch, at.base)


def _withdraw_lock(at: Beginning, made: Sequence[bytes]) -> None:
    """Only what we made: never a lock that came after it."""
    locks = locks_of(at.space)
    found = locks.get(at.task)
    if found is not None and found.data in made:
        withdrawn = event('withdrawn', at.task, generation=found.lock.generation)
        locks.remove(at.task, found, withdrawn, keep=False)


def _remove_empty(directory: str, until: str) -> None:
    """A directory, and those above it, as far as nothing is in them."""
    while directory != until and directory.startswith(until):
        os.rmdir(directory)
        directory = os.path.dirname(directory)


def _write(path: str, data: bytes, undo: _Undo) -> None:
    old = atomic_files.read(path)
    if old is None:
        undo.add(atomic_files.remove, path)
    else:
        undo.add(atomic_files.replace, path, data, old)
    atomic_files.replace(path, old, data)


def _rename(path: str, new: str, undo: _Undo) -> None:
    undo.add(os.rename, new, path)
    try:
        os.rename(path, new)
    except OSError as e:
        raise Refusal(f'{path} cannot be renamed: {e.strerror}') from None


def begin(
    at: Beginning,
    holder: Holder,
    lock: Callable[[int], bytes],
    rest: Mapping[str, bytes],
    earlier: Callable[[int], Mapping[str, str]],
) -> int:
    """Gives the generation of the lock, whose bytes `lock` makes of it.

    `rest`: path -> bytes of the files that a task begins with.
    `earlier`: files of an attempt before this generation, and what they are
    called now.
    """
    space = at.space
    folder = space.folder(at.task)
    undo, made = _Undo(), list[bytes]()

    def render(generation: int) -> bytes:
        made.append(lock(generation))
        return made[-1]

    try:
        undo.add(_remove_empty, folder, space.tasks)
        undo.add(_withdraw_lock, at, made)
        generation = lock_holders.make(space, at.task, holder, render, at.actor, {})
        for path, new in earlier(generation).items():
            _rename(path, new, undo)
        for path, data in rest.items():
            _write(path, data, undo)
        _worktree(at, space.code(at.task), at.branch, undo)
        for agent in at.agents:
            path = at.agent_code(agent)
            undo.add(_remove_empty, os.path.dirname(path), folder)
            _worktree(at, path, at.agent_branch(agent), undo)
    except BaseException:
        undo.run()
        raise
    return generation


def _refuse_taken(at: Workplace, task: str) -> None:
    decision = task_choice.choice_of(at.space, task, at.actor)
    if decision.action == task_choice.ASK:
        # it says what the user may answer
        raise Denied(decision.sentence, f'interlock task select {task}')
    elif decision.action != task_choice.INIT:
        raise Denied(decision.sentence, decision.options[0])
    most = at.space.protocol.numbers.tasks_per_session
    held = lock_holders.of_session(at.space, at.actor.session)
    if most and len(held) >= most:
        names = [name for name, _ in held]
        raise Denied(
            f'this session works on {", ".join(names)} already',
            f'interlock task resume {names[0]}',
        )


def _note_todo(at: Workplace, task: str) -> None:
    """Warn of what the todo list says, and remember its entry."""
    protocol, todo = at.space.protocol, task_files.todo_list(at.space)
    if todo.problem is not None:
        raise Refusal(
            f'{protocol.todo} {todo.problem.message}',
            f'fix {os.path.join(at.space.main, protocol.todo)}',
        )
    entry = todo.entries.get(task)
    for note in todo_entries.notes(entry, todo, protocol):
        err(f'interlock: warning: {task}: {note}')
    if entry is not None:
        task_notes.note(at.space, task, task_notes.TODO, task_files.checksum(entry))


def _new_trail(at: Workplace, task: str, now: str) -> bytes:
    data = trail.begun(task, at.actor.session, now)
    data[documents.TRANSITIONS].append(
        {
            'from_state': None,
            'to_state': first_state(at.space.kind),
            'timestamp': now,
            'verification_passed': True,
        }
    )
    return render(data)


def start(
    at: Workplace, task: str, agents: tuple[str, ...], base: str, on_branch: bool
) -> int:
    """Begin a task; gives the generation of its lock."""
    lock_holders.require_session(at.actor)
    _refuse_taken(at, task)
    if at.space.without_git:
        raise Refusal(
            f'a task needs a worktree, and {at.space.without_git}',
            f'git init {at.space.main}',
        )
    _note_todo(at, task)
    now, holder = timestamps.now(), at.holder(task)
    path = at.space.path(at.space.protocol.files.trail, task)
    aside: dict[str, str] = {}

    def earlier(generation: int) -> Mapping[str, str]:
        # what was prepared for the first attempt is not of an earlier one
        if generation > 1 or os.path.lexists(path):
            return task_files.earlier_files(at.space, task, generation - 1)
        aside.update(task_files.early_flags(at.space, task))
        return aside

    generation = begin(
        Beginning(at.space, task, agents, base, os.environ, at.actor, on_branch),
        holder,
        lambda number: locks.task_lock(
            at.space.kind, task, holder, number, now, agents=list(agents)
        ),
        {path: _new_trail(at, task, now)},
        earlier,
    )
    for old in aside:
        err(
            f'interlock: warning: {os.path.basename(old)} was there before '
            f'{task} began, so it approves nothing: it is '
            f'{os.path.basename(aside[old])} now'
        )
    # no session continues where an earlier attempt was
    at.locks.forget_contents(task)
    return generation


def require_user(at: Workplace, task: str, deed: str, what: str) -> None:
    """A person does it, or told this session to by a prompt."""
    if not task_notes.has_consent(at.space, task, deed, at.actor.session):
        require_person(
            at.actor,
            what,
            f'ask the user to run this on a terminal, or to answer `{deed} {task}`',
        )


def refuse_locked(at: Workplace, task: str) -> None:
    """A lock ends before anybody decides about what it held."""
    lock = at.locks.current(task)
    if lock is not None:
        ended = task_notes.ended(at.space, task, lock)
        holder = lock_holders.described(lock, at.actor, ended)
        raise Denied(
            f'{task} is held by {holder}, and its lock has to end first',
            lock_holders.way_on(
                at.space, task, lock, at.actor, f'interlock lock show {task}'
            ),
        )


def require_abandoned(at: Workplace, task: str) -> None:
    """A worktree that stands without a lock."""
    refuse_locked(at, task)
    code = at.space.code(task)
    if at.locks.is_shared(task) and not os.path.isdir(code):
        _bring_work(at, task)
    elif not os.path.isdir(code):
        raise Denied(
            f'{task} has no worktree at {code}', f'interlock task start {task}'
        )


def _bring_work(at: Workplace, task: str) -> None:
    """The worktree of a task that began on another machine."""
    remote = settings(at.space).remote
    branch = expand(at.space.protocol.branch, task)
    worktrees.bring(os.environ, at.space.main, remote, branch)
    code = at.space.code(task)
    os.makedirs(os.path.dirname(code), exist_ok=True)
    worktrees.restore(os.environ, at.space.main, code, branch)


def _kept(at: Workplace, task: str) -> Lock | None:
    """What the last lock said, wherever it was held."""
    here = at.locks.last_contents(task)
    if not at.locks.is_shared(task):
        return here
    there = LockChanges(at.space).last_contents(task)
    return there if there is not None and there.state else here


def _bring_files(at: Workplace, task: str, kept: Lock | None) -> None:
    """What lies beside the lock, where it was last held on another machine."""
    if kept is None or not at.locks.is_shared(task):
        return
    changes = LockChanges(at.space)
    record = changes.show(task)
    before = record.holder if record else {}
    here = (at.space.state, at.holder(task).host)
    is_newer = (before.get('clone'), before.get('host')) != here
    written = unpack(at.space, task, kept, changes.files(task), is_newer)
    if written:
        err(f'{task}: {", ".join(written)} came from where it was held last')


def _bring_trail(at: Workplace, task: str, kept: Lock | None) -> None:
    """A trail that stayed on another machine begins with what the lock says."""
    path = at.space.path(at.space.protocol.files.trail, task)
    if kept is None or os.path.lexists(path):
        return
    data = trail.begun(task, kept.session, timestamps.now())
    data[documents.TRANSITIONS].extend(
        {
            'from_state': step.origin,
            'to_state': step.target,
            'timestamp': step.time,
            'verification_passed': True,
        }
        for step in kept.log
    )
    atomic_files.replace(path, None, render(data))


def adopt(at: Workplace, task: str, session: str, state: str) -> str:
    """Give a task to a session; gives the state in which it continues."""
    refuse_locked(at, task)
    require_user(at, task, task_notes.ADOPT, 'adopt a task')
    own = at.actor.session
    if own and (session != own or state):
        # an agent continues itself, and where the work was; a person decides
        raise Denied(
            f'the user told this session to go on with {task}, where its lock was last',
            f'interlock task adopt {task} --session {shlex.quote(own)}',
        )
    at.locks.confirm(task)
    require_abandoned(at, task)
    holder, now = at.holder(task)._replace(session=session), timestamps.now()
    kept, agents = _kept(at, task), at.space.agents(task)

    def rendered(generation: int) -> bytes:
        return locks.adopted(
            at.space.kind, task, holder, generation, now, state, kept, agents, user()
        )

    try:
        # before anything is asked: it may not be known where the work was
        rendered(0)
    except Denied as e:
        if not own:
            raise
        # an agent does not decide which state it is
        raise Denied(
            e.message,
            f'ask the user to answer `clean {task}`, or to run this on a '
            f'terminal: {e.hint}',
        ) from None
    # before it is held here: its last holder is still on record
    _bring_files(at, task, kept)
    adopted = {'event': 'adopted', 'person': user()}
    lock_holders.make(at.space, task, holder, rendered, at.actor, adopted)
    _bring_trail(at, task, kept)
    task_notes.forget(at.space, task, task_notes.CONSENT)
    held = lock_holders.held(at.space, task)
    return held.lock.state if held else ''
