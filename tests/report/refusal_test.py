"""What is written in each format where nothing can be judged."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.checks.all_checks import CHECKS
from interlock.checks.compare import Case
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.report.text import FORMATS, render
from interlock.workflow.language.json_schema import violations
from tests.conftest import Interlock, Repo
from tests.report.findings import HOSTILE

ASKED = ('check', '--range', 'nirgends..HEAD', '--format')
WHY = '`nirgends` is not a commit in this repository'
NEXT = 'git log --oneline'


@pytest.fixture(autouse=True)
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('GITHUB_STEP_SUMMARY', raising=False)


@pytest.mark.parametrize('form', FORMATS)
def test_a_refusal_is_shown_to_people_in_every_format(
    project: Repo, interlock: Interlock, form: str
) -> None:
    result = interlock(*ASKED, form)
    assert result.code == 2
    assert result.err == (f'interlock: refused: {WHY}\n    next: {NEXT}\n')
    assert bool(result.out) == (form not in {'text', 'agent'})


def test_json_of_a_refusal_follows_the_schema(
    project: Repo, interlock: Interlock
) -> None:
    data = json.loads(interlock(*ASKED, 'json').out)
    assert violations(data, 'report.schema.json') == []
    assert data['refusal'] == {'message': WHY, 'next': NEXT}
    assert (data['findings'], data['summary']['refused']) == ([], True)


def test_sarif_of_a_refusal_says_that_the_run_failed(
    project: Repo, interlock: Interlock
) -> None:
    (run,) = json.loads(interlock(*ASKED, 'sarif').out)['runs']
    (invocation,) = run['invocations']
    assert invocation['executionSuccessful'] is False
    (result,) = run['results']
    assert result['message'] == {'text': f'{WHY} (next: {NEXT})'}
    assert result['locations'][0]['physicalLocation'] == {
        'artifactLocation': {'uri': 'COMMIT_EDITMSG'},
        'region': {'startLine': 1},
    }


def test_junit_of_a_refusal_has_an_error(project: Repo, interlock: Interlock) -> None:
    (suite,) = ET.fromstring(interlock(*ASKED, 'junit').out)
    assert (suite.get('tests'), suite.get('errors')) == ('1', '1')
    error = suite.find('testcase/error')
    assert error is not None
    assert error.get('message') == WHY
    assert error.text == f'{WHY} (next: {NEXT})'


def test_gitlab_gets_a_list_with_the_refusal(
    project: Repo, interlock: Interlock
) -> None:
    (entry,) = json.loads(interlock(*ASKED, 'gitlab').out)
    assert entry == {
        'description': f'{WHY} (next: {NEXT})',
        'check_name': 'interlock',
        'fingerprint': f'refused {WHY}',
        'severity': 'critical',
        'location': {'path': 'COMMIT_EDITMSG', 'lines': {'begin': 1}},
    }


def test_github_annotates_and_shows_the_refusal(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / 'summary.md'
    monkeypatch.setenv('GITHUB_STEP_SUMMARY', str(page))
    result = interlock(*ASKED, 'github')
    assert result.out == f'::error title=interlock::{WHY}%0Anext: {NEXT}\n'
    assert page.read_text() == (
        f'### Interlock: not judged\n\n<pre>\n{WHY} (next: {NEXT})\n</pre>\n'
    )


def test_a_failure_of_ours_leaves_a_report_too(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(case: Case) -> Iterator[Finding]:
        raise ValueError('défaut')

    # a check of records runs only on commits that touch some
    project.commit({'PLUGINS.md': 'à lire\n'})
    monkeypatch.setitem(CHECKS, 'registry', CHECKS['registry']._replace(check=failing))
    result = interlock('check', '--commit', 'HEAD', '--format', 'gitlab')
    assert result.code == 3
    (entry,) = json.loads(result.out)
    assert entry['description'] == 'failed (ValueError: défaut)'


@pytest.mark.parametrize(
    'args',
    (
        pytest.param(('document', 'check', 'fehlt.md'), id='document'),
        pytest.param(('task', 'check', 'fehlt'), id='task'),
        pytest.param(('check', '--base', 'auto'), id='base'),
        pytest.param(('check', '--config', 'fehlt.yaml'), id='workflow'),
    ),
)
def test_every_command_with_formats_leaves_a_report(
    project: Repo, interlock: Interlock, args: tuple[str, ...]
) -> None:
    result = interlock(*args, '--format', 'gitlab')
    assert result.code == 2
    (entry,) = json.loads(result.out)
    assert f'interlock: refused: {entry["description"]}'.startswith(
        result.err.partition('\n')[0]
    )


def test_whatever_is_said_can_be_read() -> None:
    refusal = Refusal(HOSTILE, HOSTILE)
    for form in ('json', 'sarif', 'gitlab'):
        json.loads(render(refusal, form).encode())
    ET.fromstring(render(refusal, 'junit').encode())
    line = render(refusal, 'github').encode().decode()
    assert '\n' not in line and '\r' not in line
