"""Locks on a git remote: a ref per task, a commit on top for every event.

A ref only moves forward and is never deleted, so it is the log too. The
compare-and-swap is a push with a lease. The output of a push proves nothing:
only reading the ref again shows whether our commit is in its history.
"""

from __future__ import annotations

import time

from interlock.documents import timestamps
from interlock.git.lock_refs import LockRefs, PushResult, Silent, StoredCommit
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence
from interlock.tasks.engines.decision import decide, next_generation, refuse_moved
from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    DAMAGED,
    DONE,
    ENDING,
    GIT_REMOTE,
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

# how often to retry a ref that did not change, with growing pauses: a server may
# hold it locked
ATTEMPTS = 4
PAUSE = 0.2
# for so many seconds an answer is new enough to build upon
LATELY = 1.0
# for so many seconds we try to withdraw a question without an answer
PATIENCE = 2.0
# how often somebody else may be faster
RACES = 8
MARKER = 'engine'


class Tip(NamedTuple):
    """A record on the remote."""

    # '' where the ref does not exist
    oid: str
    # None: there is none, or it cannot be read
    record: GitRecord | None
    data: bytes
    # the parent of the next record, '' where there is no commit
    parent: str


NOTHING = Tip('', None, b'', '')


class GitRemoteEngine:
    kind = GIT_REMOTE

    def __init__(self, refs: LockRefs, prefix: str, directory: str) -> None:
        self._refs = refs
        self._prefix = prefix
        # work is pushed from this worktree
        self._directory = directory
        self._marker_ref = f'{prefix.rstrip("/").rpartition("/")[0]}/{MARKER}'
        # a record that was just shown can be changed without asking again
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
        return found[::-1]

    def files(self, name: str) -> str:
        tip = self._asked(name)
        return self._refs.newest_files(tip.oid) if tip.oid else ''

    def _refuse_moved_since(self, made: LockRecord) -> None:
        """Refuse if the locks moved to another engine meanwhile.

        A move puts a record in the way of an acquire. We only have to look again where
        there was no record.
        """
        self._after(made.name, made.token, PushResult(True, True, 'it was taken'))
        if why := self._give_back_moved(made):
            raise Refused(why)

    def _give_back_moved(self, record: LockRecord) -> str:
        """Free a lock that was taken while all locks moved to another engine.

        Says where they moved, '' if they are still here.
        """
        try:
            refuse_moved(self.kind, self._read_marker(self._marked))
        except Refused as e:
            # the same token, however often the acquire is settled
            token = f'{record.token}-back'
            # only the session of the holder is known here
            note = {'reason': e.why, 'before': record.session}
            self.ask(
                Question(RELEASED, record.name, token, record.generation, note=note)
            )
            return e.why
        return ''

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
                # stop here: a slow server would make us wait again and again
                break
            # also where the ref has moved on: after a lost race the question was
            # asked again, for a version that is not written down
            burnt = self._burn(name, tip, token)
        raise Unreachable(f'the request cannot be withdrawn: {burnt.text}')

    def _burn(self, name: str, tip: Tip, token: str) -> PushResult:
        """Move the ref away from the commit that the question expects."""
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
            return Answer(there == marker, None, f'it is already {there.engine}')
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

    def ask(self, asked: Question) -> Answer:
        """Put a record on top of the one that it was made for."""
        name = asked.name
        ref, token = self._prefix + name, asked.token
        unchanged = 0
        tip = self._lately(name)
        # a record shown before the first question cannot answer it
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
                # count on from what we saw, even if the ref is deleted meanwhile
                seen = found.generation if found else 0
                asked = asked._replace(generation=max(asked.generation, seen))
            record, data = _next_record(asked, found)
            oid = self._refs.write(record.message(), data, tip.parent, asked.files)
            result = self._push(asked, oid, ref, tip.oid)
            if not result.ok:
                after = self._after(name, token, result)
                if after.oid == tip.oid:
                    unchanged += 1
                    self._pause_or_refuse(unchanged, result, token)
                    continue
                elif not self._refs.is_ancestor(oid, after.oid):
                    # lost the race: somebody else's record is in the way
                    tip = after
                    continue
            # done; other records may be on top of it by now
            made = _record_at(Tip(oid, record, data, oid), record)
            if asked.event == ACQUIRED and found is None:
                self._refuse_moved_since(made)
            return Answer(True, made)
        raise Refused('other clients changed the lock first at every attempt')

    def _push(self, asked: Question, oid: str, ref: str, expected: str) -> PushResult:
        if not asked.refspecs:
            return self._refs.push(oid, ref, expected)
        return self._refs.push_with(self._directory, asked.refspecs, oid, ref, expected)

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
        """Read the remote now, and with it which engine keeps the locks."""
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

    def _record(self, name: str, tip: Tip) -> LockRecord | None:
        if not tip.oid:
            return None
        elif tip.record is None or tip.record.name != name:
            number = self._last_generation(tip)
            return LockRecord(
                name, number, tip.oid, UNKNOWN_SESSION, {}, tip.data, '', DAMAGED
            )
        return _record_at(tip, tip.record)

    def _last_generation(self, tip: Tip) -> int:
        """The generation of the newest readable record below a damaged one."""
        for commit in self._refs.chain(tip.oid):
            try:
                return parse(commit.message).generation
            except (Unreadable, NewerRecord):
                continue
        return 0

    def _by_token(self, tip: Tip, token: str) -> GitRecord | None:
        """The record of a question; if it was withdrawn, that counts first."""
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


def _record_at(tip: Tip, at: GitRecord) -> LockRecord:
    return LockRecord(
        at.name,
        at.generation,
        tip.oid,
        at.session,
        at.holder,
        tip.data,
        at.grant,
        at.event,
    )


def _next_record(asked: Question, before: LockRecord | None) -> tuple[GitRecord, bytes]:
    """The record that answers a question, with the bytes of the lock file."""
    number, word = next_generation(asked, before), str(asked.note.get('event', ''))
    holder = before.holder if before else {}
    if asked.holder is not None:
        holder = asked.holder._asdict()
    grant = asked.token if asked.event == ACQUIRED else ''
    if before is not None and asked.event in (CHANGED, PUSHED):
        grant = before.token
    record = GitRecord(
        event=asked.event,
        name=asked.name,
        generation=number,
        session='' if asked.event in ENDING else asked.session,
        holder=holder,
        token=asked.token,
        grant=grant,
        time=timestamps.now(),
        person=str(asked.note.get('person', '')),
        reason=str(asked.note.get('reason', '')),
        refs=dict(spec.lstrip('+').split(':', 1)[::-1] for spec in asked.refspecs),
        word='' if word == asked.event else word,
    )
    if asked.render is not None:
        return record, asked.render(number)
    return record, before.data if before else b''
