from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.files import settings_record
from interlock.guard.observers.gate_status import problems
from tests.conftest import Interlock, Repo

SHARED = '.claude/settings.json'


@pytest.fixture
def live(project: Repo, interlock: Interlock) -> Repo:
    assert interlock('init', '--claude', '--shared', '--git-hooks').code == 0
    return project


def said(repo: Repo) -> list[str]:
    return problems(str(repo.path), os.environ, 'claude')


def test_a_gate_that_is_live_has_no_problem(live: Repo) -> None:
    assert said(live) == []


def test_without_hooks_both_are_named(project: Repo) -> None:
    git, client = said(project)
    assert git.startswith('the git gate is not wired')
    assert client == ('nothing calls interlock at PreToolUse and ConfigChange')


def test_a_dropped_file_is_named_with_its_line(live: Repo) -> None:
    live.write({SHARED: '{\n"env": 1}'})
    dropped, missing = said(live)
    assert dropped == (
        f'the client ignores {SHARED} (line 2: env is not an object), with all hooks in it'
    )
    assert 'PreToolUse' in missing


def test_the_switch_is_named_wherever_it_is(live: Repo) -> None:
    live.write({'.claude/settings.local.json': '{"disableAllHooks": true}'})
    user = Path(os.environ['HOME'], '.claude')
    user.mkdir()
    (user / 'settings.json').write_text('{"disableAllHooks": true}')
    own, users = said(live)
    assert own.endswith('settings.local.json switches every hook off')
    assert str(user) in users


def test_the_plugin_is_as_good_as_settings(live: Repo) -> None:
    live.write({SHARED: None})
    environ = {**os.environ, 'CLAUDE_PLUGIN_ROOT': '/é'}
    assert problems(str(live.path), environ, 'claude') == []


def test_settings_are_read_where_the_client_was_started(live: Repo) -> None:
    below = live.path / 'sous'
    below.mkdir()
    environ = {**os.environ, 'CLAUDE_PROJECT_DIR': str(below)}
    # those at the top count too: a hook of theirs may have been called
    assert problems(str(live.path), environ, 'claude') == []


def test_no_process_is_started_and_nothing_slow_imported(live: Repo) -> None:
    program = (
        'import json, os, sys\n'
        'from interlock.guard.observers.gate_status import problems\n'
        'problems(sys.argv[1], os.environ, "claude")\n'
        'print(json.dumps(sorted(sys.modules)))\n'
    )
    done = subprocess.run(
        (sys.executable, '-c', program, str(live.path)),
        check=True,
        capture_output=True,
        text=True,
    )
    slow = {'subprocess', 'yaml', 'jsonschema', 'click', 'dataclasses'}
    assert not slow & set(json.loads(done.stdout))


def test_what_calls_us_is_remembered(live: Repo) -> None:
    state = str(live.path / '.git')
    key = settings_record.key_of(str(live.path / SHARED))
    known = settings_record.recorded_calls(state)
    assert set(known) == {key}
    os.unlink(settings_record.record_path(state))
    settings_record.refresh(str(live.path), state, os.environ)
    assert settings_record.recorded_calls(state) == known


def test_less_than_what_is_known_is_not_learnt(live: Repo) -> None:
    state = str(live.path / '.git')
    known = settings_record.recorded_calls(state)
    value = json.loads((live.path / SHARED).read_text())
    del value['hooks']['PreToolUse']
    live.write({SHARED: json.dumps(value)})
    settings_record.refresh(str(live.path), state, os.environ)
    assert settings_record.recorded_calls(state) == known


def test_a_record_that_cannot_be_written_is_not_a_failure(live: Repo) -> None:
    state = str(live.path / 'fichier')
    live.write({'fichier': 'é'})
    settings_record.refresh(str(live.path), state, os.environ)
    assert settings_record.recorded_calls(state) == {}
