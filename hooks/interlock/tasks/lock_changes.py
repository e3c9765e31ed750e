"""Changes of locks: the engine is asked, then the mirror is written.

Each question is written down before it is asked (an intent), and struck out
when the mirror is written: a process that is killed in between leaves a question
that the next command settles. It happened, or it never will.
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
    Refused,
    Render,
    Unknown,
    Unreachable,
)
from interlock.tasks.engines.file import FileEngine
from interlock.tasks.engines.register import Grant, Intent, Register, new_token
from interlock.tasks.lock_confirmation import since
from interlock.tasks.lock_store import LEAP, Event, Held
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Changes, Journal, checksum
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.sharing import WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar('T')

# the states at the end of a task, in which nothing is decided offline
LAST_STATES = 2
# what git says of a branch that others pushed to
BEHIND = ('fetch first', 'non-fast-forward')


def silent(
    engine: Engine, name: str, error: EngineError, grant: Grant | None = None
) -> Busy:
    return Busy(
        f'LCK009: the lock engine ({engine.kind}) does not answer, so '
        f'{name} stays as it is (last confirmed: {since(grant)}): {error.why}',
        f'interlock lock confirm {name}',
    )


def _encoded(others: Changes) -> dict[str, Any]:
    return {
        path: [checksum(old), None if new is None else base64.b64encode(new).decode()]
        for path, (old, new) in others.items()
    }


def _decoded(others: Mapping[str, Any]) -> Changes:
    """What has not changed since, and can still be written."""
    found = {}
    for path, (old, new) in others.items():
        there = atomic_files.read(path)
        if checksum(there) == old:
            found[path] = (there, None if new is None else base64.b64decode(new))
    return found


def _changed_meanwhile(held: Held) -> Refusal:
    return Refusal(f'{held.path} changed while it was read', 'run this again')


class LockChanges:
    """Every change of a lock, by whichever engine keeps it.

    The lock files of the engine `file` are its records, so it needs no mirror:
    where `engine.kind` is compared with `FILE`, that is why.
    """

    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._register = Register(space.state)
        self._journal = Journal(space.state)

    def engine(self, name: str) -> Engine:
        return selection.engine_for(self._space, name)

    # what the engine says

    def current(self, name: str) -> Held | None:
        """Who holds a lock, asked of the engine; the mirror stays as it is."""
        record = self.show(name)
        if record is None or record.is_free:
            return None
        return shared_lock.held(self._space, record)

    def last_contents(self, name: str) -> Lock | None:
        """The last record of a lock, of any holder."""
        record = self.show(name)
        if record is None:
            return None
        return lock_file.parse(record.data, self._space.protocol.lock_keys)

    def show(self, name: str) -> LockRecord | None:
        engine = self.engine(name)
        record = self._told(engine, name, lambda: engine.show(name))
        if engine.kind == FILE or record is None:
            return record
        return shared_lock.sound(self._space, record)

    def events(self, name: str) -> Sequence[LogEntry]:
        engine = self.engine(name)
        return self._told(engine, name, lambda: engine.events(name))

    def files(self, name: str) -> str:
        engine = self.engine(name)
        return self._told(engine, name, lambda: engine.files(name))

    def _told(self, engine: Engine, name: str, question: Callable[[], T]) -> T:
        try:
            return question()
        except Refused as e:
            raise Denied(
                f'the lock engine ({engine.kind}) refused: {e.why}', 'interlock doctor'
            ) from None
        except EngineError as e:
            raise silent(engine, name, e, self._register.grant(name)) from None

    def confirm(self, name: str) -> bool:
        """Make the mirror say what the engine says; True: it is as it was."""
        self.settle(name)
        return self._compare(name, self.show(name))

    def _compare(self, name: str, record: LockRecord | None) -> bool:
        """Make the mirror agree with a record; True: it did already."""
        grant = self._register.grant(name)
        held = lock_file.of_task(self._space, name)
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
            # before anything else: from here on nobody works under it
            grant.lost = True
            self._register.save_grant(name, grant)
        if held is not None:
            self._keep(name, held)
            self._remove_file(held)
        if record is not None and not record.is_free and held is not None:
            lock_file.create(held.path, shared_lock.contents(record))
            self._register.save_grant(name, self._grant(record, record.token))
        return False

    def settle(self, name: str) -> str:
        """Settle what a killed command asked; gives what became of it."""
        intent = self._register.intent(name)
        if intent is None:
            self._send(name)
            return ''
        engine = self.engine(name)
        try:
            found = engine.settle(name, intent.token, intent.expected)
        except EngineError as e:
            raise self._unsettled(engine, name, e) from None
        if engine.kind != FILE:
            record = self.show(name)
            if found == DONE and intent.event == ACQUIRED and record is not None:
                if record.token == intent.token:
                    self._mirror(record, intent.token)
            if found == DONE and intent.others:
                self._journal.write(_decoded(intent.others))
            self._compare(name, record)
        self._register.forget(name, 'intent')
        return found

    def _send(self, name: str) -> None:
        """Tell the engine what a hook wrote into the mirror."""
        grant = self._register.grant(name)
        held = lock_file.of_task(self._space, name)
        if grant is None or not grant.dirty or held is None or held.data is None:
            return
        self._change(name, held, held.data, {'before': grant.session}, {})

    # changes

    def create(
        self, name: str, holder: Holder, render: Render, floor: int, event: Event
    ) -> int:
        """Take a free lock; gives its generation, 0: somebody else was first."""
        self.settle(name)
        engine = self.engine(name)
        if engine.kind != FILE:
            self._refuse_gone_back(engine, name, floor)
        elif os.path.lexists(lock_file.place(self._space, name)):
            return 0
        intent = self._intent(engine, ACQUIRED, holder.session)
        answer = self._ask(
            engine,
            name,
            intent,
            lambda: engine.acquire(name, holder, render, intent.token, floor, event),
        )
        given = answer.record if answer.ok else None
        if given is not None and engine.kind != FILE:
            self._mirror(given, intent.token)
        self._register.forget(name, 'intent')
        return given.generation if given is not None else 0

    def replace(
        self,
        name: str,
        held: Held,
        data: bytes,
        event: Event,
        others: Changes,
        later: bool,
    ) -> None:
        """Change a lock that is still as it was read.

        `later`: a hook has no time to ask; the next command tells the engine.
        """
        engine = self.engine(name)
        note = {**event, 'before': held.holder or UNKNOWN_SESSION}
        if isinstance(engine, FileEngine):
            lock = lock_file.parse(data, self._space.protocol.lock_keys)
            answer = engine.change(
                name,
                holder_of(lock),
                self._number(name, held),
                checksum(held.data or b''),
                data,
                self._token(engine),
                note if event else {'before': note['before']},
                others,
            )
            if not answer.ok:
                raise _changed_meanwhile(held)
            return
        if event:
            self._register.log(event)
        if later:
            self._write_dirty(name, held, data, others)
            return
        self.settle(name)
        now = lock_file.of_task(self._space, name)
        if now is None or now.data != held.data:
            raise _changed_meanwhile(held)
        try:
            self._change(name, held, data, note, others)
        except Busy as e:
            if not self._may_wait(data) or self._register.has_intent(name):
                raise
            self._write_dirty(name, held, data, others)
            err(f'interlock: warning: {e.message}; it is kept here, and sent later')

    def _may_wait(self, data: bytes) -> bool:
        """Whether a change is kept while the engine does not answer."""
        lock = lock_file.parse(data, self._space.protocol.lock_keys)
        last = list(self._space.kind.states)[-LAST_STATES:]
        offline = selection.settings(self._space).offline
        return offline == WORK and lock.state not in last

    def _change(
        self, name: str, held: Held, data: bytes, note: Event, others: Changes
    ) -> None:
        engine, grant = self.engine(name), self._register.grant(name)
        if grant is None:
            raise Denied(
                f'LCK009: the engine never said that {name} is held here',
                f'interlock lock confirm {name}',
            )
        lock = lock_file.parse(data, self._space.protocol.lock_keys)
        holder = self._here(holder_of(lock))
        note, sent = self._with_files(name, lock, note, grant)
        changes = {**others, held.path: (held.data, data)}
        intent = self._intent(
            engine, CHANGED, holder.session, grant.version, _encoded(changes)
        )
        answer = self._ask(
            engine,
            name,
            intent,
            lambda: engine.change(
                name, holder, grant.generation, grant.version, data, intent.token, note
            ),
        )
        if not answer.ok or answer.record is None:
            self._compare(name, answer.record)
            self._register.forget(name, 'intent')
            raise Denied(
                f'LCK001: this session no longer holds {name}: {answer.why}',
                f'interlock lock show {name}',
            )
        self._journal.write(changes)
        after = self._grant(answer.record, grant.token)
        after.files = sent
        self._register.save_grant(name, after)
        self._register.forget(name, 'intent')

    def _with_files(
        self, name: str, lock: Lock, note: Event, grant: Grant | None
    ) -> tuple[Event, str]:
        """What the engine is told of the files of a task, if they changed."""
        if not selection.is_shared(self._space, name):
            return note, ''
        # only an engine that others share needs them
        from interlock.tasks.task_bundle import packed

        files = packed(self._space, name, lock)
        sent = checksum(files.encode())
        is_known = not files or (grant is not None and grant.files == sent)
        return (note if is_known else {**note, 'files': files}), sent

    def push(self, name: str, held: Held, refspec: str) -> None:
        """Push work with the proof that the lock is held: both or neither."""
        engine, grant = self.engine(name), self._register.grant(name)
        assert grant is not None, 'it was confirmed just now'
        holder, version = self._here(holder_of(held.lock)), grant.version
        intent = self._intent(engine, PUSHED, holder.session, version)
        answer = self._ask(
            engine,
            name,
            intent,
            lambda: engine.push(
                name, holder, grant.generation, version, [refspec], intent.token
            ),
        )
        if answer.ok and answer.record is not None:
            self._mirror(answer.record, grant.token)
        else:
            self._compare(name, answer.record)
        self._register.forget(name, 'intent')
        if not answer.ok:
            raise Denied(
                f'LCK001: nothing was pushed, since this session no longer holds '
                f'{name}: {answer.why}',
                f'interlock lock show {name}',
            )

    def restore(self, name: str, holder: Holder, floor: int, person: str) -> int:
        """Let an engine that went back count on from what was given out.

        The session that held the lock takes it again.
        """
        engine = self.engine(name)
        least = max(floor, self._register.last_generation(name) or 0)
        record = self.show(name)
        if record is not None and record.generation >= least:
            raise Denied(
                f'{name} is at generation {record.generation}, and not more than '
                f'{least} was given out: nothing is to be restored',
                f'interlock lock log {name}',
            )
        kept = lock_file.of_task(self._space, name)
        data = (kept.data if kept else None) or b'{}'
        note: Event = {'event': 'restored', 'person': person}
        token, end = self._token(engine), self._token(engine)
        answer = self._told(
            engine,
            name,
            lambda: engine.acquire(name, holder, lambda _: data, token, least, note),
        )
        if answer.record is None or not answer.ok:
            raise Denied(
                f'{name} is not restored: {answer.why}', f'interlock lock show {name}'
            )
        number = answer.record.generation
        self._told(
            engine, name, lambda: engine.release(name, holder, number, end, note)
        )
        self._register.set_generation(name, number)
        self._compare(name, self.show(name))
        return number

    def _write_dirty(self, name: str, held: Held, data: bytes, others: Changes) -> None:
        """Write what the engine is told later."""
        grant = self._register.grant(name)
        if grant is not None:
            grant.dirty = True
            self._register.save_grant(name, grant)
        self._journal.write({held.path: (held.data, data), **others})

    def remove(self, name: str, held: Held, event: Event, keep: bool) -> None:
        """End the holder's own lock, still as it was read; `keep` what it said."""
        engine = self._to_end(name, held)
        holder = self._here(holder_of(held.lock))
        holder = holder._replace(session=held.holder or UNKNOWN_SESSION)
        number, grant = self._number(name, held), self._register.grant(name)
        event, _ = self._with_files(name, held.lock, event, grant)
        intent = self._intent(engine, RELEASED, holder.session)
        self._end(
            engine,
            name,
            held,
            keep,
            intent,
            lambda: engine.release(name, holder, number, intent.token, event),
        )

    def force(self, name: str, held: Held, person: str, reason: str) -> None:
        """End another's lock, which a person named by its generation."""
        engine = self._to_end(name, held)
        number = self._number(name, held)
        intent = self._intent(engine, FORCED, held.holder)
        self._end(
            engine,
            name,
            held,
            True,
            intent,
            lambda: engine.force(name, number, person, reason, intent.token),
        )

    def _to_end(self, name: str, held: Held) -> Engine:
        engine = self.engine(name)
        if engine.kind == FILE:
            now = lock_file.look(held.path, self._space.protocol.lock_keys)
            if now is None or now.data != held.data:
                raise _changed_meanwhile(held)
        self.settle(name)
        return engine

    def _end(
        self,
        engine: Engine,
        name: str,
        held: Held,
        keep: bool,
        intent: Intent,
        question: Callable[[], Answer],
    ) -> None:
        if keep:
            self._keep(name, held)
        answer = self._ask(engine, name, intent, question)
        if not answer.ok:
            if engine.kind != FILE:
                self._compare(name, answer.record)
            self._register.forget(name, 'intent')
            raise Denied(
                f'the lock of {name} is not ended: {answer.why}',
                f'interlock lock show {name}',
            )
        mirror = lock_file.of_task(self._space, name)
        if mirror is not None:
            self._remove_file(mirror)
        self._register.forget(name, 'grant')
        self._register.forget(name, 'intent')

    def renumber(self, name: str, floor: int) -> int:
        """Count on, without a new holder; only files are renumbered."""
        number = max(self._register.last_generation(name) or 0, floor) + 1
        self._register.set_generation(name, number)
        return number

    # asking

    def _intent(
        self,
        engine: Engine,
        event: str,
        session: str,
        expected: str = '',
        others: Mapping[str, Any] | None = None,
    ) -> Intent:
        """A question that nobody asked before; `expected` is the version that
        the record has, `others` are files of the same step."""
        now = timestamps.now()
        return Intent(self._token(engine), event, expected, session, now, others)

    def _ask(
        self, engine: Engine, name: str, intent: Intent, question: Callable[[], Answer]
    ) -> Answer:
        """Ask, with the question on the disk; it stays there while unknown."""
        self._register.save_intent(name, intent)
        try:
            return question()
        except Unreachable as e:
            self._register.forget(name, 'intent')
            raise silent(engine, name, e, self._register.grant(name)) from None
        except Unknown as e:
            return self._asked_again(engine, name, intent, question, e)
        except EngineError as e:
            self._register.forget(name, 'intent')
            raise Denied(
                f'the lock engine ({engine.kind}) refused: {e.why}',
                self._integrate(name, e.why) or f'interlock lock log {name}',
            ) from None
        except Refusal:
            # a full disk, for instance; what cannot be settled stays written down
            with suppress(EngineError, Refusal):
                engine.settle(name, intent.token, intent.expected)
                self._register.forget(name, 'intent')
            raise

    def _integrate(self, name: str, why: str) -> str:
        """What leads on where the branch on the remote has other work."""
        if not any(each in why for each in BEHIND):
            return ''
        branch = expand(self._space.protocol.branch, name)
        remote = selection.settings(self._space).remote
        code = quoted([self._space.code(name)])
        return f'git -C {code} pull --rebase {remote} {branch}'

    def _asked_again(
        self,
        engine: Engine,
        name: str,
        intent: Intent,
        question: Callable[[], Answer],
        error: Unknown,
    ) -> Answer:
        """Settle a question whose answer was lost, and answer it."""
        try:
            if engine.settle(name, intent.token, intent.expected) == DONE:
                # asked twice with one token, it is done once
                return question()
            record = engine.show(name)
        except EngineError:
            raise self._unsettled(engine, name, error) from None
        return Answer(False, record, f'the question was lost: {error.why}')

    def _unsettled(self, engine: Engine, name: str, error: EngineError) -> Busy:
        return Busy(
            f'LCK012: the lock engine ({engine.kind}) was asked about {name}, '
            f'and whether it happened is not known (last confirmed: '
            f'{since(self._register.grant(name))}): {error.why}',
            f'interlock lock settle {name}',
        )

    # the mirror

    def _number(self, name: str, held: Held) -> int:
        """The generation of a lock, whose file need not say it."""
        grant = self._register.grant(name)
        if grant is None or grant.version != checksum(held.data):
            return held.lock.generation
        return grant.generation

    def _token(self, engine: Engine) -> str:
        if engine.kind == FILE:
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
        """The file and the grant of a lock that is held here; `keep` what a
        hook wrote into the file."""
        name = record.name
        known = self._register.last_generation(name) or 0
        if record.generation > known:
            self._register.set_generation(name, record.generation)
        self._register.save_grant(name, self._grant(record, token, keep))
        held = lock_file.of_task(self._space, name)
        if held is None:
            lock_file.create(lock_file.place(self._space, name), record.data)
        elif held.data != record.data and not keep:
            self._keep(name, held)
            atomic_files.replace(held.path, held.data, record.data)

    def _refuse_gone_back(self, engine: Engine, name: str, floor: int) -> None:
        """An engine that knows less than was given out must not count on."""
        least = max(floor, self._register.last_generation(name) or 0)
        record = self._told(engine, name, lambda: engine.lately(name))
        if (record.generation if record else 0) < least:
            # another command of this clone may have held it since
            record = self.show(name)
        known = record.generation if record else 0
        if known < least:
            raise Denied(
                f'LCK011: the lock engine ({engine.kind}) knows {name} up '
                f'to generation {known}, and {least} was given out: it was rolled '
                f'back, or its records were deleted',
                f'interlock lock restore {name}',
            )

    def _keep(self, name: str, held: Held) -> None:
        """Keep what an ending lock said, for the next holder."""
        number = held.lock.generation
        if 0 < number <= LEAP and self._register.last_generation(name) is None:
            # the lock may be older than the counter, in a new clone for instance
            self._register.set_generation(name, number)
        path = self._register.file(name, 'last')
        data = atomic_files.read(path)
        kept = data and lock_file.parse(data, self._space.protocol.lock_keys)
        # a lock that only began does not tell how far the work came
        if held.data is not None and (
            len(held.lock.log) > 1 or not kept or len(kept.log) < 2
        ):
            records.save_bytes(path, held.data)

    def _remove_file(self, held: Held) -> None:
        atomic_files.remove(held.path)
        atomic_files.sync_folder(os.path.dirname(held.path))
