"""Start a task, and give an abandoned one to a session."""

from __future__ import annotations

import os
import shlex
from contextlib import ExitStack

from interlock.documents import timestamps
from interlock.documents.json import render
from interlock.documents.tasks.lock import Lock, LogStep
from interlock.files import atomic_files
from interlock.files.actor import require_person, user
from interlock.git import worktrees
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import quoted
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Any, Callable, NamedTuple, Sequence
from interlock.operations.tasks import locks, trail
from interlock.operations.tasks.locks import Holder
from interlock.report.terminal import err
from interlock.tasks import (
    lock_holders,
    task_choice,
    task_files,
    task_notes,
    task_worktrees,
)
from interlock.tasks.engines.selection import settings
from interlock.tasks.lock_store import event
from interlock.tasks.task_bundle import unpack
from interlock.tasks.workplace import Workplace
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading import todo_entries
from interlock.workflow.reading.transition_log import first_state


class NewTask(NamedTuple):
    """A task that begins; unless every step works, all of them are undone."""

    at: Workplace
    name: str
    agents: Sequence[str]
    # the commit that the worktrees start from
    base: str
    # continue with the branches of an earlier attempt
    on_branch: bool
    undo: ExitStack

    def undo_by(self, step: Callable[..., object], *args: Any) -> None:
        self.undo.callback(_try, step, *args)

    def make_worktree(self, path: str, branch: str) -> None:
        environ, main = os.environ, self.at.space.main
        if os.path.lexists(path):
            raise Refusal(f'{path} already exists', f'ls -la {quoted([path])}')
        is_there = worktrees.has_branch(environ, main, branch)
        if is_there and not self.on_branch:
            raise Refusal(
                f'the branch `{branch}` exists already, with the commits of an '
                f'earlier attempt; --on-branch continues with them',
                f'interlock task start {self.name} --on-branch'
                + ''.join(f' --agent {agent}' for agent in self.agents),
            )
        # registered first: a worktree may be left half made
        if not is_there:
            self.undo_by(worktrees.delete_branch, environ, main, branch)
        self.undo_by(worktrees.prune, environ, main)
        self.undo_by(worktrees.remove, environ, main, path)
        if is_there:
            worktrees.restore(environ, main, path, branch)
        else:
            worktrees.add(environ, main, path, branch, self.base)

    def write(self, path: str, data: bytes) -> None:
        old = atomic_files.read(path)
        if old is None:
            self.undo_by(atomic_files.remove, path)
        else:
            self.undo_by(atomic_files.replace, path, data, old)
        atomic_files.replace(path, old, data)

    def rename(self, path: str, new: str) -> None:
        self.undo_by(os.rename, new, path)
        try:
            os.rename(path, new)
        except OSError as e:
            raise Refusal(f'{path} cannot be renamed: {e.strerror}') from None

    def take_lock(self, holder: Holder, render: Callable[[int], bytes]) -> int:
        """Take the lock; return the generation for which `render` gave the bytes."""
        made: list[bytes] = []

        def rendered(generation: int) -> bytes:
            made.append(render(generation))
            return made[-1]

        at = self.at
        self.undo_by(_withdraw_lock, at, self.name, made)
        return lock_holders.create_lock(
            at.space, self.name, holder, rendered, at.actor, {}
        )


def _try(step: Callable[..., object], *args: Any) -> None:
    # the user has to see the failure that brought us here
    with suppress(Refusal, OSError):
        step(*args)


def _withdraw_lock(at: Workplace, task: str, made: Sequence[bytes]) -> None:
    """Remove the lock that we made, never one that came after it."""
    found = at.locks.get(task)
    if found is not None and found.data in made:
        withdrawn = event('withdrawn', task, generation=found.lock.generation)
        at.locks.changes(task).remove(found, withdrawn, keep=False)


def _remove_empty(directory: str, until: str) -> None:
    """Remove a directory and those above it, as long as they are empty."""
    while directory != until and directory.startswith(until):
        os.rmdir(directory)
        directory = os.path.dirname(directory)


def _refuse_taken(at: Workplace, task: str) -> None:
    decision = task_choice.choice_of(at.space, task, at.actor)
    if decision.action == task_choice.ASK:
        # this sentence says what the user may answer
        raise Denied(decision.sentence, f'interlock task select {task}')
    elif decision.action != task_choice.INIT:
        raise Denied(decision.sentence, decision.options[0])
    most = at.space.protocol.numbers.tasks_per_session
    held = lock_holders.of_session(at.space, at.actor.session)
    if most and len(held) >= most:
        names = [name for name, _ in held]
        raise Denied(
            f'this session already works on {", ".join(names)}',
            f'interlock task resume {names[0]}',
        )


def _note_todo(at: Workplace, task: str) -> None:
    """Warn about the todo list, and remember the entry of the task."""
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
        task_notes.write_note(
            at.space, task, task_notes.TODO, task_files.checksum(entry)
        )


