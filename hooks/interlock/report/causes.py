"""Findings that another finding causes: one cause, one next step."""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.fixes import keeps_commits, rewords
from interlock.model.quick_typing import Callable, Iterable, Sequence
from interlock.model.report import Report
from interlock.rules.index import RULES

PHASE_RE = re.compile(r'\.[0-9]+$')


def _values(finding: Finding) -> set[str]:
    """The values that it expected and found, without the phase of a state."""
    both = {PHASE_RE.sub('', each) for each in (finding.expected, finding.found)}
    return both - {''}


def _settles(cause: Finding, finding: Finding) -> bool:
    """Whether undoing the violation `cause` also undoes another finding about the
    same item in the same commit.

    The rule of `cause` must list it, and both findings must share a value:
    another violation of the same rule is independent.
    """
    return finding.code in RULES[cause.code].settles and not _values(cause).isdisjoint(
        _values(finding)
    )


def with_causes(findings: Sequence[Finding]) -> list[Finding]:
    """Findings that follow from another one name it, and get its fix."""
    causes: dict[tuple[str, str], list[Finding]] = {}
    for each in findings:
        if each.refuses and each.introduced and RULES[each.code].settles:
            # a reason in the message makes the step legal, but its consequences remain
            if not rewords(each.fix):
                causes.setdefault((each.item, each.commit), []).append(each)
    return [
        _with_cause(each, causes.get((each.item, each.commit), ())) for each in findings
    ]


def _with_cause(finding: Finding, causes: Sequence[Finding]) -> Finding:
    for cause in causes if finding.introduced else ():
        if _settles(cause, finding):
            # the cause itself may follow from another finding
            first = _with_cause(cause, causes)
            code = first.follows or first.code
            fix = first.fix._replace(label=f'settle {code} first')
            if not fix.command:
                fix = first.fix
            return finding._replace(follows=code, fix=fix)
    return finding


def without_followers(report: Report) -> Report:
    """The report without findings that follow from another one in it."""
    present = {
        (each.code, each.item, each.commit)
        for each in report.findings
        if not each.follows
    }
    return report._replace(
        findings=[each for each in report.findings if _cause(each) not in present]
    )


def _cause(finding: Finding) -> tuple[str, str, str]:
    return finding.follows, finding.item, finding.commit


def followers(findings: Iterable[Finding]) -> Callable[[Finding], list[str]]:
    """Tells the codes of the findings that follow from one of them."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for each in findings:
        found.setdefault(_cause(each), set()).add(each.code)
    return lambda cause: sorted(found.get((cause.code, cause.item, cause.commit), ()))


def with_undo(report: Report) -> Report:
    """The report with fixes that also apply to an existing commit."""
    undo = report.undo
    if undo is None:
        return report
    findings = [
        each._replace(
            fix=each.fix._replace(command=f'{undo.command} && {each.fix.command}')
        )
        if each.commit == undo.commit
        and each.refuses
        and each.fix.command
        and not keeps_commits(each.fix)
        else each
        for each in report.findings
    ]
    return report._replace(findings=findings)
