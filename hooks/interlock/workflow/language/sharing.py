"""What a team shares, and where: its locks and its saved states.

A workflow file names things, and never says an address or a password: a pushed
file could otherwise send locks, and what people said, to another server.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import NamedTuple

# they override the workflow file on one machine: ENGINE or ENGINE:NAME
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
    """Which engine keeps the locks of tasks."""

    engine: str = FILE
    # the name of a git remote, with exactly one push URL
    remote: str = 'origin'
    refs: str = 'refs/interlock/locks/'
    # '' for the push URL of the remote, without user and password
    repository: str = ''
    # the name of a service in pg_service.conf
    service: str = 'interlock'
    # seconds for one question
    timeout: float = 10
    # seconds until a held lock is asked about again
    confirm: float = 900
    # what becomes of a change when the engine does not answer
    offline: str = REFUSE
    # what keeps the work of a lost lock from leaving the machine
    fence: str = PUSH

    @property
    def is_shared(self) -> bool:
        return self.engine != FILE


class StoreSpec(NamedTuple):
    """Where saved states go, besides the local file."""

    engine: str = SQLITE
    service: str = 'interlock'
    # days until a state is dropped there
    keep: int = 30

    @property
    def is_shared(self) -> bool:
        return self.engine != SQLITE


def _given(variable: str, text: str, engines: tuple[str, ...]) -> tuple[str, str]:
    engine, _, name = text.partition(':')
    if engine not in engines or (name and not NAME_RE.match(name)):
        # what stands there may be a password
        raise Refusal(
            f'${variable} names no engine: it is one of {", ".join(engines)}, '
            f'where needed with `:` and the name of a remote or a service',
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
    """The store of this machine; `text` is the value of $INTERLOCK_STORE, which
    may also be the path of the local file: that shares nothing by itself."""
    if text.partition(':')[0] != POSTGRESQL and text != SQLITE:
        return spec
    engine, name = _given(STORE, text, (SQLITE, POSTGRESQL))
    return spec._replace(engine=engine, service=name or spec.service)
