"""Changes of locks: ask the engine, then write the mirror.

Each question is written down before it is asked (an intent), and struck out
when the mirror is written. A process that is killed in between leaves a question
that the next command settles: it took effect, or it never will.
"""

from __future__ import annotations

import base64
import os
import time

from interlock.documents import timestamps
from interlock.documents.tasks.lock import Lock
from interlock.files import atomic_files, records
from interlock.model.errors import Busy, Denied, Refusal
from interlock.model.fixes import quoted
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Any, Callable, Mapping, Sequence
from interlock.operations.tasks.locks import Holder, holder_of
from interlock.report.terminal import err
from interlock.tasks.engines import lock_file, selection, shared_lock
from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    DAMAGED,
    DONE,
    FILE,
    FORCED,
    PUSHED,
    RELEASED,
    UNKNOWN_SESSION,
    Answer,
    Engine,
    EngineError,
    LockRecord,
    LogEntry,
    Question,
    Refused,
    Render,
    Unknown,
    Unreachable,
)
from interlock.tasks.engines.register import Grant, Intent, Register, new_token
from interlock.tasks.lock_confirmation import confirmed_at
from interlock.tasks.lock_store import LEAP, Event, Held
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Changes, Journal, checksum
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.sharing import WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar('T')

# the last states of a task, in which no change is decided offline
LAST_STATES = 2
# git's messages for a branch that others pushed to
BEHIND = ('fetch first', 'non-fast-forward')
NO_FILES: Mapping[str, Any] = {}
NO_OTHERS: Changes = {}


def silent(
    engine: Engine, name: str, error: EngineError, grant: Grant | None = None
) -> Busy:
    return Busy(
        f'LCK009: the lock engine ({engine.kind}) does not answer, so '
        f'{name} stays as it is (last confirmed: {confirmed_at(grant)}): {error.why}',
        f'interlock lock confirm {name}',
    )


def _encoded(others: Changes) -> dict[str, Any]:
    return {
        path: [checksum(old), None if new is None else base64.b64encode(new).decode()]
        for path, (old, new) in others.items()
    }


def _decoded(others: Mapping[str, Any]) -> Changes:
    """The files that have not changed since, so that they can still be written."""
    found = {}
    for path, (old, new) in others.items():
        there = atomic_files.read(path)
        if checksum(there) == old:
            found[path] = (there, None if new is None else base64.b64decode(new))
    return found


def _changed_meanwhile(held: Held) -> Refusal:
    return Refusal(f'{held.path} changed while it was read', 'run this again')


