"""Generations of locks: counted by us alone, by real git and processes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests import spaces
from tests.commands.tasks.task_hooks import install
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.guard import asking
from tests.spaces import OTHER, SESSION, TASK, Space

pytestmark = pytest.mark.real

LEAP = 1000


@pytest.fixture
def code(space: Space, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The worktree of a task that this session began: generation 1."""
    done = spaces.run('task', 'start', TASK, session=SESSION)
    assert done.returncode == 0, done.stderr
    install(space.main)
    made = Repo(space.file('code'))
    monkeypatch.chdir(made.path)
    return made


def edit(space: Space, **fields: object) -> None:
    """The lock, changed by hand."""
    data = {**space.read(), **fields}
    space.put({key: value for key, value in data.items() if value is not ...})


def commit(repo: Repo, *options: str) -> subprocess.CompletedProcess[str]:
    file = repo.path / 'bread.py'
    before = file.read_text('UTF-8') if file.exists() else ''
    repo.stage({'bread.py': f'{before}é\n'})
    return repo.try_git('commit', '-m', 'é', *options)


def signature(repo: Repo) -> str:
    return repo.git(
        'log', '-1', '--format=%(trailers:key=Interlock-Lock,valueonly)'
    ).strip()


def trailer(number: object, task: str = TASK) -> str:
    return f'é\n\nInterlock-Lock: {task}@{number}'


def codes(interlock: Interlock, revisions: str) -> list[str]:
    return interlock.check('--range', revisions).codes


@pytest.mark.parametrize(
    ('generation', 'expected'),
    (
        pytest.param(1, '', id='as it was given out'),
        pytest.param(..., '', id='none: valid, as an older lock'),
        pytest.param(2, 'LCK006', id='one more'),
        pytest.param(999_999_999_999, 'LCK006', id='a leap'),
        pytest.param(0, 'TSK003', id='zero'),
        pytest.param(-1, 'TSK003', id='below zero'),
        pytest.param('1', 'TSK003', id='a text'),
        pytest.param(True, 'TSK003', id='true'),
        pytest.param(1.0, 'TSK003', id='a fraction'),
    ),
)
def test_a_generation_that_is_edited_into_a_lock_is_refused(
    space: Space, code: Repo, generation: object, expected: str
) -> None:
    edit(space, generation=generation)
    done = commit(code)
    assert done.returncode == (1 if expected else 0), done.stderr
    assert expected in done.stdout + done.stderr
    check = spaces.run('task', 'check', TASK, session=SESSION)
    assert check.returncode == done.returncode, check.stdout
    assert expected in check.stdout
    if expected == 'LCK006':
        # past the hook it does not reach the history
        assert commit(code, '--no-verify').returncode == 0
        assert signature(code) == f'{TASK}@0'


