"""Sessions: what they are told at the start, and what they leave behind."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from interlock.guard.decision import START
from tests import samples, spaces
from tests.client.brief import BRIEF, attempt
from tests.client.runner import Client
from tests.client.script import bash, say, script, write
from tests.client.seen import Seen
from tests.conftest import Repo
from tests.guard.asking import OTHER, SESSION
from tests.spaces import TASK, Space

SAME = ('--session-id', SESSION)
ACQUIRE = 'interlock lock acquire main --operation git-operation'
COMMIT = 'echo é > a && git add a && git commit -m "chore: é"'
SHOW = 'interlock lock show main --format json'
TOOL = 'drift.py'
# the row and the entry of one plugin disagree
DRIFT = samples.registry(
    {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'},
    rows={'Bravo': 'Stage 3'},
)


def context(seen: Seen, event: str = 'SessionStart') -> str:
    """What the first hook of an event gave to the model."""
    out = seen.hooks(event)[0]
    text = json.loads(out)['hookSpecificOutput']['additionalContext']
    assert text in seen.shown()
    return str(text)


def test_a_session_is_told_where_work_stands(plugins: Repo, client: Client) -> None:
    plugins.commit({}, 'feat: Bravo Stage 2 - coque')
    text = context(client.play(script(say('done'))))
    assert 'In progress (1): Bravo at Stage 2' in text
    assert "waits for the user's approval" in text
    assert 'The gate is not live' not in text
    assert len(text) <= START


def test_the_tasks_of_others_are_told_in_few_words(
    tasks: Space, task_client: Client
) -> None:
    for number in range(200):
        name = f'task-{number}'
        tasks.put(spaces.lock(task_name=name, session_id=OTHER), name)
    tasks.put(spaces.lock(session_id=SESSION))
    text = context(task_client.play(script(say('done')), args=SAME))
    assert TASK in text
    assert 'Tasks of other sessions (200): ' in text
    assert len(text) <= START


def test_a_project_without_a_workflow_is_left_alone(
    plugins: Repo, client: Client
) -> None:
    plugins.commit({'.interlock.yaml': None})
    # nor has it ever been one of ours
    shutil.rmtree(plugins.path / '.git' / 'interlock')
    seen = client.play(
        script(
            *attempt(plugins)[:-1],
            bash('bash', 'git commit --no-verify -am "chore: é"'),
            say('done'),
        )
    )
    assert seen.done('write') and seen.done('bash')
    assert plugins.git('show', f'HEAD:{BRIEF}') == 'autre'
    events = {row['hook_event'] for row in seen.events('hook_response')}
    assert {'SessionStart', 'PreToolUse', 'PostToolUse', 'Stop'} <= events
    assert {out for event in events for out in seen.hooks(event)} == {''}


def test_what_calls_us_is_guarded_where_the_workflow_is_gone(
    plugins: Repo, client: Client
) -> None:
    """As in a commit from before the workflow was adopted."""
    plugins.commit({'.interlock.yaml': None})
    seen = client.play(
        script(
            *attempt(plugins)[:-1],
            bash('bash', 'git commit --no-verify -am "chore: é"'),
            say('done'),
        )
    )
    assert seen.done('write')
    is_refused, text = seen.results['bash']
    assert is_refused and 'CLD001' in text


def test_what_is_left_undone_is_said_once(plugins: Repo, client: Client) -> None:
    # a tool of the project, which the guard does not read
    plugins.commit({TOOL: f'open("PLUGINS.md", "w").write({DRIFT!r})\n'})
    seen = client.play(
        script(
            bash('write', f'python3 {TOOL}'),
            say('done'),
            say('I see'),
            say('that is all'),
        ),
        turns=('go', 'and now?'),
    )
    assert seen.done('write')
    stops = [json.loads(out or '{}') for out in seen.hooks('Stop')]
    assert [each.get('decision') for each in stops] == ['block', None, None]
    assert 'REG001 Bravo' in seen.turns()[2].text
    assert 'REG001 Bravo' not in seen.turns()[0].text
    assert seen.said == ['I see', 'that is all']


def test_what_was_left_before_a_session_does_not_stop_it(
    plugins: Repo, client: Client
) -> None:
    plugins.write({'PLUGINS.md': DRIFT})
    seen = client.play(script(say('done')))
    stops = [json.loads(out or '{}') for out in seen.hooks('Stop')]
    assert [each.get('decision') for each in stops] == [None]


def test_the_end_of_a_session_is_noted_and_its_lock_stays(
    tasks: Space, task_client: Client
) -> None:
    lock = tasks.file('task.json', 'main')
    seen = task_client.play(
        script(bash('acquire', ACQUIRE), say('done'), say('it stays')), args=SAME
    )
    assert seen.done('acquire')
    # held at the end: that is said, once
    assert 'still holds the lock of the main worktree' in seen.last()
    assert json.loads(lock.read_text())['session_id'] == SESSION
    shown = spaces.run('lock', 'show', 'main', cwd=tasks.main.path)
    assert 'ended' in shown.stdout
    assert SESSION in shown.stdout
    # the next session is told so
    other = task_client.play(script(say('done')))
    assert 'its session ended at' in context(other)
    # and a session that comes back has not ended
    again = task_client.play(script(say('done')), args=('--resume', SESSION))
    assert 'This session holds the lock of the main worktree' in again.shown()


def test_a_session_that_is_cleared_keeps_its_locks(
    tasks: Space, task_client: Client
) -> None:
    seen = task_client.play(
        script(
            bash('acquire', ACQUIRE),
            say('one'),
            say('held'),
            bash('commit', COMMIT),
            bash('show', SHOW),
            bash('release', 'interlock lock release main'),
            say('two'),
        ),
        turns=('go', '/clear', 'go on'),
        args=SAME,
    )
    for id in ('acquire', 'commit', 'show', 'release'):
        assert seen.done(id)
    holder = json.loads(seen.results['show'].text)['session']
    assert holder != SESSION
    assert f'was held by this process as session {SESSION}' in seen.shown()
    assert tasks.main.git('log', '-1', '--format=%s') == 'chore: é'
    assert not tasks.file('task.json', 'main').exists()


@pytest.fixture
def foreign(tasks: Space) -> Path:
    """The worktree of a task that another session holds."""
    code = tasks.worktree().path
    tasks.put(spaces.lock(session_id=OTHER))
    return code


def test_the_task_of_another_session_is_not_touched(
    tasks: Space, foreign: Path, tmp_path: Path
) -> None:
    client = Client(foreign, tmp_path / 'client')
    before = tasks.file('task.json').read_text()
    seen = client.play(
        script(
            write('write', foreign / 'é.md', 'é\n'),
            bash('commit', COMMIT),
            bash('remove', f'rm {foreign}/../task.json'),
            say('done'),
        )
    )
    for id in ('write', 'commit', 'remove'):
        assert seen.refused(id, 'LCK001', OTHER)
    assert tasks.file('task.json').read_text() == before
    assert not (foreign / 'é.md').exists()
