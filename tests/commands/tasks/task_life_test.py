"""The life of a task, from its beginning to its clean-up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Interlock, Repo
from tests.desk import FORWARD, PARTS, PLAN, Desk
from tests.spaces import TASK, TODO, at_terminal

pytestmark = pytest.mark.real


@pytest.fixture
def remote(tmp_path: Path, empty_desk: Desk) -> Repo:
    path = tmp_path / 'remote.git'
    path.mkdir()
    bare = Repo(path)
    bare.git('init', '-q', '--bare')
    empty_desk.main.git('remote', 'add', 'origin', str(path))
    empty_desk.main.git('push', '-q', 'origin', 'main')
    return bare


@pytest.mark.parametrize(
    'inside',
    (
        pytest.param(False, id='the workflow beside the main worktree'),
        pytest.param(True, id='the workflow in the repository'),
    ),
)
def test_a_whole_life(
    empty_desk: Desk,
    remote: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    inside: bool,
) -> None:
    desk = empty_desk
    desk.configure('approvals: recorded\nplan: strict\nevidence: strict\n')
    if inside:
        file = desk.path / '.interlock.yaml'
        file.rename(desk.main.path / file.name)
        desk.main.commit({})

    def run(*args: str) -> str:
        result = interlock(*args)
        assert result.code == 0, result.out + result.err
        return result.out

    def refused(*args: str) -> str:
        result = interlock(*args)
        assert result.code == 1, result.out + result.err
        return result.out + result.err

    run('task', 'start', TASK)
    monkeypatch.chdir(desk.code.path)

    # the first state: the agents are selected with their reasons
    assert 'comes after CLASSIFIED' in refused('transition', TASK, 'REQUIREMENTS')
    assert 'risk' in refused('gate', TASK, 'REQUIREMENTS')
    said = run(
        'transition',
        TASK,
        'CLASSIFIED',
        '--risk',
        'HIGH',
        '--why',
        'new API',
        '--change',
        'code',
    )
    assert 'judge the risk, select the agents' in said
    run('agents', 'add', TASK, 'architect', '--why', 'it is a design')
    assert 'GAT014' in refused('transition', TASK, 'REQUIREMENTS')
    desk.write('task.md', PLAN)
    run('transition', TASK, 'REQUIREMENTS')

    # requirements: one agent, and one more that turns out to be needed
    run('trail', 'add', TASK, 'agent-start', 'architect')
    assert 'INVOKE_ALL_AGENTS' in refused('task', 'resume', TASK)
    desk.status('architect')
    desk.report('architect')
    run(
        'trail',
        'add',
        TASK,
        'agent-end',
        'architect',
        '--report',
        f'{TASK}-architect-requirements.md',
    )
    run('agents', 'add', TASK, 'security', '--why', 'logins — vraiment')
    assert 'INVOKE_INCOMPLETE [security]' in refused('task', 'resume', TASK)
    assert 'GAT017' in refused('transition', TASK, 'SYNTHESIS')
    run('trail', 'add', TASK, 'agent-start', 'security')
    desk.status('security')
    desk.report('security')
    run('trail', 'add', TASK, 'agent-end', 'security')
    assert 'TRANSITION_TO_SYNTHESIS' in run('task', 'resume', TASK)
    run(
        'transition',
        TASK,
        'SYNTHESIS',
        '--evidence',
        f'{TASK}-architect-requirements.md',
    )

    # synthesis: the plan is written, presented, approved, changed, and
    # approved again
    plan = (desk.task / 'task.md').read_text(encoding='UTF-8')
    whole = plan + PARTS.replace('architect: X', 'architect: X\nsecurity: Y')
    desk.write('task.md', whole)
    assert 'GAT021' in refused('transition', TASK, 'IMPLEMENTATION')
    code, said = at_terminal('approve', TASK)
    assert code == 1
    assert 'was not presented yet' in said
    assert '### File Manifest\nsrc/X.java' in run('present', TASK)
    assert 'not an agent' in refused('approve', TASK)
    code, said = at_terminal('approve', TASK)
    assert code == 0, said
    desk.write('task.md', whole + '\nmore\n')
    assert 'has lapsed' in refused('transition', TASK, 'IMPLEMENTATION')
    run('present', TASK)
    code, said = at_terminal('approve', TASK)
    assert code == 0, said
    said = run('transition', TASK, 'IMPLEMENTATION')
    assert 'forbidden: to write a source' in said

    # implementation: an agent commits in its worktree, and merges
    agent = Repo(desk.task / 'agents' / 'architect' / 'code')
    assert 'INVOKE_ALL_AGENTS' in refused('task', 'resume', TASK)
    assert 'GAT017' in refused('transition', TASK, 'VALIDATION')
    desk.status('architect', work_remaining='tests')
    desk.status('security')
    assert 'INVOKE_INCOMPLETE [architect]' in refused('task', 'resume', TASK)
    agent.write({'src/X.java': 'class X {}\n'})
    said = refused('transition', TASK, 'VALIDATION')
    assert 'architect has work left: tests' in said
    assert 'worktree of architect: src/X.java is not committed' in said
    agent.commit({}, '[agent:architect] Add X')
    desk.status('architect', work_remaining='none')
    desk.code.git('merge', '-q', '--ff-only', f'{TASK}-architect')
    run('trail', 'add', TASK, 'commit', 'HEAD', '--agent', 'architect')
    run(
        'transition',
        TASK,
        'VALIDATION',
        '--evidence',
        desk.code.git('rev-parse', 'HEAD'),
    )

    # validation
    assert 'GAT024' in refused('transition', TASK, 'REVIEW')
    run('trail', 'add', TASK, 'build', 'make', '--result', 'FAILURE')
    assert 'ended with FAILURE' in refused('transition', TASK, 'REVIEW')
    run(
        'trail',
        'add',
        TASK,
        'build',
        'make',
        '--result',
        'SUCCESS',
        '--tests-run',
        '3',
        '--tests-passed',
        '3',
        '--tests-failed',
        '0',
    )
    run('transition', TASK, 'REVIEW', '--evidence', 'built')

    # review: rejected, back, approved
    desk.status('architect', decision='APPROVED')
    desk.status('security', decision='REJECTED')
    assert 'GAT026' in refused('transition', TASK, 'AWAITING_USER_APPROVAL')
    assert 'needs a reason' in refused('transition', TASK, 'IMPLEMENTATION')
    assert 'rejected the work' in refused(
        'agents', 'add', TASK, 'test', '--why', 'a friend'
    )
    run('transition', TASK, 'IMPLEMENTATION', '--reason', 'a hole')
    # the last commit of the work takes the task off the list
    desk.code.commit(
        {
            'src/X.java': 'final class X {}\n',
            'todo.md': TODO.replace(f'`{TASK}`', '`x`'),
            'changelog.md': '# Changes\n\n- X\n',
        },
        'Close the hole',
    )
    # what everybody had done before does not count
    said = refused('transition', TASK, 'VALIDATION', '--evidence', 'closed')
    assert 'architect: its status COMPLETE was written at' in said
    desk.status('architect')
    desk.status('security')
    run('transition', TASK, 'VALIDATION', '--evidence', 'closed')
    # a round is built and reviewed anew, by everybody
    run('trail', 'add', TASK, 'build', 'make', '--result', 'SUCCESS')
    run('transition', TASK, 'REVIEW', '--evidence', 'built')
    desk.status('architect', decision='APPROVED')
    desk.status('security', decision='APPROVED')
    assert 'no checkpoint' in refused('transition', TASK, 'AWAITING_USER_APPROVAL')
    assert 'on origin does not exist' in refused('checkpoint', TASK)
    head = desk.code.git('rev-parse', 'HEAD')
    assert run('checkpoint', TASK, '--push') == (
        f'Commit: {head}\nRemote: origin/{TASK}\n'
    )
    assert remote.git('rev-parse', TASK) == head
    run(
        'transition',
        TASK,
        'AWAITING_USER_APPROVAL',
        '--evidence',
        'architect=APPROVED',
        '--evidence',
        'security=APPROVED',
    )

    # the user looks at it
    assert 'GAT029' in refused('transition', TASK, 'COMPLETE')
    assert f'**Commit**: {head}' in run('present', TASK)
    desk.code.commit({'src/Y.java': 'class Y {}\n'}, 'One more')
    code, said = at_terminal('approve', TASK)
    assert code == 1
    assert f'the work of {TASK} moved on to' in said
    desk.code.git('reset', '-q', '--hard', head)
    code, said = at_terminal('approve', TASK)
    assert code == 0, said
    run('transition', TASK, 'COMPLETE')

    # clean-up: merged with the todo list, the trail complete
    assert 'GAT034' in refused('transition', TASK, 'CLEANUP')
    desk.main.git('merge', '-q', '--no-ff', '-m', 'Merge X', TASK)
    assert 'not its last state' in refused('task', 'finish', TASK)
    run('transition', TASK, 'CLEANUP')
    assert run('trail', 'check', TASK).startswith('holds ')
    result = interlock('task', 'check', TASK)
    assert result.code == 0, result.out
    log = desk.read()['transition_log']
    monkeypatch.chdir(desk.main.path)
    trail = desk.trail
    run('task', 'finish', TASK)

    assert [step['to'] for step in log] == [
        'INIT',
        *FORWARD[:6],
        'IMPLEMENTATION',
        'VALIDATION',
        'REVIEW',
        *FORWARD[6:],
    ]
    assert [step['to_state'] for step in trail['state_transitions']] == [
        step['to'] for step in log
    ]
    assert desk.trail == trail
    assert sorted(os.listdir(desk.task)) == [
        'agents',
        'audit-trail.json',
        f'{TASK}-architect-requirements.md',
        f'{TASK}-security-requirements.md',
        'task.md',
    ]
    assert desk.main.git('worktree', 'list').count('\n') == 0
    assert TASK not in desk.main.git('branch', '--list')
    assert interlock('lock', 'show', TASK).code == 1
    assert 'it is finished' in interlock('task', 'start', TASK).err
    # a session that begins it again, listed again, is a new holder
    desk.main.write({'todo.md': TODO})
    run('task', 'start', TASK)
    assert desk.read()['generation'] == 2
