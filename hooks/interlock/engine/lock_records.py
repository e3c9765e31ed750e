"""Judges what a push does to the records of locks, and to work under a lock.

A server asks itself: the records lie in the repository that is pushed to. CI
asks the remote.
"""

from __future__ import annotations

from interlock.documents.message import parse as parse_message
from interlock.documents.text import shown
from interlock.documents.trailers import generation, grant
from interlock.git.git import Git, GitError
from interlock.git.parse import Commit
from interlock.git.push_updates import HEADS, LOCK_RECORDS, Update
from interlock.git.repository import Repository
from interlock.model.errors import Busy, Unreadable
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import show_commit
from interlock.model.quick_typing import Callable, Iterator, Mapping, Sequence
from interlock.rules.new_finding import Location
from interlock.tasks.engines.engine import (
    ACQUIRED,
    ENDING,
    PUSHED,
    Engine,
    EngineError,
    LogEntry,
)
from interlock.tasks.engines.git_record import GitRecord, NewerRecord, parse, problem
from interlock.workflow.language.spec import Workflow

LOCKS = 'locks/'
MARKER = 'engine'
# a push waits for the answer
DATABASE_SECONDS = 5.0
# what `doctor` tries
PROBE = 'probe'

Events = Callable[[str], Sequence[LogEntry]]


def _task(ref: str) -> str:
    room = next(room for room in LOCK_RECORDS if ref.startswith(room))
    return ref.removeprefix(room).removeprefix(LOCKS)


def _illegal(update: Update, why: str) -> Finding:
    task = _task(update.ref)
    return Location(task, '').finding(
        'LCK013',
        f'the push of {shown(update.ref)} is not a legal change of a lock: {why}',
        key=update.ref,
        found=why,
        fix=Fix('look at the lock', f'interlock lock log {task}'),
        commit=update.new,
    )


def judge_records(git: Git, updates: Sequence[Update]) -> list[Finding]:
    """What is wrong with the records in a push."""
    pushed = {update.ref: update.new for update in updates}
    found = []
    for update in updates:
        if update.is_lock_record:
            why = _problem(git, update, pushed)
            if why:
                found.append(_illegal(update, why))
    return found


def _problem(git: Git, update: Update, pushed: Mapping[str, str]) -> str:
    if not update.new:
        return 'a record is never deleted'
    elif git.commit(update.new) is None:
        return 'it is not a commit'
    elif not _follows(git, update):
        return 'it does not follow the record before it'
    elif _task(update.ref) in (MARKER, PROBE):
        return ''
    steps = git.commits(update.new, *([f'^{update.old}'] if update.old else []))
    before = _read(git, update.old) if update.old else None
    is_first = not update.old
    for oid in steps:
        try:
            after = _parsed(git, oid, update.ref)
        except Unreadable as e:
            return f'{oid[:10]} {e.message}'
        why = '' if before is None and not is_first else problem(before, after)
        if before is None and not is_first and after.event not in ENDING:
            why = 'the record before it is damaged, and only a person can repair that'
        if why:
            return why
        before, is_first = after, False
    return _unproved(before, pushed)


def _unproved(last: GitRecord | None, pushed: Mapping[str, str]) -> str:
    """A `pushed` record comes with the work that it is about."""
    if last is None or last.event != PUSHED:
        return ''
    elif not last.refs:
        return 'it does not prove any push'
    for ref, oid in last.refs.items():
        if pushed.get(ref) != oid:
            return f'it proves a push of {shown(ref)}, which is not this one'
    return ''


def _follows(git: Git, update: Update) -> bool:
    """Each commit from the old record on has one parent: the one before it."""
    oid = update.new
    while oid != update.old:
        commit = git.commit(oid)
        if commit is None or len(commit.parents) > 1:
            return False
        elif not commit.parents:
            return not update.old
        oid = commit.parents[0]
    return True


def _parsed(git: Git, oid: str, ref: str) -> GitRecord:
    commit = git.commit(oid)
    assert commit is not None, 'it is in the history'
    try:
        record = parse(commit.message)
    except NewerRecord as e:
        raise Unreadable(f'is a record of version {e}, newer than this') from None
    if record.name != _task(ref):
        raise Unreadable(f'is a record of {shown(record.name)}')
    elif git.objects.read(f'{oid}:lock.json') is None:
        raise Unreadable('holds no lock file')
    return record


