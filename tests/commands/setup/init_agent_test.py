"""`init --agent`: the files of each client, written, merged and taken out."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from interlock.agents import ADAPTERS, adapter_of
from interlock.agents.wiring import sent, tool_call, tools_of
from interlock.documents.wiring.client_settings import our_calls, parsed, switched_off
from interlock.documents.wiring.env_files import variables
from interlock.guard import event as kinds
from interlock.model.calling_files import shape_of
from interlock.setup.client_wiring import settings_path
from tests.commands.file_snapshot import snapshot
from tests.conftest import Interlock, Repo

# those that are wired by entries in settings
ENTRIES = [name for name in ADAPTERS if not adapter_of(name).source([])]
# those whose shells tell git that there are no hooks
HIDING = [name for name in ADAPTERS if adapter_of(name).env_file]
EACH_HIDING = pytest.mark.parametrize('name', HIDING)
TOLD = 'GIT_CONFIG_PARAMETERS'
EACH_CLIENT = pytest.mark.parametrize('name', ADAPTERS)


@EACH_CLIENT
@pytest.mark.parametrize('shared', ([], ['--shared']), ids=('machine', 'shared'))
@pytest.mark.usefixtures('person')
def test_what_is_written_is_taken_out_again(
    name: str, shared: list[str], project: Repo, interlock: Interlock
) -> None:
    before = snapshot(project)
    result = interlock('init', '--agent', name, *shared)
    assert result.code == 0, result.err
    assert 'calls Interlock for every event' in result.err
    assert adapter_of(name).trust in result.err
    wired = snapshot(project)
    assert len(wired) == len(before) + 1 + bool(adapter_of(name).env_file)
    again = interlock('init', '--agent', name, *shared)
    assert 'already calls Interlock' in again.err
    assert snapshot(project) == wired
    assert interlock('uninstall').code == 0
    assert snapshot(project) == before


@EACH_CLIENT
@pytest.mark.parametrize('options', ([], ['--git-hooks'], ['--dry-run']))
def test_a_client_that_is_configured_and_not_wired_is_named(
    name: str, options: list[str], project: Repo, interlock: Interlock
) -> None:
    assert '--agent' not in interlock('init', *options).err
    path = os.path.join(project.path, next(iter(adapter_of(name).files)))
    # a file, or only the folder of its settings
    made = os.path.dirname(path) if os.path.dirname(path) != str(project.path) else path
    os.makedirs(made) if made != path else project.write({os.path.basename(path): '{}'})
    command = f'interlock init --agent {name}\n'
    assert command in interlock('init', *options).err
    assert interlock(*command.split()[1:]).code == 0
    assert '--agent' not in interlock('init', *options).err


@pytest.mark.parametrize('name', ENTRIES)
def test_what_is_written_refuses_in_that_dialect(
    name: str, project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--agent', name)
    client = adapter_of(name)
    path = settings_path(client, str(project.path), shared=False)
    with open(path, 'rb') as f:
        calls = our_calls(parsed(f.read(), shape_of(path)))
    assert set(calls) == set(client.wired or client.events)
    event = client.called(kinds.PRE_TOOL)
    tool, names = next(
        (theirs, names) for theirs, ours, names in tools_of(client) if ours == 'Bash'
    )
    given = {'command': 'git commit --no-verify -m x'}
    data = {'cwd': str(project.path), **tool_call(tool, names, given)}
    done = subprocess.run(
        ('sh', '-c', calls[event][0][1]['command']),
        input=json.dumps(sent(client, event, data)),
        capture_output=True,
        text=True,
    )
    decision = client.decision_in(done.stdout.strip(), done.stderr, done.returncode)
    assert decision == 'deny'
    assert 'CLD001' in done.stdout


@pytest.mark.parametrize('name', ENTRIES)
def test_entries_of_others_stay(name: str, project: Repo, interlock: Interlock) -> None:
    client = adapter_of(name)
    file = settings_path(client, '', shared=False)
    event = client.called(kinds.STOP)
    other = {'type': 'command', 'command': 'écho 1'}
    groups = [other] if shape_of(f'/{file}') == 'flat' else [{'hooks': [other]}]
    value = {**client.head, 'hooks': {event: groups}, 'zzz': 1}
    project.write({file: json.dumps(value)})
    assert interlock('init', '--agent', name).code == 0
    now = json.loads((project.path / file).read_text(encoding='UTF-8'))
    assert now['zzz'] == 1
    assert now['hooks'][event][: len(groups)] == groups
    assert len(now['hooks'][event]) == 2


@pytest.mark.parametrize('name', ENTRIES)
def test_a_file_that_cannot_be_read_is_left(
    name: str, project: Repo, interlock: Interlock
) -> None:
    file = settings_path(adapter_of(name), '', shared=False)
    for text in ('{', '[]', '{"hooks": {"x": 1}}', '{"hooks": []}'):
        project.write({file: text})
        result = interlock('init', '--agent', name)
        assert result.code == 2, text
        assert (project.path / file).read_text() == text


@EACH_CLIENT
def test_its_own_files_are_guarded(
    name: str, project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--agent', name)
    path = settings_path(adapter_of(name), str(project.path), shared=False)
    with open(path, 'rb') as f:
        data = f.read()
    shape = shape_of(path)
    assert shape
    assert switched_off(data, data, shape) == ''
    for new in (None, b'{}', b'{'):
        assert switched_off(data, new, shape)
    for key, value in adapter_of(name).off.items():
        found = json.loads(data)
        *above, last = key.split('.')
        inner = found
        for each in above:
            inner = inner.setdefault(each, {})
        inner[last] = value
        assert key in switched_off(data, json.dumps(found).encode(), shape)


def test_several_and_those_that_are_configured(
    project: Repo, interlock: Interlock
) -> None:
    nothing = interlock('init', '--agent', 'auto')
    assert nothing.code == 2
    assert 'decide which of claude, codex, ' in nothing.err
    command = nothing.err.rstrip().rpartition(': ')[2]
    before = snapshot(project)
    assert interlock(*shlex.split(command)[1:]).code == 0
    assert snapshot(project) == before
    project.write({'.codex/config.toml': '', '.gemini/settings.json': '{}'})
    result = interlock('init', '--agent', 'auto, copilot,codex')
    assert result.code == 0
    for name in ('codex', 'gemini', 'copilot'):
        assert (project.path / adapter_of(name).settings).exists()
    # what holds for all of them is said once, at the end
    said = result.err.splitlines()
    assert said.count('an open session may have to be restarted') == 1
    assert said.count('next: interlock doctor --canary') == 1
    assert said[-1] == 'next: interlock doctor --canary'
    assert not (project.path / '.claude').exists()
    assert interlock('init', '--agent', 'x').code == 2


@EACH_CLIENT
def test_the_next_step_is_said_last(
    name: str, project: Repo, interlock: Interlock
) -> None:
    said = interlock('init', '--agent', name, '--mcp').err.splitlines()
    assert said[-1] == 'next: interlock doctor --canary'
    assert [line for line in said if line.startswith('next: ')] == said[-1:]


@EACH_CLIENT
def test_a_file_that_git_tracks_is_written_for_the_team(
    name: str, project: Repo, interlock: Interlock
) -> None:
    """To exclude it would keep nothing out of git."""
    file = settings_path(adapter_of(name), '', shared=False)
    empty = '{}' if name in ENTRIES else '// interlock\n'
    project.commit({file: empty, '.mcp.json': '{}'})
    said = interlock('init', '--agent', name, '--mcp').err
    way = f'interlock init --agent {name} --shared'
    assert f'and git tracks it; to write one for the team: {way}\n' in said, said
    assert ' --mcp --shared\n' in said
    assert f'echo {file}' not in said
    assert interlock(*way.split()[1:]).code == 0
    shared = project.path / settings_path(adapter_of(name), '', shared=True)
    assert 'launcher.py' not in shared.read_text()


def test_a_plugin_of_somebody_else_is_left(project: Repo, interlock: Interlock) -> None:
    name = next(name for name in ADAPTERS if name not in ENTRIES)
    project.write({adapter_of(name).settings: 'é\n'})
    result = interlock('init', '--agent', name)
    assert result.code == 2
    assert 'is the plugin of another program' in result.err


def line(project: Repo) -> str:
    git = project.path / '.git'
    entries = (
        f"'includeIf.gitdir:{git}{below}.path'='{git}/interlock/hooks.config'"
        for below in ('', '/worktrees/')
    )
    return f'{TOLD}="{" ".join(entries)}"'


@EACH_HIDING
@pytest.mark.parametrize(
    'before',
    [None, b'A=1', b'\xef\xbb\xbfA="1\n2"\r\nB=\xff\r\n', b'# x\n\nexport A=1\n\n'],
    ids=['none', 'no end', 'bytes', 'comment'],
)
@pytest.mark.usefixtures('person')
def test_the_hooks_of_git_are_named_and_nothing_else_changes(
    name: str, before: bytes | None, project: Repo, interlock: Interlock
) -> None:
    file = project.path / adapter_of(name).env_file
    if before is not None:
        file.parent.mkdir()
        file.write_bytes(before)
    dry = interlock('init', '--agent', name, '--dry-run')
    assert line(project) in dry.out
    assert file.exists() is (before is not None)
    interlock('init', '--agent', name)
    data = file.read_bytes()
    assert data == f'{line(project)} # interlock\n'.encode() + (before or b'')
    told = line(project).split('"')[1]
    assert variables(data) == {**variables(before), TOLD: told}
    naming = project.path / '.git/interlock/hooks.config'
    # git has another folder now, and then its own again
    for folder in ('.hooks', 'é "#\\', ''):
        if folder:
            project.git('config', 'core.hooksPath', folder)
        else:
            project.git('config', '--unset', 'core.hooksPath')
        interlock('init', '--agent', name)
        found = project.git('config', '--file', str(naming), 'core.hooksPath')
        assert found == (folder or f'{project.path}/.git/hooks')
        assert file.read_bytes() == data
        again = interlock('init', '--agent', name)
        assert f'{adapter_of(name).env_file}: already names' in again.err
    interlock('uninstall')
    assert not naming.exists()
    assert (file.read_bytes() if file.exists() else None) == before


@EACH_HIDING
@pytest.mark.parametrize(
    ('files', 'said', 'shown'),
    [
        ({'.env': 'A=1\n'}, '.env: left, because', True),
        ({'.env': 'LINE\n'}, '.env: already names', False),
        (
            {'OWN': f'{TOLD}=x\n'},
            f'OWN: left, because it sets {TOLD} already (append the value below',
            True,
        ),
        ({'OWN': 'A="\nLINE\n'}, 'OWN: already names', False),
        ({'OWN': 'LINE', '.env': 'A=1'}, 'OWN: already names', False),
        ({'../OWN': 'A=1'}, 'OWN: not written, because', False),
        ({'../.env': 'A=1'}, 'OWN: not written, because', False),
        ({'../home/OWN': 'A=1'}, 'OWN: not written, because', False),
        ({'../home/.env': 'A=1'}, 'OWN: not written, because', False),
        ({'../home/x.env': 'A=1', '.env.local': 'A=1'}, 'OWN: written', False),
    ],
)
def test_a_file_of_variables_that_is_loaded_is_not_hidden(
    name: str,
    files: dict[str, str],
    said: str,
    shown: bool,
    project: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home, own = project.path.parent / 'home', adapter_of(name).env_file
    monkeypatch.setenv('HOME', str(home))
    for file, text in files.items():
        path = project.path / file.replace('OWN', own)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace('LINE', line(project)))
    result = interlock('init', '--agent', name)
    assert result.code == 0
    assert said.replace('OWN', own) in result.err
    assert (line(project) in result.out) is shown
    expected = 'OWN' in files or said == 'OWN: written'
    assert (project.path / own).exists() is expected


@EACH_HIDING
def test_a_file_of_variables_that_is_not_ours_to_change(
    name: str, project: Repo, interlock: Interlock
) -> None:
    own = adapter_of(name).env_file
    project.commit({own: 'A=1\n'})
    result = interlock('init', '--agent', name)
    assert f'{own}: left, because git tracks it' in result.err
    assert (project.path / own).read_text() == 'A=1\n'


@EACH_HIDING
@pytest.mark.parametrize('folder', ['é [x] #=', 'a　b$c`', "it's", 'a\nb'])
def test_in_which_repositories_git_finds_its_hooks(
    name: str,
    folder: str,
    tmp_path: Path,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In its worktrees; the hooks of one repository may fail in others."""
    project = Repo(tmp_path / folder)
    project.path.mkdir()
    project.git('init', '-q')
    project.commit({'README.md': 'x\n'})
    project.git('worktree', 'add', '-q', str(tmp_path / 'linked'))
    other, below = Repo(tmp_path / 'other'), Repo(project.path / 'below')
    for each in (other, below):
        each.path.mkdir()
        each.git('init', '-q')
    monkeypatch.chdir(project.path)
    result = interlock('init', '--agent', name)
    own = project.path / adapter_of(name).env_file
    if {"'", '\n'} & {*folder}:
        assert 'left, because' in result.err
        assert not own.exists()
        return
    # what the client does in its shells
    monkeypatch.setenv(TOLD, variables(own.read_bytes())[TOLD])
    monkeypatch.setenv('GIT_CONFIG_COUNT', '1')
    monkeypatch.setenv('GIT_CONFIG_KEY_0', 'core.hooksPath')
    monkeypatch.setenv('GIT_CONFIG_VALUE_0', '')
    hooks = f'{project.path}/.git/hooks'
    for top in (project.path, tmp_path / 'linked'):
        assert Repo(top).git('config', 'core.hooksPath') == hooks
    for each in (other, below):
        assert each.git('config', 'core.hooksPath') == ''
