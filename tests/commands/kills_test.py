"""Commands that are killed: old or new, never a mixture."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.git.git import Git
from interlock.model.errors import NoRepository
from interlock.transactions.journal import Journal
from tests import samples
from tests.commands import processes
from tests.commands.items import stages
from tests.commands.items.stages import CODE, HANDOFF
from tests.conftest import Interlock, Repo

pytestmark = pytest.mark.slow

KILLED = 77
INSTALL = ('registry', 'set-status', 'Fini', 'Installed')
MOVE = ('registry', 'set-status', 'Bravo', 'Stage 3')
UPDATE = ('handoff', 'update', 'Bravo', '3', '--text', 'moteur')
COMMIT = ('commit-stage', 'Bravo', '3', '-m', 'moteur', '-q')
OPERATIONS = pytest.mark.parametrize(
    'args',
    (
        pytest.param(INSTALL, id='installed, handoff deleted'),
        pytest.param(MOVE, id='registry and handoff moved'),
        pytest.param(UPDATE, id='handoff update'),
        pytest.param(COMMIT, id='commit-stage'),
    ),
)


def dying(target: Any, name: str, number: int, after: bool) -> Callable[[], None]:
    """Another process ends at a call of a function; gives the undoing."""
    real, own, calls = getattr(target, name), os.getpid(), 0

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        if os.getpid() == own:
            return real(*args, **kwargs)
        calls += 1
        if calls == number and not after:
            os._exit(KILLED)
        try:
            return real(*args, **kwargs)
        finally:
            if calls == number:
                os._exit(KILLED)

    setattr(target, name, call)
    return lambda: setattr(target, name, real)


def killed_at_the_commit(after: bool) -> None:
    """A command that dies when it has git commit, or right behind."""
    undo = dying(Git, 'as_user', 1, after)
    pid = processes.start(*COMMIT)
    undo()
    assert processes.code_of(pid) == KILLED


class Place:
    """A repository that can be put back to what it was, and cheaply."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.base = repo.commit(
            {
                **stages.files(),
                'PLUGINS.md': samples.registry({**stages.BEFORE, 'Fini': 'Working'}),
                samples.handoff_path('Fini'): samples.handoff(
                    'Fini', '5', status='workflow_complete'
                ),
                'autre.txt': 'un\n',
            }
        )
        # somebody else is at work too
        repo.write({CODE: '// moteur\n', 'autre.txt': 'deux\n'})
        repo.git('add', 'autre.txt')
        repo.write({'autre.txt': 'trois\n'})
        self.git = repo.path / '.git'
        self.index = (self.git / 'index').read_bytes()
        self.branch = (self.git / 'refs/heads/main').read_bytes()
        self.files = self.now()

    def now(self) -> dict[str, bytes]:
        top = self.repo.path
        return {
            str(Path(directory, name).relative_to(top)): Path(
                directory, name
            ).read_bytes()
            for directory, folders, names in os.walk(top)
            for name in names
            if '.git' not in Path(directory).parts
        }

    def put_back(self) -> None:
        (self.git / 'refs/heads/main').write_bytes(self.branch)
        (self.git / 'index').write_bytes(self.index)
        for name in self.now().keys() - self.files.keys():
            (self.repo.path / name).unlink()
        for name, data in self.files.items():
            file = self.repo.path / name
            if not file.exists() or file.read_bytes() != data:
                file.write_bytes(data)

    def unlock(self) -> None:
        """As git asks for where one of its processes was killed."""
        for lock in self.git.rglob('*.lock'):
            lock.unlink()

    def staged(self) -> str:
        return self.repo.git('diff', '--cached', '--name-only')


@pytest.fixture
def place(repo: Repo, interlock: Interlock) -> Place:
    made = Place(repo)
    # the workflow is in its cache from here on
    assert interlock('registry', 'show').code == 0
    return made


def journal_after_a_command(place: Place, interlock: Interlock) -> list[str]:
    shown = interlock('verify-state', 'Bravo', '--wait', '60')
    assert shown.code == 0, shown.err
    return os.listdir(place.git / 'interlock' / 'journal')


