from __future__ import annotations

from collections import Counter

from interlock.documents.text import one_line
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.finding import Finding, Rule
from interlock.model.fixes import in_history
from interlock.model.quick_typing import Iterable, Sequence
from interlock.model.report import Report, plural, sentence
from interlock.report.causes import followers, with_undo, without_followers
from interlock.report.terminal import fitted, paint
from interlock.rules.index import RULES

FORMATS = ('text', 'json', 'sarif', 'junit', 'github', 'gitlab', 'agent')


def where(finding: Finding) -> str:
    """`path:line`, or `message` or `commit` if the finding is not about a file."""
    if not finding.path:
        return 'message' if RULES[finding.code].check == 'message' else 'commit'
    return f'{finding.path}:{finding.line}' if finding.line else finding.path


def about(finding: Finding) -> str:
    """What is wrong, without the place, which stands before it."""
    return finding.said.removeprefix(f'{where(finding)}: ')


def rules_judged(report: Report, about: str) -> list[str]:
    """Which rules were judged, and how long that took."""
    rules = Counter(rule.check for rule in RULES.values())
    return [
        f'interlock: judged {about}, by {report.governed_by or "no workflow"}:',
        *(
            f'    {name:12} {plural(rules[name], "rule"):9} {seconds * 1000:7.1f} ms'
            for name, seconds in report.times.items()
        ),
    ]


def _judged(files: int | None) -> str:
    return 'the whole tree' if files is None else plural(files, 'changed file')


def settled_line(codes: Sequence[str]) -> str:
    """A line about findings that need no separate fix."""
    return f'this settles {", ".join(codes)} too (-v shows them)'


def settled_in(output: str) -> set[str]:
    """The codes in such lines of an output."""
    found = re.findall(r'this settles (.+) too \(-v', output)
    return {code for codes in found for code in codes.split(', ')}


def details(finding: Finding, verbosity: int) -> list[str]:
    """How to fix it, and why the rule exists."""
    lines = []
    if verbosity >= 0:
        fix = in_history(finding.fix, finding.commit)
        said = f'    {one_line(fix.said)}'
        lines.append(said if fix.command else fitted(said, 6))
    if verbosity > 0:
        lines.append(fitted(f'    {RULES[finding.code].why}', 4))
    return lines


def finding_lines(
    finding: Finding, colour: bool, verbosity: int, remark: str = ''
) -> list[str]:
    named = f'{finding.code} {one_line(finding.rule)}' if finding.rule else finding.code
    code = paint(f'{finding.severity}: {named}', finding.severity, colour)
    extra = remark or ('' if finding.introduced else ' (inherited)')
    commit = f'{finding.commit[:10]} ' if finding.commit else ''
    said = (
        f'{commit}{one_line(where(finding))}: {code} {one_line(about(finding))}{extra}'
    )
    return [fitted(said, 6), *details(finding, verbosity)]


def _text(report: Report | Refusal, colour: bool, verbosity: int) -> str:
    if isinstance(report, Refusal):
        # standard error shows it
        return ''
    lines = []
    report = with_undo(report)
    causes, codes_after = without_followers(report), followers(report.findings)
    for finding in (report if verbosity > 0 else causes).findings:
        lines.extend(finding_lines(finding, colour, verbosity))
        codes = codes_after(finding) if verbosity == 0 else ()
        if codes:
            lines.append(f'    {settled_line(codes)}')
    for finding in report.excused if verbosity > 0 else ():
        lines.extend(finding_lines(finding, colour, verbosity, ' (in the baseline)'))
    said = sentence(causes)
    if report.refuses:
        first = next(
            each for each in causes.findings if each.refuses and each.introduced
        )
        verdict = paint('refused', 'error', colour)
        lines.append(
            f'interlock: {verdict}: {said} (interlock explain {one_line(first.rule or first.code)})'
        )
        if report.rewrite and verbosity >= 0:
            lines.append(f'    {one_line(report.rewrite.said)}')
    elif not report.is_clean:
        lines.append(f'interlock: passed: {said}')
    elif verbosity > 0:
        lines.append('interlock: passed')
    if verbosity > 0 and report.times:
        lines.extend(rules_judged(report, _judged(report.files)))
    return '\n'.join(lines)


def render(
    judged: Report | Refusal, form: str, colour: bool = False, verbosity: int = 0
) -> str:
    """Render a report, or the reason why there is none."""
    if form == 'text':
        return _text(judged, colour, verbosity)
    from interlock.report import ci_formats

    return {
        'json': ci_formats.render_json,
        'sarif': ci_formats.render_sarif,
        'junit': ci_formats.render_junit,
        'github': ci_formats.render_github,
        'gitlab': ci_formats.render_gitlab,
        'agent': ci_formats.render_agent,
    }[form](judged)


def wrapped(text: str) -> str:
    """The lines of a text, each broken where it is too long."""
    # imported here, because only `explain` and `make docs` need it
    import textwrap

    lines = text.split('\n')
    return '\n'.join(textwrap.fill(each, 79, break_on_hyphens=False) for each in lines)


def rule_page(rule: Rule) -> str:
    parts = (
        f'# {rule.code}: {rule.title}',
        f'Check: `{rule.check}`. Severity: {rule.severity}.',
        rule.why,
        f'**To fix:** {rule.fix}',
    )
    return '\n\n'.join(
        part if part.startswith('#') else wrapped(part) for part in parts
    )


def rule_table(rules: Iterable[Rule]) -> str:
    return '\n'.join(f'{rule.code}  {rule.severity:8} {rule.title}' for rule in rules)
