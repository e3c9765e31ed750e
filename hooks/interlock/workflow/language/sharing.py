"""What a team shares, and where: its locks and its saved states.

A workflow file uses names and never contains an address or a password.
Otherwise a pushed file could send locks, and what people said, to another
server.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import NamedTuple

# these override the workflow file on one machine: ENGINE or ENGINE:NAME
LOCKS = 'INTERLOCK_LOCKS'
STORE = 'INTERLOCK_STORE'

FILE = 'file'
GIT_REMOTE = 'git-remote'
POSTGRESQL = 'postgresql'
SQLITE = 'sqlite'

REFUSE = 'refuse'
WORK = 'work'

PUSH = 'push'
SERVER = 'server'
NONE = 'none'

NAME_RE = re.compile(r'[A-Za-z0-9][A-Za-z0-9._-]*\Z')


class LocksSpec(NamedTuple):
    """The engine that stores the locks of tasks."""

    engine: str = FILE
    # the name of a git remote, with exactly one push URL
    remote: str = 'origin'
    refs: str = 'refs/interlock/locks/'
    # '' for the push URL of the remote, without user and password
    repository: str = ''
    # the name of a service in pg_service.conf
    service: str = 'interlock'
    # the time limit for one question, in seconds
    timeout: float = 10
    # seconds until a held lock is confirmed again
    confirm: float = 900
    # what happens to a change if the engine does not answer
    offline: str = REFUSE
    # what keeps work under a lost lock from leaving the machine
    fence: str = PUSH

    @property
    def is_shared(self) -> bool:
        return self.engine != FILE


class StoreSpec(NamedTuple):
    """Where saved states are stored, besides the local file."""

    engine: str = SQLITE
    service: str = 'interlock'
    # days until a state is deleted there
    keep: int = 30

    @property
    def is_shared(self) -> bool:
        return self.engine != SQLITE


def _given(variable: str, text: str, engines: tuple[str, ...]) -> tuple[str, str]:
    engine, _, name = text.partition(':')
    if engine not in engines or (name and not NAME_RE.match(name)):
        # the text may be a password, so it is not shown
        raise Refusal(
            f'${variable} names no engine: write one of {", ".join(engines)}, '
            f'if needed with `:` and the name of a remote or a service',
            f'export {variable}={engines[0]}',
        )
    return engine, name


def locks_on(spec: LocksSpec, text: str) -> LocksSpec:
    """The locks of this machine; `text` is the value of $INTERLOCK_LOCKS."""
    if not text:
        return spec
    engine, name = _given(LOCKS, text, (FILE, GIT_REMOTE, POSTGRESQL))
    found = spec._replace(engine=engine)
    if name and engine == GIT_REMOTE:
        return found._replace(remote=name)
    return found._replace(service=name) if name else found


def store_on(spec: StoreSpec, text: str) -> StoreSpec:
    """The store of this machine; `text` is the value of $INTERLOCK_STORE. That
    may also be the path of the local file, which by itself shares nothing."""
    if text.partition(':')[0] != POSTGRESQL and text != SQLITE:
        return spec
    engine, name = _given(STORE, text, (SQLITE, POSTGRESQL))
    return spec._replace(engine=engine, service=name or spec.service)