def is_new(place: Place, args: tuple[str, ...], interlock: Interlock) -> bool:
    """Behind the next command: whether all of it was done, or nothing."""
    left = journal_after_a_command(place, interlock)
    if any(name.endswith(('.index', '.index.lock')) for name in left):
        # a git process outlived its command, and wrote its scratch index behind
        # the next one, which therefore leaves it to the one after
        left = journal_after_a_command(place, interlock)
    assert left == ['lock']
    now = place.now()
    assert not [name for name in now if '.interlock-' in name]
    moved = place.repo.git('rev-parse', 'HEAD') != place.base
    if now == place.files:
        assert not moved
        assert place.staged() == 'autre.txt'
        return False
    assert now['autre.txt'] == b'trois\n'
    assert place.staged() == 'autre.txt'
    changed = {
        name for name in {*now, *place.files} if now.get(name) != place.files.get(name)
    }
    assert moved is (args == COMMIT)
    if args == INSTALL:
        assert changed == {'PLUGINS.md', samples.handoff_path('Fini')}
        assert samples.handoff_path('Fini') not in now
        assert now['PLUGINS.md'].count('📦 Installed |'.encode()) == 2
        return True
    assert changed == {'PLUGINS.md', HANDOFF}
    assert b'stage: 3\n' in now[HANDOFF]
    assert '| Bravo | 🚧 Stage 3 |'.encode() in now['PLUGINS.md']
    if moved:
        assert place.repo.git('rev-parse', 'HEAD~1') == place.base
        status = place.repo.git('status', '--porcelain')
        assert status == 'MM autre.txt'
    return True


@OPERATIONS
@pytest.mark.parametrize('after', (False, True), ids=('before', 'behind'))
@pytest.mark.parametrize('name', ('replace', 'fsync', 'unlink'))
def test_killed_at_any_call_it_is_all_or_nothing(
    place: Place, interlock: Interlock, args: tuple[str, ...], name: str, after: bool
) -> None:
    seen = []
    for number in range(1, 40):
        place.put_back()
        undo = dying(os, name, number, after)
        pid = processes.start(*args)
        undo()
        code = processes.code_of(pid)
        seen.append(is_new(place, args, interlock))
        if code != KILLED:
            assert (code, number > 1) == (0, True)
            break
    assert seen[-1]
    assert seen == sorted(seen)


@pytest.mark.parametrize('before', (True, False))
def test_killed_around_the_commit_of_git(
    place: Place, interlock: Interlock, before: bool
) -> None:
    killed_at_the_commit(after=not before)
    # the registry says it already: nothing was settled yet
    assert b'stage: 3\n' in place.now()[HANDOFF]
    assert is_new(place, COMMIT, interlock) is not before


@pytest.mark.parametrize(
    ('args', 'runs'),
    (
        pytest.param(INSTALL, 110, id='installed, handoff deleted'),
        pytest.param(MOVE, 40, id='registry and handoff moved'),
        pytest.param(UPDATE, 30, id='handoff update'),
        pytest.param(COMMIT, 40, id='commit-stage'),
    ),
)
def test_killed_at_any_moment_it_is_all_or_nothing(
    place: Place, interlock: Interlock, args: tuple[str, ...], runs: int
) -> None:
    """Half of the time the processes of git are killed with it."""
    chance = random.Random(7)
    longest = processes.duration(*args)
    # the first is killed at once, and the last one never
    delays = [chance.uniform(0, 1.3 * longest) for _ in range(runs - 2)]
    codes, states = set(), set()
    for number, delay in enumerate([0, *delays, 60]):
        place.put_back()
        group = number % 2 == 0
        codes.add(processes.killed(delay, group, *args))
        if group:
            place.unlock()
        states.add(is_new(place, args, interlock))
    assert codes <= {-9, 0}
    assert states == {False, True}


def test_what_somebody_wrote_after_a_kill_is_left_to_him(
    place: Place, interlock: Interlock
) -> None:
    killed_at_the_commit(after=False)
    registry = place.now()['PLUGINS.md'].decode()
    handoff = place.now()[HANDOFF].decode()
    place.repo.write(
        {
            # another item, and the same handoff
            'PLUGINS.md': registry.replace('| Alpha | 💡', '| Alpha | 🚧'),
            HANDOFF: f'{handoff}\nvon Hand\n',
        }
    )
    written = place.now()
    result = interlock('registry', 'show', 'Alpha')
    assert result.code == 2
    top = place.repo.path
    assert (
        f'a command was killed, and {top}/PLUGINS.md, {top}/{HANDOFF} changed '
        f'since: left as it is'
    ) in result.err
    assert place.now() == written
    assert interlock('registry', 'show', 'Alpha').code == 0


