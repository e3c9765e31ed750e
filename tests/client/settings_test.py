"""Settings of the client that change while a session is at work."""

from __future__ import annotations

import json

import pytest

from tests import spaces
from tests.client.brief import BRIEF, attempt, holds
from tests.client.conftest import Recorder, install
from tests.client.runner import Client
from tests.client.script import bash, script, write
from tests.conftest import Repo

# the file that calls us, and the one beside it
LOCAL, SHARED = '.claude/settings.local.json', '.claude/settings.json'
# until the client has asked us about a file that it has seen change
WAIT = bash(
    'wait',
    ('until [ -e .git/interlock/claude/ConfigChange ]; do sleep 0.2; done; sleep 1'),
)
BLOCKED = 'ConfigChange hook blocked change to '


@pytest.mark.parametrize(
    ('name', 'text'),
    (
        pytest.param(SHARED, '{"disableAllHooks": true}', id='switched off'),
        pytest.param(LOCAL, '{}', id='our entries removed'),
        pytest.param(LOCAL, '{"hooks": {', id='no JSON'),
        pytest.param(LOCAL, '{"env": "é"}', id='dropped by the client'),
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
    before = (plugins.path / LOCAL).read_text()
    shared = plugins.path / SHARED
    seen = client.play(
        script(
            write('off', shared, '{"disableAllHooks": true}'),
            bash('shell', f"echo '{{}}' > {LOCAL}"),
            bash('remove', f'rm {LOCAL}'),
            write('other', shared, '{"model": "é"}'),
            *attempt(plugins),
        )
    )
    for id in ('off', 'shell', 'remove'):
        assert seen.refused(id, 'CLD003')
    assert seen.done('other')
    assert (plugins.path / LOCAL).read_text() == before
    assert holds(seen, plugins)


def test_a_change_that_leaves_us_alone_comes_into_force(
    plugins: Repo, client: Client, recorder: Recorder
) -> None:
    data = json.loads((plugins.path / LOCAL).read_text())
    theirs = json.loads(recorder.settings)['hooks']
    for event, groups in theirs.items():
        data['hooks'][event] += groups
    plugins.commit({'tidy.py': (f'open({LOCAL!r}, "w").write({json.dumps(data)!r})\n')})
    seen = client.play(
        script(bash('script', 'python3 tidy.py'), WAIT, *attempt(plugins))
    )
    assert BLOCKED not in seen.debug
    tools = [event['tool_name'] for event in recorder.events('PreToolUse')]
    assert tools[-1:] == ['Write']
    assert holds(seen, plugins)


def test_uninstall_leaves_the_hooks_of_others(
    project: Repo, client: Client, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit({SHARED: recorder.settings})
    install(project, 'plugin-workflow', '--git-hooks', '--claude')
    assert holds(client.play(script(*attempt(project))), project)
    assert len(recorder.events('PreToolUse')) == 1
    monkeypatch.chdir(project.path)
    code, said = spaces.at_terminal('uninstall')
    assert code == 0, said
    assert json.loads((project.path / SHARED).read_text()) == (
        json.loads(recorder.settings)
    )
    seen = client.play(script(*attempt(project)))
    assert seen.done('write')
    assert (project.path / BRIEF).read_text() == 'autre\n'
    assert len(recorder.events('PreToolUse')) == 2
