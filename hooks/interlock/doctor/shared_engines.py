"""Whether the engines that keep a team's locks and states answer, and whether they
could lose data."""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.documents.wiring.hook_files import ON_SERVER
from interlock.git.lock_refs import LockRefs, Silent
from interlock.git.remotes import repository_name
from interlock.model.errors import Refusal
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.postgresql.database import Database, DatabaseError, only
from interlock.tasks.engines.register import Register
from interlock.workflow.language.sharing import (
    GIT_REMOTE,
    LOCKS,
    POSTGRESQL,
    STORE,
    LocksSpec,
    locks_on,
    store_on,
)
from interlock.workflow.language.spec import Workflow

NAME = 'locks'
# with more refs than this, taking a lock takes several times as long
MANY = 5000
SECONDS = 5.0
QUESTION = (
    'SELECT session_user, interlock.rights(%s, false), pg_is_in_recovery(), '
    "current_setting('fsync'), current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names')"
)
# with these settings a commit succeeds before a standby has it
LOSSY = ('off', 'local')


def lock_probes(workflow: Workflow, common: str) -> Iterator[Probe]:
    """What the engine accepts; no probes if the locks are files in the clone."""
    try:
        found = locks_on(workflow.locks, os.environ.get(LOCKS, ''))
    except Refusal as e:
        yield Probe(NAME, DEAD, e.message, e.hint)
        return
    yield from _left(common)
    if found.engine == GIT_REMOTE:
        yield from _of_remote(found, common)


def _left(common: str) -> Iterator[Probe]:
    """Lock operations of commands that were killed."""
    folder = Register(common).folder
    names = os.listdir(folder) if os.path.isdir(folder) else []
    for name in sorted(names):
        # a killed writer leaves its temporary file, which means nothing
        if name.endswith('.intent') and not name.startswith('.'):
            task = name.removesuffix('.intent')
            yield Probe(
                NAME,
                DEAD,
                f'a lock operation on {shown(task)} was interrupted, and its outcome '
                f'is unknown',
                f'interlock lock settle {task}',
            )


def _of_remote(found: LocksSpec, common: str) -> Iterator[Probe]:
    try:
        refs = LockRefs(os.environ, common, found.remote, found.timeout)
        advertised = refs.advertised()
    except Refusal as e:
        # there is no such remote, or it has several push URLs
        yield Probe(NAME, DEAD, e.message, e.hint)
        return
    except Silent as e:
        yield Probe(
            NAME,
            DEAD,
            f'the remote `{found.remote}` does not answer: {e.why}',
            f'git ls-remote {found.remote}',
        )
        return
    yield _refs(found, advertised)
    yield from _accepted(refs, found, advertised)


def _refs(found: LocksSpec, advertised: dict[str, str]) -> Probe:
    number = len(advertised)
    conflict = found.refs.startswith('refs/heads/') and any(
        ref in advertised for ref in _above(found.refs)
    )
    if conflict:
        return Probe(
            NAME,
            DEAD,
            f'a branch has the name under which {found.refs} would keep its refs',
            f'git ls-remote {found.remote} "refs/heads/interlock*"',
        )
    elif number > MANY:
        return Probe(
            NAME,
            NOT_WIRED,
            f'{found.remote} has {number} refs, which makes every lock slow',
            f'git ls-remote {found.remote} | wc -l',
        )
    return Probe(NAME, LIVE, f'{found.remote} answers, with {number} refs')


def _above(refs: str) -> Iterator[str]:
    """The refs whose existence would block the folders of lock refs."""
    parts = refs.rstrip('/').split('/')
    for end in range(3, len(parts) + 1):
        yield '/'.join(parts[:end])


def _accepted(
    refs: LockRefs, found: LocksSpec, advertised: dict[str, str]
) -> Iterator[Probe]:
    """Push a ref of our own with `--atomic`, then try to delete it."""
    ref = f'{found.refs.rstrip("/").rpartition("/")[0]}/probe'
    old = advertised.get(ref, '')
    oid = refs.write(f'probe of interlock doctor {os.getpid()}\n', b'', old)
    result = refs.push_with(refs.path, (), oid, ref, old)
    if not result.ok:
        yield Probe(
            NAME,
            DEAD,
            f'{found.remote} refuses locks at {ref}: {result.text}',
            'set `locks: {refs: refs/heads/interlock/locks/}`, or ask its '
            'administrator',
        )
        return
    yield Probe(NAME, LIVE, f'{found.remote} accepts atomic pushes to {found.refs}')
    if refs.push('', ref, oid).ok:
        yield Probe(
            NAME,
            NOT_WIRED,
            f'{found.remote} lets anyone delete the record of a lock; the next '
            f'acquire would notice (LCK011)',
            f"in the server's repository: {ON_SERVER}",
        )
    else:
        yield Probe(NAME, LIVE, f'{found.remote} refuses to delete a record')


class ServerFacts(NamedTuple):
    role: str
    is_member: bool
    is_standby: bool
    fsync: str
    commit: str
    standbys: str


def _services(workflow: Workflow) -> Iterator[tuple[str, str]]:
    """The name of each probe, and the service that it examines."""
    locks = locks_on(workflow.locks, os.environ.get(LOCKS, ''))
    store = store_on(workflow.store, os.environ.get(STORE, ''))
    if locks.engine == POSTGRESQL:
        yield 'lock database', locks.service
    if store.is_shared:
        yield 'state database', store.service


def _setting(service: str, name: str, value: str) -> str:
    return (
        f'psql service={service} -c "ALTER SYSTEM SET {name} = '
        f"'{value}'\" -c 'SELECT pg_reload_conf()'"
    )


def _durable(name: str, service: str, found: ServerFacts) -> Probe:
    if found.is_standby:
        what = f'service {service} is a standby, which cannot be written to'
        return Probe(name, DEAD, what, f'psql service={service}')
    elif found.fsync == 'off' or found.commit in LOSSY:
        what = (
            f'service {service} may lose committed data: fsync is {found.fsync}, '
            f'synchronous_commit {found.commit}'
        )
        setting = 'fsync' if found.fsync == 'off' else 'synchronous_commit'
        return Probe(name, DEAD, what, _setting(service, setting, 'on'))
    elif not found.standbys:
        what = (
            f'service {service} answers; no standby is synchronous, so a failover '
            f'may give one lock to two sessions'
        )
        fix = _setting(service, 'synchronous_standby_names', '*')
        return Probe(name, NOT_WIRED, what, fix)
    what = f'service {service} answers, and waits for its standby'
    return Probe(name, LIVE, what)


def _of_database(name: str, service: str, repository: str) -> Probe:
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


def database_probes(workflow: Workflow, directory: str) -> Iterator[Probe]:
    try:
        for name, service in _services(workflow):
            repository = repository_name(os.environ, directory, workflow.locks)
            yield _of_database(name, service, repository)
    except Refusal as e:
        yield Probe('database', DEAD, e.message, e.hint)


def probes(workflow: Workflow, common: str, directory: str) -> Iterator[Probe]:
    yield from lock_probes(workflow, common)
    yield from database_probes(workflow, directory)
