"""Locks on a git remote: a ref per task, a commit on top for every event.

A ref only moves forward and is never deleted, so it is the log too. The
compare-and-swap is a push with a lease. What git prints about a push is no
proof: only the ref, read again, says whether our commit is in its history.
"""

from __future__ import annotations

import time

from interlock.documents import timestamps
from interlock.git.lock_refs import LockRefs, PushResult, Silent, StoredCommit
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Callable, Mapping, NamedTuple, Sequence
from interlock.operations.tasks.locks import Holder
from interlock.tasks.engines.decision import (
    Question,
    decide,
    next_generation,
    refuse_moved,
)
from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    DAMAGED,
    DONE,
    FORCED,
    GIT_REMOTE,
    MOVED,
    NEVER,
    NO_NOTE,
    PUSHED,
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
    Unknown,
    Unreachable,
)
from interlock.tasks.engines.git_record import (
    GitRecord,
    NewerRecord,
    mark_message,
    parse,
    parse_mark,
)

# so often a ref that stays as it was is tried again, with growing pauses: a
# server may hold it locked
ATTEMPTS = 4
PAUSE = 0.2
# seconds for which an answer is new enough to build upon
LATELY = 1.0
# seconds for tries to withdraw a question that get no answer
PATIENCE = 2.0
# so often somebody else may be faster
RACES = 8
MARKER = 'engine'


class Tip(NamedTuple):
    """A record as it stands on the remote."""

    # '' where the ref does not exist
    oid: str
    # None: there is none, or it cannot be read
    record: GitRecord | None
    data: bytes
    # what a new record is put on top of, '' where nothing or no commit stands
    parent: str


# a record that is to be written, with the bytes of the lock file
Step = tuple[GitRecord, bytes]
# made of the record that stands there, and the generation of the new one
NextRecord = Callable[['LockRecord | None', int], Step]
NOTHING = Tip('', None, b'', '')


