"""The engine of one clone: the lock files themselves, and their register.

The file of a lock is its record, so a person may look at it, repair it, or remove
it. What the file cannot say (the token of its event) stands in the grant beside
the register, and counts as long as the file is the one that it was given for.
"""

from __future__ import annotations

import os
import time

from interlock.documents import timestamps
from interlock.files import atomic_files, records
from interlock.model.quick_tools import contextmanager, suppress
from interlock.model.quick_typing import Any, Iterator, Mapping, Sequence
from interlock.operations.tasks.locks import Holder
from interlock.tasks.engines import lock_file
from interlock.tasks.engines.decision import (
    Question,
    decide,
    next_generation,
    refuse_moved,
)
from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    DONE,
    ENDING,
    FILE,
    FORCED,
    MOVED,
    NEVER,
    NO_NOTE,
    RELEASED,
    UNKNOWN_SESSION,
    WITHDRAWN,
    Answer,
    LockRecord,
    LogEntry,
    Marker,
    Note,
    Refused,
    Render,
    Unreachable,
)
from interlock.tasks.engines.register import Grant, Register
from interlock.tasks.lock_store import Held
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Changes, Journal, checksum, try_lock

# seconds that one question waits for another one
WAIT = 10.0
PAUSE = 0.01
# beside a word for people: the event of the engine
ALSO = 'does'
NO_OTHERS: Changes = {}


def _as_json(grant: Grant) -> bytes:
    import json

    return json.dumps(grant.values()).encode() + b'\n'


def _entry(value: Any) -> dict[str, Any]:
    return {**value, 'name': value['name'], 'event': value['event']}


def _event(line: Mapping[str, Any]) -> str:
    found: str = line.get(ALSO, line['event'])
    return found


def _log_entry(line: Mapping[str, Any]) -> LogEntry:
    return LogEntry(
        _event(line),
        line.get('generation', 0),
        line.get('session', ''),
        line.get('token', ''),
        line.get('time', ''),
        line.get('person', ''),
        line.get('reason', ''),
        line.get('version', ''),
    )


