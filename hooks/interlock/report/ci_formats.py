"""Reports for programs: JSON, SARIF, JUnit, and the formats of GitHub and GitLab.

If nothing could be judged, the refusal is rendered in place of a report.
"""

from __future__ import annotations

import json
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from interlock import __version__
from interlock.documents.text import one_line
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.model.fixes import in_history
from interlock.model.quick_typing import Any
from interlock.model.report import Report, counts, plural, sentence
from interlock.report.causes import followers, with_undo, without_followers
from interlock.report.text import render, where
from interlock.rules.index import RULES

NAME = 'interlock'
SARIF_LEVELS = {'error': 'error', 'warning': 'warning', 'info': 'note'}
GITLAB_LEVELS = {'error': 'critical', 'warning': 'minor', 'info': 'info'}
GITHUB_LEVELS = {'error': 'error', 'warning': 'warning', 'info': 'notice'}
# neither GitHub nor GitLab shows a finding without a file
NO_FILE = 'COMMIT_EDITMSG'
# GitHub does not show a summary of more than a megabyte at all, and a character
# takes up to five bytes
MOST = 200_000


def _printable(text: str) -> str:
    """The text with surrogates (bytes that are not UTF-8) escaped for output."""
    return text.encode(errors='backslashreplace').decode()


def _dump(data: Any) -> str:
    return _printable(json.dumps(data, ensure_ascii=False, indent=2))


def _in_commit(finding: Finding) -> str:
    return f' (in {finding.commit[:10]})' if finding.commit else ''


def _next(finding: Finding) -> str:
    return in_history(finding.fix, finding.commit).said


def _sentence(refusal: Refusal) -> str:
    hint = f' (next: {refusal.hint})' if refusal.hint else ''
    return f'{refusal.message}{hint}'


def as_dict(finding: Finding) -> dict[str, Any]:
    data = finding._asdict()
    data['fix'] = {'label': finding.fix.label, 'command': finding.fix.command}
    del data['key'], data['standing']
    data['rule'] = finding.rule or finding.code
    data['fingerprint'] = finding.fingerprint
    return data


def render_json(judged: Report | Refusal, more: dict[str, Any] | None = None) -> str:
    """`more` holds what a command reports besides findings."""
    report = Report(()) if isinstance(judged, Refusal) else judged
    data = {
        'version': 1,
        'findings': [as_dict(finding) for finding in report.findings],
        'summary': {**counts(report), 'refused': report.refuses},
        **(more or {}),
    }
    if isinstance(judged, Refusal):
        data['summary']['refused'] = True
        data['refusal'] = {'message': judged.message, 'next': judged.hint}
    return _dump(data)


def _sarif_result(
    rule: str, level: str, text: str, path: str, line: int
) -> dict[str, Any]:
    uri = quote((path or NO_FILE).encode(errors='surrogateescape'))
    return {
        'ruleId': rule,
        'level': level,
        'message': _sarif_text(text),
        'locations': [
            {
                'physicalLocation': {
                    'artifactLocation': {'uri': uri},
                    'region': {'startLine': max(line, 1)},
                }
            }
        ],
    }


def _sarif_text(text: str) -> dict[str, str]:
    """A SARIF message, with doubled braces: single ones stand for arguments."""
    return {'text': text.replace('{', '{{').replace('}', '}}')}


def _sarif_finding(finding: Finding) -> dict[str, Any]:
    result = {
        **_sarif_result(
            finding.rule or finding.code,
            SARIF_LEVELS[finding.severity],
            f'{finding.said} ({_next(finding)})',
            finding.path,
            finding.line,
        ),
        'partialFingerprints': {'interlock/v1': finding.fingerprint},
        'baselineState': 'new' if finding.introduced else 'unchanged',
    }
    if finding.commit:
        result['properties'] = {'commit': finding.commit}
    return result


def _sarif_rule(name: str, code: str) -> dict[str, Any]:
    """A rule of its own for each agreement, described by its code."""
    rule = RULES[code]
    return {
        'id': name,
        'shortDescription': {'text': rule.title},
        'fullDescription': {'text': rule.why},
        'help': {'text': rule.fix},
        'defaultConfiguration': {'level': SARIF_LEVELS[rule.severity]},
    }


def render_sarif(judged: Report | Refusal) -> str:
    more: dict[str, Any]
    if isinstance(judged, Refusal):
        said = _sentence(judged)
        rules = [{'id': NAME}]
        results = [_sarif_result(NAME, 'error', said, '', 1)]
        notice = {'level': 'error', 'message': _sarif_text(said)}
        more = {
            'invocations': [
                {'executionSuccessful': False, 'toolExecutionNotifications': [notice]}
            ]
        }
    else:
        codes = {each.rule or each.code: each.code for each in judged.findings}
        rules = [_sarif_rule(*each) for each in sorted(codes.items())]
        results = [*map(_sarif_finding, judged.findings)]
        more = {'properties': counts(judged)}
    driver = {'name': NAME, 'version': __version__, 'rules': rules}
    return _dump(
        {
            '$schema': 'https://json.schemastore.org/sarif-2.1.0.json',
            'version': '2.1.0',
            'runs': [{'tool': {'driver': driver}, 'results': results, **more}],
        }
    )


def _xml(text: str) -> str:
    # XML does not allow control characters, escaped or not
    return _printable(
        ''.join(
            char if char.isprintable() or char in '\t\n\u200c\u200d' else '\ufffd'
            for char in text
        )
    )


