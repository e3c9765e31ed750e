"""A report as markdown, which GitHub shows on the page of a run."""

from __future__ import annotations

from interlock.documents.text import one_line
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.model.fixes import in_history
from interlock.model.report import Report, plural, sentence
from interlock.report.causes import alone, reached
from interlock.report.text import where
from interlock.rules.index import RULES

SPECIAL_RE = re.compile(r'([\\`*_{}\[\]<>|#~])')
# a summary of more than a megabyte is not shown at all
MOST = 500


def _quoted(text: str) -> str:
    """Any text as plain text in a cell of a table."""
    printable = text.encode(errors='backslashreplace').decode()
    return SPECIAL_RE.sub(r'\\\1', one_line(printable))


def _row(finding: Finding) -> str:
    cells = (
        finding.severity,
        f'{finding.code} {RULES[finding.code].title}',
        finding.item,
        finding.commit[:10],
        where(finding),
        finding.message,
        in_history(finding.fix, finding.commit).step,
    )
    return f'| {" | ".join(map(_quoted, cells))} |'


def render_markdown(report: Report | Refusal) -> str:
    if isinstance(report, Refusal):
        lines = ['### Interlock: not judged', '', _quoted(report.message), '']
        if report.hint:
            lines += [f'Next: {_quoted(report.hint)}', '']
        return '\n'.join(lines) + '\n'
    report = alone(reached(report))
    verdict = 'refused' if report.refuses else 'passed'
    lines = [f'### Interlock: {verdict}', '', f'{sentence(report)}.', '']
    if report.commits:
        lines += [f'{plural(report.commits, "commit")} judged.', '']
    if report.findings:
        lines += [
            '| severity | rule | item | commit | place | what | next |',
            '|---|---|---|---|---|---|---|',
            *map(_row, report.findings[:MOST]),
            '',
        ]
    left = len(report.findings) - MOST
    if left > 0:
        lines += [f'{left} more are in the log.', '']
    if report.rewrite and report.refuses:
        label, command = report.rewrite.label, report.rewrite.command
        lines += [f'Next, {label}: `{command}`', '']
    return '\n'.join(lines) + '\n'
