"""Settings of the client that change while a session is at work."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.client.brief import BRIEF, attempt, holds
from tests.client.conftest import PYTHON, Recorder, install
from tests.client.runner import SCRIPTS, Client
from tests.client.script import bash, say, script, write
from tests.conftest import Repo

# the file that calls us, and the other one that the client reads
WIRED, OTHER = '.claude/settings.local.json', '.claude/settings.json'
# until the client has asked us about a file that it has seen change
WAIT = bash(
    'wait',
    ('until [ -e .git/interlock/claude/ConfigChange ]; do sleep 0.2; done; sleep 1'),
)
BLOCKED = 'ConfigChange hook blocked change to '


@pytest.mark.parametrize(
    ('name', 'text'),
    (
        pytest.param(OTHER, '{"disableAllHooks": true}', id='switched off'),
        pytest.param(WIRED, '{}', id='our entries removed'),
        pytest.param(WIRED, '{"hooks": {', id='no JSON'),
        pytest.param(WIRED, '{"env": "é"}', id='dropped by the client'),
    ),
)
def test_settings_without_us_do_not_come_into_force(
    plugins: Repo, client: Client, name: str, text: str
) -> None:
    # a script does what no guard has read
    plugins.commit({'tidy.py': f'open({name!r}, "w").write({text!r})\n'})
    seen = client.play(
        script(bash('script', 'python3 tidy.py'), WAIT, *attempt(plugins))
    )
    assert seen.done('script')
    assert (plugins.path / name).read_text() == text
    # of these hooks only the log of the client tells
    assert f'{BLOCKED}{plugins.path / name}' in seen.debug
    assert 'CLD013' in seen.debug
    assert holds(seen, plugins)


def test_settings_are_not_written_without_us(plugins: Repo, client: Client) -> None:
    before = (plugins.path / WIRED).read_text()
    local = plugins.path / OTHER
    seen = client.play(
        script(
            write('off', local, '{"disableAllHooks": true}'),
            bash('shell', f"echo '{{}}' > {WIRED}"),
            bash('remove', f'rm {WIRED}'),
            write('other', local, '{"model": "é"}'),
            *attempt(plugins),
        )
    )
    for id in ('off', 'shell', 'remove'):
        assert seen.refused(id, 'CLD003')
    assert seen.done('other')
    assert (plugins.path / WIRED).read_text() == before
    assert holds(seen, plugins)


def test_a_change_that_leaves_us_alone_comes_into_force(
    plugins: Repo, client: Client, recorder: Recorder
) -> None:
    data = json.loads((plugins.path / WIRED).read_text())
    theirs = json.loads(recorder.settings)['hooks']
    for event, groups in theirs.items():
        data['hooks'][event] += groups
    plugins.commit({'tidy.py': (f'open({WIRED!r}, "w").write({json.dumps(data)!r})\n')})
    seen = client.play(
        script(bash('script', 'python3 tidy.py'), WAIT, *attempt(plugins))
    )
    assert BLOCKED not in seen.debug
    tools = [event['tool_name'] for event in recorder.events('PreToolUse')]
    assert tools[-1:] == ['Write']
    assert holds(seen, plugins)


@pytest.fixture
def shell_form(project: Repo) -> Repo:
    """As it is written for clients that know no `onFailure`."""
    options = ('--git-hooks', '--claude', '--shell-form')
    install(project, 'plugin-workflow', *options)
    return project


def test_the_form_for_older_clients(shell_form: Repo, client: Client) -> None:
    settings = shell_form.path / WIRED
    assert 'onFailure' not in settings.read_text()
    seen = client.play(script(*attempt(shell_form)))
    assert holds(seen, shell_form)
    # without an interpreter the shell refuses
    text = settings.read_text()
    settings.write_text(text.replace(str(PYTHON), '/nowhere/python'))
    seen = client.play(
        script(write('write', shell_form.path / 'é.txt', 'é\n'), say('done'))
    )
    assert seen.refused('write', '/nowhere/python')
    assert not (shell_form.path / 'é.txt').exists()


def test_uninstall_leaves_the_hooks_of_others(
    project: Repo, client: Client, recorder: Recorder
) -> None:
    project.commit({WIRED: recorder.settings})
    install(project, 'plugin-workflow', '--git-hooks', '--claude')
    assert holds(client.play(script(*attempt(project))), project)
    assert len(recorder.events('PreToolUse')) == 1
    subprocess.run(
        (str(SCRIPTS / 'interlock'), 'uninstall'),
        check=True,
        cwd=project.path,
        capture_output=True,
    )
    assert json.loads((project.path / WIRED).read_text()) == (
        json.loads(recorder.settings)
    )
    seen = client.play(script(*attempt(project)))
    assert seen.done('write')
    assert (project.path / BRIEF).read_text() == 'autre\n'
    assert len(recorder.events('PreToolUse')) == 2
