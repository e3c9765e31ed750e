from __future__ import annotations

from interlock.model.finding import ERROR, INFO, WARNING, Finding, Fix
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence


class Undo(NamedTuple):
    """The command that takes a commit back to the index, where it can be fixed."""

    commit: str
    command: str


class Report(NamedTuple):
    findings: Sequence[Finding]
    # those that the baseline excuses
    excused: Sequence[Finding] = ()
    # fingerprints in the baseline that no finding has any more
    stale: Sequence[str] = ()
    commits: int = 0
    # how to fix commits that already exist
    rewrite: Fix | None = None
    # what to do before the fixes of the last commit
    undo: Undo | None = None
    # one line for people about what was not judged
    note: str = ''
    # check -> the seconds it took
    times: Mapping[str, float] = {}
    # the number of changed files, None for a whole tree; the governing workflow file
    files: int | None = 0
    governed_by: str = ''

    @property
    def suppressed(self) -> int:
        return len(self.excused)

    @property
    def refuses(self) -> bool:
        return any(f.introduced and f.refuses for f in self.findings)

    @property
    def is_clean(self) -> bool:
        return not (self.findings or self.suppressed or self.stale)


def counts(report: Report) -> dict[str, int]:
    severities = [finding.severity for finding in report.findings]
    introduced = sum(finding.introduced for finding in report.findings)
    return {
        'errors': severities.count(ERROR),
        'warnings': severities.count(WARNING),
        'infos': severities.count(INFO),
        'introduced': introduced,
        'inherited': len(report.findings) - introduced,
        'suppressed': report.suppressed,
        'stale': len(report.stale),
        'commits': report.commits,
    }


def plural(number: int, word: str) -> str:
    if number == 1:
        return f'1 {word}'
    elif word.endswith('ry'):
        word = f'{word[:-1]}ie'
    return f'{number} {word}s'


def sentence(report: Report) -> str:
    """One line that sums up the report; it always mentions suppressed findings."""
    number = counts(report)
    parts = [
        plural(number[f'{severity}s'], severity)
        for severity in (ERROR, WARNING, INFO)
        if number[f'{severity}s']
    ]
    text = ', '.join(parts) or 'nothing to refuse'
    if number['inherited']:
        text += f'; {number["inherited"]} inherited'
    if report.suppressed:
        text += f'; {report.suppressed} suppressed by the baseline'
    if report.stale:
        occur = 'occurs' if len(report.stale) == 1 else 'occur'
        text += (
            f'; {plural(len(report.stale), "entry")} of the baseline no '
            f'longer {occur} (interlock audit --write-baseline)'
        )
    return text