def start(
    at: Workplace, task: str, agents: tuple[str, ...], base: str, on_branch: bool
) -> int:
    """Begin a task; return the generation of its lock."""
    lock_holders.require_session(at.actor)
    _refuse_taken(at, task)
    if at.space.without_git:
        raise Refusal(
            f'a task needs a worktree, and {at.space.without_git}',
            f'git init {at.space.main}',
        )
    _note_todo(at, task)
    now, space, holder = timestamps.now(), at.space, at.holder(task)
    folder, path = space.folder(task), space.path(space.protocol.files.trail, task)
    aside: dict[str, str] = {}
    with ExitStack() as undo:
        new = NewTask(at, task, agents, base, on_branch, undo)
        new.undo_by(_remove_empty, folder, space.tasks)
        generation = new.take_lock(
            holder,
            lambda number: locks.task_lock(
                space.kind, task, holder, number, now, agents=list(agents)
            ),
        )
        # files prepared for the first attempt are not left from an earlier one
        if generation > 1 or os.path.lexists(path):
            earlier = task_files.earlier_files(space, task, generation - 1)
        else:
            earlier = aside = task_files.early_flags(space, task)
        for old, renamed in earlier.items():
            new.rename(old, renamed)
        first = LogStep(None, first_state(space.kind), now, '', 0)
        new.write(path, render(trail.new_trail(task, at.actor.session, now, [first])))
        *of_agents, own = task_worktrees.task_worktrees(space, task, agents)
        new.make_worktree(*own)
        for code, branch in of_agents:
            new.undo_by(_remove_empty, os.path.dirname(code), folder)
            new.make_worktree(code, branch)
        # everything worked: nothing is undone
        undo.pop_all()
    for old in aside:
        err(
            f'interlock: warning: {os.path.basename(old)} existed before '
            f'{task} began, so it approves nothing; it was renamed to '
            f'{os.path.basename(aside[old])}'
        )
    # no session continues the earlier attempt
    at.locks.forget_contents(task)
    return generation


def require_user(at: Workplace, task: str, deed: str, what: str) -> None:
    """Require a person, or a prompt by which the user told this session to do it."""
    if not task_notes.has_consent(at.space, task, deed, at.actor.session):
        require_person(
            at.actor,
            what,
            f'ask the user to run this on a terminal, or to answer `{deed} {task}`',
        )


def refuse_locked(at: Workplace, task: str) -> None:
    """Refuse a locked task: the lock ends before anybody decides about the work."""
    lock = at.locks.current(task)
    if lock is not None:
        ended = task_notes.session_end_time(at.space, task, lock)
        holder = lock_holders.holder_text(lock, ended)
        raise Denied(
            f'{task} is held by {holder}, and its lock has to end first',
            lock_holders.way_on(
                at.space, task, lock, at.actor, f'interlock lock show {task}'
            ),
        )


def require_abandoned(at: Workplace, task: str) -> None:
    """Require a worktree without a lock."""
    refuse_locked(at, task)
    code = at.space.code(task)
    if at.locks.is_shared(task) and not os.path.isdir(code):
        _bring_work(at, task)
    elif not os.path.isdir(code):
        raise Denied(
            f'{task} has no worktree at {code}', f'interlock task start {task}'
        )


def _bring_work(at: Workplace, task: str) -> None:
    """Create the worktree of a task that began on another machine."""
    remote = settings(at.space).remote
    branch = expand(at.space.protocol.branch, task)
    worktrees.bring(os.environ, at.space.main, remote, branch)
    code = at.space.code(task)
    os.makedirs(os.path.dirname(code), exist_ok=True)
    worktrees.restore(os.environ, at.space.main, code, branch)


def _kept(at: Workplace, task: str) -> Lock | None:
    """The content of the last lock, wherever it was held."""
    here = at.locks.last_contents(task)
    if not at.locks.is_shared(task):
        return here
    there = at.locks.changes(task).last_contents()
    return there if there is not None and there.state else here


def _bring_files(at: Workplace, task: str, kept: Lock | None) -> None:
    """Fetch the files beside the lock, if it was last held on another machine."""
    if kept is None or not at.locks.is_shared(task):
        return
    changes = at.locks.changes(task)
    record = changes.show()
    before = record.holder if record else {}
    here = (at.space.state, at.holder(task).host)
    is_newer = (before.get('clone'), before.get('host')) != here
    written = unpack(at.space, task, kept, changes.files(), is_newer)
    if written:
        err(f'{task}: restored as the lock last kept it: {", ".join(written)}')


def _bring_trail(at: Workplace, task: str, kept: Lock | None) -> None:
    """If the trail stayed on another machine, begin one with the log of the lock."""
    path = at.space.path(at.space.protocol.files.trail, task)
    if kept is None or os.path.lexists(path):
        return
    data = trail.new_trail(task, kept.session, timestamps.now(), kept.log)
    atomic_files.replace(path, None, render(data))


def adopt(at: Workplace, task: str, session: str, state: str) -> str:
    """Give a task to a session; return the state in which it continues."""
    refuse_locked(at, task)
    require_user(at, task, task_notes.ADOPT, 'adopt a task')
    own = at.actor.session
    if own and (session != own or state):
        # an agent only continues its own work where it stopped; a person decides
        raise Denied(
            f'the user told this session to continue {task} in the state of its last lock',
            f'interlock task adopt {task} --session {shlex.quote(own)}',
        )
    at.locks.confirm(task)
    require_abandoned(at, task)
    holder, now = at.holder(task)._replace(session=session), timestamps.now()
    kept, agents = _kept(at, task), at.space.agents(task)

    def rendered(generation: int) -> bytes:
        return locks.adopted_lock(
            at.space.kind, task, holder, generation, now, state, kept, agents, user()
        )

    try:
        # try this before asking the engine: the last state may be unknown
        rendered(0)
    except Denied as e:
        if not own:
            raise
        # an agent does not decide the state
        raise Denied(
            e.message,
            f'ask the user to answer `clean {task}`, or to run this on a '
            f'terminal: {e.hint}',
        ) from None
    # before the lock is held here, while its last holder is on record
    _bring_files(at, task, kept)
    adopted = {'event': 'adopted', 'person': user()}
    lock_holders.create_lock(at.space, task, holder, rendered, at.actor, adopted)
    _bring_trail(at, task, kept)
    task_notes.remove_note(at.space, task, task_notes.CONSENT)
    held = lock_holders.lock_of(at.space, task)
    return held.lock.state if held else ''