def test_what_was_not_written_yet_is_nobodys_but_his(
    place: Place, interlock: Interlock
) -> None:
    """The first rename is that of the entry."""
    undo = dying(os, 'replace', 2, after=False)
    pid = processes.start(*COMMIT)
    undo()
    assert processes.code_of(pid) == KILLED
    edited = place.files[HANDOFF] + b'\nvon Hand\n'
    place.repo.write({HANDOFF: edited})
    assert interlock('registry', 'show', 'Bravo').code == 0
    assert place.now() == {**place.files, HANDOFF: edited}


def test_a_commit_of_somebody_else_is_not_taken_for_ours(
    place: Place, interlock: Interlock
) -> None:
    killed_at_the_commit(after=False)
    place.repo.git('commit', '-q', '--no-verify', '-m', 'docs: autre')
    assert interlock('registry', 'show', 'Bravo').code == 0
    assert place.now() == place.files
    assert place.repo.git('log', '-1', '--format=%s') == 'docs: autre'


def test_without_git_it_is_unknown_whether_it_was_committed(
    place: Place, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    killed_at_the_commit(after=True)
    written = place.now()
    monkeypatch.setenv('INTERLOCK_CONFIG', '.interlock.yaml')
    journal = Journal(str(place.git))
    with monkeypatch.context() as patched:
        patched.setenv('PATH', str(tmp_path))
        with pytest.raises(NoRepository), journal.locked(0):
            raise AssertionError('it was settled without git')
    assert place.now() == written
    assert is_new(place, COMMIT, interlock)


def test_a_damaged_entry_is_not_passed_in_silence(
    place: Place, interlock: Interlock
) -> None:
    killed_at_the_commit(after=False)
    written = place.now()
    (entry,) = (place.git / 'interlock/journal').glob('*.commit')
    whole = entry.read_bytes()
    for content in (
        b'',
        whole[:-9],
        b'{"steps": []}',
        b'{"steps": [], "commit": {"undo": [], "top": 7}}',
    ):
        entry.write_bytes(content)
        result = interlock('registry', 'show', 'Bravo')
        assert result.code == 2
        assert f'{entry} is damaged' in result.err
        assert f'rm {entry}' in result.err
        assert place.now() == written
    entry.write_bytes(whole)
    assert is_new(place, COMMIT, interlock) is False


def test_a_worktree_that_is_gone_holds_nobody_up(
    place: Place, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / 'zweiter'
    place.repo.git('worktree', 'add', '-q', '-b', 'zwei', str(other))
    Repo(other).write({CODE: '// moteur\n'})
    with monkeypatch.context() as patched:
        patched.chdir(other)
        killed_at_the_commit(after=False)
    place.repo.git('worktree', 'remove', '--force', str(other))
    assert is_new(place, COMMIT, interlock) is False


def test_a_worktree_is_put_in_order_from_another_one(
    place: Place, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Repo(tmp_path / 'zweiter')
    place.repo.git('worktree', 'add', '-q', '-b', 'zwei', str(other.path))
    other.write({CODE: '// moteur\n'})
    with monkeypatch.context() as patched:
        patched.chdir(other.path)
        killed_at_the_commit(after=False)
        assert other.git('status', '--porcelain').count(' M') == 3
    assert is_new(place, COMMIT, interlock) is False
    assert other.git('status', '--porcelain') == f' M {CODE}'
    with monkeypatch.context() as patched:
        patched.chdir(other.path)
        killed_at_the_commit(after=True)
    assert is_new(place, COMMIT, interlock) is False
    assert other.git('status', '--porcelain') == ''
    assert other.git('log', '-1', '--format=%s').startswith('feat: Bravo')


def test_who_commits_what_a_kill_left_has_committed_it(
    place: Place, interlock: Interlock
) -> None:
    killed_at_the_commit(after=False)
    written = place.now()
    place.repo.git('add', HANDOFF, 'PLUGINS.md', CODE)
    place.repo.git('commit', '-q', '--no-verify', '-m', 'von Hand')
    assert interlock('registry', 'show', 'Bravo').code == 0
    assert place.now() == written
    assert place.repo.git('status', '--porcelain') == ' M autre.txt'


def waiting_hook(place: Place, end: str) -> tuple[Path, Path]:
    """A hook that says that it runs, and goes on when it is told to."""
    began, go = place.repo.path.parent / 'an', place.repo.path.parent / 'los'
    os.mkfifo(began)
    os.mkfifo(go)
    stages.hook(
        place.repo, 'pre-commit', f'echo x > "{began}"; cat "{go}" > /dev/null; {end}'
    )
    return began, go


@pytest.mark.parametrize(('end', 'made'), (('exit 0', True), ('exit 1', False)))
def test_a_commit_goes_on_when_its_command_was_killed(
    place: Place, interlock: Interlock, end: str, made: bool
) -> None:
    """Nobody may change state until its hooks are done."""
    began, go = waiting_hook(place, end)
    pid = processes.start(*COMMIT)
    began.read_text()
    os.kill(pid, 9)
    assert processes.code_of(pid) == -9
    result = interlock('registry', 'timeline', 'Alpha', 'x', '--wait', '0')
    assert result.code == 75
    assert 'a commit that was begun is still running' in result.err
    go.write_text('')
    assert is_new(place, COMMIT, interlock) is made


def test_a_hook_that_hangs_and_is_killed_refuses(
    place: Place, interlock: Interlock
) -> None:
    began, _ = waiting_hook(place, 'exit 0')
    script = place.repo.path / '.git/hooks/pre-commit'
    script.write_text(script.read_text().replace('echo x', 'echo $$'))
    pid = processes.start(*COMMIT)
    os.kill(int(began.read_text()), 9)
    assert processes.code_of(pid) == 1
    assert is_new(place, COMMIT, interlock) is False


def test_two_at_once_commit_once(place: Place, interlock: Interlock) -> None:
    args = (*COMMIT, '--wait', '60')
    assert processes.codes_of([processes.start(*args), processes.start(*args)]) == [
        0,
        1,
    ]
    assert is_new(place, COMMIT, interlock)


def test_who_waits_in_vain_for_a_commit_changes_nothing(
    place: Place, interlock: Interlock
) -> None:
    began, go = waiting_hook(place, 'exit 0')
    pid = processes.start(*COMMIT)
    began.read_text()
    before = place.now()
    for args in (COMMIT, MOVE, INSTALL):
        assert interlock(*args, '--wait', '0.01').code == 75
    assert place.now() == before
    go.write_text('')
    assert processes.code_of(pid) == 0
    assert is_new(place, COMMIT, interlock)


def test_commits_of_many_items_at_once_lose_nothing(
    repo: Repo, interlock: Interlock
) -> None:
    items = [f'Écho {number}' for number in range(6)]
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry(dict.fromkeys(items, 'Ideated')),
        }
    )
    for item in items:
        repo.write(dict(samples.item_files(item).items()))
    assert interlock('registry', 'show').code == 0
    pids = [
        processes.start(
            'commit-stage', item, '0', '-m', 'recherche', '-q', '--wait', '120'
        )
        for item in items
    ]
    assert processes.codes_of(pids) == [0] * len(items)
    assert len(repo.git('log', '--format=%s').splitlines()) == 7
    assert repo.git('status', '--porcelain') == ''
    assert interlock.check('--range', 'HEAD~6..HEAD').code == 0
    text = stages.at_head(repo, 'PLUGINS.md')
    assert set(stages.registry(text).values()) == {'🚧 Stage 0'}


def test_no_update_of_many_processes_is_lost(repo: Repo, interlock: Interlock) -> None:
    items = [f'Écho {number}' for number in range(32)]
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry(dict.fromkeys(items, 'Ideated')),
        }
    )
    assert interlock('registry', 'show').code == 0
    pids = [
        processes.start('registry', 'set-status', item, 'Archived', '--wait', '120')
        for item in items
    ]
    assert processes.codes_of(pids) == [0] * len(items)
    text = stages.text(repo, 'PLUGINS.md')
    assert set(stages.registry(text).values()) == {'🗑️ Archived'}
    assert text.count('**Status:** 🗑️ **Archived**\n') == len(items)
    assert interlock.check('--worktree').codes == []
