from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings, strategies

from interlock.documents.wiring.hook_files import HOOK_TYPES
from interlock.files import settings_record
from interlock.model.errors import Refusal
from interlock.setup.pre_commit_config import LOCAL, MARK, with_hook, without_hooks
from tests.commands.file_snapshot import snapshot
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.profiles import some

CONFIG = '.pre-commit-config.yaml'
OTHERS = """\
repos:
- repo: local
  hooks:
  - {id: x, name: x, language: system, entry: 'true'}
"""
pytestmark = pytest.mark.usefixtures('person')
EVERYTHING = ('init', '--claude', '--mcp', '--git-hooks', '--pre-commit')


def test_what_init_wrote_goes_and_nothing_else(
    project: Repo, interlock: Interlock
) -> None:
    before = snapshot(project)
    assert interlock(*EVERYTHING).code == 0
    assert len(snapshot(project)) == len(before) + len(HOOK_TYPES) + 3
    result = interlock('uninstall')
    assert result.code == 0
    assert snapshot(project) == before
    assert not (project.path / '.claude').exists()
    assert '.interlock.yaml: left; it is yours' in result.err
    assert settings_record.recorded_calls(str(project.path / '.git')) == {}
    again = interlock('uninstall')
    assert again.code == 0
    assert 'nothing here calls Interlock' in again.err


@pytest.mark.parametrize('framework', ('pre-commit', 'prek'))
def test_hooks_of_a_framework_without_a_configuration_are_named(
    project: Repo, interlock: Interlock, framework: str
) -> None:
    def run(*args: str) -> int:
        done = subprocess.run(
            (SCRIPTS / framework, *args), cwd=project.path, capture_output=True
        )
        return done.returncode

    before = snapshot(project)
    assert interlock('init', '--pre-commit').code == 0
    assert run('install') == 0
    said = [
        re.findall(f'^next: {framework} (.*)$', result.err, re.MULTILINE)
        for result in (
            interlock('uninstall', *args) for args in (('--dry-run',), (), ())
        )
    ]
    # without it each commit would be refused
    (command,) = said[0]
    assert said == [[command]] * 3
    assert run(*command.split()) == 0
    assert snapshot(project) == before
    assert 'next: ' not in interlock('uninstall').err


def test_hooks_of_a_framework_that_has_others_are_named_if_they_came_with_ours(
    project: Repo, interlock: Interlock
) -> None:
    def run(*args: str) -> int:
        return subprocess.run(
            (SCRIPTS / 'pre-commit', *args), cwd=project.path, capture_output=True
        ).returncode

    project.write({CONFIG: OTHERS})
    assert run('install') == 0
    before = snapshot(project)
    assert run('uninstall') == 0
    assert interlock('init', '--pre-commit').code == 0
    assert run('install') == 0
    result = interlock('uninstall')
    # at commit-msg and at a push they would run the hooks of others
    (command,) = re.findall('^next: pre-commit (.*)$', result.err, re.MULTILINE)
    assert '-t pre-commit' not in command
    assert run(*command.split()) == 0
    assert snapshot(project) == before
    assert 'next: ' not in interlock('uninstall').err


@pytest.mark.parametrize(
    ('path', 'text'),
    (
        pytest.param('.claude/settings.local.json', '{}', id='settings'),
        pytest.param('.claude/settings.json', '{ }\n', id='shared settings'),
        pytest.param('.claude/settings.local.json', '', id='an empty file'),
        pytest.param('.cursor/hooks.json', '{"version": 1}', id='a head'),
        pytest.param('.cursor/hooks.json', '{"hooks": {}}\n', id='empty hooks'),
        pytest.param('.mcp.json', '{"mcpServers": {}}', id='servers'),
        pytest.param(CONFIG, 'repos: []\n', id='pre-commit'),
    ),
)
def test_what_git_tracked_before_without_any_entry_stays(
    project: Repo, interlock: Interlock, path: str, text: str
) -> None:
    options = ['init', '--agent', 'claude,cursor', '--mcp', '--pre-commit']
    if path == '.claude/settings.json':
        options.append('--shared')
    project.commit({path: text})
    before = snapshot(project)
    assert interlock(*options).code == 0
    assert interlock('uninstall').code == 0
    assert snapshot(project) == before
    # if our entries were committed too, nobody knows that the file was there before
    assert interlock(*options).code == 0
    project.git('add', '--all')
    assert interlock('uninstall').code == 0
    assert not (project.path / path).exists()


