"""What doctor says of every client, and what its canary does with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.agents import ADAPTERS, adapter_of
from interlock.doctor import client, client_canary, client_sources
from interlock.doctor.installation import installation
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from tests.conftest import Interlock, Repo

pytestmark = pytest.mark.real

EACH_CLIENT = pytest.mark.parametrize('name', ADAPTERS[1:])


def examined(name: str, with_canary: bool = False) -> dict[str, Probe]:
    repository = Repository(os.environ)
    try:
        where, governing = installation(repository), Governing(repository)
        found = client_sources.client(
            adapter_of(name), where.top, where.common_dir, os.environ
        )
        probes = list(client.probes(found))
        if with_canary:
            workflow = governing.on_disk()
            probes += client_canary.canary(found, where, governing, workflow)
        return {each.name: each for each in probes}
    finally:
        repository.close()


@EACH_CLIENT
def test_a_client_that_is_wired_is_live(
    name: str, project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--agent', name, '--git-hooks')
    found = examined(name, with_canary=True)
    # whether the user trusts us is not ours to say
    dead = {each for each, probe in found.items() if probe.verdict == DEAD}
    assert dead <= {f'{name} trust'}
    sung = [probe for each, probe in found.items() if each.startswith('canary ')]
    assert len(sung) > 5
    assert all(probe.verdict == LIVE for probe in sung), sung
    assert any('refused (CLD001)' in probe.what for probe in sung)
    assert any('refused (CLD003)' in probe.what for probe in sung)


@EACH_CLIENT
def test_a_client_that_is_not_wired(name: str, project: Repo) -> None:
    found = examined(name)
    assert found[name].verdict == NOT_WIRED
    assert found[name].next == f'interlock init --agent {name}'


@EACH_CLIENT
def test_what_the_switch_of_a_client_does(
    name: str, project: Repo, interlock: Interlock
) -> None:
    import json

    off = adapter_of(name).off
    if not off:
        pytest.skip('it has no switch in a file that is read')
    interlock('init', '--agent', name)
    file = project.path / adapter_of(name).settings
    value = json.loads(file.read_text())
    for key, switch in off.items():
        *above, last = key.split('.')
        inner = value
        for each in above:
            inner = inner.setdefault(each, {})
        inner[last] = switch
    file.write_text(json.dumps(value))
    assert examined(name)[f'{name} settings'].verdict == DEAD


@EACH_CLIENT
def test_entries_that_were_there_are_missed(
    name: str, project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--agent', name)
    if not adapter_of(name).source([]):
        (project.path / adapter_of(name).settings).write_text('{}')
        found = examined(name)
        assert any(probe.verdict == DEAD for probe in found.values())


def test_settings_that_another_client_reads_too(
    project: Repo, interlock: Interlock
) -> None:
    """Copilot reads those of Claude Code; what both would say is answered once."""
    interlock('init', '--agent', 'claude,copilot', '--shared')
    found = examined('copilot')
    assert 'copilot twice' not in found, found['copilot twice']


# what happens after `init`, and what is said
VARIABLES = [
    ({}, '', LIVE, 'OWN names the hooks of git'),
    ({'.env': 'A=1'}, '', LIVE, 'does not load .env beside it'),
    ({'../home/OWN': 'A=1'}, '', LIVE, '/home/OWN beside it'),
    ({}, 'config core.hooksPath .husky', DEAD, 'OWN names '),
    ({'OWN': 'A=1'}, '', NOT_WIRED, 'OWN does not name'),
    ({'OWN': None}, '', NOT_WIRED, 'OWN does not name'),
    ({'OWN': None, '.env': 'A=1'}, '', NOT_WIRED, '.env does not name'),
    ({'OWN': "GIT_CONFIG_PARAMETERS='x'"}, '', NOT_WIRED, 'OWN does not name'),
    ({'OWN': 'GIT_CONFIG_PARAMETERS="\'core.hooksPath=/x\'"'}, '', DEAD, 'names /x'),
]


@pytest.mark.parametrize(('files', 'command', 'verdict', 'said'), VARIABLES)
def test_whether_a_client_is_told_of_the_hooks_of_git(
    files: dict[str, str | None],
    command: str,
    verdict: str,
    said: str,
    project: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('HOME', str(project.path.parent / 'home'))
    (name,) = (name for name in ADAPTERS if adapter_of(name).env_file)
    interlock('init', '--agent', name)
    own = adapter_of(name).env_file
    for file, text in files.items():
        path = project.path / file.replace('OWN', own)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True) if text is None else path.write_text(text)
    if command:
        project.git(*command.split())
    found = examined(name)[f'{name} hooks of git']
    assert found.verdict == verdict
    assert said.replace('OWN', own) in found.what
    assert bool(found.next) is (verdict != LIVE or bool(files))
    # what is in the environment already counts more
    hooks = f"'core.hooksPath'='{project.path}/.git/hooks'"
    monkeypatch.setenv('GIT_CONFIG_PARAMETERS', hooks)
    found = examined(name)[f'{name} hooks of git']
    assert 'the environment names' in found.what


@pytest.mark.parametrize(
    ('name', 'file', 'text', 'verdict'),
    [
        ('copilot', '.copilot/config.json', '', DEAD),
        ('copilot', '.copilot/config.json', '{"trustedFolders": ["/x"]}', DEAD),
        ('copilot', '.copilot/config.json', '{"trustedFolders": ["TOP"]}', LIVE),
        ('gemini', '.gemini/trustedFolders.json', '', NOT_WIRED),
        ('gemini', '.gemini/trustedFolders.json', '{"/x": "TRUST_FOLDER"}', DEAD),
        ('gemini', '.gemini/trustedFolders.json', '{"TOP": "TRUST_FOLDER"}', LIVE),
        ('codex', '.codex/config.toml', '', NOT_WIRED),
    ],
)
def test_whether_a_client_trusts_the_folder(
    name: str,
    file: str,
    text: str,
    verdict: str,
    project: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interlock('init', '--agent', name)
    home = tmp_path / 'home'
    (home / file).parent.mkdir(parents=True)
    (home / file).write_text(text.replace('TOP', str(project.path)), 'UTF-8')
    monkeypatch.setenv('HOME', str(home))
    found = examined(name)[f'{name} trust']
    assert found.verdict == verdict
    assert bool(found.next) is (verdict != LIVE)
