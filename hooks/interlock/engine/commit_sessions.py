"""Which session made a commit: whoever it shows its work to may go on.

By what the session says of itself, so it tells sessions apart that work side
by side; it proves nothing against one that lies.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from interlock.files import atomic_files, process
from interlock.model.actor import Actor

FILE = 'committers.jsonl'


class Committer(NamedTuple):
    commit: str
    session: str
    # the process of the session: `/clear` gives another id to the same one
    host: str
    pid: int
    started: str

    def is_same(self, actor: Actor) -> bool:
        return self.session == actor.session or (
            bool(self.started)
            and (self.host, self.pid) == (actor.host, actor.pid)
            and self.started == process.started(actor.pid)
        )


def _path(state: str) -> str:
    return os.path.join(state, 'interlock', FILE)


def _read(line: bytes) -> Committer | None:
    try:
        data = json.loads(line)
        values: list[Any] = [data[name] for name in Committer._fields]
    except (ValueError, KeyError, TypeError):
        return None
    found = Committer(*values)
    return (
        found
        if isinstance(found.pid, int)
        and all(isinstance(each, str) for each in values if each is not found.pid)
        else None
    )


def _all(state: str) -> list[Committer]:
    """Oldest first; whoever said it first made it, others only saw it."""
    found: dict[str, Committer] = {}
    for line in (atomic_files.read(_path(state)) or b'').splitlines():
        each = _read(line)
        if each is not None:
            found.setdefault(each.commit, each)
    return list(found.values())


def of(state: str, commit: str) -> Committer | None:
    """Who made a commit, None where nobody can say."""
    return next((each for each in _all(state) if each.commit == commit), None)


def by(state: str, actor: Actor) -> list[str]:
    """The commits of a session, newest first."""
    return [each.commit for each in reversed(_all(state)) if each.is_same(actor)]


def record(state: str, commit: str, actor: Actor) -> None:
    """`state` is the common git directory."""
    if not actor.session or not commit or of(state, commit) is not None:
        return
    found = Committer(
        commit, actor.session, actor.host, actor.pid, process.started(actor.pid)
    )
    line = json.dumps(found._asdict(), ensure_ascii=True) + '\n'
    atomic_files.append(_path(state), line.encode())
