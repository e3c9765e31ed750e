"""Reports for programs: JSON, SARIF, JUnit, and those of GitHub and GitLab."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from interlock import __version__
from interlock.model.finding import Finding
from interlock.model.fixes import in_history
from interlock.model.report import Report, counts, sentence
from interlock.report.text import one_line, where
from interlock.rules.index import RULES

SARIF_LEVELS = {'error': 'error', 'warning': 'warning', 'info': 'note'}
GITLAB_LEVELS = {'error': 'critical', 'warning': 'minor', 'info': 'info'}
GITHUB_LEVELS = {'error': 'error', 'warning': 'warning', 'info': 'notice'}
# neither GitHub nor GitLab shows what has no place in a file
NO_FILE = 'COMMIT_EDITMSG'


def _printable(text: str) -> str:
    """Surrogates (bytes that were no UTF-8) cannot be written as UTF-8."""
    return text.encode(errors='backslashreplace').decode()


def dump(data: Any) -> str:
    return _printable(json.dumps(data, ensure_ascii=False, indent=2))


def _of_commit(finding: Finding) -> str:
    return f' (in {finding.commit[:10]})' if finding.commit else ''


def _next(finding: Finding) -> str:
    return in_history(finding.fix, finding.commit).said


def as_dict(finding: Finding) -> dict[str, Any]:
    data = finding._asdict()
    data['fix'] = {'label': finding.fix.label, 'command': finding.fix.command}
    del data['key'], data['standing']
    data['rule'] = finding.rule or finding.code
    data['fingerprint'] = finding.fingerprint
    return data


def render_json(report: Report, more: dict[str, Any] | None = None) -> str:
    """`more` is what a command has to say beside findings."""
    return dump(
        {
            'version': 1,
            'findings': [as_dict(finding) for finding in report.findings],
            'summary': {**counts(report), 'refused': report.refuses},
            **(more or {}),
        }
    )


def sarif_text(text: str) -> str:
    """Braces stand for arguments there, unless they are doubled."""
    return text.replace('{', '{{').replace('}', '}}')


def sarif_locations(path: str, line: int) -> list[dict[str, Any]]:
    uri = quote((path or NO_FILE).encode(errors='surrogateescape'))
    return [
        {
            'physicalLocation': {
                'artifactLocation': {'uri': uri},
                'region': {'startLine': max(line, 1)},
            }
        }
    ]


def _sarif_result(finding: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        'ruleId': finding.rule or finding.code,
        'level': SARIF_LEVELS[finding.severity],
        'message': {
            'text': sarif_text(f'{finding.item}: {finding.message} ({_next(finding)})')
        },
        'partialFingerprints': {'interlock/v1': finding.fingerprint},
        'baselineState': 'new' if finding.introduced else 'unchanged',
        'locations': sarif_locations(finding.path, finding.line),
    }
    if finding.commit:
        result['properties'] = {'commit': finding.commit}
    return result


def sarif(
    rules: list[dict[str, Any]], results: list[dict[str, Any]], **more: Any
) -> str:
    return dump(
        {
            '$schema': 'https://json.schemastore.org/sarif-2.1.0.json',
            'version': '2.1.0',
            'runs': [
                {
                    'tool': {
                        'driver': {
                            'name': 'interlock',
                            'version': __version__,
                            'rules': rules,
                        }
                    },
                    'results': results,
                    **more,
                }
            ],
        }
    )


def render_sarif(report: Report) -> str:
    # an agreement is a rule of its own, described by its code
    codes = {finding.rule or finding.code: finding.code for finding in report.findings}
    rules = [
        {
            'id': name,
            'shortDescription': {'text': RULES[code].title},
            'fullDescription': {'text': RULES[code].why},
            'help': {'text': RULES[code].fix},
            'defaultConfiguration': {'level': SARIF_LEVELS[RULES[code].severity]},
        }
        for name, code in sorted(codes.items())
    ]
    results = [_sarif_result(finding) for finding in report.findings]
    return sarif(rules, results, properties=counts(report))


def _xml(text: str) -> str:
    # control characters are not allowed in XML, escaped or not
    return _printable(
        ''.join(
            char if char.isprintable() or char in '\t\n' else '\ufffd' for char in text
        )
    )


def attribute(text: str) -> str:
    return quoteattr(_xml(text))


def content(text: str) -> str:
    return escape(_xml(text))


def _junit_case(finding: Finding) -> str:
    name = attribute(f'{finding.code} {finding.item}')
    message = f'{finding.message}{_of_commit(finding)}'
    body = content(f'{where(finding)}: {message}\n{_next(finding)}')
    head = f'<testcase classname="interlock.{finding.check}" name={name}>'
    if finding.refuses and finding.introduced:
        inner = f'<failure message={attribute(message)}>{body}</failure>'
    else:
        inner = f'<system-out>{body}</system-out>'
    return f'    {head}{inner}</testcase>'


def render_junit(report: Report) -> str:
    failures = sum(f.refuses and f.introduced for f in report.findings)
    cases = [_junit_case(finding) for finding in report.findings]
    if not cases:
        cases = ['    <testcase classname="interlock" name="check"/>']
    return '\n'.join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites><testsuite name="interlock" tests="{len(cases)}" '
            f'failures="{failures}">',
            f'    <properties><property name="suppressed" '
            f'value="{report.suppressed}"/></properties>',
            *cases,
            '</testsuite></testsuites>',
        ]
    )


def github_value(text: str, extra: str = '') -> str:
    for char in '%\r\n' + extra:
        text = text.replace(char, f'%{ord(char):02X}')
    return _printable(text)


def render_github(report: Report) -> str:
    lines = []
    for finding in report.findings:
        place = ''
        if finding.path:
            path = github_value(finding.path, ':,')
            place = f' file={path},line={max(finding.line, 1)},'
        text = github_value(
            f'{finding.item}: {finding.message}{_of_commit(finding)}\n{_next(finding)}'
        )
        level = GITHUB_LEVELS[finding.severity]
        lines.append(f'::{level}{place or " "}title={finding.code}::{text}')
    lines.append(f'interlock: {sentence(report)}')
    return '\n'.join(lines)


def gitlab_entry(
    text: str, name: str, fingerprint: str, severity: str, path: str = '', line: int = 1
) -> dict[str, Any]:
    return {
        'description': text,
        'check_name': name,
        'fingerprint': fingerprint,
        'severity': GITLAB_LEVELS[severity],
        'location': {'path': path or NO_FILE, 'lines': {'begin': max(line, 1)}},
    }


def render_gitlab(report: Report) -> str:
    """What GitLab calls a code quality report."""
    entries = [
        gitlab_entry(
            f'{finding.item}: {finding.message}{_of_commit(finding)}',
            finding.code,
            # the same finding in two commits would be shown once
            f'{finding.fingerprint}{finding.commit[:12]}',
            finding.severity,
            finding.path,
            finding.line,
        )
        for finding in report.findings
    ]
    if report.suppressed or report.stale:
        entries.append(
            gitlab_entry(
                sentence(report),
                'interlock',
                f'suppressed {report.suppressed}',
                'info',
                '.interlock-baseline.json',
            )
        )
    return dump(entries)


def render_agent(report: Report) -> str:
    """Short and without decoration, for a model to read."""
    lines = []
    if report.findings:
        lines.append('REFUSED by interlock.' if report.refuses else 'interlock found:')
    for finding in report.findings:
        commit = f' in {finding.commit[:10]}' if finding.commit else ''
        lines.append(
            one_line(
                f'- {finding.code} {finding.severity} {finding.item} '
                f'{where(finding)}{commit}: {finding.message}. '
                f'Fix: {in_history(finding.fix, finding.commit).command}'
            )
        )
    if report.rewrite and report.refuses:
        lines.append(one_line(f'Next, {report.rewrite.said}'))
    if report.suppressed or report.stale:
        lines.append(f'interlock: {sentence(report)}')
    return '\n'.join(lines)
