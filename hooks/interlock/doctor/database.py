"""Does the database that keeps locks or states answer, and would it lose them?"""

from __future__ import annotations

import os

from interlock.git.remotes import repository_name
from interlock.model.errors import Refusal
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.postgresql.database import Database, DatabaseError, only
from interlock.workflow.language.sharing import (
    LOCKS,
    POSTGRESQL,
    STORE,
    locks_on,
    store_on,
)
from interlock.workflow.language.spec import Workflow

SECONDS = 5.0
QUESTION = (
    'SELECT session_user, interlock.rights(%s, false), pg_is_in_recovery(), '
    "current_setting('fsync'), current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names')"
)
# with them a commit counts before a standby has it
LOSSY = ('off', 'local')


class ServerFacts(NamedTuple):
    role: str
    is_member: bool
    is_standby: bool
    fsync: str
    commit: str
    standbys: str


def _services(workflow: Workflow) -> Iterator[tuple[str, str]]:
    """The name of each probe, and the service that it is about."""
    locks = locks_on(workflow.locks, os.environ.get(LOCKS, ''))
    store = store_on(workflow.store, os.environ.get(STORE, ''))
    if locks.engine == POSTGRESQL:
        yield 'lock database', locks.service
    if store.is_shared:
        yield 'state database', store.service


def _durable(name: str, service: str, found: ServerFacts) -> Probe:
    if found.is_standby:
        what = f'service {service} is a standby, which cannot be written to'
        return Probe(name, DEAD, what, f'psql service={service}')
    elif found.fsync == 'off' or found.commit in LOSSY:
        what = (
            f'service {service} may lose committed data: fsync is {found.fsync}, '
            f'synchronous_commit {found.commit}'
        )
        fix = "ALTER SYSTEM SET synchronous_commit = 'on'"
        return Probe(name, DEAD, what, f'psql service={service} -c "{fix}"')
    elif not found.standbys:
        what = (
            f'service {service} answers; no standby is synchronous, so a failover '
            f'may give one lock to two sessions'
        )
        fix = "ALTER SYSTEM SET synchronous_standby_names = '*'"
        return Probe(name, NOT_WIRED, what, f'psql service={service} -c "{fix}"')
    what = f'service {service} answers, and waits for its standby'
    return Probe(name, LIVE, what)


def _probe(name: str, service: str, repository: str) -> Probe:
    try:
        row = only(Database(service, SECONDS).ask(QUESTION, repository))
    except DatabaseError as e:
        what = f'service {service}: {e.why}'
        return Probe(name, DEAD, what, e.hint or f'psql service={service}')
    found = ServerFacts(*row)
    if not found.is_member:
        what = f'service {service}: role {found.role} is not admitted to {repository}'
        call = f"SELECT interlock.admit('{found.role}', '{repository}')"
        return Probe(name, DEAD, what, f'psql service={service} -c "{call}"')
    return _durable(name, service, found)


def probes(workflow: Workflow, directory: str) -> Iterator[Probe]:
    try:
        for name, service in _services(workflow):
            repository = repository_name(os.environ, directory, workflow.locks)
            yield _probe(name, service, repository)
    except Refusal as e:
        yield Probe('database', DEAD, e.message, e.hint)