def _element(name: str, message: str, text: str) -> str:
    said = f' message={quoteattr(_xml(message))}' if message else ''
    return f'<{name}{said}>{escape(_xml(text))}</{name}>'


def _junit_case(finding: Finding) -> str:
    name = quoteattr(_xml(f'{finding.code} {finding.item}'))
    message = f'{finding.message}{_in_commit(finding)}'
    body = f'{where(finding)}: {message}\n{_next(finding)}'
    if finding.refuses and finding.introduced:
        inner = _element('failure', message, body)
    else:
        inner = _element('system-out', '', body)
    head = f'<testcase classname="interlock.{finding.check}" name={name}>'
    return f'    {head}{inner}</testcase>'


def render_junit(judged: Report | Refusal) -> str:
    whole = f'    <testcase classname="{NAME}" name="check"'
    if isinstance(judged, Refusal):
        error = _element('error', judged.message, _sentence(judged))
        failures = '0" errors="1'
        cases = [f'{whole}>{error}</testcase>']
        properties = []
    else:
        failures = str(sum(f.refuses and f.introduced for f in judged.findings))
        cases = [*map(_junit_case, judged.findings)] or [f'{whole}/>']
        properties = [
            f'    <properties><property name="suppressed" '
            f'value="{judged.suppressed}"/></properties>'
        ]
    return '\n'.join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites><testsuite name="{NAME}" tests="{len(cases)}" '
            f'failures="{failures}">',
            *properties,
            *cases,
            '</testsuite></testsuites>',
        ]
    )


def _github_value(text: str, extra: str = '') -> str:
    for char in '%\r\n' + extra:
        text = text.replace(char, f'%{ord(char):02X}')
    return _printable(text)


def _github_finding(finding: Finding) -> str:
    place = ' '
    if finding.path:
        path = _github_value(finding.path, ':,')
        place = f' file={path},line={max(finding.line, 1)},'
    text = _github_value(f'{finding.said}{_in_commit(finding)}\n{_next(finding)}')
    level = GITHUB_LEVELS[finding.severity]
    return f'::{level}{place}title={finding.code}::{text}'


def render_github(judged: Report | Refusal) -> str:
    if isinstance(judged, Refusal):
        hint = f'\nnext: {judged.hint}' if judged.hint else ''
        return f'::error title={NAME}::{_github_value(f"{judged.message}{hint}")}'
    return '\n'.join(
        [
            *(_github_finding(each) for each in without_followers(judged).findings),
            f'interlock: {sentence(without_followers(judged))}',
        ]
    )


def _gitlab_entry(
    text: str, name: str, fingerprint: str, severity: str, path: str = '', line: int = 1
) -> dict[str, Any]:
    return {
        'description': text,
        'check_name': name,
        'fingerprint': fingerprint,
        'severity': GITLAB_LEVELS[severity],
        'location': {'path': path or NO_FILE, 'lines': {'begin': max(line, 1)}},
    }


def render_gitlab(judged: Report | Refusal) -> str:
    """GitLab's code quality report."""
    if isinstance(judged, Refusal):
        key = f'refused {judged.message}'
        return _dump([_gitlab_entry(_sentence(judged), NAME, key, 'error')])
    entries = [
        _gitlab_entry(
            f'{finding.said}{_in_commit(finding)}',
            finding.code,
            # otherwise the same finding in two commits would be shown once
            f'{finding.fingerprint}{finding.commit[:12]}',
            finding.severity,
            finding.path,
            finding.line,
        )
        for finding in judged.findings
    ]
    if judged.suppressed or judged.stale:
        key = f'suppressed {judged.suppressed}'
        file = '.interlock-baseline.json'
        entries.append(_gitlab_entry(sentence(judged), NAME, key, 'info', file))
    return _dump(entries)


def _settled(codes: list[str]) -> str:
    return f' (settles {", ".join(codes)} too)' if codes else ''


def render_agent(report: Report | Refusal) -> str:
    """Short and without decoration, for a model to read."""
    if isinstance(report, Refusal):
        # standard error shows it
        return ''
    lines = []
    if report.findings:
        lines.append('REFUSED by interlock.' if report.refuses else 'interlock found:')
    codes_after = followers(report.findings)
    for finding in without_followers(with_undo(report)).findings:
        commit = f' in {finding.commit[:10]}' if finding.commit else ''
        subject = f'{finding.subject} ' if finding.subject else ''
        lines.append(
            one_line(
                f'- {finding.code} {finding.severity} {subject}'
                f'{where(finding)}{commit}: {finding.message}. '
                f'Fix: {in_history(finding.fix, finding.commit).step}{_settled(codes_after(finding))}'
            )
        )
    if report.rewrite and report.refuses:
        lines.append(one_line(f'Next, {report.rewrite.said}'))
    if report.suppressed or report.stale:
        lines.append(f'interlock: {sentence(report)}')
    return '\n'.join(lines)


def render_summary(report: Report | Refusal) -> str:
    """The summary that GitHub shows on the page of a run: the report as text."""
    if isinstance(report, Refusal):
        verdict, text = 'not judged', _sentence(report)
    else:
        verdict = 'refused' if report.refuses else 'passed'
        judged = f'{plural(report.commits, "commit")} judged' if report.commits else ''
        shown = render(report, 'text') or sentence(report)
        text = '\n'.join(filter(None, (judged, shown)))
    text = _printable(text)
    if len(text) > MOST:
        text = f'{text[:MOST]}\n... the rest is in the log'
    return f'### Interlock: {verdict}\n\n<pre>\n{escape(text)}\n</pre>\n'
