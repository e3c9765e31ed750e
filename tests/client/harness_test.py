"""What the harness itself has to get right, with hooks that do as told."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.client.conftest import Recorder
from tests.client.runner import Client
from tests.client.script import HEAVY, Script, Step, bash, delegate, say, script, use
from tests.conftest import Repo

OLD = 'ancien\n'
REASON = 'protégé: "non"'
DENY = {'permissionDecision': 'deny', 'permissionDecisionReason': REASON}


@pytest.fixture
def recording(repo: Repo, recorder: Recorder) -> Recorder:
    """The repository is wired to a hook that only does what it is told."""
    repo.write({'.claude/settings.json': recorder.settings})
    return recorder


@pytest.fixture
def file(repo: Repo) -> Path:
    repo.commit({'é.txt': OLD})
    return repo.path / 'é.txt'


def write(file: Path) -> tuple[Step, ...]:
    return (
        use('read', 'Read', file_path=str(file)),
        use('write', 'Write', file_path=str(file), content='new\n'),
        say('done'),
    )


@pytest.mark.parametrize('mode', ('bypass', 'accept'))
def test_a_write_that_nobody_refuses_is_done(
    client: Client, recording: Recorder, file: Path, mode: str
) -> None:
    seen = client.play(script(*write(file)), mode=mode)
    assert file.read_text() == 'new\n'
    assert not seen.results['write'].refused
    assert seen.said == ['done']
    assert recording.events('PreToolUse')[-1]['tool_name'] == 'Write'


def test_without_permissions_a_write_is_not_done(client: Client, file: Path) -> None:
    seen = client.play(script(*write(file)), mode='none')
    assert file.read_text() == OLD
    assert seen.results['write'].refused


@pytest.mark.parametrize('mode', ('bypass', 'accept'))
def test_a_refusal_reaches_the_model_and_the_file_stays(
    client: Client, recording: Recorder, file: Path, mode: str
) -> None:
    recording.answers({'PreToolUse Write': DENY})
    seen = client.play(script(*write(file)), mode=mode)
    assert file.read_text() == OLD
    assert seen.results['write'].refused
    assert REASON in seen.results['write'].text
    assert not seen.results['read'].refused


def test_the_context_of_a_session_reaches_the_model(
    client: Client, recording: Recorder
) -> None:
    context = 'contexte: "é"'
    recording.answers({'SessionStart': {'additionalContext': context}})
    seen = client.play(script(say('done')))
    assert context in seen.shown()
    (started,) = recording.events('SessionStart')
    assert started['source'] == 'startup'


def test_a_subagent_is_told_apart(
    client: Client, recording: Recorder, file: Path
) -> None:
    recording.answers({'PreToolUse Write': DENY})
    seen = client.play(
        script(delegate('agent', 'worker'), say('done'), worker=write(file))
    )
    assert file.read_text() == OLD
    agent, written = recording.events('PreToolUse')
    assert (agent['tool_name'], written['tool_name']) == ('Agent', 'Write')
    assert 'agent_id' not in agent
    assert written['agent_id']
    assert written['session_id'] == agent['session_id']
    assert REASON in seen.shown('worker')
    assert REASON not in seen.shown()


def compaction(recording: Recorder, trigger: str) -> None:
    (before,) = recording.events('PreCompact')
    assert before['trigger'] == trigger
    sources = [row['source'] for row in recording.events('SessionStart')]
    assert sources == ['startup', 'compact']


def test_a_compaction_by_the_user(client: Client, recording: Recorder) -> None:
    seen = client.play(
        script(bash('first', 'echo un'), say('one'), say('two')),
        turns=('go', '/compact', 'go on'),
    )
    compaction(recording, 'manual')
    assert 'the model has summed up' in seen.last()
    assert 'echo un' in seen.shown()
    assert 'echo un' not in seen.last()


def test_a_compaction_by_the_client(client: Client, recording: Recorder) -> None:
    seen = client.play(
        script(say('one', tokens=HEAVY), say('two')), turns=('go', 'go on')
    )
    compaction(recording, 'auto')
    assert 'the model has summed up' in seen.last()


def test_a_git_hook_knows_the_session(
    client: Client, recording: Recorder, repo: Repo
) -> None:
    hook = repo.path / '.git/hooks/pre-commit'
    hook.write_text('#!/bin/sh\necho "session=$CLAUDE_CODE_SESSION_ID" >&2\n')
    hook.chmod(0o755)
    seen = client.play(
        script(bash('commit', 'git commit --allow-empty -m é'), say('done'))
    )
    session = seen.init['session_id']
    assert f'session={session}' in seen.results['commit'].text
    assert recording.calls('PreToolUse')[0]['session'] == session
    assert repo.git('log', '--format=%s %an') == 'é Zoë Test'


def test_a_session_is_continued(client: Client, recording: Recorder) -> None:
    first = client.play(script(bash('first', 'echo un'), say('one')))
    second = client.play(script(say('two')), args=('--continue',))
    assert 'echo un' in second.last()
    assert second.results['first'].text == 'un'
    assert first.init['session_id'] == second.init['session_id']
    sources = [row['source'] for row in recording.events('SessionStart')]
    assert sources == ['startup', 'resume']


def test_hooks_of_a_plugin(
    client: Client, recorder: Recorder, file: Path, tmp_path: Path
) -> None:
    recorder.answers({'PreToolUse Write': DENY})
    plugin = tmp_path / 'plugin'
    for name, content in (
        ('.claude-plugin/plugin.json', '{"name": "é", "version": "1.0.0"}'),
        ('hooks/hooks.json', recorder.settings),
    ):
        (plugin / name).parent.mkdir(parents=True)
        (plugin / name).write_text(content)
    seen = client.play(script(*write(file)), args=('--plugin-dir', str(plugin)))
    assert file.read_text() == OLD
    assert REASON in seen.results['write'].text


def sleepers(mark: str) -> list[str]:
    found = []
    for process in Path('/proc').glob('[0-9]*/cmdline'):
        try:
            if mark.encode() in process.read_bytes().split(b'\0'):
                found.append(process.parent.name)
        except OSError:
            pass
    return found


def test_what_takes_too_long_is_killed_with_all_it_started(client: Client) -> None:
    mark = f'{300 + os.getpid() / 1e6 + time.time() % 1e3}'
    command = f'setsid sleep {mark} & touch started; sleep {mark}'
    begun = time.monotonic()
    seen = client.play(script(bash('slow', command)), limit=8, whole=False)
    assert seen.outcome.killed
    assert time.monotonic() - begun < 30
    assert (client.project / 'started').exists()
    assert sleepers(mark) == []


@pytest.mark.parametrize(
    ('played', 'left', 'over'),
    (
        pytest.param(script(), {}, ['main'], id='a turn too many'),
        pytest.param(
            script(say('one'), say('two')),
            {'main': 1},
            [],
            id='a turn that did not come',
        ),
    ),
)
def test_a_script_that_does_not_fit_is_seen(
    client: Client, played: Script, left: dict[str, int], over: list[str]
) -> None:
    seen = client.play(played, whole=False)
    assert (seen.outcome.left, seen.outcome.over) == (left, over)
    assert seen.outcome.code == 0


def test_nobody_can_be_asked_but_the_model(client: Client) -> None:
    seen = client.play(script(bash('net', 'cat /proc/net/dev'), say('done')))
    lines = seen.results['net'].text.splitlines()[2:]
    assert [line.partition(':')[0].strip() for line in lines] == ['lo']
    assert {request.kind for request in seen.requests} == {'turn'}