def test_settings_that_were_emptied_do_not_come_back(
    project: Repo, interlock: Interlock
) -> None:
    path = '.claude/settings.local.json'
    project.commit({path: '{"model": "é"}'})
    project.write({path: '{}'})
    assert interlock('init', '--claude').code == 0
    assert interlock('uninstall').code == 0
    assert not (project.path / path).exists()


def test_a_directory_that_others_use_stays(project: Repo, interlock: Interlock) -> None:
    project.write({'.claude/agents/é.md': 'x'})
    assert interlock('init', '--claude').code == 0
    assert interlock('uninstall').code == 0
    assert [each.name for each in (project.path / '.claude').iterdir()] == ['agents']


def test_a_dry_run_removes_nothing(project: Repo, interlock: Interlock) -> None:
    interlock(*EVERYTHING)
    before = snapshot(project)
    result = interlock('uninstall', '--dry-run')
    assert result.code == 0
    assert (
        '.git/hooks/pre-commit: would be removed (written by Interlock)' in result.err
    )
    assert snapshot(project) == before
    assert settings_record.recorded_calls(str(project.path / '.git'))


def test_hooks_that_others_wrote_or_changed_are_left(
    project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--git-hooks')
    folder = project.path / '.git/hooks'
    ours = (folder / 'pre-commit').read_text()
    (folder / 'pre-commit').write_text(f'{ours}# é\n')
    (folder / 'commit-msg').write_text('#!/bin/sh\nécho\n')
    result = interlock('uninstall')
    assert (folder / 'pre-commit').exists()
    assert (folder / 'commit-msg').exists()
    assert not (folder / 'pre-push').exists()
    assert '.git/hooks/pre-commit: calls `interlock hook`' in result.err
    assert 'commit-msg' not in result.err


@pytest.mark.parametrize('environ', ({'CLAUDECODE': '1'}, {'INTERLOCK_SESSION': 'é'}))
def test_an_agent_does_not_take_the_gate_out(
    project: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
) -> None:
    interlock(*EVERYTHING)
    before = snapshot(project)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    result = interlock('uninstall')
    assert result.code == 1
    assert 'only a person' in result.err
    assert snapshot(project) == before
    assert interlock('uninstall', '--dry-run').code == 0


def test_what_cannot_be_read_stops_everything(
    project: Repo, interlock: Interlock
) -> None:
    interlock(*EVERYTHING)
    project.write({'.claude/settings.json': '{'})
    before = snapshot(project)
    assert interlock('uninstall').code == 2
    assert snapshot(project) == before


def test_what_calls_us_in_every_project_is_left(
    project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--claude')
    text = (project.path / '.claude/settings.local.json').read_text()
    user = Path(os.environ['HOME'], '.claude/settings.json')
    user.parent.mkdir()
    user.write_text(text)
    result = interlock('uninstall')
    assert f'{user}: left; it calls Interlock in every project' in result.err
    assert user.read_text() == text


def test_prek_reads_a_file_that_is_not_edited(
    project: Repo, interlock: Interlock
) -> None:
    project.write({'prek.toml': '# interlock\n'})
    result = interlock('uninstall')
    assert 'prek.toml: TOML is not edited here' in result.err


def test_hooks_elsewhere_are_found(project: Repo, interlock: Interlock) -> None:
    project.git('config', 'core.hooksPath', '.githooks')
    interlock('init', '--git-hooks')
    assert (project.path / '.githooks/pre-push').exists()
    interlock('uninstall')
    assert not [*(project.path / '.githooks').iterdir()]


OTHER = '- repo: https://é.invalid\n  rev: v1\n  hooks:\n  - id: autre\n'
TYPES = f'default_install_hook_types: [{", ".join(HOOK_TYPES)}]\n'
OUR_TYPES = TYPES.replace('\n', f'  {MARK}\n')


@pytest.mark.parametrize(
    ('old', 'new'),
    (
        pytest.param(
            f'{TYPES}repos:\n{OTHER}{LOCAL}', f'{TYPES}repos:\n{OTHER}', id='the last'
        ),
        pytest.param(f'repos:\n{LOCAL}{OTHER}', f'repos:\n{OTHER}', id='the first'),
        pytest.param(
            f'repos:\n{LOCAL}# é\n{OTHER}',
            f'repos:\n# é\n{OTHER}',
            id='a comment of the next',
        ),
        pytest.param(
            f'# é\nrepos:  # ü\n{LOCAL}\n# fin\nfail_fast: true\n',
            '# é\nrepos: []  # ü\n\n# fin\nfail_fast: true\n',
            id='the only one',
        ),
        pytest.param(
            f'{OUR_TYPES}repos:\n{LOCAL}{OTHER}',
            f'repos:\n{OTHER}',
            id='types that we added',
        ),
        pytest.param(f'{OUR_TYPES}repos:\n{LOCAL}', '', id='nothing else'),
    ),
)
@pytest.mark.parametrize('newline', ('\n', '\r\n'), ids=('LF', 'CRLF'))
def test_our_entry_goes_and_no_other_byte(old: str, new: str, newline: str) -> None:
    found, _ = without_hooks(old.replace('\n', newline).encode())
    assert found == new.replace('\n', newline).encode()


@pytest.mark.parametrize(
    ('old', 'left'),
    (
        pytest.param('', '', id='empty'),
        pytest.param('# é\n', '', id='comment'),
        pytest.param('repos: []\n', '', id='no entry'),
        pytest.param('repos: 3\n', '', id='no list'),
        pytest.param(f'repos:\n{OTHER}', '', id='others'),
        pytest.param(
            f'repos:\n{LOCAL}  - {{id: autre, entry: é, language: system}}\n',
            'a hook of Interlock among those of others is left',
            id='mixed',
        ),
    ),
)
def test_a_configuration_without_an_entry_of_ours_is_left(old: str, left: str) -> None:
    assert without_hooks(old.encode()) == (None, left)


def test_a_form_that_is_not_edited_is_refused() -> None:
    text = 'repos: [{repo: local, hooks: [{id: interlock}]}, {repo: é}]'
    with pytest.raises(Refusal):
        without_hooks(text.encode())


@given(
    strategies.lists(
        strategies.sampled_from(['# é\n', '\n', OTHER, '# fin\n']), max_size=6
    ),
    strategies.sampled_from(['\n', '\r\n']),
)
@settings(max_examples=some(100), deadline=None)
def test_what_was_added_is_taken_out(parts: list[str], newline: str) -> None:
    body = ''.join(parts)
    head = 'fail_fast: true\nrepos:\n' if OTHER in parts else 'a: 1\n'
    old = f'{head}{body}'.replace('\n', newline).encode()
    there, _ = with_hook(old, None)
    assert there is not None
    gone, _ = without_hooks(there)
    assert gone is not None
    before, after = yaml.safe_load(old), yaml.safe_load(gone)
    assert (after.pop('repos') or []) == before.pop('repos', [])
    assert before == after
    lines = iter(gone.splitlines())
    assert all(line in lines for line in old.splitlines())


def test_it_needs_a_repository(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert interlock('uninstall').code == 2
