"""The very commands of the action and of the template, in a clean clone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from interlock.documents import yaml
from tests.conftest import Repo
from tests.e2e.conftest import ROOT, copy_project
from tests.samples import DRIFT


def _data(name: str) -> Any:
    return yaml.value(yaml.parse((ROOT / name).read_text()))


def _environ(home: Path, **values: str) -> dict[str, str]:
    """Nothing of ours: neither our scripts nor our variables."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(('PIP_', 'UV_', 'SSL_', 'GIT_CONFIG'))
    }
    return {
        **kept,
        'HOME': str(home),
        'PATH': '/usr/local/bin:/usr/bin:/bin',
        'LANG': 'C.UTF-8',
        **values,
    }


def _expanded(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f'${{{{ {name} }}}}', value)
    assert '${{' not in text, text
    return text


@pytest.fixture
def clone(project: Repo, tmp_path: Path) -> Repo:
    """What a runner has: a clone with a branch of one guilty commit."""
    project.git('switch', '-q', '-c', 'zweig')
    project.commit(DRIFT)
    path = tmp_path / 'läufer'
    project.git('clone', '-q', project.path.as_uri(), str(path))
    return Repo(path)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """This project as a runner gets it: to build it writes into it."""
    path = tmp_path / 'interlock'
    path.mkdir()
    copy_project(path)
    return path


def _action(clone: Repo, checkout: Path, tmp_path: Path, base: str) -> str:
    event = tmp_path / 'event.json'
    event.write_text(
        json.dumps(
            {
                'pull_request': {
                    'base': {'sha': base},
                    'head': {'sha': clone.git('rev-parse', 'HEAD')},
                }
            }
        )
    )
    action = _data('action.yml')
    inputs = {
        f'inputs.{name}': spec['default'] for name, spec in action['inputs'].items()
    }
    values = {
        **inputs,
        'github.action_path': str(checkout),
        'runner.temp': str(tmp_path / 'temp'),
    }
    output = ''
    for step in action['runs']['steps']:
        assert step['shell'] == 'bash'
        env = {
            name: _expanded(value, values)
            for name, value in step.get('env', {}).items()
        }
        process = subprocess.run(
            (
                'bash',
                '--noprofile',
                '--norc',
                '-eo',
                'pipefail',
                '-c',
                _expanded(step['run'], values),
            ),
            cwd=clone.path,
            capture_output=True,
            text=True,
            env=_environ(
                tmp_path,
                GITHUB_ACTIONS='true',
                GITHUB_EVENT_NAME='pull_request',
                GITHUB_EVENT_PATH=str(event),
                GITHUB_STEP_SUMMARY=str(tmp_path / 'summary.md'),
                **env,
            ),
        )
        output += process.stdout + process.stderr
        if process.returncode:
            return f'{output}exit {process.returncode}'
    return f'{output}exit 0'


@pytest.mark.slow
def test_the_action_refuses_and_passes(
    clone: Repo, checkout: Path, tmp_path: Path
) -> None:
    base = clone.git('rev-parse', 'origin/main')
    said = _action(clone, checkout, tmp_path, base)
    assert said.endswith('exit 1'), said
    assert '::error file=PLUGINS.md,line=' in said
    assert 'title=REG001::Bravo: ' in said
    summary = (tmp_path / 'summary.md').read_text()
    assert summary.startswith('### Interlock: refused')
    head = clone.git('rev-parse', 'HEAD')
    said = _action(clone, checkout, tmp_path, head)
    assert said.endswith('exit 0'), said


def _job(clone: Repo, checkout: Path | str, home: Path, base: str) -> tuple[int, str]:
    template = _data('ci/gitlab.yml')
    job = template['interlock']
    variables = {**template['variables'], **job['variables']}
    environ = _environ(
        home,
        **{name: str(value) for name, value in variables.items()},
        GITLAB_CI='true',
        CI_COMMIT_SHA=clone.git('rev-parse', 'HEAD'),
        CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
        CI_DEFAULT_BRANCH='main',
    )
    environ['INTERLOCK'] = str(checkout)
    output = ''
    for line in job['script']:
        process = subprocess.run(
            ('bash', '-eo', 'pipefail', '-c', line),
            cwd=clone.path,
            capture_output=True,
            text=True,
            env=environ,
        )
        output += process.stdout + process.stderr
        if process.returncode:
            return process.returncode, output
    return 0, output


def test_the_template_installs_only_what_is_named(clone: Repo, tmp_path: Path) -> None:
    """A package of another project may have our name on an index."""
    code, said = _job(clone, '', tmp_path, 'HEAD')
    assert code == 1
    assert 'set INTERLOCK to git+URL@REV' in said
    assert not (clone.path / '.interlock-venv').exists()


@pytest.mark.slow
def test_the_template_refuses_and_passes(
    clone: Repo, checkout: Path, tmp_path: Path
) -> None:
    base = clone.git('rev-parse', 'origin/main')
    code, said = _job(clone, checkout, tmp_path, base)
    assert code == 1, said
    assert 'REG001 Bravo' in said
    report = clone.path / 'gl-code-quality-report.json'
    (entry,) = json.loads(report.read_text())
    assert entry['check_name'] == 'REG001'
    assert entry['severity'] == 'critical'
    assert entry['location']['path'] == 'PLUGINS.md'
    head = clone.git('rev-parse', 'HEAD')
    code, said = _job(clone, checkout, tmp_path, head)
    assert code == 0, said
    assert json.loads(report.read_text()) == []