@pytest.mark.parametrize(
    ('generation', 'expected'), ((1, ''), (2, 'LCK006'), (5000, 'LCK006'))
)
def test_the_guard_refuses_a_generation_that_nobody_gave_out(
    space: Space,
    code: Repo,
    monkeypatch: pytest.MonkeyPatch,
    generation: int,
    expected: str,
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    edit(space, session_id=asking.SESSION)
    lock = space.read()
    text = json.dumps({**lock, 'generation': generation}, indent=2)
    reply = asking.write(space.file('task.json'), text, cwd=space.path)
    assert reply.decision == ('deny' if expected else ''), reply
    assert reply.reason[:6] == expected
    # nor is a lock made anew with one
    space.file('task.json').unlink()
    space.main.git('worktree', 'remove', '--force', str(code.path))
    reply = asking.write(space.file('task.json'), text, cwd=space.path)
    assert reply.reason[:6] == expected, reply


def test_the_hint_of_a_refused_generation_leads_out(
    space: Space, code: Repo, interlock: Interlock
) -> None:
    edit(space, generation=77)
    done = commit(code)
    hint = f'interlock lock acquire {TASK}'
    assert hint in done.stdout + done.stderr
    # nobody else is helped by it
    other = spaces.run(*hint.split()[1:], session=OTHER)
    assert other.returncode == 1
    assert 'LCK001' in other.stderr
    assert space.read()['generation'] == 77
    done = spaces.run(*hint.split()[1:], session=SESSION)
    assert done.returncode == 0, done.stderr
    assert 'now as generation 2' in done.stderr
    assert commit(code).returncode == 0
    assert signature(code) == f'{TASK}@2'
    assert codes(interlock, 'main..HEAD') == []


def test_an_older_generation_is_not_brought_back(space: Space, code: Repo) -> None:
    before = space.read()
    assert spaces.run('lock', 'release', TASK, session=SESSION).returncode == 0
    code.git('worktree', 'move', str(code.path), str(space.path / 'aside'))
    assert spaces.run('lock', 'acquire', TASK, session=OTHER).returncode == 0
    space.main.git('worktree', 'move', str(space.path / 'aside'), str(code.path))
    space.put(before)
    done = commit(code)
    assert done.returncode == 1
    assert 'LCK006' in done.stdout + done.stderr


def test_releasing_a_lock_does_not_launder_its_generation(
    space: Space, code: Repo
) -> None:
    edit(space, generation=500)
    assert spaces.run('lock', 'release', TASK, session=SESSION).returncode == 0
    assert (space.register / f'{TASK}.generation').read_text() == '1\n'


def test_where_nobody_counted_a_lock_is_believed_but_no_leap(
    space: Space, code: Repo
) -> None:
    # the repository was cloned again beside its tasks
    (space.register / f'{TASK}.generation').unlink()
    edit(space, generation=7)
    assert commit(code).returncode == 0
    assert signature(code) == f'{TASK}@7'
    edit(space, generation=LEAP + 1)
    assert commit(code).returncode == 1
    edit(space, generation=7)
    assert spaces.run('lock', 'release', TASK, session=SESSION).returncode == 0
    assert (space.register / f'{TASK}.generation').read_text() == '7\n'


@pytest.mark.parametrize(
    'number', (2, LEAP, LEAP + 1, 999_999_999_999, '9' * 13, '9' * 40, 'x')
)
def test_a_forged_generation_is_refused_and_shuts_nobody_out(
    space: Space, code: Repo, interlock: Interlock, number: object
) -> None:
    base = code.git('rev-parse', 'HEAD')
    assert commit(code).returncode == 0
    # past all hooks
    off = ('-c', 'core.hooksPath=/dev/null')
    code.git(*off, 'commit', '-q', '--allow-empty', '-m', trailer(number))
    assert commit(code).returncode == 0
    assert signature(code) == f'{TASK}@1'
    result = interlock.check('--range', f'{base}..HEAD')
    assert (result.code, result.codes) == (1, ['LCK006'])
    (finding,) = json.loads(result.out)['findings']
    assert finding['commit'] == code.git('rev-parse', 'HEAD~1')
    # nor where the forged one lies before the range
    assert codes(interlock, 'HEAD~1..HEAD') == []


def test_a_forged_trailer_is_refused_where_it_is_written(
    space: Space, code: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = space.main.path / '.git/hooks/commit-msg'
    hook.write_text(
        f'#!/bin/sh\nexec {SCRIPTS}/interlock check --staged --message "$1"\n'
    )
    hook.chmod(0o755)
    monkeypatch.chdir(space.main.path)
    monkeypatch.delenv('INTERLOCK_SESSION')
    space.main.stage({'x': '1'})
    for number, expected in ((2, 1), (1, 0)):
        done = space.main.try_git('commit', '-m', trailer(number))
        assert done.returncode == expected, done.stderr
        assert ('never given out' in done.stdout + done.stderr) is (bool(expected))


class Server:
    """A bare repository with our hook, and nothing of ours besides."""

    def __init__(self, space: Space, path: Path) -> None:
        self.space = space
        self.path = path / 'server.git'
        base = space.main.git('rev-parse', 'HEAD')
        space.main.git('init', '-q', '--bare', '-b', 'main', str(self.path))
        hook = self.path / 'hooks/pre-receive'
        hook.write_text(
            f'#!/bin/sh\nexport INTERLOCK_CONFIG={space.path}/.interlock.yaml'
            f'\nexec {SCRIPTS}/interlock pre-receive\n'
        )
        space.main.git('remote', 'add', 'origin', str(self.path))
        space.main.git('push', '-q', 'origin', f'{base}:refs/heads/main')
        hook.chmod(0o755)

    def push(self, repo: Repo, *numbers: object, ref: str = TASK) -> bool:
        """Whether commits of some generations are let in."""
        off = ('-c', 'core.hooksPath=/dev/null')
        start = repo.git('rev-parse', 'HEAD')
        for number in numbers:
            repo.git(*off, 'commit', '-q', '--allow-empty', '-m', trailer(number))
        done = repo.try_git(*off, 'push', '-q', 'origin', f'HEAD:refs/heads/{ref}')
        assert done.returncode == 0 or 'LCK006' in done.stderr, done.stderr
        if done.returncode:
            repo.git('reset', '-q', '--hard', start)
        return not done.returncode


@pytest.fixture
def server(space: Space, tmp_path: Path) -> Server:
    return Server(space, tmp_path)


def test_a_server_lets_no_leap_in(server: Server, space: Space) -> None:
    main = space.main
    main.git('switch', '-q', '-c', 'side')
    for number in (LEAP + 1, 999_999_999_999, '9' * 13, 'x'):
        assert not server.push(main, number)
    # none of a push vouches for another
    assert not server.push(main, LEAP, 2 * LEAP)
    assert not server.push(main, 3, LEAP + 1)
    assert server.push(main, 1, 2, 2, 3)
    assert server.push(main, LEAP + 3)
    assert not server.push(main, 3 * LEAP)
    # what it saw on any ref counts
    main.git('switch', '-q', '-c', 'other', 'main')
    assert server.push(main, 2 * LEAP, ref='other')


def test_a_leap_that_was_let_in_before_counts_for_nothing(
    server: Server, space: Space
) -> None:
    main, hook = space.main, server.path / 'hooks/pre-receive'
    main.git('switch', '-q', '-c', 'side')
    assert server.push(main, 3)
    hook.chmod(0o644)
    assert server.push(main, 999_999_999_999)
    hook.chmod(0o755)
    # the honest holder goes on, and so does the next one
    assert server.push(main, 3)
    assert server.push(main, 4)
    assert not server.push(main, 3)
    assert not server.push(main, 999_999_999_999)


def test_another_clone_counts_on_from_what_the_remote_has(
    server: Server,
    space: Space,
    tmp_path: Path,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space.main.git('switch', '-q', '-c', 'side')
    assert server.push(space.main, 4, 5)
    other = tmp_path / 'élsewhere'
    other.mkdir()
    (other / '.interlock.yaml').write_text(spaces.WORKFLOW)
    space.main.git('clone', '-q', str(server.path), str(other / 'main'))
    clone = Repo(other / 'main')
    monkeypatch.chdir(clone.path)
    # what others made here is judged without a word
    assert codes(interlock, 'origin/main..origin/bake-bread') == []
    done = spaces.run(
        'task',
        'start',
        TASK,
        '--base',
        f'origin/{TASK}',
        session=SESSION,
        cwd=clone.path,
    )
    assert 'generation 6' in done.stderr, done.stderr
    assert codes(interlock, 'origin/main..origin/bake-bread') == []
    code = Repo(other / 'tasks' / TASK / 'code')
    install(clone)
    monkeypatch.chdir(code.path)
    assert commit(code).returncode == 0
    assert signature(code) == f'{TASK}@6'
    assert codes(interlock, 'origin/main..HEAD') == []
    # meanwhile the first one goes on, and here somebody takes its work over
    assert server.push(space.main, 7)
    code.git('fetch', '-q')
    done = spaces.run('lock', 'acquire', TASK, session=SESSION, cwd=clone.path)
    assert 'now as generation 8' in done.stderr
    code.git('rebase', '-q', f'origin/{TASK}')
    assert commit(code, '--amend').returncode == 0
    assert signature(code) == f'{TASK}@8'
    assert code.try_git('push', '-q', 'origin', TASK).returncode == 0


def test_a_trailer_is_not_a_path(
    space: Space, code: Repo, interlock: Interlock
) -> None:
    (space.path / 'main' / '.git' / 'x.generation').write_text('9')
    off = ('-c', 'core.hooksPath=/dev/null')
    code.git(*off, 'commit', '-q', '--allow-empty', '-m', trailer(3, '../../x'))
    assert codes(interlock, 'HEAD~1..HEAD') == ['LCK006']


def test_a_workflow_outside_of_the_repository_governs_its_history(
    space: Space, code: Repo, interlock: Interlock
) -> None:
    assert not (space.main.path / '.interlock.yaml').exists()
    off = ('-c', 'core.hooksPath=/dev/null')
    code.git(*off, 'commit', '-q', '--allow-empty', '-m', trailer(9))
    result = interlock.check('--range', 'main..HEAD')
    assert (result.code, result.codes) == (1, ['LCK006'])