class GitRemoteEngine:
    kind = GIT_REMOTE

    def __init__(self, refs: LockRefs, prefix: str, directory: str) -> None:
        self._refs = refs
        self._prefix = prefix
        # the worktree that work is pushed from
        self._directory = directory
        self._marker_ref = f'{prefix.rstrip("/").rpartition("/")[0]}/{MARKER}'
        # what was just shown needs not be asked again to be changed
        self._shown: dict[str, tuple[float, Tip]] = {}
        self._tokens: set[str] = set()

    def show(self, name: str) -> LockRecord | None:
        tip = self._asked(name)
        self._shown[name] = time.monotonic(), tip
        return self._record(name, tip)

    def lately(self, name: str) -> LockRecord | None:
        tip = self._lately(name)
        return self.show(name) if tip is None else self._record(name, tip)

    def _lately(self, name: str) -> Tip | None:
        at, tip = self._shown.get(name, (0.0, None))
        return tip if time.monotonic() - at <= LATELY else None

    def list(self) -> Sequence[LockRecord]:
        refs = self._advertised(f'{self._prefix}*')
        missing = [ref for ref, oid in refs.items() if not self._refs.has(oid)]
        if missing:
            self._fetch(*missing)
        found = []
        for ref in sorted(refs):
            name = ref.removeprefix(self._prefix)
            oid = self._refs.local(ref) if ref in missing else refs[ref]
            try:
                tip = self._tip(oid, self._refs.read(oid))
            except Refused as e:
                raise Refused(f'{name}: {e.why}') from None
            found.append(self._record(name, tip))
        return [record for record in found if record is not None]

    def events(self, name: str) -> Sequence[LogEntry]:
        tip = self._asked(name)
        found = []
        for commit in self._refs.chain(tip.oid) if tip.oid else ():
            try:
                found.append(parse(commit.message).entry(commit.oid))
            except Unreadable as e:
                found.append(
                    LogEntry(DAMAGED, 0, UNKNOWN_SESSION, '', '', reason=e.message)
                )
            except NewerRecord as e:
                raise self._newer(e) from None
        return found[::-1]

    def files(self, name: str) -> str:
        tip = self._asked(name)
        return self._refs.newest_files(tip.oid) if tip.oid else ''

    def acquire(
        self,
        name: str,
        holder: Holder,
        render: Render,
        token: str,
        floor: int = 0,
        note: Note = NO_NOTE,
    ) -> Answer:
        question = Question(ACQUIRED, token, floor)
        is_new = False

        def next_record(before: LockRecord | None, number: int) -> Step:
            nonlocal is_new
            is_new = before is None
            record = _record_of(question, name, number, holder, note)
            return record._replace(grant=token), render(number)

        answer = self._swap(name, question, next_record)
        if is_new and answer.ok and answer.record is not None:
            # to move a lock puts a record in the way of those who take it; only
            # where there was none do we have to look again
            self._after(name, token, PushResult(True, True, 'it was taken'))
            if why := self._give_back_moved(answer.record):
                raise Refused(why)
        return answer

    def _give_back_moved(self, record: LockRecord) -> str:
        """Free a lock that was taken while all of them went to another engine.

        Says where they went, '' if they are here.
        """
        try:
            refuse_moved(self.kind, self._read_marker(self._marked))
        except Refused as e:
            # one token, however often the acquire is settled
            token = f'{record.token}-back'
            asked = Question(RELEASED, token, record.generation, record.session)
            self._free(record.name, asked, '', e.why)
            return e.why
        return ''

    def change(
        self,
        name: str,
        holder: Holder,
        generation: int,
        version: str,
        data: bytes,
        token: str,
        note: Note = NO_NOTE,
    ) -> Answer:
        session, earlier = holder.session, str(note.get('before', ''))
        question = Question(CHANGED, token, generation, session, earlier, version)

        def next_record(before: LockRecord | None, number: int) -> Step:
            assert before is not None, 'it is held'
            record = _record_of(question, name, number, holder, note)
            return record._replace(grant=before.token), data

        return self._swap(name, question, next_record, files=_files(note))

    def release(
        self,
        name: str,
        holder: Holder,
        generation: int,
        token: str,
        note: Note = NO_NOTE,
    ) -> Answer:
        question = Question(RELEASED, token, generation, holder.session)

        def next_record(before: LockRecord | None, number: int) -> Step:
            assert before is not None, 'it is held'
            record = _record_of(question, name, number, holder, note)
            return record._replace(session=''), before.data

        return self._swap(name, question, next_record, files=_files(note))

    def force(
        self, name: str, generation: int, person: str, reason: str, token: str
    ) -> Answer:
        return self._free(name, Question(FORCED, token, generation), person, reason)

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
        return self._free(name, question, person, reason, data)

    def _free(
        self,
        name: str,
        question: Question,
        person: str,
        reason: str,
        data: bytes | None = None,
    ) -> Answer:
        """Write that a lock is free; `data` None: as it was."""

        def next_record(before: LockRecord | None, number: int) -> Step:
            record = GitRecord(
                event=question.event,
                name=name,
                generation=number,
                session='',
                holder=before.holder if before else {},
                token=question.token,
                grant='',
                time=timestamps.now(),
                person=person,
                reason=reason,
            )
            kept = before.data if before else b''
            return record, kept if data is None else data

        return self._swap(name, question, next_record)

    def push(
        self,
        name: str,
        holder: Holder,
        generation: int,
        version: str,
        refspecs: Sequence[str],
        token: str,
    ) -> Answer:
        question = Question(PUSHED, token, generation, holder.session)
        refs = dict(spec.lstrip('+').split(':', 1)[::-1] for spec in refspecs)

        def next_record(before: LockRecord | None, number: int) -> Step:
            assert before is not None, 'it is held'
            record = _record_of(question, name, number, holder, NO_NOTE)
            return record._replace(grant=before.token, refs=refs), before.data

        def push(oid: str, ref: str, expected: str) -> PushResult:
            return self._refs.push_with(self._directory, refspecs, oid, ref, expected)

        return self._swap(name, question, next_record, push)

    def settle(self, name: str, token: str, expected: str) -> str:
        self._tokens.add(token)
        burnt, start = PushResult(False, True, ''), time.monotonic()
        for _ in range(RACES):
            tip = self._asked(name)
            earlier = self._by_token(tip, token)
            if earlier is not None:
                found = self._record(name, tip)
                if found is not None and found.token == token:
                    self._give_back_moved(found)
                return NEVER if earlier.event == WITHDRAWN else DONE
            elif not burnt.answered and time.monotonic() - start > PATIENCE:
                # a server that is late would be waited for again and again
                break
            # also where the ref has moved on: after a lost race the question was
            # asked again, for a version that nobody wrote down
            burnt = self._burn(name, tip, token)
        raise Unreachable(f'the question cannot be withdrawn: {burnt.text}')

    def _burn(self, name: str, tip: Tip, token: str) -> PushResult:
        """Move the ref off the commit that the question expects it at."""
        before = tip.record
        record = GitRecord(
            event=WITHDRAWN,
            name=name,
            generation=before.generation if before else 0,
            session=before.session if before else '',
            holder=before.holder if before else {},
            token=token,
            grant=before.grant if before else '',
            time=timestamps.now(),
        )
        oid = self._refs.write(record.message(), tip.data, tip.parent)
        return self._refs.push(oid, self._prefix + name, tip.oid)

    def marker(self) -> Marker | None:
        ref = self._marker_ref
        return self._read_marker(self._advertised(ref).get(ref, ''))

    def mark(self, marker: Marker, token: str) -> Answer:
        ref = self._marker_ref
        old = self._advertised(ref).get(ref, '')
        there = self._read_marker(old)
        if there is not None and there.epoch >= marker.epoch:
            return Answer(there == marker, None, f'it is {there.engine} already')
        oid = self._refs.write(mark_message(marker), b'', old)
        result = self._refs.push(oid, ref, old)
        if not result.ok and self.marker() != marker:
            raise Refused(result.text)
        return Answer(True, None)

    def _read_marker(self, oid: str) -> Marker | None:
        if not oid:
            return None
        found = self._refs.read(oid)
        if found is None:
            self._fetch(self._marker_ref)
            found = self._refs.read(oid)
        try:
            return parse_mark(found.message if found else '')
        except Unreadable as e:
            raise Refused(f'{self._marker_ref} {e.message}') from None

    # one step

    def _swap(
        self,
        name: str,
        asked: Question,
        next_record: NextRecord,
        push: Callable[[str, str, str], PushResult] | None = None,
        files: str = '',
    ) -> Answer:
        """Put a record on top of the one that it was made for."""
        ref, token = self._prefix + name, asked.token
        unchanged = 0
        tip = self._lately(name)
        # what was shown before the first question holds no answer to it
        is_first = tip is not None and token not in self._tokens
        tip = tip or self._asked(name)
        self._tokens.add(token)
        self._shown.pop(name, None)
        for _ in range(RACES):
            found = self._record(name, tip)
            earlier = '' if is_first else self._earlier(tip, token)
            is_first = False
            answer = decide(asked, found, earlier)
            if answer is not None:
                return answer
            if asked.event == ACQUIRED:
                refuse_moved(self.kind, self._read_marker(self._marked))
                # the ref may be deleted meanwhile, and what was given out was seen
                seen = found.generation if found else 0
                asked = asked._replace(generation=max(asked.generation, seen))
            made = next_record(found, next_generation(asked, found))
            oid = self._refs.write(made[0].message(), made[1], tip.parent, files)
            result = (push or self._refs.push)(oid, ref, tip.oid)
            if not result.ok:
                after = self._after(name, token, result)
                if after.oid == tip.oid:
                    unchanged += 1
                    self._pause_or_refuse(unchanged, result, token)
                    continue
                elif not self._refs.is_ancestor(oid, after.oid):
                    # lost: somebody else's record is in the way
                    tip = after
                    continue
            # done; it may have been built upon since
            return Answer(True, self._record(name, Tip(oid, *made, oid)))
        raise Refused('somebody else was faster, again and again')

    def _after(self, name: str, token: str, result: PushResult) -> Tip:
        try:
            return self._asked(name)
        except Unreachable as e:
            raise Unknown(f'{result.text}; {e.why}', token) from None

    def _pause_or_refuse(self, unchanged: int, result: PushResult, token: str) -> None:
        if not result.answered:
            # the question may still be on its way
            raise Unknown(result.text, token)
        elif unchanged == ATTEMPTS or 'declined' in result.text:
            raise Refused(result.text)
        time.sleep(PAUSE * unchanged)

    # reading

    def _advertised(self, *patterns: str) -> Mapping[str, str]:
        try:
            return self._refs.advertised(*patterns)
        except Silent as e:
            raise Unreachable(e.why) from None

    def _fetch(self, *refs: str) -> None:
        try:
            self._refs.fetch(*refs)
        except Silent as e:
            raise Unreachable(e.why) from None

    def _asked(self, name: str) -> Tip:
        """What stands on the remote now, and with it who keeps the locks."""
        ref = self._prefix + name
        found = self._advertised(ref, self._marker_ref)
        self._marked = found.get(self._marker_ref, '')
        oid = found.get(ref, '')
        if not oid:
            return NOTHING
        stored = self._refs.read(oid)
        if stored is None:
            self._fetch(ref)
            oid = self._refs.local(ref)
            stored = self._refs.read(oid)
        return self._tip(oid, stored)

    def _tip(self, oid: str, found: StoredCommit | None) -> Tip:
        if found is None or found.data is None:
            return Tip(oid, None, b'', found.oid if found else oid)
        try:
            return Tip(oid, parse(found.message), found.data, oid)
        except Unreadable:
            return Tip(oid, None, found.data, oid)
        except NewerRecord as e:
            raise self._newer(e) from None

    def _newer(self, error: NewerRecord) -> Refused:
        return Refused(
            f'its record is of version {error}, which this Interlock does not '
            f'know: update Interlock'
        )

    def _record(self, name: str, tip: Tip) -> LockRecord | None:
        if not tip.oid:
            return None
        elif tip.record is None or tip.record.name != name:
            number = self._last_generation(tip)
            return LockRecord(
                name, number, tip.oid, UNKNOWN_SESSION, {}, tip.data, '', DAMAGED
            )
        at = tip.record
        return LockRecord(
            name,
            at.generation,
            tip.oid,
            at.session,
            at.holder,
            tip.data,
            at.grant,
            at.event,
        )

    def _last_generation(self, tip: Tip) -> int:
        """Of the newest record below a damaged one that can be read."""
        for commit in self._refs.chain(tip.oid):
            try:
                return parse(commit.message).generation
            except (Unreadable, NewerRecord):
                continue
        return 0

    def _by_token(self, tip: Tip, token: str) -> GitRecord | None:
        """The record of a question; that it was withdrawn counts first."""
        if not tip.oid:
            return None
        for message in self._refs.messages_with(tip.oid, token):
            try:
                record = parse(message)
            except (Unreadable, NewerRecord):
                continue
            if record.token == token:
                return record
        return None

    def _earlier(self, tip: Tip, token: str) -> str:
        record = self._by_token(tip, token)
        return record.event if record else ''


def _files(note: Note) -> str:
    return str(note.get('files', ''))


def _record_of(
    question: Question, name: str, generation: int, holder: Holder, note: Note
) -> GitRecord:
    """What a session does."""
    word = str(note.get('event', question.event))
    return GitRecord(
        event=question.event,
        name=name,
        generation=generation,
        session=holder.session,
        holder=holder._asdict(),
        token=question.token,
        grant='',
        time=timestamps.now(),
        person=str(note.get('person', '')),
        reason=str(note.get('reason', '')),
        word='' if word == question.event else word,
    )
