"""Records of sessions beside the locks, in the common git directory: which
session made a commit, and which stages the user confirmed.

Neither is part of a commit; the next stage commit repeats a confirmation as a
trailer. Both are plain files: our hooks keep agents from writing them, but a
program that bypasses the hooks can. The id that a session reports tells
parallel sessions apart; it proves nothing against a session that lies.
"""

from __future__ import annotations

import os

from interlock.files import process, records
from interlock.model.actor import Actor
from interlock.model.quick_typing import NamedTuple, TypeVar


class Confirmation(NamedTuple):
    item: str
    # as the workflow writes it: `3`, or `3.1` for a phase
    stage: str
    # the stage commit that was confirmed
    commit: str
    at: str
    session: str
    # the checksum of the prompt
    prompt: str


class Committer(NamedTuple):
    commit: str
    session: str
    # the process of the session: it stays the same when `/clear` changes the id
    host: str
    pid: int
    started: str

    def is_same(self, actor: Actor) -> bool:
        return self.session == actor.session or (
            bool(self.started)
            and (self.host, self.pid) == (actor.host, actor.pid)
            and self.started == process.start_time(actor.pid)
        )


T = TypeVar('T', Confirmation, Committer)
FILES: dict[type, str] = {
    Confirmation: 'confirmations.jsonl',
    Committer: 'committers.jsonl',
}


def path_of(state: str, kind: type) -> str:
    """The path of a record file; `state` is the common git directory."""
    return os.path.join(state, 'interlock', FILES[kind])


def _append(state: str, record: Confirmation | Committer) -> None:
    records.append(path_of(state, type(record)), record._asdict())


def _read(state: str, kind: type[T]) -> list[T]:
    """All records of a kind, oldest first."""
    return records.entries(path_of(state, kind), records.fields_of(kind))


def confirm(state: str, confirmation: Confirmation) -> None:
    _append(state, confirmation)


def confirmations(state: str, item: str) -> list[Confirmation]:
    """The confirmations of an item, oldest first."""
    return [each for each in _read(state, Confirmation) if each.item == item]


def committer(state: str, commit: str) -> Committer | None:
    """The session that made a commit, None if unknown."""
    return next((c for c in _read(state, Committer) if c.commit == commit), None)


def commits_of(state: str, actor: Actor) -> list[str]:
    """The commits of a session, newest first.

    The first session that recorded a commit made it; others only saw it.
    """
    first: dict[str, Committer] = {}
    for each in _read(state, Committer):
        first.setdefault(each.commit, each)
    return [each.commit for each in reversed(first.values()) if each.is_same(actor)]


def record_commit(state: str, commit: str, actor: Actor) -> None:
    if actor.session and commit and committer(state, commit) is None:
        started = process.start_time(actor.pid)
        _append(state, Committer(commit, actor.session, actor.host, actor.pid, started))
