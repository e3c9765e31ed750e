"""The plugin, as the client loads it from this directory."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.client.brief import attempt, holds
from tests.client.kits import CLAUDE, ROOT
from tests.client.runner import NAMESPACE, PATH, Client
from tests.client.script import delegate, say, script, write
from tests.conftest import Repo

PLUGIN = ('--plugin-dir', str(ROOT))


@pytest.fixture
def options() -> tuple[str, ...]:
    """No settings of the project call us."""
    return ('--git-hooks',)


def test_the_client_finds_nothing_wrong(tmp_path: Path) -> None:
    done = subprocess.run(
        (*NAMESPACE, str(CLAUDE.program), 'plugin', 'validate', str(ROOT), '--strict'),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={'HOME': str(tmp_path), 'PATH': PATH},
    )
    assert done.returncode == 0, done.stdout
    assert 'Validation passed' in done.stdout


def test_its_hooks_refuse_too(plugins: Repo, client: Client) -> None:
    seen = client.play(
        script(delegate('agent', 'worker'), say('done'), worker=attempt(plugins)),
        args=PLUGIN,
    )
    assert holds(seen, plugins)
    assert 'In progress (1): Bravo at Stage 2' in seen.shown()
    assert 'The gate is not live' not in seen.shown()


def test_where_nothing_is_installed_it_says_how(plugins: Repo, client: Client) -> None:
    file = plugins.path / 'é.txt'
    played = script(write('write', file, 'é\n'), say('done'))
    bare = {'PATH': PATH}
    seen = client.play(played, args=PLUGIN, environ=bare)
    assert seen.refused('write', 'CLD014', 'pipx install /')
    assert not file.exists()
    # a project that nothing governs is not one of our business
    (plugins.path / '.interlock.yaml').unlink()
    seen = client.play(played, args=PLUGIN, environ=bare)
    assert seen.done('write')
    assert file.read_text() == 'é\n'


def test_its_commands_are_there(plugins: Repo, client: Client) -> None:
    names = {page.stem for page in (ROOT / 'commands').glob('*.md')}
    seen = client.play(
        script(say('done')), turns=('/interlock:handoff manual',), args=PLUGIN
    )
    found = set(seen.init['slash_commands'])
    assert {f'interlock:{name}' for name in names} <= found
    assert names == {'handoff', 'continue', 'reconcile', 'transition'}
    assert 'interlock document check' in seen.shown()
    (plugin,) = (each for each in seen.init['plugins'] if each['name'] == 'interlock')
    assert plugin['path'] == str(ROOT)
    assert not seen.init.get('plugin_errors')
