"""What is in the store, as those who ask see it."""

from __future__ import annotations

from typing import Any, NamedTuple

State = dict[str, Any]


class Owner(NamedTuple):
    """Who works: nobody in particular, a session, or an agent in one."""

    session: str = ''
    agent: str = ''


NOBODY = Owner()


class Loaded(NamedTuple):
    state: State | None
    trigger: str = ''
    age_hours: float = 0.0
    created_at: str = ''
    updated_at: str = ''
    # who saved it, where the row is a session's own
    owner: Owner = NOBODY
    # it was shown to this owner before, and has not changed since
    given: bool = False
    # the session that it speaks of, if that is not the one that asks
    other: str = ''

    @property
    def found(self) -> bool:
        return self.state is not None


class Entry(NamedTuple):
    project: str
    owner: Owner
    trigger: str
    # None where the row says no time
    age_hours: float | None
    size: int


class Saved(NamedTuple):
    state: State
    # the session whose state stood in the project's row before, if another
    replaced: str = ''
