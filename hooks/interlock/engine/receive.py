"""Judge a push that a server is asked to accept, within the time it allows.

A refusal may be overridden with a reason, which is put on record.
"""

from __future__ import annotations

import os
import time

from interlock.documents.trailers import says_something
from interlock.engine.push import PushJudge
from interlock.git import push_updates
from interlock.git.git import GitError
from interlock.git.parse import Commit
from interlock.git.push_updates import Update
from interlock.git.repository import Repository
from interlock.model.errors import Busy, Refusal
from interlock.model.finding import Finding
from interlock.model.quick_typing import Any, Callable, Iterator, Mapping, Sequence
from interlock.model.report import Report, plural
from interlock.report.terminal import err

OPTION = 'interlock.breakglass'
# who pushed, by what servers tell their hooks
NAMES = ('REMOTE_USER', 'GL_USERNAME', 'GL_ID', 'LOGNAME', 'USER')
# where HEAD names no branch: the server has its branches; what only other
# refs have, such as those of pull requests, may never have been judged
KNOWN = ('--not', '--branches')


class Budget:
    """Seconds that a push may take; `with` it what they are spent on."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + (seconds or 0)
        self._whole = self._where = ''
        self._others: Any = None

    def spent_on(self, ref: str, count: int) -> Budget:
        self._whole = f'{plural(count, "commit")} of {ref}'
        self._where = f'before the first of {self._whole}'
        return self

    def _expect(self, number: int, commit: Commit) -> None:
        """Refuse where time ran out before a commit."""
        self._where = f'at {commit.oid[:10]}, {number + 1} of {self._whole}'
        if self.seconds is not None and time.monotonic() > self._until:
            self._refuse()

    def _refuse(self, *signal: object) -> None:
        raise Refusal(
            f'the budget of {self.seconds:g} seconds ran out {self._where}',
            'push fewer commits at a time',
        )

    def __enter__(self) -> Callable[[int, Commit], None]:
        """Interrupt a single commit that takes too long, where there are alarms;
        what this gives is called with each commit."""
        if self.seconds is not None:
            import signal

            if hasattr(signal, 'setitimer'):
                left = max(self._until - time.monotonic(), 0.001)
                self._others = signal.signal(signal.SIGALRM, self._refuse)
                signal.setitimer(signal.ITIMER_REAL, left)
        return self._expect

    def __exit__(self, *error: object) -> None:
        if self._others is not None:
            import signal

            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._others)
            self._others = None


def _judge(
    repository: Repository,
    judge: PushJudge,
    work: list[Update],
    updates: list[Update],
    budget: Budget,
) -> Busy | None:
    """`work` is what brings commits, `updates` all that is pushed.

    Gives why the engine of the locks could not be asked, if it was silent.
    """
    silence = None
    head, main = repository.head(), push_updates.main_branch(repository)
    for update in work:
        push = push_updates.pushed(repository, update, head, main, KNOWN)
        if push is None:
            continue
        with budget.spent_on(update.ref, len(push.commits)) as expect:
            judge.push(push, expect)
            if push.tip is None:
                continue
            judge.forwarded(push, main if push.is_main else '')
            try:
                judge.under_grants(push, updates)
            except Busy as e:
                silence = e
    return silence


def _of_records(
    repository: Repository, updates: Sequence[Update], count: int, budget: Budget
) -> list[Finding]:
    from interlock.engine.lock_records import judge_records

    with budget.spent_on('the records of locks', count):
        return judge_records(repository.git, updates)


def judge_received(
    repository: Repository,
    updates: list[Update],
    config: str,
    budget: float | None,
    reason: str,
) -> tuple[Report, str]:
    """The report, and why the engine of the locks could not be asked, or ''.

    Without a `reason` for an override, an engine that is silent refuses the push.
    """
    limit = Budget(budget)
    updates = push_updates.followed_updates(repository, updates)
    work = [each for each in updates if not each.is_lock_record]
    count = len(updates) - len(work)
    records = _of_records(repository, updates, count, limit) if count else []
    if not work:
        return Report(records), ''
    judge = PushJudge(repository, config)
    judge.findings.extend(records)
    silence = _judge(repository, judge, work, updates, limit)
    if silence is not None and not reason:
        raise silence
    return judge.report(), silence.message if silence else ''


def _options(environ: Mapping[str, str]) -> Iterator[str]:
    count = environ.get('GIT_PUSH_OPTION_COUNT', '0')
    for number in range(int(count) if count.isdigit() else 0):
        yield environ.get(f'GIT_PUSH_OPTION_{number}', '')


def _allowed(repository: Repository) -> bool:
    try:
        found = repository.git.line('config --type=bool --get', OPTION)
    except GitError:
        return False
    return found == 'true'


def override_reason(repository: Repository) -> str:
    """The reason for an override, '' where none is given or none is allowed."""
    for option in _options(repository.environ):
        name, _, text = option.partition('=')
        if name != OPTION:
            continue
        elif not _allowed(repository):
            err(f'interlock: {OPTION} is ignored: this server does not allow it')
            return ''
        elif not says_something(text):
            raise Refusal(f'{OPTION} needs a reason', f"git push -o {OPTION}='WHY'")
        return ' '.join(text.split())
    return ''


def log_override(
    repository: Repository,
    why: str,
    updates: Sequence[Update],
    report: Report,
    silence: str,
) -> str:
    """One line per push; one that cannot be written lets nothing in.

    `silence`: why the engine of the locks could not be asked, '' if it was.
    """
    import datetime

    from interlock.files.records import append

    path = os.path.join(repository.facts.common_dir, 'interlock', 'breakglass.log')
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [repository.environ.get(name, '') for name in NAMES]
    entry = {
        'time': now.isoformat(timespec='seconds'),
        'who': next(filter(None, names), ''),
        'reason': why,
        'refs': [update._asdict() for update in updates],
        'findings': [
            {'code': each.code, 'item': each.item, 'commit': each.commit}
            for each in report.findings
            if each.refuses
        ],
        'silence': silence,
    }
    append(path, entry)
    return path
