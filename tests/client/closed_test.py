"""What does not work refuses, and what only looks on stays silent."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from interlock.guard.hook_log import FAILURES
from tests.client.conftest import PYTHON
from tests.client.kits import INSTALLED
from tests.client.runner import Client
from tests.client.script import read, say, script, write
from tests.client.seen import Seen
from tests.conftest import Repo

SETTINGS = '.claude/settings.local.json'
LOG = f'.git/interlock/claude/{FAILURES}'
CRASH = 'raise RuntimeError("é")\n'
HANG = 'import time\ntime.sleep(60)\n'
UNJUDGED = 'CLD014'
BLOCKED = 'blocking because onFailure is "block"'


class Copy:
    """The package of the wheel, in a copy that the project's hooks call."""

    def __init__(self, project: Repo, top: Path) -> None:
        self.package = top / 'interlock'
        self._settings = project.path / SETTINGS
        (found,) = INSTALLED.glob('venv/lib/python*/site-packages/interlock')
        shutil.copytree(found, self.package)
        self.replace(str(found), str(self.package))

    def replace(self, old: str, new: str) -> None:
        text = self._settings.read_text()
        assert old in text
        self._settings.write_text(text.replace(old, new))

    def break_(self, module: str, code: str = CRASH) -> None:
        file = self.package / f'{module}.py'
        assert file.exists()
        file.write_text(f'from __future__ import annotations\n{code}')

    def add(self, module: str, code: str) -> None:
        with (self.package / f'{module}.py').open('a') as f:
            f.write(code)


@pytest.fixture
def copy(plugins: Repo, tmp_path: Path) -> Copy:
    return Copy(plugins, tmp_path)


def tried(client: Client) -> Seen:
    """The agent writes a file that nobody has anything against."""
    file = client.project / 'é.txt'
    return client.play(script(write('write', file, 'é\n'), say('done')))


def refused(client: Client, *words: str) -> None:
    assert tried(client).refused('write', *words)
    assert not (client.project / 'é.txt').exists()


def test_a_package_that_works_lets_it_pass(copy: Copy, client: Client) -> None:
    assert tried(client).done('write')
    assert (client.project / 'é.txt').read_text() == 'é\n'


def test_a_package_that_cannot_be_imported(copy: Copy, client: Client) -> None:
    copy.break_('agents/claude')
    refused(client, UNJUDGED, 'RuntimeError: é')


def test_a_guard_that_crashes(copy: Copy, client: Client) -> None:
    copy.break_('guard/guards/file_writes')
    refused(client, UNJUDGED, 'RuntimeError: é', 'next: interlock doctor')
    assert 'RuntimeError: é' in (client.project / LOG).read_text()


def test_a_guard_that_hangs_is_ended_by_ourselves(copy: Copy, client: Client) -> None:
    copy.add('guard/event', "PATIENCE = {'': 1.0}\n")
    copy.break_('guard/guards/file_writes', HANG)
    refused(client, UNJUDGED, 'took too long')


def test_a_guard_that_hangs_is_ended_by_the_client(copy: Copy, client: Client) -> None:
    copy.break_('agents/claude', HANG)
    copy.replace('"timeout": 20', '"timeout": 1')
    refused(client, 'timed out', BLOCKED)


def test_an_interpreter_that_is_gone(copy: Copy, client: Client) -> None:
    copy.replace(str(PYTHON), '/nowhere/python')
    refused(client, UNJUDGED)


def test_a_launcher_that_is_gone(copy: Copy, client: Client) -> None:
    gone = f'{copy.package}/agents/launcher.py claude PreToolUse'
    copy.replace(gone, '/nowhere/interlock/agents/launcher.py claude PreToolUse')
    refused(client, "can't open file", '/nowhere/interlock')


def test_without_any_launcher_nothing_begins(copy: Copy, client: Client) -> None:
    (copy.package / 'agents/launcher.py').unlink()
    file = client.project / 'é.txt'
    seen = client.play(script(write('write', file, 'é\n'), say('done')), whole=False)
    # the interpreter ends as a refusal does, so the prompt is not taken
    assert seen.outcome.left == {'main': 2}
    assert not file.exists()


def test_an_observer_that_crashes_is_not_heard(copy: Copy, client: Client) -> None:
    for module in ('after_tool', 'session_start', 'prompt', 'stop', 'session_end'):
        copy.break_(f'guard/observers/{module}')
    seen = tried(client)
    assert seen.done('write')
    assert 'RuntimeError' not in seen.shown()
    assert {
        seen.hooks(name)[0]
        for name in ('SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop')
    } == {''}
    log = (client.project / LOG).read_text()
    for event in ('SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop'):
        assert f'{event} RuntimeError: é' in log


def test_an_invalid_workflow_can_only_be_fixed(plugins: Repo, client: Client) -> None:
    workflow = plugins.path / '.interlock.yaml'
    outside = client.home / 'é.txt'
    workflow.write_text('version: [1\n')
    seen = client.play(
        script(
            write('write', plugins.path / 'é.txt', 'é\n'),
            read('read', workflow),
            write('repair', workflow, 'version: 1\nextends: plugin-workflow\n'),
            write('outside', outside, 'é\n'),
            say('done'),
        )
    )
    assert seen.refused('write', UNJUDGED, '.interlock.yaml before writing')
    # the user decides, and nobody is there to be asked
    assert seen.refused('repair', 'CLD004')
    assert seen.done('outside')
    assert 'The workflow cannot be read' in seen.shown()
    assert not (plugins.path / 'é.txt').exists()
    assert workflow.read_text() == 'version: [1\n'
