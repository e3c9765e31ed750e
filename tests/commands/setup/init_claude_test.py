from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from interlock.agents import launcher
from interlock.agents.claude import ADAPTER
from interlock.documents.wiring.client_entries import MATCHERS
from interlock.documents.wiring.client_settings import our_calls
from interlock.files import settings_record
from interlock.model.errors import Refusal
from interlock.setup import client_wiring
from interlock.setup.file_plan import FileStep
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.documents.wiring.settings import (
    FOREIGN,
    MALFORMED,
    SETTINGS,
    VALUES,
    group,
    hooks,
)
from tests.hints.ways import shell
from tests.profiles import some
from tests.spaces import Space

LOCAL, SHARED = '.claude/settings.local.json', '.claude/settings.json'
SERVERS = '.mcp.json'


def read(repo: Repo, name: str = LOCAL) -> Any:
    return json.loads((repo.path / name).read_text(encoding='UTF-8'))


def snapshot(repo: Repo) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in repo.path.rglob('*')
        if path.is_file() and '/.git/' not in str(path)
    }


def test_a_new_file_calls_us_for_every_event(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('init', '--claude')
    assert result.code == 0
    assert f'{LOCAL}: written (calls Interlock for every event)\n' in result.err
    assert 'next: interlock doctor --canary' in result.err
    found = read(project)['hooks']
    assert list(found) == list(MATCHERS)
    (guard,) = found['PreToolUse'][0]['hooks']
    command = guard.pop('command')
    assert f'{sys.executable} -I -S {launcher.__file__} claude PreToolUse' in command
    assert guard == {'type': 'command', 'timeout': 20, 'onFailure': 'block'}


def test_paths_of_this_machine_are_kept_out_of_git_by_the_command_named(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('init', '--claude')
    assert LOCAL in project.git('status', '--short', '-uall')
    (line,) = (each for each in result.err.splitlines() if 'out of git: ' in each)
    assert shell(project, line.partition('out of git: ')[2], 'plugins').code == 0
    assert LOCAL not in project.git('status', '--short', '-uall')


def test_a_second_time_nothing_is_written(project: Repo, interlock: Interlock) -> None:
    interlock('init', '--claude', '--mcp')
    before = snapshot(project)
    result = interlock('init', '--claude', '--mcp')
    assert result.code == 0
    assert f'{LOCAL}: already calls Interlock\n' in result.err
    assert f'{SERVERS}: already serves the saved state\n' in result.err
    assert snapshot(project) == before


OLD = """\
{
\t"model": "é",
\t"permissions": {"allow": ["Read", "Edit"], "deny": []},
\t"hooks": {
\t\t"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", \
"command": "écho"}]}],
\t\t"Notification": []
\t},
\t"env": {"A": "1"}
}
"""


@pytest.mark.usefixtures('person')
def test_what_others_wrote_stays_as_it_is(project: Repo, interlock: Interlock) -> None:
    project.write({LOCAL: OLD})
    assert interlock('init', '--claude').code == 0
    text = (project.path / LOCAL).read_text(encoding='UTF-8')
    for line in OLD.splitlines()[:3] + OLD.splitlines()[-2:]:
        assert f'{line}\n' in text
    before, after = json.loads(OLD), json.loads(text)
    assert list(after) == list(before)
    foreign = before['hooks']['PreToolUse'][0]
    assert after['hooks']['PreToolUse'][0] == foreign
    assert after['hooks']['Notification'] == []
    assert '\n\t\t"PreToolUse": [\n\t\t\t{\n' in text
    # and out again
    assert interlock('uninstall').code == 0
    assert read(project) == before


def _shell(command: str, event: str, path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ('/bin/sh', '-c', command),
        capture_output=True,
        text=True,
        input=json.dumps({'hook_event_name': event, 'tool_name': 'Read'}),
        env={**os.environ, 'PATH': path},
    )


TASKS = '../tasks'


@pytest.mark.usefixtures('person')
@pytest.mark.parametrize('option', ((), ('--shared',)))
@pytest.mark.parametrize(
    ('before', 'folders'),
    (
        pytest.param(None, [TASKS], id='no file'),
        pytest.param({}, [TASKS], id='no permissions'),
        pytest.param({'permissions': {}}, [TASKS], id='empty permissions'),
        pytest.param(
            {'permissions': {'allow': ['Bash(ls)'], 'additionalDirectories': ['é']}},
            ['é', TASKS],
            id='with others',
        ),
    ),
)
def test_the_client_works_in_the_folder_of_the_tasks(
    space: Space,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    option: tuple[str, ...],
    before: Any,
    folders: list[str],
) -> None:
    space.tasks.rmdir()
    name = SHARED if option else LOCAL
    text = '' if before is None else json.dumps(before, indent=2) + '\n'
    if text:
        space.main.write({name: text})
    assert interlock('init', '--claude', *option).code == 0
    found = read(space.main, name)['permissions']
    assert found['additionalDirectories'] == folders
    # a client leaves a folder out that is not there when it starts
    assert space.tasks.is_dir()
    again = interlock('init', '--claude', *option)
    assert f'{name}: already calls Interlock\n' in again.err
    monkeypatch.delenv('INTERLOCK_SESSION')
    assert interlock('uninstall').code == 0
    left = space.main.path / name
    kept = {key: each for key, each in (before or {}).items() if each}
    assert (json.loads(left.read_text()) if left.exists() else {}) == kept


def test_without_tasks_elsewhere_no_folder_is_added(
    project: Repo, interlock: Interlock
) -> None:
    assert interlock('init', '--claude').code == 0
    assert 'permissions' not in read(project)


@pytest.mark.usefixtures('person')
def test_what_a_team_shares_names_no_path(project: Repo, interlock: Interlock) -> None:
    interlock('init', '--claude')
    result = interlock('init', '--claude', '--shared', '--mcp')
    assert f'{SHARED}: written (calls Interlock for every event)' in result.err
    assert f'{LOCAL}: removed (nothing else was in it)' in result.err
    text = (project.path / SHARED).read_text()
    text += (project.path / SERVERS).read_text()
    assert os.path.dirname(sys.executable) not in text
    assert str(project.path) not in text
    # nobody answers twice
    again = interlock('init', '--claude')
    assert f'{SHARED}: already calls Interlock\n' in again.err
    assert not (project.path / LOCAL).exists()
    assert interlock('uninstall').code == 0
    assert not (project.path / '.claude').exists()


def test_what_a_team_shares_refuses_where_it_is_not_installed(
    project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--claude', '--shared')
    for event, groups in read(project, SHARED)['hooks'].items():
        command = groups[0]['hooks'][0]['command']
        there = _shell(command, event, f'{SCRIPTS}:/usr/bin:/bin')
        assert (there.returncode, there.stderr) == (0, '')
        missing = _shell(command, event, '/usr/bin:/bin')
        guards = event in ('PreToolUse', 'ConfigChange')
        assert missing.returncode == (2 if guards else 127)
        assert 'pipx install interlock-hooks' in missing.stderr


def test_paths_of_one_machine_leave_the_shared_settings(
    project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--claude')
    (project.path / LOCAL).rename(project.path / SHARED)
    result = interlock('init', '--claude')
    assert f'{LOCAL}: written' in result.err
    assert f'{SHARED}: removed (nothing else was in it)' in result.err
    assert list(settings_record.recorded_calls(str(project.path / '.git'))) == [
        str(project.path / LOCAL)
    ]


def test_outdated_entries_are_brought_up_to_date(
    project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--claude')
    new = snapshot(project)
    text = (project.path / LOCAL).read_text()
    project.write({LOCAL: text.replace(sys.executable, '/old/python')})
    result = interlock('init', '--claude')
    assert "Interlock's entries are updated" in result.err
    assert snapshot(project) == new


OLDER = '/x/lib/interlock/claude/launcher.py'


@pytest.mark.parametrize(
    'handler',
    [
        pytest.param(
            {'command': 'python3', 'args': ['-I', '-S', OLDER, 'PreToolUse']},
            id='without a shell',
        ),
        pytest.param(
            {'command': f'timeout 20 python3 -I -S {OLDER} PreToolUse || exit 2'},
            id='with a timeout',
        ),
        pytest.param(
            {'command': f'python3 -I -S {OLDER} PreToolUse || exit 2'}, id='without one'
        ),
    ],
)
def test_what_an_older_version_wrote_is_replaced(
    project: Repo, interlock: Interlock, handler: dict[str, Any]
) -> None:
    """Other clients that read this file run such a program without its
    arguments, and everything passes."""
    old = {**handler, 'type': 'command'}
    project.write({LOCAL: json.dumps(hooks('PreToolUse', group(old)))})
    assert interlock('init', '--claude').code == 0
    found = read(project)['hooks']
    assert OLDER not in json.dumps(found)
    assert not any(
        'args' in handler
        for groups in found.values()
        for each in groups
        for handler in each['hooks']
    )


def test_what_is_written_is_a_guard(project: Repo, interlock: Interlock) -> None:
    interlock('init', '--claude')
    handler = read(project)['hooks']['ConfigChange'][0]['hooks'][0]
    words = ['/bin/sh', '-c', handler['command']]
    project.write({LOCAL: '{}'})
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        input=json.dumps(
            {
                'hook_event_name': 'ConfigChange',
                'cwd': str(project.path),
                'source': 'project_settings',
                'file_path': str(project.path / LOCAL),
            }
        ),
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)['decision'] == 'block'
    assert 'CLD013' in done.stderr


def test_a_guard_in_the_shell_refuses_when_we_are_gone(
    project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--claude')
    text = (project.path / LOCAL).read_text()
    project.write({LOCAL: text.replace(sys.executable, '/gone/python')})
    for event, code in (('PreToolUse', 2), ('ConfigChange', 2), ('Stop', 127)):
        handler = read(project)['hooks'][event][0]['hooks'][0]
        done = subprocess.run(
            ('/bin/sh', '-c', handler['command']), input=b'{}', capture_output=True
        )
        assert done.returncode == code


@pytest.mark.parametrize('name', MALFORMED)
def test_a_file_that_the_client_drops_is_refused(
    project: Repo, interlock: Interlock, name: str
) -> None:
    value, where = MALFORMED[name]
    project.write({LOCAL: json.dumps(value)})
    before = snapshot(project)
    result = interlock('init', '--claude')
    assert result.code == 2
    assert f'{LOCAL}:1: {where} ' in result.err
    assert 'ignores the whole file' in result.err
    assert 'next: fix it' in result.err
    assert snapshot(project) == before


@pytest.mark.parametrize('text', ('{', '[]', 'null', '{"a": 1,}', '\x00'))
def test_a_file_that_does_not_parse_is_refused(
    project: Repo, interlock: Interlock, text: str
) -> None:
    for name in (LOCAL, SERVERS):
        project.write({name: text})
        before = snapshot(project)
        result = interlock('init', '--claude', '--mcp')
        assert result.code == 2
        assert f'{name}:1: ' in result.err
        assert snapshot(project) == before
        project.write({name: '{}'})


def test_a_dry_run_writes_nothing(project: Repo, interlock: Interlock) -> None:
    before = snapshot(project)
    result = interlock('init', '--claude', '--mcp', '--dry-run')
    assert result.code == 0
    assert f'{LOCAL}: would be written' in result.out
    assert '"PreToolUse"' in result.out
    assert '"mcpServers"' in result.out
    assert snapshot(project) == before


@pytest.mark.parametrize('option', ('--mcp', '--shell-form', '--shared'))
def test_an_option_for_the_client_needs_it(
    project: Repo, interlock: Interlock, option: str
) -> None:
    result = interlock('init', option)
    assert result.code == 2
    assert 'need --agent' in result.err


@pytest.mark.usefixtures('person')
def test_the_server_is_wired_beside_others(project: Repo, interlock: Interlock) -> None:
    other = {'command': 'écho', 'args': []}
    project.write({SERVERS: json.dumps({'mcpServers': {'autre': other}})})
    assert interlock('init', '--claude', '--mcp').code == 0
    servers = read(project, SERVERS)['mcpServers']
    assert servers['autre'] == other
    ours = servers['interlock']
    assert ours['args'] == ['mcp']
    assert os.path.isabs(ours['command'])
    done = subprocess.run(
        (ours['command'], *ours['args'], '--help'), capture_output=True
    )
    assert done.returncode == 0
    assert interlock('uninstall').code == 0
    assert read(project, SERVERS) == {'mcpServers': {'autre': other}}


def test_a_server_of_the_same_name_is_not_replaced(
    project: Repo, interlock: Interlock
) -> None:
    text = json.dumps({'mcpServers': {'interlock': {'command': 'autre'}}})
    project.write({SERVERS: text})
    result = interlock('init', '--claude', '--mcp')
    assert result.code == 2
    assert 'the server of another program' in result.err
    assert not (project.path / LOCAL).exists()


def test_servers_that_are_no_object_are_refused(
    project: Repo, interlock: Interlock
) -> None:
    project.write({SERVERS: '{"mcpServers": []}'})
    result = interlock('init', '--claude', '--mcp')
    assert result.code == 2
    assert '`mcpServers` is not an object' in result.err


@pytest.mark.usefixtures('person')
def test_a_foreign_entry_that_calls_us_is_left(
    project: Repo, interlock: Interlock
) -> None:
    by_hand = {'type': 'command', 'command': 'interlock-claude Stop'}
    value = hooks('Stop', group(by_hand), group(FOREIGN))
    project.write({LOCAL: json.dumps(value)})
    interlock('init', '--claude')
    result = interlock('uninstall')
    assert result.code == 0
    assert 'left: what others wrote for Stop' in result.err
    assert read(project) == value


def _step(top: Path) -> FileStep:
    (step,) = client_wiring.settings(ADAPTER, str(top))
    return step


@given(VALUES | strategies.binary(max_size=40) | SETTINGS)
@settings(max_examples=some(150), deadline=None)
def test_any_file_is_edited_or_refused(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    top = tmp_path_factory.mktemp('é')
    path = top / LOCAL
    path.parent.mkdir()
    path.write_bytes(data)
    try:
        step = _step(top)
    except Refusal as e:
        assert e.message.startswith(f'{LOCAL}:')
        return
    if step.new is not None:
        path.write_bytes(step.new)
    assert _step(top).new is None
    gone = client_wiring.without_settings(str(path), str(top))
    assert gone is not None
    left = {} if gone.gone else json.loads(gone.new or b'')
    assert our_calls(left) == {}


def test_the_settings_of_a_linked_worktree_are_its_own(
    project: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.git('worktree', 'add', '-q', str(tmp_path / 'lié'))
    monkeypatch.chdir(tmp_path / 'lié')
    assert interlock('init', '--claude').code == 0
    assert (tmp_path / 'lié' / LOCAL).exists()
    assert not (project.path / LOCAL).exists()
    record = project.path / '.git/interlock/wired.json'
    assert str(tmp_path) in record.read_text()
