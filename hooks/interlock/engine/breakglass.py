"""A push that is let in although it is refused, with a reason, on record."""

from __future__ import annotations

import datetime
import os

from interlock.files import records
from interlock.git.git import GitError
from interlock.git.push_updates import Update
from interlock.git.repository import Repository
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterator, Mapping, Sequence
from interlock.model.report import Report
from interlock.report.terminal import err

OPTION = 'interlock.breakglass'
# who pushed, by what servers tell their hooks
NAMES = ('REMOTE_USER', 'GL_USERNAME', 'GL_ID', 'LOGNAME', 'USER')


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


def reason(repository: Repository) -> str:
    """Why the glass is broken, '' where it is not, or may not be."""
    for option in _options(repository.environ):
        name, _, text = option.partition('=')
        if name != OPTION:
            continue
        elif not _allowed(repository):
            err(f'interlock: {OPTION} is ignored: this server does not allow it')
            return ''
        elif not text.strip():
            raise Refusal(f'{OPTION} needs a reason', f"git push -o {OPTION}='WHY'")
        return ' '.join(text.split())
    return ''


def log(
    repository: Repository,
    why: str,
    updates: Sequence[Update],
    report: Report,
    silence: str,
) -> str:
    """One line per push; one that cannot be written lets nothing in.

    `silence`: why the engine of the locks could not be asked, '' if it was.
    """
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
    records.append(path, entry)
    return path
