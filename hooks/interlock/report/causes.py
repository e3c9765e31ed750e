"""One cause, one next step: the findings that go away with another one."""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.fixes import rewords
from interlock.model.quick_typing import Iterable, Sequence
from interlock.model.report import Report
from interlock.rules.index import RULES

PHASE_RE = re.compile(r'\.[0-9]+$')


def _values(finding: Finding) -> set[str]:
    """What it says is expected and found; the phase of a state does not count."""
    both = {PHASE_RE.sub('', each) for each in (finding.expected, finding.found)}
    return both - {''}


def _settles(cause: Finding, finding: Finding) -> bool:
    """Whether undoing what `cause` refuses undoes the other one as well.

    Its rule has to say so, and both have to speak of the same value: another
    violation of the same rule stands alone.
    """
    return (
        finding.code in RULES[cause.code].settles
        and (cause.item, cause.commit) == (finding.item, finding.commit)
        and not _values(cause).isdisjoint(_values(finding))
    )


def with_causes(findings: Sequence[Finding]) -> list[Finding]:
    """Findings that follow from another one name it and take over its fix."""
    causes = [
        each
        for each in findings
        if each.refuses and each.introduced and RULES[each.code].settles
        # a reason makes the step legal, and leaves all that it brought along
        if not rewords(each.fix)
    ]
    return [_with_cause(each, causes) for each in findings]


def _with_cause(finding: Finding, causes: Iterable[Finding]) -> Finding:
    for cause in causes if finding.introduced else ():
        if _settles(cause, finding):
            # what settles the cause may follow from another one itself
            first = _with_cause(cause, causes)
            code = first.follows or first.code
            fix = first.fix._replace(label=f'settle {code} first')
            if not fix.command:
                fix = first.fix
            return finding._replace(follows=code, fix=fix)
    return finding


def alone(report: Report) -> Report:
    """Without what follows from another finding of the report."""
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


def followers(cause: Finding, findings: Iterable[Finding]) -> list[str]:
    """The codes of what follows from a finding."""
    this = cause.code, cause.item, cause.commit
    return sorted({each.code for each in findings if _cause(each) == this})


def reached(report: Report) -> Report:
    """With remedies that reach a commit that was made already."""
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
        # a message is amended, which changes no file
        and not rewords(each.fix)
        else each
        for each in report.findings
    ]
    return report._replace(findings=findings)