def _read(git: Git, oid: str) -> GitRecord | None:
    commit = git.commit(oid)
    try:
        return parse(commit.message) if commit else None
    except (Unreadable, NewerRecord):
        return None


def stored_events(git: Git, prefix: str, updates: Sequence[Update]) -> Events:
    """The events of locks as this repository will have them after a push."""
    pushed = {update.ref: update.new for update in updates if update.new}

    def events(task: str) -> Sequence[LogEntry]:
        ref = f'{prefix}{task}'
        try:
            oids = git.commits('--first-parent', pushed.get(ref, ref))
        except GitError:
            return []
        found = ((oid, _read(git, oid)) for oid in oids)
        return [record.entry(oid) for oid, record in found if record is not None]

    return events


def _asked(engine: Callable[[], Engine]) -> Events:
    """Events that are asked of an engine, once the first commit needs them."""

    def events(task: str) -> Sequence[LogEntry]:
        try:
            return engine().events(task)
        except EngineError as e:
            raise Busy(
                f'LCK009: the log of the lock of {task} cannot be read: {e.why}',
                'interlock doctor',
            ) from None

    return events


def remote_events(repository: Repository, workflow: Workflow) -> Events:
    """The events of locks, asked of the remote that has them."""
    locks, common = workflow.locks, repository.facts.common_dir

    def engine() -> Engine:
        from interlock.git.lock_refs import LockRefs
        from interlock.tasks.engines.git_remote import GitRemoteEngine

        refs = LockRefs(repository.environ, common, locks.remote, locks.timeout)
        return GitRemoteEngine(refs, locks.refs, '')

    return _asked(engine)


def database_events(repository: Repository, workflow: Workflow) -> Events:
    """The events of locks, asked of the database that has them."""
    locks, common = workflow.locks, repository.facts.common_dir

    def engine() -> Engine:
        # the driver is needed only where a commit names its grant
        from interlock.git.remotes import repository_name
        from interlock.tasks.engines.postgresql import PostgresqlLocks

        name = repository_name(repository.environ, common, locks)
        seconds = min(locks.timeout, DATABASE_SECONDS)
        return PostgresqlLocks(locks.service, name, seconds)

    return _asked(engine)


def judge_grants(
    commits: Sequence[Commit],
    events: Events,
    pushed_to: str,
    branch_of: Callable[[str], str],
    tip: str,
) -> Iterator[Finding]:
    """Commits under a grant that the log of the lock does not know.

    `pushed_to` is the ref that they go to, '' where nothing is pushed now;
    `branch_of` names the branch of a task. `tip` has to have been pushed with
    its proof, '' where that is not asked.
    """
    logs: dict[str, Sequence[LogEntry]] = {}
    for commit in commits:
        message = parse_message(commit.message)
        made, said = generation(message), grant(message)
        if made is None or not said:
            continue
        if made.task not in logs:
            logs[made.task] = events(made.task)
        known = [
            entry
            for entry in logs[made.task]
            if entry.event == ACQUIRED
            and entry.token.startswith(said)
            and entry.generation == made.number
        ]
        why = ''
        if not known:
            why = f'the log does not list the grant {shown(said)} of generation {made.number}'
        elif pushed_to == HEADS + branch_of(made.task) and not _is_current(
            logs[made.task], known[-1]
        ):
            why = f'generation {made.number} no longer holds the lock'
        elif commit.oid == tip and not _is_proved(logs[made.task], tip):
            why = 'it was pushed without the proof that the lock was held'
        if why:
            yield Location(made.task, '').finding(
                'LCK014',
                f'the commit is not covered by the lock of {made.task}: {why}',
                key=commit.oid,
                found=said,
                fix=show_commit(commit.oid),
                commit=commit.oid,
            )


def _is_current(log: Sequence[LogEntry], acquired: LogEntry) -> bool:
    after = log[log.index(acquired) + 1 :]
    return not any(entry.event in ENDING | {ACQUIRED} for entry in after)


def _is_proved(log: Sequence[LogEntry], tip: str) -> bool:
    return any(entry.event == PUSHED and tip in entry.refs.values() for entry in log)
