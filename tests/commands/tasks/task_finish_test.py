from __future__ import annotations

import json

import pytest

from tests.conftest import Interlock
from tests.desk import DONE, TRAIL, Desk
from tests.spaces import OTHER, TASK


@pytest.fixture
def ended(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The work is merged, the trail complete."""
    desk.at('CLEANUP')
    desk.write('audit-trail.json', json.dumps(TRAIL))
    desk.code.commit({'X': 'x\n', 'todo.md': DONE, 'changelog.md': '# Changes\n- X\n'})
    desk.main.git('merge', '-q', '--ff-only', TASK)
    monkeypatch.chdir(desk.main.path)
    return desk


def test_worktrees_and_lock_go_and_the_trail_stays(
    ended: Desk, interlock: Interlock
) -> None:
    trail = ended.file('audit-trail.json').read_bytes()
    result = interlock('task', 'finish', TASK)
    assert result.code == 0, result.out + result.err
    assert not ended.file('task.json').exists()
    assert not ended.code.path.exists()
    assert not ended.file('agents/architect/code').exists()
    assert ended.file('audit-trail.json').read_bytes() == trail
    assert len(ended.main.git('worktree', 'list').splitlines()) == 1
    assert ended.main.git('branch', '--list', f'{TASK}*') == ''
    log = (ended.register / 'log.jsonl').read_text(encoding='UTF-8')
    assert json.loads(log.splitlines()[-1])['event'] == 'finished'


@pytest.mark.parametrize(
    ('prepare', 'sentence'),
    (
        pytest.param('state', 'is not its last state', id='too early'),
        pytest.param('other', 'LCK001', id="another session's"),
        pytest.param('trail', 'GAT033', id='no trail'),
        pytest.param('log', 'GAT002', id='a broken log'),
        pytest.param('merged', 'GAT034', id='not merged'),
        pytest.param(
            'approved',
            'X on the main branch differs from what was approved',
            id='not what was approved',
        ),
    ),
)
def test_what_is_not_at_its_end_stays(
    ended: Desk, interlock: Interlock, prepare: str, sentence: str
) -> None:
    if prepare == 'state':
        ended.at('COMPLETE')
    elif prepare == 'other':
        ended.change(session_id=OTHER)
    elif prepare == 'trail':
        ended.file('audit-trail.json').unlink()
    elif prepare == 'log':
        ended.change(transition_log=[])
    elif prepare == 'approved':
        ended.change(
            checkpoint={
                'type': 'USER_APPROVAL_POST_REVIEW',
                'commit_sha': ended.main.git('rev-parse', 'HEAD~1'),
                'presented_at': '2026-01-02T03:00:00Z',
                'approved': True,
            }
        )
    else:
        ended.main.git('reset', '-q', '--hard', 'HEAD~1')
    before = ended.bytes()
    result = interlock('task', 'finish', TASK)
    assert result.code == 1
    assert sentence in result.out + result.err
    assert ended.bytes() == before
    assert ended.code.path.exists()


def test_work_that_is_not_committed_is_not_thrown_away(
    ended: Desk, interlock: Interlock
) -> None:
    ended.code.write({'é.txt': 'lost?'})
    result = interlock('task', 'finish', TASK)
    assert result.code == 1
    assert 'GAT023' in result.out
    assert ended.code.path.exists()
    assert ended.file('agents/architect/code').exists()
    assert ended.file('task.json').exists()
    # once it is saved, the rest is done
    (ended.code.path / 'é.txt').unlink()
    assert interlock('task', 'finish', TASK).code == 0
    assert not ended.code.path.exists()


def test_a_branch_with_work_of_its_own_is_kept(
    ended: Desk, interlock: Interlock
) -> None:
    agent = ended.file('agents/architect/code')
    (agent / 'Z').write_text('z')
    ended.main.git('-C', str(agent), 'add', '-A')
    ended.main.git('-C', str(agent), 'commit', '-qm', 'z')
    result = interlock('task', 'finish', TASK)
    assert result.code == 0, result.out
    assert f'the branch {TASK}-architect is kept' in result.err
    assert ended.main.git('branch', '--list', f'{TASK}-architect')


def test_a_worktree_that_is_gone_already(ended: Desk, interlock: Interlock) -> None:
    ended.main.git('worktree', 'remove', str(ended.code.path))
    ended.change(
        checkpoint={
            'type': 'USER_APPROVAL_POST_REVIEW',
            'commit_sha': ended.main.git('rev-parse', TASK),
            'presented_at': '2026-01-02T03:00:00Z',
            'approved': True,
        }
    )
    assert interlock('task', 'finish', TASK).code == 0


def test_it_may_be_called_from_the_worktree_that_goes(
    ended: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ended.code.path)
    result = interlock('task', 'finish', TASK)
    monkeypatch.chdir(ended.main.path)
    assert result.code == 0, result.err
    assert not ended.code.path.exists()