class LockChanges:
    """Every change of one lock, whichever engine keeps it."""

    def __init__(self, space: Workspace, name: str) -> None:
        self._space = space
        self._name = name
        self._register = Register(space.state)
        self._journal = Journal(space.state)

    @property
    def engine(self) -> Engine:
        return selection.engine_for(self._space, self._name)

    @property
    def _is_mirrored(self) -> bool:
        """False for the engine `file`, whose lock files are its records."""
        return self.engine.kind != FILE

    def _file(self) -> Held | None:
        return lock_file.of_task(self._space, self._name)

    def _granted(self) -> Grant | None:
        return self._register.grant(self._name)

    def _forget_intent(self) -> None:
        self._register.forget(self._name, 'intent')

    def _silent(self, error: EngineError) -> Busy:
        return silent(self.engine, self._name, error, self._granted())

    # what the engine says

    def current(self) -> Held | None:
        """Who holds the lock according to the engine; the mirror does not change."""
        record = self.show()
        if record is None or record.is_free:
            return None
        return shared_lock.held_lock(self._space, record)

    def last_contents(self) -> Lock | None:
        """The last record of the lock, of any holder."""
        record = self.show()
        if record is None:
            return None
        return lock_file.parse(record.data, self._space.protocol.lock_keys)

    def show(self) -> LockRecord | None:
        record = self._told(lambda: self.engine.show(self._name))
        if not self._is_mirrored or record is None:
            return record
        return shared_lock.sound(self._space, record)

    def events(self) -> Sequence[LogEntry]:
        return self._told(lambda: self.engine.events(self._name))

    def files(self) -> str:
        return self._told(lambda: self.engine.files(self._name))

    def _told(self, question: Callable[[], T]) -> T:
        try:
            return question()
        except Refused as e:
            raise Denied(
                f'the lock engine ({self.engine.kind}) refused: {e.why}',
                'interlock doctor',
            ) from None
        except EngineError as e:
            raise self._silent(e) from None

    def confirm(self) -> bool:
        """Bring the mirror in line with the engine; True: nothing changed."""
        self.settle()
        return self._compare(self.show())

    def _compare(self, record: LockRecord | None) -> bool:
        """Bring the mirror in line with a record; True: nothing changed."""
        grant = self._granted()
        held = self._file()
        if grant is not None and (
            record is not None
            and (record.token, record.generation) == (grant.token, grant.generation)
            and not record.is_free
            and record.event != DAMAGED
        ):
            self._mirror(record, grant.token, keep=grant.dirty)
            return True
        if held is None and (grant is None or grant.lost):
            return True
        if grant is not None:
            # first of all: from here on the lock cannot be used
            self._register.save_grant(self._name, grant._replace(lost=True))
        if held is not None:
            self._keep(held)
            self._remove_file(held)
        if record is not None and not record.is_free and held is not None:
            lock_file.create(held.path, shared_lock.contents(record))
            self._register.save_grant(self._name, self._grant(record, record.token))
        return False

    def settle(self) -> str:
        """Settle the question of a killed command; return what became of it."""
        intent = self._register.intent(self._name)
        if intent is None:
            self._send()
            return ''
        try:
            found = self.engine.settle(self._name, intent.token, intent.expected)
        except EngineError as e:
            raise self._unsettled(e) from None
        if self._is_mirrored:
            record = self.show()
            if found == DONE and intent.event == ACQUIRED and record is not None:
                if record.token == intent.token:
                    self._mirror(record, intent.token)
            if found == DONE and intent.others:
                self._journal.write(_decoded(intent.others))
            self._compare(record)
        self._forget_intent()
        return found

    def _send(self) -> None:
        """Tell the engine what a hook wrote into the mirror."""
        grant = self._granted()
        held = self._file()
        if grant is None or not grant.dirty or held is None or held.data is None:
            return
        self._change(held, held.data, {'before': grant.session}, {})

    # changes

    def create(self, holder: Holder, render: Render, floor: int, event: Event) -> int:
        """Take a free lock; return its generation, 0 if somebody else was first.

        `floor` is the highest generation that others gave out.
        """
        self.settle()
        if self._is_mirrored:
            self._refuse_gone_back(floor)
        elif os.path.lexists(lock_file.place(self._space, self._name)):
            return 0
        token = self._token()
        question = Question(
            ACQUIRED, self._name, token, floor, holder, render=render, note=event
        )
        answer = self._ask(question)
        given = answer.record if answer.ok else None
        if given is not None and self._is_mirrored:
            self._mirror(given, token)
        self._forget_intent()
        return given.generation if given is not None else 0

    def replace(
        self,
        held: Held,
        data: bytes,
        event: Event | None = None,
        others: Changes = NO_OTHERS,
        later: bool = False,
    ) -> None:
        """Change a lock that is still as it was read, with other files of the same
        step: all of them, or none.

        `later`: a hook has no time to ask; the next command tells the engine.
        """
        note: Event = {**(event or {}), 'before': held.holder or UNKNOWN_SESSION}
        if not self._is_mirrored:
            lock = lock_file.parse(data, self._space.protocol.lock_keys)
            question = Question(
                CHANGED,
                self._name,
                self._token(),
                self._number(held),
                holder_of(lock),
                checksum(held.data or b''),
                lambda _: data,
                note,
                others=others,
            )
            if not self.engine.ask(question).ok:
                raise _changed_meanwhile(held)
            return
        if event:
            self._register.log(event)
        if later:
            self._write_dirty(held, data, others)
            return
        self.settle()
        now = self._file()
        if now is None or now.data != held.data:
            raise _changed_meanwhile(held)
        try:
            self._change(held, data, note, others)
        except Busy as e:
            if not self._may_wait(data) or self._register.has_intent(self._name):
                raise
            self._write_dirty(held, data, others)
            err(f'interlock: warning: {e.message}; it is kept here, and sent later')

    def _may_wait(self, data: bytes) -> bool:
        """Whether a change may wait here while the engine does not answer."""
        lock = lock_file.parse(data, self._space.protocol.lock_keys)
        last = list(self._space.kind.states)[-LAST_STATES:]
        offline = selection.settings(self._space).offline
        return offline == WORK and lock.state not in last

    def _change(self, held: Held, data: bytes, note: Event, others: Changes) -> None:
        grant = self._granted()
        if grant is None:
            raise Denied(
                f'LCK009: the engine has never confirmed that this clone holds {self._name}',
                f'interlock lock confirm {self._name}',
            )
        lock = lock_file.parse(data, self._space.protocol.lock_keys)
        holder = self._here(holder_of(lock))
        note, sent = self._with_files(lock, note, grant)
        changes = {**others, held.path: (held.data, data)}
        question = Question(
            CHANGED,
            self._name,
            self._token(),
            grant.generation,
            holder,
            grant.version,
            lambda _: data,
            note,
        )
        answer = self._ask(question, grant.version, _encoded(changes))
        if not answer.ok or answer.record is None:
            said = f'LCK001: this session no longer holds {self._name}'
            raise self._denied(answer, said)
        self._journal.write(changes)
        after = self._grant(answer.record, grant.token)
        self._register.save_grant(self._name, after._replace(files=sent))
        self._forget_intent()

    def _with_files(
        self, lock: Lock, note: Event, grant: Grant | None
    ) -> tuple[Event, str]:
        """The note with the files of a task, if they changed, and their checksum."""
        if not selection.is_shared(self._space, self._name):
            return note, ''
        # only a shared engine needs them
        from interlock.tasks.task_bundle import pack

        files = pack(self._space, self._name, lock)
        sent = checksum(files.encode())
        is_known = not files or (grant is not None and grant.files == sent)
        return (note if is_known else {**note, 'files': files}), sent

    def push(self, held: Held, refspec: str) -> None:
        """Push work with the proof that the lock is held: both or neither."""
        grant = self._granted()
        assert grant is not None, 'it was confirmed just now'
        holder, token = self._here(holder_of(held.lock)), self._token()
        question = Question(
            PUSHED, self._name, token, grant.generation, holder, refspecs=[refspec]
        )
        answer = self._ask(question, grant.version)
        if not answer.ok or answer.record is None:
            said = 'LCK001: nothing was pushed, since this session no longer holds'
            raise self._denied(answer, f'{said} {self._name}')
        self._mirror(answer.record, grant.token)
        self._forget_intent()

    def restore(self, holder: Holder, floor: int, person: str) -> int:
        """Make an engine that was rolled back count on from what was given out.

        The session that held the lock takes it again.
        """
        least = max(floor, self._register.last_generation(self._name) or 0)
        record = self.show()
        if record is not None and record.generation >= least:
            raise Denied(
                f'{self._name} is at generation {record.generation}, and the highest '
                f'that was given out is {least}: there is nothing to restore',
                f'interlock lock log {self._name}',
            )
        kept = self._file()
        data = (kept.data if kept else None) or b'{}'
        note: Event = {'event': 'restored', 'person': person}
        token, end = self._token(), self._token()
        taken = Question(
            ACQUIRED, self._name, token, least, holder, render=lambda _: data, note=note
        )
        answer = self._told(lambda: self.engine.ask(taken))
        if answer.record is None or not answer.ok:
            raise Denied(
                f'{self._name} is not restored: {answer.why}',
                f'interlock lock show {self._name}',
            )
        number = answer.record.generation
        given_back = Question(RELEASED, self._name, end, number, holder, note=note)
        self._told(lambda: self.engine.ask(given_back))
        self._register.set_generation(self._name, number)
        self._compare(self.show())
        return number

    def _write_dirty(self, held: Held, data: bytes, others: Changes) -> None:
        """Write changes that the engine is told later."""
        grant = self._granted()
        if grant is not None:
            self._register.save_grant(self._name, grant._replace(dirty=True))
        self._journal.write({held.path: (held.data, data), **others})

    def remove(self, held: Held, event: Event, keep: bool = True) -> None:
        """End the holder's own lock, if it is as it was read; `keep` its content."""
        self._to_end(held)
        holder = self._here(holder_of(held.lock))
        holder = holder._replace(session=held.holder or UNKNOWN_SESSION)
        number, grant = self._number(held), self._granted()
        event, _ = self._with_files(held.lock, event, grant)
        token = self._token()
        question = Question(RELEASED, self._name, token, number, holder, note=event)
        self._end(held, keep, question)

    def force(self, held: Held, person: str, reason: str) -> None:
        """End another session's lock, which a person named by its generation."""
        self._to_end(held)
        number, token = self._number(held), self._token()
        note = {'person': person, 'reason': reason}
        self._end(held, True, Question(FORCED, self._name, token, number, note=note))

    def _to_end(self, held: Held) -> None:
        if not self._is_mirrored:
            now = lock_file.look(held.path, self._space.protocol.lock_keys)
            if now is None or now.data != held.data:
                raise _changed_meanwhile(held)
        self.settle()

    def _end(self, held: Held, keep: bool, question: Question) -> None:
        if keep:
            self._keep(held)
        answer = self._ask(question)
        if not answer.ok:
            raise self._denied(answer, f'the lock of {self._name} is not ended')
        mirror = self._file()
        if mirror is not None:
            self._remove_file(mirror)
        self._register.forget(self._name, 'grant')
        self._forget_intent()

    def _denied(self, answer: Answer, said: str) -> Denied:
        """The refusal after the engine said no, with the mirror in line with it."""
        if self._is_mirrored:
            self._compare(answer.record)
        self._forget_intent()
        return Denied(f'{said}: {answer.why}', f'interlock lock show {self._name}')

    def renumber(self, floor: int) -> int:
        """Count on without a new holder; only file locks are renumbered."""
        number = max(self._register.last_generation(self._name) or 0, floor) + 1
        self._register.set_generation(self._name, number)
        return number

    # asking

    def _ask(
        self,
        question: Question,
        expected: str = '',
        others: Mapping[str, Any] = NO_FILES,
    ) -> Answer:
        """Ask the engine, with the question on disk until its outcome is known.

        `expected` is the version of the record, `others` are files of the same step.
        """
        now = timestamps.now()
        intent = Intent(
            question.token, question.event, expected, question.session, now, others
        )
        self._register.save_intent(self._name, intent)
        try:
            return self.engine.ask(question)
        except Unreachable as e:
            self._forget_intent()
            raise self._silent(e) from None
        except Unknown as e:
            return self._asked_again(question, expected, e)
        except EngineError as e:
            self._forget_intent()
            raise Denied(
                f'the lock engine ({self.engine.kind}) refused: {e.why}',
                self._integrate(e.why) or f'interlock lock log {self._name}',
            ) from None
        except Refusal:
            # a full disk, for instance; a question that cannot be settled stays on disk
            with suppress(EngineError, Refusal):
                self.engine.settle(self._name, question.token, expected)
                self._forget_intent()
            raise

    def _integrate(self, why: str) -> str:
        """The command that fetches other work on the remote branch, '' for none."""
        if not any(each in why for each in BEHIND):
            return ''
        branch = expand(self._space.protocol.branch, self._name)
        remote = selection.settings(self._space).remote
        code = quoted([self._space.code(self._name)])
        return f'git -C {code} pull --rebase {remote} {branch}'

    def _asked_again(self, question: Question, expected: str, error: Unknown) -> Answer:
        """Settle a question whose answer was lost, and answer it."""
        try:
            if self.engine.settle(self._name, question.token, expected) == DONE:
                # with the same token it takes effect only once
                return self.engine.ask(question)
            record = self.engine.show(self._name)
        except EngineError:
            raise self._unsettled(error) from None
        return Answer(False, record, f'the request was lost: {error.why}')

    def _unsettled(self, error: EngineError) -> Busy:
        return Busy(
            f'LCK012: the outcome of a request to the lock engine ({self.engine.kind}) about '
            f'{self._name} is unknown (last confirmed: '
            f'{confirmed_at(self._granted())}): {error.why}',
            f'interlock lock settle {self._name}',
        )

    # the mirror

    def _number(self, held: Held) -> int:
        """The generation of a lock, even if its file does not name it."""
        grant = self._granted()
        if grant is None or grant.version != checksum(held.data):
            return held.lock.generation
        return grant.generation

    def _token(self) -> str:
        if not self._is_mirrored:
            return new_token(self._register.clone())
        return new_token(selection.repository_name(self._space))

    def _here(self, holder: Holder) -> Holder:
        return holder._replace(clone=self._space.state)

    def _grant(self, record: LockRecord, token: str, dirty: bool = False) -> Grant:
        return Grant(
            selection.settings(self._space).engine,
            selection.repository_name(self._space),
            record.generation,
            record.version,
            token,
            record.session,
            record.holder,
            record.event,
            time.time(),
            dirty,
        )

    def _mirror(self, record: LockRecord, token: str, keep: bool = False) -> None:
        """Write the file and the grant of a lock that is held here; `keep` changes of a
        hook in the file."""
        known = self._register.last_generation(self._name) or 0
        if record.generation > known:
            self._register.set_generation(self._name, record.generation)
        self._register.save_grant(self._name, self._grant(record, token, keep))
        held = self._file()
        if held is None:
            lock_file.create(lock_file.place(self._space, self._name), record.data)
        elif held.data != record.data and not keep:
            self._keep(held)
            atomic_files.replace(held.path, held.data, record.data)

    def _refuse_gone_back(self, floor: int) -> None:
        """Refuse an engine that knows less than was given out: it must not count on."""
        least = max(floor, self._register.last_generation(self._name) or 0)
        record = self._told(lambda: self.engine.lately(self._name))
        if (record.generation if record else 0) < least:
            # another command of this clone may have held it since
            record = self.show()
        known = record.generation if record else 0
        if known < least:
            raise Denied(
                f'LCK011: the lock engine ({self.engine.kind}) knows {self._name} up '
                f'to generation {known}, and {least} was given out: it was rolled '
                f'back, or its records were deleted',
                f'interlock lock restore {self._name}',
            )

    def _keep(self, held: Held) -> None:
        """Keep the content of an ending lock, for the next holder."""
        number = held.lock.generation
        if 0 < number <= LEAP and self._register.last_generation(self._name) is None:
            # the lock may be older than the counter, in a new clone for instance
            self._register.set_generation(self._name, number)
        path = self._register.file(self._name, 'last')
        data = atomic_files.read(path)
        kept = data and lock_file.parse(data, self._space.protocol.lock_keys)
        # a lock that has only begun does not tell how far the work got
        if held.data is not None and (
            len(held.lock.log) > 1 or not kept or len(kept.log) < 2
        ):
            records.save_bytes(path, held.data)

    def _remove_file(self, held: Held) -> None:
        atomic_files.remove(held.path)
        atomic_files.sync_folder(os.path.dirname(held.path))