class FileEngine:
    kind = FILE

    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._register = Register(space.state)

    def show(self, name: str) -> LockRecord | None:
        held = lock_file.of_task(self._space, name)
        return self._free(name) if held is None else self._record(name, held)

    lately = show

    def _record(self, name: str, held: Held) -> LockRecord:
        data, lock = held.data or b'', held.lock
        version, grant = checksum(data), self._register.grant(name)
        if grant is not None and grant.version == version:
            return LockRecord(
                name,
                grant.generation,
                version,
                grant.session,
                grant.holder,
                data,
                grant.token,
                grant.event,
            )
        session = lock.session or UNKNOWN_SESSION
        roles = ('agent', 'host', 'machine', 'pid', 'started', 'worktree')
        holder = {'session': session, **{role: lock.get(role) for role in roles}}
        generation = lock.generation
        return LockRecord(name, generation, version, session, holder, data, '', '')

    def _free(self, name: str) -> LockRecord | None:
        number = self._register.last_generation(name)
        if number is None:
            return None
        data = atomic_files.read(self._register.file(name, 'last')) or b''
        return LockRecord(name, number, '', '', {}, data, '', RELEASED)

    def list(self) -> Sequence[LockRecord]:
        names = {self._space.protocol.main.name, *self._space.names()}
        with suppress(FileNotFoundError):
            for file in os.listdir(self._register.folder):
                name, _, what = file.rpartition('.')
                if what == 'generation':
                    names.add(name)
        found = (self.show(name) for name in sorted(names))
        return [record for record in found if record is not None]

    def events(self, name: str) -> Sequence[LogEntry]:
        return [_log_entry(line) for line in self._lines(name)]

    def files(self, name: str) -> str:
        # they lie where they are
        return ''

    def _lines(self, name: str) -> Sequence[dict[str, Any]]:
        found = records.entries(self._register.log_file, _entry)
        return [line for line in found if line['name'] == name]

    def acquire(
        self,
        name: str,
        holder: Holder,
        render: Render,
        token: str,
        floor: int = 0,
        note: Note = NO_NOTE,
    ) -> Answer:
        with self._alone(token):
            question = Question(ACQUIRED, token, floor)
            found, answer = self._decided(name, question)
            if answer is not None:
                return answer
            if name != self._space.protocol.main.name:
                refuse_moved(self.kind, self.marker())
            generation = next_generation(question, found)
            # a number that was given out is never given out again
            self._register.set_generation(name, generation)
            data = render(generation)
            grant = self._grant(ACQUIRED, generation, data, token, holder)
            self._log(name, question, generation, grant.session, note, grant.version)
            self._register.save_grant(name, grant)
            if not lock_file.create(lock_file.place(self._space, name), data):
                self._withdraw(name, token)
                return Answer(False, self.show(name), 'it is held')
            return Answer(True, self.show(name))

    def _grant(
        self, event: str, generation: int, data: bytes, token: str, holder: Holder
    ) -> Grant:
        return Grant(
            FILE,
            self._register.clone(),
            generation,
            checksum(data),
            token,
            holder.session or UNKNOWN_SESSION,
            holder._asdict(),
            event,
            time.time(),
        )

    def change(
        self,
        name: str,
        holder: Holder,
        generation: int,
        version: str,
        data: bytes,
        token: str,
        note: Note = NO_NOTE,
        others: Changes = NO_OTHERS,
    ) -> Answer:
        """`others` are files that change with the lock, or not at all."""
        session, before = holder.session, str(note.get('before', ''))
        question = Question(CHANGED, token, generation, session, before, version)
        with self._alone(token):
            found, answer = self._decided(name, question)
            held = lock_file.of_task(self._space, name)
            if answer is not None or found is None or held is None:
                return answer or Answer(False, found, 'it is not locked')
            lock = lock_file.parse(data, self._space.protocol.lock_keys)
            number = lock.generation or generation
            grant = self._grant(CHANGED, number, data, found.token, holder)
            self._log(name, question, number, grant.session, note, grant.version)
            path = self._register.file(name, 'grant')
            changes = {
                held.path: (held.data, data),
                path: (atomic_files.read(path), _as_json(grant)),
                **others,
            }
            Journal(self._space.state).write(changes)
            return Answer(True, self.show(name))

    def release(
        self,
        name: str,
        holder: Holder,
        generation: int,
        token: str,
        note: Note = NO_NOTE,
    ) -> Answer:
        question = Question(RELEASED, token, generation, holder.session)
        return self._end(name, question, note)

    def force(
        self, name: str, generation: int, person: str, reason: str, token: str
    ) -> Answer:
        note = {'event': 'ended by a person', 'person': person, 'reason': reason}
        return self._end(name, Question(FORCED, token, generation), note)

    def _end(self, name: str, question: Question, note: Note) -> Answer:
        with self._alone(question.token):
            found, answer = self._decided(name, question)
            held = lock_file.of_task(self._space, name)
            if answer is not None or found is None or held is None:
                return answer or Answer(False, found, 'it is not locked')
            number, session = found.generation, found.session
            self._log(name, question, number, session, note)
            atomic_files.remove(held.path)
            atomic_files.sync_folder(os.path.dirname(held.path))
            return Answer(True, self.show(name))

    def move(
        self,
        name: str,
        generation: int,
        data: bytes,
        person: str,
        reason: str,
        token: str,
    ) -> Answer:
        question = Question(MOVED, token, generation)
        with self._alone(token):
            found, answer = self._decided(name, question)
            if answer is not None:
                return answer
            number = next_generation(question, found)
            note = {'person': person, 'reason': reason}
            self._log(name, question, number, '', note)
            self._register.set_generation(name, number)
            records.save_bytes(self._register.file(name, 'last'), data)
            return Answer(True, self.show(name))

    def _decided(
        self, name: str, question: Question
    ) -> tuple[LockRecord | None, Answer | None]:
        found = self.show(name)
        return found, decide(question, found, self._earlier(name, question.token))

    def settle(self, name: str, token: str, expected: str) -> str:
        with self._alone(token):
            lines = self._lines(name)
            asked = [at for at, line in enumerate(lines) if line.get('token') == token]
            if asked and self._happened(name, lines, asked[0], token):
                return DONE
            if not asked or _event(lines[asked[-1]]) != WITHDRAWN:
                self._withdraw(name, token)
            return NEVER

    def _withdraw(self, name: str, token: str) -> None:
        self._log(name, Question(WITHDRAWN, token, 0), 0, '', {})

    def _happened(
        self, name: str, lines: Sequence[Mapping[str, Any]], at: int, token: str
    ) -> bool:
        """What was logged may have been killed before it was done."""
        line = lines[at]
        event = _event(line)
        found = self.show(name)
        number = line.get('generation', 0)
        if event == WITHDRAWN:
            return False
        elif event in ENDING:
            return found is None or found.is_free or found.generation != number
        elif event == CHANGED and found is not None and not found.is_free:
            return found.version == line['version'] or len(lines) > at + 1
        is_there = found is not None and found.token == token and not found.is_free
        ended = any(each.get('generation') == number for each in lines[at + 1 :])
        return is_there or ended

    def push(
        self,
        name: str,
        holder: Holder,
        generation: int,
        version: str,
        refspecs: Sequence[str],
        token: str,
    ) -> Answer:
        raise Refused('the locks of one clone fence no push')

    def marker(self) -> Marker | None:
        return records.load(self._register.file('engine', 'marker'), _marker)

    def mark(self, marker: Marker, token: str) -> Answer:
        with self._alone(token):
            there = self.marker()
            if there is not None and there.epoch >= marker.epoch:
                return Answer(there == marker, None, f'it is {there.engine} already')
            path = self._register.file('engine', 'marker')
            records.save(path, marker._asdict())
            return Answer(True, None)

    def _log(
        self,
        name: str,
        question: Question,
        number: int,
        session: str,
        note: Note,
        version: str = '',
    ) -> None:
        """Before it happens: what cannot be logged is not done."""
        line: dict[str, str | int] = {'event': question.event, 'name': name}
        if number:
            line['generation'] = number
        line |= {'session': session, 'token': question.token, 'version': version}
        line |= {key: value for key, value in note.items() if key != 'name' and value}
        if line['event'] != question.event:
            line[ALSO] = question.event
        self._register.log({**line, 'time': timestamps.now()})

    def _earlier(self, name: str, token: str) -> str:
        """What a question did that was asked before, '' if nothing."""
        data = atomic_files.read(self._register.log_file) or b''
        if token.encode() not in data:
            return ''
        lines = [line for line in self._lines(name) if line.get('token') == token]
        return _event(lines[-1]) if lines else ''

    @contextmanager
    def _alone(self, token: str) -> Iterator[None]:
        """Answer one question at a time, of all processes."""
        path = os.path.join(self._register.folder, 'engine.lock')
        try:
            os.makedirs(self._register.folder, exist_ok=True)
            fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as e:
            raise Unreachable(f'{path} cannot be written: {e.strerror}') from None
        try:
            until = time.monotonic() + WAIT
            while not try_lock(fd):
                if time.monotonic() > until:
                    raise Unreachable('another command asks, and does not end')
                time.sleep(PAUSE)
            yield
        finally:
            os.close(fd)


def _marker(value: Any) -> Marker:
    return Marker(str(value['engine']), int(value['epoch']))
