"""Judge a push on a server, within the time the server allows.

A refusal can be overridden with a reason, which is logged.
"""

from __future__ import annotations

import os

from interlock.documents.trailers import says_something
from interlock.engine.push import BEFORE, PushJudge
from interlock.git import push_updates
from interlock.git.git import GitError
from interlock.git.push_updates import Update
from interlock.git.repository import Repository
from interlock.model.errors import Busy, Refusal
from interlock.model.finding import Finding
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Callable, Iterator, Mapping, Sequence
from interlock.model.report import Report
from interlock.report.terminal import err

OPTION = 'interlock.breakglass'
# variables in which servers tell hooks who pushed
NAMES = ('REMOTE_USER', 'GL_USERNAME', 'GL_ID', 'LOGNAME', 'USER')
# rev-list arguments for a server whose HEAD names no branch: they leave out the commits
# of its branches. Commits that only other refs have, such as those of pull requests, may
# not have been judged.
KNOWN = ('--not', '--branches')
# an alarm in less time could ring before the work begins
LEAST = 0.001


class _Late(BaseException):
    """The alarm rang. Checks catch refusals, so this is not one."""


@contextmanager
def time_limit(seconds: float | None, reached: Callable[[], str]) -> Iterator[None]:
    """Refuse what takes longer, and say how far it got; None: take any time."""
    if seconds is None:
        yield
        return
    import signal

    if not hasattr(signal, 'setitimer'):
        raise Refusal(
            '--budget needs an alarm, which this platform does not have',
            'call interlock pre-receive without --budget',
        )

    def ring(*_: object) -> None:
        raise _Late

    others = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, LEAST))
        yield
        signal.setitimer(signal.ITIMER_REAL, 0)
    except _Late:
        raise Refusal(
            f'the budget of {seconds:g} seconds ran out {reached()}',
            'push fewer commits at a time',
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, others)


def _judge(
    repository: Repository, judge: PushJudge, work: list[Update], updates: list[Update]
) -> Busy | None:
    """`work` are the updates that bring commits, `updates` all of them.

    Returns why the lock engine could not be asked, None if it answered.
    """
    silence = None
    head, main = repository.head(), push_updates.main_branch(repository)
    for update in work:
        push = push_updates.push_of_update(repository, update, head, main, KNOWN)
        if push is None:
            continue
        judge.push(push)
        if push.tip is None:
            continue
        judge.forwarded_work(push, main if push.is_main else '')
        try:
            judge.grants(push, updates)
        except Busy as e:
            silence = e
    return silence


def _of_records(repository: Repository, updates: Sequence[Update]) -> list[Finding]:
    # most servers store no lock records
    from interlock.engine.lock_records import judge_records

    return judge_records(repository.git, updates, is_server=True)


def judge_received(
    repository: Repository,
    updates: list[Update],
    config: str,
    budget: float | None,
    reason: str,
) -> tuple[Report, str]:
    """The report, and why the lock engine could not be asked ('' if it was).

    Without a `reason` for an override, a silent engine refuses the push.
    """
    judge: PushJudge | None = None
    with time_limit(budget, lambda: judge.reached if judge else BEFORE):
        updates = push_updates.followed_updates(repository, updates)
        work = [each for each in updates if not each.is_lock_record]
        has_records = len(work) < len(updates)
        records = _of_records(repository, updates) if has_records else []
        if not work:
            return Report(records), ''
        judge = PushJudge(repository, config)
        judge.findings.extend(records)
        silence = _judge(repository, judge, work, updates)
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
    """The reason for an override, '' if none is given or allowed."""
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
    """Log one line per push; if that fails, the push is refused.

    `silence`: why the lock engine could not be asked, '' if it was.
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
