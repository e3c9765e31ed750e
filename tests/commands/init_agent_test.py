"""`init --agent`: the files of each client, written, merged and taken out."""

from __future__ import annotations

import json
import subprocess

import pytest

from interlock.agents.registered import ADAPTERS, adapter
from interlock.agents.wiring import called, sent, tool_call, tools_of
from interlock.documents.wiring.client_settings import our_calls, parsed, switched_off
from interlock.documents.wiring.files import shape_of
from interlock.guard import event as kinds
from interlock.setup.client_wiring import settings_path
from tests.commands.uninstall_test import snapshot
from tests.conftest import Interlock, Repo

# those that are wired by entries in settings
ENTRIES = [name for name in ADAPTERS if not adapter(name).source([])]
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
    assert adapter(name).trust in result.err
    wired = snapshot(project)
    assert len(wired) == len(before) + 1
    again = interlock('init', '--agent', name, *shared)
    assert 'already calls Interlock' in again.err
    assert snapshot(project) == wired
    assert interlock('uninstall').code == 0
    assert snapshot(project) == before


@pytest.mark.parametrize('name', ENTRIES)
def test_what_is_written_refuses_in_that_dialect(
    name: str, project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--agent', name)
    client = adapter(name)
    path = settings_path(client, str(project.path), shared=False)
    with open(path, 'rb') as f:
        calls = our_calls(parsed(f.read(), shape_of(path)))
    assert set(calls) == set(client.wired or client.events)
    event = called(client, kinds.PRE_TOOL)
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
    client = adapter(name)
    file = settings_path(client, '', shared=False)
    event = called(client, kinds.STOP)
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
    file = settings_path(adapter(name), '', shared=False)
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
    path = settings_path(adapter(name), str(project.path), shared=False)
    with open(path, 'rb') as f:
        data = f.read()
    shape = shape_of(path)
    assert shape
    assert switched_off(data, data, shape) == ''
    for new in (None, b'{}', b'{'):
        assert switched_off(data, new, shape)
    for key, value in adapter(name).off.items():
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
    assert interlock('init', '--agent', 'auto').code == 2
    project.write({'.codex/config.toml': '', '.gemini/settings.json': '{}'})
    result = interlock('init', '--agent', 'auto, copilot,codex')
    assert result.code == 0
    for name in ('codex', 'gemini', 'copilot'):
        assert (project.path / adapter(name).settings).exists()
    assert not (project.path / '.claude').exists()
    assert interlock('init', '--agent', 'x').code == 2


def test_a_plugin_of_somebody_else_is_left(project: Repo, interlock: Interlock) -> None:
    name = next(name for name in ADAPTERS if name not in ENTRIES)
    project.write({adapter(name).settings: 'é\n'})
    result = interlock('init', '--agent', name)
    assert result.code == 2
    assert 'is the plugin of another program' in result.err
