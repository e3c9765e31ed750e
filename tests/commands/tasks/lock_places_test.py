"""Whose lock a commit needs, wherever its worktree lies: by real git."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import spaces
from tests.commands.tasks.task_hooks import install
from tests.conftest import Repo
from tests.guard.asking import ask, write
from tests.spaces import OTHER, SESSION, TASK, Space, lock

pytestmark = pytest.mark.real

AGENT = 'architect'


def begin(space: Space) -> Repo:
    """A task with an agent, begun by the first session."""
    done = spaces.run('task', 'start', TASK, '--agent', AGENT, session=SESSION)
    assert done.returncode == 0, done.stderr
    install(space.main)
    return Repo(space.file('code'))


def commit(
    repo: Repo, session: str, monkeypatch: pytest.MonkeyPatch, *options: str
) -> subprocess.CompletedProcess[str]:
    if session:
        monkeypatch.setenv('INTERLOCK_SESSION', session)
    else:
        monkeypatch.delenv('INTERLOCK_SESSION', raising=False)
    monkeypatch.chdir(repo.path)
    file = repo.path / 'bread.py'
    before = file.read_text('UTF-8') if file.exists() else ''
    repo.stage({'bread.py': f'{before}é\n'})
    return repo.try_git('commit', '-m', 'é', *options)


def moved(space: Space, code: Repo, tmp_path: Path) -> Repo:
    place = tmp_path / 'élsewhere' / 'code'
    place.parent.mkdir()
    space.main.git('worktree', 'move', str(code.path), str(place))
    return Repo(place)


def second(space: Space, code: Repo, tmp_path: Path) -> Repo:
    place = tmp_path / 'second'
    space.main.git('worktree', 'add', '-q', '-f', str(place), TASK)
    return Repo(place)


def in_main(space: Space, code: Repo, tmp_path: Path) -> Repo:
    space.main.git('checkout', '-q', '--ignore-other-worktrees', TASK)
    return space.main


def of_an_agent(space: Space, code: Repo, tmp_path: Path) -> Repo:
    place = tmp_path / 'agent'
    space.main.git(
        'worktree', 'move', str(space.file(f'agents/{AGENT}/code')), str(place)
    )
    return Repo(place)


def detached(space: Space, code: Repo, tmp_path: Path) -> Repo:
    code.git(
        '-c', 'core.hooksPath=/dev/null', 'commit', '-q', '--allow-empty', '-m', 'é'
    )
    place = tmp_path / 'detached'
    space.main.git('worktree', 'add', '-q', '--detach', str(place), TASK)
    return Repo(place)


def rebased(space: Space, code: Repo, tmp_path: Path) -> Repo:
    repo = moved(space, code, tmp_path)
    off = ('-c', 'core.hooksPath=/dev/null')
    for name in ('a', 'b'):
        (repo.path / name).write_text(name)
        repo.git('add', name)
        repo.git(*off, 'commit', '-q', '-m', name)
    repo.git(
        '-c', 'sequence.editor=sed -i s/pick/edit/', 'rebase', '-q', '-i', 'HEAD~2'
    )
    return repo


def by_name(space: Space, code: Repo, tmp_path: Path) -> Repo:
    place = tmp_path / 'named'
    space.main.git('worktree', 'add', '-q', '--detach', str(place))
    Repo(place).git('symbolic-ref', 'HEAD', f'refs/heads/{TASK}')
    return Repo(place)


def in_another_task(space: Space, code: Repo, tmp_path: Path) -> Repo:
    """Another session checks the branch out in the worktree it holds."""
    done = spaces.run('task', 'start', 'wash-up', session=OTHER)
    assert done.returncode == 0, done.stderr
    repo = Repo(space.file('code', 'wash-up'))
    repo.git('checkout', '-q', '--ignore-other-worktrees', TASK)
    return repo


PLACES = (
    moved,
    second,
    in_main,
    of_an_agent,
    detached,
    rebased,
    by_name,
    in_another_task,
)


@pytest.mark.parametrize('place', PLACES)
def test_a_branch_of_a_task_is_known_wherever_it_is_checked_out(
    space: Space,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: Callable[[Space, Repo, Path], Repo],
) -> None:
    repo = place(space, begin(space), tmp_path)
    head = repo.git('rev-parse', 'HEAD')
    done = commit(repo, OTHER, monkeypatch)
    assert done.returncode == 1
    assert 'LCK001' in done.stdout + done.stderr
    assert repo.git('rev-parse', 'HEAD') == head
    for session, code in (('null', 'LCK003'), ('', '')):
        # a person is only warned
        done = commit(repo, session, monkeypatch)
        assert done.returncode == (1 if session else 0), done.stderr
        assert code in done.stdout + done.stderr


@pytest.mark.parametrize(
    'place', [each for each in PLACES if each is not in_another_task]
)
def test_the_holder_commits_wherever_the_branch_is_checked_out(
    space: Space,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: Callable[[Space, Repo, Path], Repo],
) -> None:
    repo = place(space, begin(space), tmp_path)
    if place is in_main:
        # which has a lock of its own
        done = commit(repo, SESSION, monkeypatch)
        assert 'LCK007' in done.stdout + done.stderr
        assert 'LCK001' not in done.stdout + done.stderr
        assert (
            spaces.run(
                'lock',
                'acquire',
                'main',
                '--operation',
                'git-operation',
                session=SESSION,
            ).returncode
            == 0
        )
    done = commit(repo, SESSION, monkeypatch)
    assert done.returncode == 0, done.stderr
    found = repo.git('log', '-1', '--format=%(trailers)')
    assert re.fullmatch(
        f'Interlock-Task: {TASK}\nInterlock-Lock: {TASK}@1\n'
        f'Interlock-Grant: [0-9a-f]{{12}}',
        found,
    )


@pytest.mark.parametrize(
    'branch', ('feature', f'{TASK}-2', f'x-{TASK}', f'{TASK}-style')
)
def test_other_branches_are_nobody_elses(
    space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, branch: str
) -> None:
    begin(space)
    place = tmp_path / 'mine'
    space.main.git('worktree', 'add', '-q', '-b', branch, str(place))
    done = commit(Repo(place), OTHER, monkeypatch)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (done.stdout + done.stderr).count('LCK') == 0


def test_where_main_is_as_the_branch_of_a_task_a_detached_head_is_free(
    space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(space)
    place = tmp_path / 'look'
    space.main.git('worktree', 'add', '-q', '--detach', str(place), 'main')
    assert commit(Repo(place), OTHER, monkeypatch).returncode == 0


def test_a_branch_whose_lock_was_given_back_is_free(
    space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = moved(space, begin(space), tmp_path)
    assert spaces.run('lock', 'release', TASK, session=SESSION).returncode == 0
    assert commit(repo, OTHER, monkeypatch).returncode == 0


def whole_task(space: Space, tmp_path: Path) -> Path:
    """The directory of a task lies elsewhere."""
    real = tmp_path / 'real' / 'b'
    real.parent.mkdir()
    space.file('').rename(real)
    space.file('').symlink_to(real)
    return real / 'code'


def only_code(space: Space, tmp_path: Path) -> Path:
    real = tmp_path / 'real'
    space.file('code').rename(real)
    space.file('code').symlink_to(real)
    return real


def twice(space: Space, tmp_path: Path) -> Path:
    """A link to a link, both relative."""
    real = whole_task(space, tmp_path)
    between = tmp_path / 'between'
    between.symlink_to(real.parent)
    space.file('').unlink()
    space.file('').symlink_to(os.path.relpath(between, space.tasks))
    return real


def all_tasks(space: Space, tmp_path: Path) -> Path:
    real = tmp_path / 'real'
    space.tasks.rename(real)
    space.tasks.symlink_to(real)
    return real / TASK / 'code'


def agents(space: Space, tmp_path: Path) -> Path:
    real = tmp_path / 'agents'
    space.file('agents').rename(real)
    space.file('agents').symlink_to(real)
    return real / AGENT / 'code'


def one_agent(space: Space, tmp_path: Path) -> Path:
    real = tmp_path / 'one'
    space.file(f'agents/{AGENT}').rename(real)
    space.file(f'agents/{AGENT}').symlink_to(real)
    return real / 'code'


LINKS = (whole_task, only_code, twice, all_tasks, agents, one_agent)


@pytest.mark.parametrize('link', LINKS)
@pytest.mark.parametrize('branch', (True, False))
def test_the_lock_of_a_task_is_asked_for_through_links(
    space: Space,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    link: Callable[[Space, Path], Path],
    branch: bool,
) -> None:
    begin(space)
    real = link(space, tmp_path)
    space.main.git('worktree', 'repair', str(real))
    repo = Repo(real)
    if not branch:
        # so that only the place says whose it is
        repo.git('checkout', '-q', '-b', 'aside')
    monkeypatch.setenv('INTERLOCK_CONFIG', str(space.path / '.interlock.yaml'))
    done = commit(repo, OTHER, monkeypatch)
    assert done.returncode == 1
    assert 'LCK001' in done.stdout + done.stderr
    done = commit(repo, SESSION, monkeypatch)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f'{TASK}@1' in repo.git('log', '-1', '--format=%B')


@pytest.mark.parametrize('link', LINKS)
@pytest.mark.parametrize('through', (True, False))
def test_the_guard_asks_for_the_lock_through_links(
    space: Space,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    link: Callable[[Space, Path], Path],
    through: bool,
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    code = begin(space).path
    if link in (agents, one_agent):
        code = space.file(f'agents/{AGENT}/code')
    real = link(space, tmp_path)
    space.put(lock(session_id=OTHER))
    file = (code if through else real) / 'README.md'
    reply = write(file, 'x', cwd=space.path)
    assert reply.decision == 'deny', reply
    assert reply.reason.startswith('LCK001')
    reply = ask(
        'PreToolUse',
        real,
        SESSION,
        tool_name='Bash',
        tool_input={'command': 'git commit -m x'},
    )
    assert reply.decision == 'deny'
    assert 'LCK001' in reply.reason


def test_a_link_that_leads_above_all_gives_nobody_the_rest(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    space.tasks.mkdir(exist_ok=True)
    space.file('', 'wash-up').symlink_to(space.path)
    reply = write(space.main.path / 'README.md', 'x', cwd=space.path)
    assert (reply.decision, reply.reason[:6]) == ('deny', 'LCK007')


@pytest.mark.parametrize('place', (moved, second, of_an_agent, rebased))
def test_the_guard_knows_the_branch_of_a_task(
    space: Space,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: Callable[[Space, Repo, Path], Repo],
) -> None:
    repo = place(space, begin(space), tmp_path)
    monkeypatch.delenv('INTERLOCK_SESSION')
    for session, expected in ((SESSION, ''), (OTHER, 'deny')):
        reply = ask(
            'PreToolUse',
            repo.path,
            session,
            tool_name='Bash',
            tool_input={'command': 'git commit -m x'},
        )
        assert reply.decision == expected, reply


@pytest.mark.parametrize('value', ('null', 'undefined', 'None', ' '))
def test_the_guard_takes_no_id_that_names_nobody(
    space: Space, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    space.worktree()
    space.put(lock(session_id=value))
    reply = ask(
        'PreToolUse',
        space.path,
        value,
        tool_name='Write',
        tool_input={'file_path': str(space.file('task.md')), 'content': 'x'},
    )
    assert (reply.decision, reply.reason[:6]) == ('deny', 'LCK003')


@pytest.mark.parametrize('value', ('null', 'undefined', 'None', '""'))
def test_two_sessions_without_an_id_are_not_one(
    space: Space, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    done = spaces.run('task', 'start', TASK, session=value)
    assert done.returncode == 1
    assert 'LCK003' in done.stderr
    begin(space)
    space.put(lock(session_id=value))
    done = commit(Repo(space.file('code')), value, monkeypatch)
    assert done.returncode == 1
    assert 'LCK003' in done.stdout + done.stderr
    done = spaces.run('lock', 'release', TASK, session=value)
    assert done.returncode == 1
    code, said = spaces.at_terminal('task', 'adopt', TASK, '--session', value)
    assert code == 2
    assert '--session is not a session id' in said
