"""The engine of one clone: the lock files themselves, and their register.

The file of a lock is its record, so a person may look at it, repair it, or remove
it. The file cannot hold the token of its event. That is in the grant beside the
register, which counts while the file is the one that it was given for.
"""

from __future__ import annotations

import os
import time

from interlock.documents import timestamps
from interlock.files import atomic_files, records
from interlock.model.quick_tools import contextmanager, suppress
from interlock.model.quick_typing import Any, Iterator, Mapping, Sequence
from interlock.tasks.engines import lock_file
from interlock.tasks.engines.decision import decide, next_generation, refuse_moved
from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    DONE,
    ENDING,
    FILE,
    FORCED,
    MOVED,
    NEVER,
    PUSHED,
    RELEASED,
    UNKNOWN_SESSION,
    WITHDRAWN,
    Answer,
    LockRecord,
    LogEntry,
    Marker,
    Question,
    Refused,
    Unreachable,
)
from interlock.tasks.engines.lock_file import Held
from interlock.tasks.engines.register import Grant, Register
from interlock.tasks.task_layout import Workspace
from interlock.transactions.journal import Journal, checksum, try_lock

# how many seconds one question waits for another
WAIT = 10.0
PAUSE = 0.01
# the key of the engine's event, where `event` is a word for people
ALSO = 'does'


def _as_json(grant: Grant) -> bytes:
    import json

    return json.dumps(grant._asdict()).encode() + b'\n'


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


def _rendered(asked: Question, generation: int) -> bytes:
    assert asked.render is not None, 'it changes the bytes'
    return asked.render(generation)


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
        # they stay on this machine
        return ''

    def _lines(self, name: str) -> Sequence[dict[str, Any]]:
        found = records.entries(self._register.log_file, _entry)
        return [line for line in found if line['name'] == name]

    def ask(self, question: Question) -> Answer:
        if question.event == PUSHED:
            raise Refused('the locks of one clone cannot fence a push')
        steps = {ACQUIRED: self._create, CHANGED: self._replace, MOVED: self._move}
        name = question.name
        with self._alone():
            found = self.show(name)
            answer = decide(question, found, self._earlier(name, question.token))
            if answer is None:
                step = steps.get(question.event, self._end)
                answer = step(question, found)
            return answer or Answer(True, self.show(name))

    def _create(self, asked: Question, found: LockRecord | None) -> Answer | None:
        name, token = asked.name, asked.token
        if name != self._space.protocol.main.name:
            refuse_moved(self.kind, self.marker())
        generation = next_generation(asked, found)
        # a generation is never given out twice
        self._register.set_generation(name, generation)
        data = _rendered(asked, generation)
        grant = self._grant(asked, generation, data, token)
        self._log(asked, generation, grant.session, grant.version)
        self._register.save_grant(name, grant)
        if lock_file.create(lock_file.place(self._space, name), data):
            return None
        self._withdraw(name, token)
        return Answer(False, self.show(name), 'it is held')

    def _replace(self, asked: Question, found: LockRecord | None) -> Answer | None:
        held = lock_file.of_task(self._space, asked.name)
        if found is None or held is None:
            return Answer(False, found, 'it is not locked')
        data = _rendered(asked, asked.generation)
        lock = lock_file.parse(data, self._space.protocol.lock_keys)
        number = lock.generation or asked.generation
        grant = self._grant(asked, number, data, found.token)
        self._log(asked, number, grant.session, grant.version)
        path = self._register.file(asked.name, 'grant')
        changes = {
            held.path: (held.data, data),
            path: (atomic_files.read(path), _as_json(grant)),
            **asked.others,
        }
        Journal(self._space.state).write(changes)
        return None

    def _end(self, asked: Question, found: LockRecord | None) -> Answer | None:
        held = lock_file.of_task(self._space, asked.name)
        if found is None or held is None:
            return Answer(False, found, 'it is not locked')
        if asked.event == FORCED:
            asked = asked._replace(note={'event': 'ended by a person', **asked.note})
        self._log(asked, found.generation, found.session)
        atomic_files.remove(held.path)
        atomic_files.sync_folder(os.path.dirname(held.path))
        return None

    def _move(self, asked: Question, found: LockRecord | None) -> Answer | None:
        number = next_generation(asked, found)
        self._log(asked, number, '')
        self._register.set_generation(asked.name, number)
        data = _rendered(asked, number)
        records.save_bytes(self._register.file(asked.name, 'last'), data)
        return None

    def _grant(
        self, asked: Question, generation: int, data: bytes, token: str
    ) -> Grant:
        """The grant of a lock; `token` is that of the acquire."""
        assert asked.holder is not None, 'a session asks'
        return Grant(
            FILE,
            self._register.clone(),
            generation,
            checksum(data),
            token,
            asked.session or UNKNOWN_SESSION,
            asked.holder._asdict(),
            asked.event,
            time.time(),
        )

    def settle(self, name: str, token: str, expected: str) -> str:
        with self._alone():
            lines = self._lines(name)
            asked = [at for at, line in enumerate(lines) if line.get('token') == token]
            if asked and self._happened(name, lines, asked[0], token):
                return DONE
            if not asked or _event(lines[asked[-1]]) != WITHDRAWN:
                self._withdraw(name, token)
            return NEVER

    def _withdraw(self, name: str, token: str) -> None:
        self._log(Question(WITHDRAWN, name, token, 0), 0, '')

    def _happened(
        self, name: str, lines: Sequence[Mapping[str, Any]], at: int, token: str
    ) -> bool:
        """Whether a logged event took effect: a kill may have come before."""
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

    def marker(self) -> Marker | None:
        return records.load(self._register.file('engine', 'marker'), _marker)

    def mark(self, marker: Marker, token: str) -> Answer:
        with self._alone():
            there = self.marker()
            if there is not None and there.epoch >= marker.epoch:
                return Answer(there == marker, None, f'it is already {there.engine}')
            path = self._register.file('engine', 'marker')
            records.save(path, marker._asdict())
            return Answer(True, None)

    def _log(
        self, asked: Question, number: int, session: str, version: str = ''
    ) -> None:
        """Log an event before it happens: what cannot be logged is not done."""
        line: dict[str, str | int] = {'event': asked.event, 'name': asked.name}
        if number:
            line['generation'] = number
        line |= {'session': session, 'token': asked.token, 'version': version}
        line |= {
            key: value for key, value in asked.note.items() if key != 'name' and value
        }
        if line['event'] != asked.event:
            line[ALSO] = asked.event
        self._register.log({**line, 'time': timestamps.now()})

    def _earlier(self, name: str, token: str) -> str:
        """The event that an earlier question with this token caused, '' for none."""
        data = atomic_files.read(self._register.log_file) or b''
        if token.encode() not in data:
            return ''
        lines = [line for line in self._lines(name) if line.get('token') == token]
        return _event(lines[-1]) if lines else ''

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Answer one question at a time, across all processes."""
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
                    raise Unreachable('another command is still using the engine')
                time.sleep(PAUSE)
            yield
        finally:
            os.close(fd)


def _marker(value: Any) -> Marker:
    return Marker(str(value['engine']), int(value['epoch']))
