"""Judges changes that a push makes to lock records, and work under a lock.

A server reads its own repository, which holds the records. CI asks the remote.
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
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Callable, Iterator, Sequence
from interlock.rules.new_finding import Location
from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    DAMAGED,
    ENDING,
    MOVED,
    PUSHED,
    UNKNOWN_SESSION,
    Engine,
    EngineError,
    LogEntry,
)
from interlock.tasks.engines.git_record import (
    GitRecord,
    NewerRecord,
    parse,
    parse_mark,
    problem,
)
from interlock.workflow.language.spec import Workflow

LOCKS = 'locks/'
MARKER = 'engine'
# a push waits for this answer
DATABASE_SECONDS = 5.0
# the name that `doctor` uses for its test
PROBE = 'probe'
# events whose record may differ from the one before
WRITING = (ACQUIRED, CHANGED, MOVED)
UNREADABLE = LogEntry(DAMAGED, 0, UNKNOWN_SESSION, '', '')

Events = Callable[[str], Sequence[LogEntry]]
HasCommit = Callable[[str, str], bool]


def _place(ref: str) -> str:
    """The place of a ref among the records, such as `locks/bake-bread`."""
    room = next((room for room in LOCK_RECORDS if ref.startswith(room)), '')
    return ref.removeprefix(room)


def _illegal(update: Update, why: str) -> Finding:
    task = _place(update.ref).removeprefix(LOCKS)
    return Location(task, '').finding(
        'LCK013',
        f'the push of {shown(update.ref)} is not a legal change of a lock: {why}',
        key=update.ref,
        found=why,
        fix=Fix('look at the lock', f'interlock lock log {task}'),
        commit=update.new,
    )


def judge_records(
    git: Git, updates: Sequence[Update], is_server: bool
) -> list[Finding]:
    """The findings about the lock records in a push."""
    pushed = {update.ref: update.new for update in updates}

    def has(ref: str, oid: str) -> bool:
        """Whether a branch is at a commit after the push."""
        if ref in pushed:
            return pushed[ref] == oid
        # git lists no ref that was there before; only a server can look
        return not is_server or git.resolve(ref) == oid

    found = []
    for update in updates:
        if update.is_lock_record:
            why = _problem(git, update, has)
            if why:
                found.append(_illegal(update, why))
    return found


def _problem(git: Git, update: Update, has: HasCommit) -> str:
    place = _place(update.ref)
    if not update.new:
        return 'a record is never deleted'
    elif git.commit(update.new) is None:
        return 'it is not a commit'
    elif not _follows(git, update):
        return 'it does not follow the record before it'
    elif place.startswith(LOCKS):
        return _record_problem(git, update, has)
    elif place == MARKER:
        return _mark_problem(git, update)
    return '' if place == PROBE else 'that ref does not hold a lock record'


def _mark_problem(git: Git, update: Update) -> str:
    try:
        after = parse_mark(_message(git, update.new))
    except Unreadable as e:
        return f'it {e.message}'
    with suppress(Unreadable):
        before = parse_mark(_message(git, update.old))
        if after.epoch <= before.epoch:
            return f'its epoch is not greater than {before.epoch}'
    return ''


def _record_problem(git: Git, update: Update, has: HasCommit) -> str:
    is_based = bool(update.old) and git.commit(update.old) is not None
    steps = git.commits(update.new, *([f'^{update.old}'] if is_based else []))
    before, kept = _read(git, update.old), _lock_file(git, update.old)
    is_first = not update.old
    for oid in steps:
        try:
            after = _parsed(git, oid, update.ref)
        except Unreadable as e:
            return f'{oid[:10]} {e.message}'
        contents = _lock_file(git, oid)
        if before is None and not is_first:
            why = _unrepaired(git, update.old, after)
        else:
            why = problem(before, after)
        if not why and before and after.event not in WRITING and contents != kept:
            why = 'it changes the lock file'
        if not why and (update.old or oid == update.new):
            # older proofs only arrive when a repository is pushed as a whole
            why = _unproved(after, has)
        if why:
            return why
        before, kept, is_first = after, contents, False
    return ''


def _unrepaired(git: Git, damaged: str, after: GitRecord) -> str:
    """Why a record may not follow an unreadable one, '' if it may."""
    if after.event not in ENDING or not after.person:
        return 'the record before it is damaged, and only a person can repair that'
    commit = git.commit(damaged)
    while commit is not None and commit.parents:
        commit = git.commit(commit.parents[0])
        known = _read(git, commit.oid) if commit else None
        if known is not None:
            is_back = after.generation < known.generation
            return f'its generation goes back from {known.generation}' * is_back
    return ''


def _unproved(record: GitRecord, has: HasCommit) -> str:
    """Why a `pushed` record lacks the work that must come with it, '' if it has it."""
    if record.event != PUSHED:
        return ''
    elif not record.refs:
        return 'it does not prove any push'
    for ref, oid in record.refs.items():
        if not has(ref, oid):
            return f'it proves a push of {shown(ref)}, which is not this one'
    return ''


def _follows(git: Git, update: Update) -> bool:
    """Whether each commit since the old record has its predecessor as only parent."""
    oid = update.new
    while oid != update.old:
        commit = git.commit(oid)
        if commit is None or len(commit.parents) > 1:
            return False
        elif not commit.parents:
            # a record can replace an object that is not a commit
            return not update.old or git.commit(update.old) is None
        oid = commit.parents[0]
    return True


def _parsed(git: Git, oid: str, ref: str) -> GitRecord:
    try:
        record = parse(_message(git, oid))
    except NewerRecord as e:
        raise Unreadable(
            f'is a record of version {e.version}, newer than this'
        ) from None
    if record.name != _place(ref).removeprefix(LOCKS):
        raise Unreadable(f'is a record of {shown(record.name)}')
    elif not _lock_file(git, oid):
        raise Unreadable('holds no lock file')
    return record


def _message(git: Git, oid: str) -> str:
    commit = git.commit(oid) if oid else None
    return commit.message if commit else ''


def _lock_file(git: Git, oid: str) -> str:
    """The object id of its lock file, '' if the record has none."""
    found = git.objects.read(f'{oid}:lock.json') if oid else None
    return found[1].oid if found else ''


def _read(git: Git, oid: str) -> GitRecord | None:
    try:
        return parse(_message(git, oid))
    except (Unreadable, NewerRecord):
        return None


def stored_events(git: Git, prefix: str, updates: Sequence[Update]) -> Events:
    """The lock events that this repository will have after a push."""
    pushed = {update.ref: update.new for update in updates if update.new}

    def events(task: str) -> Sequence[LogEntry]:
        ref = f'{prefix}{task}'
        try:
            oids = git.commits('--first-parent', pushed.get(ref, ref))
        except GitError:
            return []
        found = ((oid, _read(git, oid)) for oid in oids)
        return [record.entry(oid) if record else UNREADABLE for oid, record in found]

    return events


def _asked(engine: Callable[[], Engine]) -> Events:
    """Lock events from an engine, asked when the first commit needs them."""

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
    """Lock events from the remote that stores them."""
    locks, common = workflow.locks, repository.facts.common_dir

    def engine() -> Engine:
        from interlock.git.lock_refs import LockRefs
        from interlock.tasks.engines.git_remote import GitRemoteEngine

        refs = LockRefs(repository.environ, common, locks.remote, locks.timeout)
        return GitRemoteEngine(refs, locks.refs, '')

    return _asked(engine)


def database_events(repository: Repository, workflow: Workflow) -> Events:
    """Lock events from the database that stores them."""
    locks, common = workflow.locks, repository.facts.common_dir

    def engine() -> Engine:
        # the driver is needed only if a commit names its grant
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
    """Find commits under a grant that is not in the log of the lock.

    `pushed_to` is the ref they are pushed to, '' outside a push; `branch_of`
    names the branch of a task. `tip` must have been pushed with its proof; ''
    skips that check.
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
    return not any(entry.event in ENDING | {ACQUIRED, DAMAGED} for entry in after)


def _is_proved(log: Sequence[LogEntry], tip: str) -> bool:
    return any(entry.event == PUSHED and tip in entry.refs.values() for entry in log)
