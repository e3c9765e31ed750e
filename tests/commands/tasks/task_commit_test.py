"""Commits in the worktrees of tasks, by real git with real hooks."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.files import process
from tests import forked, spaces
from tests.commands.tasks.task_hooks import install
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.guard.asking import ask
from tests.spaces import OTHER, SESSION, TASK, Space, lock

DONE = spaces.TODO.replace('- [ ] **READY:** `bake-bread` - très bon\n', '')


@pytest.fixture
def code(space: Space, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The worktree of a task that this session holds."""
    made = space.worktree()
    space.put(lock(generation=2))
    install(space.main)
    monkeypatch.chdir(made.path)
    return made


def test_the_holder_commits_and_the_commit_says_so(space: Space, code: Repo) -> None:
    code.stage({'bread.py': 'é'})
    done = code.try_git('commit', '-m', 'feat: é')
    assert done.returncode == 0, done.stderr
    assert code.git('log', '-1', '--format=%B') == (
        f'feat: é\n\nInterlock-Task: {TASK}\nInterlock-Lock: {TASK}@2'
    )


def test_another_session_is_refused(
    code: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('INTERLOCK_SESSION', OTHER)
    head = code.git('rev-parse', 'HEAD')
    code.stage({'bread.py': 'é'})
    done = code.try_git('commit', '-m', 'é')
    assert done.returncode == 1
    assert 'LCK001' in done.stdout + done.stderr
    assert code.git('rev-parse', 'HEAD') == head


@pytest.mark.parametrize(('session', 'code_of'), ((SESSION, 0), (OTHER, 1)))
def test_the_session_of_the_client_reaches_the_commit(
    code: Repo, monkeypatch: pytest.MonkeyPatch, session: str, code_of: int
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    monkeypatch.setenv('CLAUDECODE', '1')
    monkeypatch.setenv('CLAUDE_CODE_SESSION_ID', session)
    code.stage({'bread.py': 'é'})
    done = code.try_git('commit', '-m', 'é')
    assert done.returncode == code_of
    assert ('LCK001' in done.stdout + done.stderr) == bool(code_of)


def test_a_session_with_a_new_id_commits_under_it(
    space: Space, code: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    space.put(
        lock(
            generation=2,
            pid=forked.parent(),
            machine=process.machine(),
            pid_started=process.start_time(forked.parent()),
        )
    )
    monkeypatch.delenv('INTERLOCK_SESSION')
    ask('SessionStart', code.path, OTHER, source='clear')
    monkeypatch.setenv('CLAUDECODE', '1')
    monkeypatch.setenv('CLAUDE_CODE_SESSION_ID', OTHER)
    code.stage({'bread.py': 'é'})
    done = code.try_git('commit', '-m', 'é')
    assert done.returncode == 0, done.stderr
    assert f'{TASK}@2' in code.git('log', '-1', '--format=%(trailers)')


def test_an_agent_without_a_session_is_refused(
    code: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    monkeypatch.setenv('CLAUDECODE', '1')
    code.stage({'bread.py': 'é'})
    done = code.try_git('commit', '-m', 'é')
    assert done.returncode == 1
    assert 'LCK003' in done.stdout + done.stderr


def test_a_person_is_warned_and_commits_without_a_lock(
    code: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    code.stage({'bread.py': 'é'})
    done = code.try_git('commit', '-m', 'é')
    assert done.returncode == 0
    assert 'LCK001' in done.stdout + done.stderr
    assert code.git('log', '-1', '--format=%(trailers)') == (f'Interlock-Task: {TASK}')


def test_the_trailers_of_an_earlier_holder_are_replaced(
    space: Space, code: Repo
) -> None:
    code.stage({'bread.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    space.put(lock(generation=7))
    done = code.try_git('commit', '--amend', '--no-edit')
    assert done.returncode == 0, done.stderr
    assert code.git('log', '-1', '--format=%(trailers)') == (
        f'Interlock-Task: {TASK}\nInterlock-Lock: {TASK}@7'
    )


def test_an_agents_worktree_is_of_its_task(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = space.file('agents/test/code')
    space.main.git('worktree', 'add', '-q', '-b', 'x', str(path))
    space.put(lock(session_id=OTHER))
    install(space.main)
    agent = Repo(path)
    agent.stage({'bread.py': 'é'})
    done = agent.try_git('commit', '-m', 'é')
    assert done.returncode == 1
    assert 'LCK001' in done.stdout + done.stderr
    monkeypatch.setenv('INTERLOCK_SESSION', OTHER)
    assert agent.try_git('commit', '-m', 'é').returncode == 0
    assert f'Interlock-Task: {TASK}' in agent.git('log', '-1', '--format=%B')


def test_a_commit_in_the_main_worktree_needs_its_lock(
    space: Space, interlock: Interlock
) -> None:
    install(space.main)
    space.main.stage({'x': 'é'})
    done = space.main.try_git('commit', '-m', 'é')
    assert done.returncode == 1
    assert 'LCK007' in done.stdout + done.stderr
    interlock('lock', 'acquire', 'main', '--operation', 'git-operation')
    assert space.main.try_git('commit', '-m', 'é').returncode == 0
    # and is nobody's task
    assert space.main.git('log', '-1', '--format=%(trailers)') == ''


def test_a_main_worktree_at_rest_needs_no_lock(
    space: Space, interlock: Interlock
) -> None:
    install(space.main)
    look = (
        ('status',),
        ('check', '--worktree'),
        ('check', '--worktree', '--inherited'),
    )
    for command in look:
        result = interlock(*command)
        assert (result.code, 'LCK007' in result.out) == (0, False), result.out
    assert 'nothing to refuse' in interlock('status').out
    # even an empty commit needs it
    done = space.main.try_git('commit', '--allow-empty', '-m', 'é')
    assert 'LCK007' in done.stdout + done.stderr
    space.main.write({'x': 'é'})
    space.main.git('add', 'x')
    for command in look[1:]:
        assert 'LCK007' in interlock(*command).out
    assert '1 error' in interlock('status').out


def test_a_merge_into_the_main_worktree_needs_its_lock(
    space: Space, code: Repo, interlock: Interlock
) -> None:
    code.commit({'bread.py': 'é'})
    head = space.main.git('rev-parse', 'HEAD')
    done = space.main.try_git('merge', '--no-ff', '-m', 'é', TASK)
    assert done.returncode != 0
    assert 'LCK007' in done.stdout + done.stderr
    assert space.main.git('rev-parse', 'HEAD') == head
    space.main.git('merge', '--abort')
    interlock('lock', 'acquire', 'main', '--operation', 'git-operation')
    done = space.main.try_git('merge', '--no-ff', '-m', 'é', TASK)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ('todo', 'codes'),
    (
        pytest.param(DONE, [], id='its entry is gone'),
        pytest.param(spaces.TODO, ['COM007'], id='its entry is open'),
    ),
)
def test_a_push_may_end_with_the_merge_of_a_task(
    space: Space, code: Repo, interlock: Interlock, todo: str, codes: list[str]
) -> None:
    # only a workflow that the base holds is asked about the whole
    file = space.path / '.interlock.yaml'
    file.rename(space.main.path / file.name)
    base = space.main.commit({})
    code.git('reset', '-q', '--hard', base)
    code.commit(
        {'bread.py': 'é', 'todo.md': todo},
        (f'é\n\nInterlock-Task: {TASK}\nInterlock-Lock: {TASK} 2'),
    )
    space.main.git('merge', '-q', '--no-verify', '--no-ff', '-m', 'é', TASK)
    assert interlock.check('--range', f'{base}..main').codes == codes


def test_a_person_commits_in_the_main_worktree_in_peace(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    install(space.main)
    space.main.stage({'x': 'é'})
    done = space.main.try_git('commit', '-m', 'é')
    assert done.returncode == 0
    assert 'LCK' not in done.stdout + done.stderr


def test_a_worktree_elsewhere_is_not_ours(space: Space, tmp_path: Path) -> None:
    install(space.main)
    (space.path / '.interlock.yaml').rename(space.main.path / '.interlock.yaml')
    space.main.commit({})
    path = tmp_path / 'élsewhere'
    space.main.git('worktree', 'add', '-q', '-b', 'x', str(path))
    other = Repo(path)
    other.stage({'x': 'é'})
    done = other.try_git('commit', '-m', 'é')
    assert done.returncode == 0, done.stdout + done.stderr
    assert other.git('log', '-1', '--format=%B') == 'é'


def test_a_worktree_that_was_moved_by_hand_leaves_its_lock_behind(
    space: Space, code: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(space.main.path)
    code.path.rename(space.path / 'moved')
    answer = interlock('task', 'select', TASK, '--format', 'json')
    assert json.loads(answer.out)['action'] == 'error'
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert result.codes == ['LCK004']


def test_a_torn_lock_stops_commits(space: Space, code: Repo) -> None:
    space.write('task.json', '{"session_id": "')
    code.stage({'bread.py': 'é'})
    done = code.try_git('commit', '-m', 'é')
    assert done.returncode == 1
    assert 'LCK002' in done.stdout + done.stderr


def test_a_state_written_by_another_route_stops_commits(
    space: Space, code: Repo, interlock: Interlock
) -> None:
    space.put(lock(state='IMPLEMENTATION'))
    code.stage({'bread.py': 'é'})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['STG004'])


def test_todo_and_work_travel_together(
    space: Space, code: Repo, interlock: Interlock
) -> None:
    code.stage({'todo.md': DONE})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['COM007'])
    code.stage({'bread.py': 'é'})
    assert interlock.check('--staged').codes == []
    code.git('reset', '-q', 'HEAD', 'bread.py')
    code.git('commit', '-q', '--no-verify', '-m', 'todo only')
    result = interlock.check('--range', 'main..HEAD')
    assert (result.code, result.codes) == (1, ['COM007'])


def test_a_merge_of_work_completes_its_task(
    space: Space, code: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.stage({'bread.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    monkeypatch.chdir(space.main.path)
    interlock('lock', 'acquire', 'main', '--operation', 'git-operation')
    space.main.git('merge', '-q', '--no-ff', '--no-commit', TASK)
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['COM007'])
    space.main.stage({'todo.md': DONE})
    assert interlock.check('--staged').codes == []
    space.main.git('commit', '-q', '--no-verify', '-m', 'merge')
    assert interlock.check('--range', 'HEAD~1..HEAD').codes == []


def squash(space: Space) -> None:
    space.main.git('merge', '-q', '--squash', TASK)


def copied(space: Space) -> None:
    space.main.git('checkout', TASK, '--', 'bread.py')


@pytest.mark.parametrize('bring', (squash, copied))
@pytest.mark.parametrize('hooks', (True, False))
def test_work_that_is_squashed_completes_its_task(
    space: Space,
    code: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    bring: Callable[[Space], None],
    hooks: bool,
) -> None:
    code.stage({'bread.py': 'é'})
    off = () if hooks else ('-c', 'core.hooksPath=/dev/null')
    code.git(*off, 'commit', '-q', '-m', 'é')
    monkeypatch.chdir(space.main.path)
    interlock('lock', 'acquire', 'main', '--operation', 'git-operation')
    bring(space)
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['COM007'])
    assert 'its entry is still open' in result.out
    space.main.git('commit', '-q', '--no-verify', '-m', 'squashed')
    result = interlock.check('--range', 'HEAD~1..HEAD')
    assert (result.code, result.codes) == (1, ['COM007'])
    space.main.git('reset', '-q', '--soft', 'HEAD~1')
    space.main.stage({'todo.md': DONE})
    assert interlock.check('--staged').codes == []
    space.main.git('commit', '-q', '--no-verify', '-m', 'squashed')
    assert interlock.check('--range', 'HEAD~1..HEAD').codes == []


def merge(space: Space) -> None:
    space.main.git('merge', '-q', '--no-ff', '--no-commit', TASK)


@pytest.mark.parametrize('bring', (squash, copied, merge))
def test_the_work_and_the_changelog_come_together(
    space: Space,
    code: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    bring: Callable[[Space], None],
) -> None:
    monkeypatch.chdir(space.main.path)
    interlock('lock', 'acquire', 'main', '--operation', 'git-operation')
    space.main.commit({'changelog.md': '# Changes\n'})
    code.git('merge', '-q', '--ff-only', 'main')
    code.stage({'bread.py': 'é'})
    code.git('commit', '-q', '-m', 'é')
    bring(space)
    space.main.stage({'todo.md': DONE})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['COM007'])
    assert 'does not change changelog.md' in result.out
    # an unchanged file cannot be staged, only written
    assert 'git add' not in result.out
    space.main.write({'changelog.md': '# Changes\n- bread\n'})
    result = interlock.check('--staged')
    if not (space.main.path / '.git' / 'MERGE_HEAD').exists():
        assert 'git add -A -- changelog.md' in result.out
    space.main.stage({'changelog.md': '# Changes\n- bread\n'})
    assert interlock.check('--staged').codes == []
    space.main.git('commit', '-q', '--no-verify', '-m', 'all')
    assert interlock.check('--range', 'HEAD~1..HEAD').codes == []


def test_a_task_is_completed_on_its_branch_before_the_changelog(
    space: Space, code: Repo, interlock: Interlock
) -> None:
    space.main.commit({'changelog.md': '# Changes\n'})
    code.git('merge', '-q', '--ff-only', 'main')
    code.stage({'bread.py': 'é', 'todo.md': DONE})
    assert interlock.check('--staged').codes == []
    code.git('commit', '-q', '-m', 'é')
    assert interlock.check('--range', 'HEAD~1..HEAD').codes == []


def test_a_task_is_not_completed_with_other_work_than_its_own(
    space: Space, code: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.stage({'bread.py': 'é', 'salt.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    monkeypatch.chdir(space.main.path)
    interlock('lock', 'acquire', 'main', '--operation', 'git-operation')
    space.main.stage({'todo.md': DONE, 'bread.py': 'é', 'x': 'é'})
    result = interlock.check('--staged')
    assert (result.code, result.codes) == (1, ['COM007'])
    assert 'changed in salt.py' in result.out
    space.main.git('commit', '-q', '--no-verify', '-m', 'a part')
    result = interlock.check('--range', 'HEAD~1..HEAD')
    assert (result.code, result.codes) == (1, ['COM007'])
    space.main.stage({'salt.py': 'é'})
    space.main.git('commit', '-q', '--no-verify', '--amend', '-m', 'all')
    assert interlock.check('--range', 'HEAD~1..HEAD').codes == []
    # what the main branch has changed as well is merged, and may differ
    space.main.git('reset', '-q', '--hard', 'HEAD~1')
    space.main.commit({'bread.py': 'ours'})
    space.main.stage({'todo.md': DONE, 'bread.py': 'both', 'salt.py': 'é'})
    assert interlock.check('--staged').codes == []


def test_a_branch_that_is_forwarded_completes_its_task(
    space: Space, code: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = space.main.git('rev-parse', 'HEAD')
    code.stage({'bread.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    # on its own branch the task may be open
    assert interlock.check('--range', f'{base}..HEAD').codes == []
    space.main.git('merge', '-q', '--ff-only', TASK)
    result = interlock.check('--range', f'{base}..main')
    assert (result.code, result.codes) == (1, ['COM007'])
    assert 'the work merged into main' in result.out
    space.main.git('reset', '-q', '--hard', base)
    code.stage({'todo.md': DONE, 'salt.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    space.main.git('merge', '-q', '--ff-only', TASK)
    assert interlock.check('--range', f'{base}..main').codes == []


def test_a_push_of_open_work_goes_to_its_branch_and_not_to_main(
    space: Space,
    code: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = space.main.git('rev-parse', 'HEAD')
    server = tmp_path / 'server.git'
    space.main.git('init', '-q', '--bare', '-b', 'main', str(server))
    (server / 'hooks/pre-receive').write_text(
        f'#!/bin/sh\nexport INTERLOCK_CONFIG={space.path}/.interlock.yaml\n'
        f'exec {SCRIPTS}/interlock pre-receive\n'
    )
    space.main.git('remote', 'add', 'origin', str(server))
    space.main.git('push', '-q', 'origin', f'{base}:refs/heads/main')
    (server / 'hooks/pre-receive').chmod(0o755)
    code.stage({'bread.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    done = code.try_git('push', '-q', 'origin', TASK)
    assert done.returncode == 0, done.stderr
    line = f'refs/heads/{TASK} {code.git("rev-parse", "HEAD")} {{}} {base}\n'
    for ref, expected in ((TASK, 0), ('main', 1)):
        lines = line.format(f'refs/heads/{ref}').encode()
        monkeypatch.setattr('sys.stdin', io.TextIOWrapper(io.BytesIO(lines)))
        result = interlock('pre-push', 'origin')
        assert result.code == expected, result.out
        assert ('COM007' in result.out) is bool(expected)
    done = code.try_git('push', '-q', 'origin', f'{TASK}:main')
    assert done.returncode != 0
    assert 'COM007' in done.stderr


def commit(repo: Repo, message: str) -> str:
    return repo.commit({f'{len(message)}.txt': message}, message)


def trailer(generation: int, task: str = TASK) -> str:
    return f'é {generation}\n\nInterlock-Lock: {task}@{generation}'


def test_a_range_refuses_a_commit_of_an_older_generation(
    space: Space, interlock: Interlock
) -> None:
    base = commit(space.main, 'base of it all')
    for number in (1, 1, 3):
        space.main.commit({'x': str(number)}, trailer(number))
    space.main.commit({'y': '1'}, trailer(1, 'wash-up'))
    assert interlock.check('--range', f'{base}..HEAD').codes == []
    late = space.main.commit({'x': 'late'}, trailer(2))
    result = interlock.check('--range', f'{base}..HEAD')
    assert (result.code, result.codes) == (1, ['LCK006'])
    (finding,) = json.loads(result.out)['findings']
    assert finding['commit'] == late
    assert finding['item'] == TASK
    # also where the newer one came before the range
    result = interlock.check('--range', 'HEAD~1..HEAD')
    assert (result.code, result.codes) == (1, ['LCK006'])
    assert interlock.check('--commit', late).codes == ['LCK006']


def range_of(interlock: Interlock, revisions: str) -> list[tuple[str, str]]:
    result = interlock.check('--range', revisions)
    return [
        (each['code'], each['severity']) for each in json.loads(result.out)['findings']
    ]


def test_a_session_that_lost_its_lock_shows_in_a_range(
    space: Space, code: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.stage({'bread.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    space.put(lock(session_id=OTHER, generation=3))
    code.stage({'bread.py': 'ê'})
    assert code.try_git('commit', '-m', 'é').returncode == 1
    assert code.try_git('commit', '--no-verify', '-m', 'é').returncode == 0
    assert code.git('log', '-1', '--format=%(trailers)') == (
        f'Interlock-Task: {TASK}\nInterlock-Lock: {TASK}@0'
    )
    assert range_of(interlock, 'main..HEAD') == [('LCK006', 'error')]
    # so does one that commits where nobody holds a lock
    space.file('task.json').unlink()
    code.stage({'bread.py': 'ë'})
    assert code.try_git('commit', '--no-verify', '-m', 'é').returncode == 0
    assert range_of(interlock, 'HEAD~1..HEAD') == [('LCK006', 'error')]


def test_a_person_among_the_commits_of_a_session_is_a_warning(
    code: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.stage({'bread.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    monkeypatch.delenv('INTERLOCK_SESSION')
    code.stage({'bread.py': 'ê'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    assert range_of(interlock, 'main..HEAD') == [('LCK008', 'warning')]


def test_a_commit_without_hooks_on_the_branch_of_a_task(
    space: Space, code: Repo, interlock: Interlock
) -> None:
    code.stage({'bread.py': 'é'})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    off = ('-c', 'core.hooksPath=/dev/null')
    for number in range(2):
        code.stage({'bread.py': str(number)})
        code.git(*off, 'commit', '-q', '-m', 'no trailers')
    assert range_of(interlock, 'main..HEAD') == [('LCK008', 'warning')] * 2
    assert range_of(interlock, 'HEAD~1..HEAD') == [('LCK008', 'warning')]
    (space.path / '.interlock.yaml').write_text(
        f'{spaces.WORKFLOW}severity: {{LCK008: error}}\n'
    )
    assert range_of(interlock, 'HEAD~1..HEAD') == [('LCK008', 'error')]


def test_who_goes_on_after_a_task_is_done_is_left_in_peace(
    space: Space, code: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.stage({'bread.py': 'é', 'todo.md': DONE})
    assert code.try_git('commit', '-m', 'é').returncode == 0
    monkeypatch.delenv('INTERLOCK_SESSION')
    monkeypatch.chdir(space.main.path)
    base = space.main.git('rev-parse', 'HEAD')
    space.main.git('merge', '-q', '--ff-only', TASK)
    space.main.stage({'x': 'é'})
    assert space.main.try_git('commit', '-m', 'é').returncode == 0
    assert range_of(interlock, f'{base}..HEAD') == []


def test_where_no_session_commits_nobody_is_asked(
    code: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    for number in range(2):
        code.stage({'bread.py': str(number)})
        assert code.try_git('commit', '-m', 'é').returncode == 0
    assert range_of(interlock, 'main..HEAD') == []


def test_what_is_not_before_a_commit_does_not_count(
    space: Space, interlock: Interlock
) -> None:
    base = commit(space.main, 'base of it all')
    space.main.git('checkout', '-q', '-b', 'side')
    space.main.commit({'side': '1'}, trailer(1))
    space.main.git('checkout', '-q', 'main')
    space.main.commit({'x': '2'}, trailer(2))
    space.main.git('merge', '-q', '--no-ff', '-m', 'é', 'side')
    assert interlock.check('--range', f'{base}..HEAD').codes == []


def test_without_tasks_nothing_is_written_into_a_message(
    project: Repo, interlock: Interlock
) -> None:
    file = project.path / 'MSG'
    file.write_text('é\n')
    assert interlock('prepare-commit-msg', str(file)).code == 0
    assert file.read_text() == 'é\n'


def test_a_message_that_is_not_there_is_a_refusal(
    code: Repo, interlock: Interlock
) -> None:
    result = interlock('prepare-commit-msg', 'nope')
    assert result.code == 2
    assert 'does not exist' in result.err


def test_a_message_with_a_template_gets_its_trailers_above_it(
    code: Repo, interlock: Interlock
) -> None:
    file = code.path / 'MSG'
    file.write_text('é\n\n# Please enter the message\n# On branch x\n')
    assert interlock('prepare-commit-msg', str(file), 'message').code == 0
    assert file.read_text() == (
        f'é\n\nInterlock-Task: {TASK}\nInterlock-Lock: {TASK}@2\n\n'
        f'# Please enter the message\n# On branch x\n'
    )


def test_a_merge_keeps_its_subject_and_gets_its_trailers_below(code: Repo) -> None:
    code.git('switch', '-q', '-c', 'seite')
    code.commit({'bread.py': 'é'}, 'é')
    code.git('switch', '-q', '-')
    # git gives its message to hooks without a last newline
    done = code.try_git('merge', '--no-ff', '-m', 'fusionné', 'seite')
    assert done.returncode == 0, done.stderr
    assert code.git('log', '-1', '--format=%B').rstrip('\n') == (
        f'fusionné\n\nInterlock-Task: {TASK}\nInterlock-Lock: {TASK}@2'
    )


@pytest.mark.parametrize(
    'data',
    (
        pytest.param('é', id='no newline'),
        pytest.param('é\n', id='a newline'),
        pytest.param('é\n\nInterlock-Lock: old@1', id='an old one'),
    ),
)
def test_a_message_file_beside_us_gets_its_trailers_as_a_paragraph(
    code: Repo, interlock: Interlock, data: str
) -> None:
    (code.path / 'MSG').write_text(data)
    assert interlock('prepare-commit-msg', 'MSG').code == 0
    first, *rest = (code.path / 'MSG').read_text().split('\n')
    assert (first, rest[0], rest[-1]) == ('é', '', '')
    assert sorted(rest[1:-1]) == [
        f'Interlock-Lock: {TASK}@2',
        f'Interlock-Task: {TASK}',
    ]


def test_hooks_know_their_worktree_by_the_variables_of_git(
    space: Space, code: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(space.path)
    code.stage({'bread.py': 'é'})
    done = code.try_git('-C', str(code.path), 'commit', '-m', 'é')
    assert done.returncode == 0, done.stderr
    assert f'{TASK}@2' in code.git('log', '-1', '--format=%B')
    assert os.environ['INTERLOCK_SESSION'] == SESSION
