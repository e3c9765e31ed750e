from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from interlock.git.git_paths import common_dir
from interlock.model.errors import Refusal
from interlock.tasks import task_layout
from interlock.tasks.task_layout import WorktreeOwner
from tests import spaces
from tests.conftest import Repo, compiled_folder, forget_compiled
from tests.spaces import TASK, Space


def at_top(space: Space) -> None:
    """The workflow file is part of the repository."""
    (space.path / '.interlock.yaml').rename(space.main.path / '.interlock.yaml')
    space.main.commit({})


def test_main_and_tasks_lie_beside_the_file(space: Space) -> None:
    found = task_layout.find()
    assert found.main == str(space.main.path)
    assert found.tasks == str(space.tasks)
    assert found.state == str(space.main.path / '.git')
    assert found.without_git == ''


def test_a_file_at_the_top_of_a_repository_has_its_tasks_above(space: Space) -> None:
    at_top(space)
    found = task_layout.find()
    assert found.main == str(space.main.path)
    assert found.tasks == str(space.tasks)


def test_in_the_folder_of_a_task_the_main_worktree_beside_it_counts(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_top(space)
    space.worktree()
    for folder in (space.file('agents/style'), space.file(''), space.tasks):
        folder.mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(folder)
        found = task_layout.find()
        assert found.main == str(space.main.path)
        assert found.tasks == str(space.tasks)
    # what lies beside the tasks is not one of them
    other = space.path / 'other'
    other.mkdir()
    monkeypatch.chdir(other)
    with pytest.raises(Refusal, match='not a git repository'):
        task_layout.find()


def test_of_a_linked_worktree_the_main_one_counts(
    space: Space, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at_top(space)
    elsewhere = tmp_path / 'élsewhere'
    space.main.git('worktree', 'add', '-q', str(elsewhere))
    for folder in (space.worktree().path, elsewhere):
        monkeypatch.chdir(folder)
        found = task_layout.find()
        assert found.main == str(space.main.path)
        assert found.tasks == str(space.tasks)
        assert found.state == str(space.main.path / '.git')


Make = Callable[[Path], object]


def git(*words: str) -> Make:
    """A command of git that makes a place, in the folder above it."""
    return lambda place: subprocess.run(
        [word.format(place=place) for word in ('git', *words)],
        cwd=place.parent,
        check=True,
        capture_output=True,
    )


def pointed(target: str) -> Make:
    def made(place: Path) -> None:
        place.mkdir(exist_ok=True)
        (place / '.git').write_text(f'gitdir: {target}\n')

    return made


def begun(place: Path) -> None:
    git('init', '-q', '{place}')(place)
    git('-C', '{place}', 'commit', '-q', '--allow-empty', '-m', 'x')(place)


# what an agent can make inside of the main worktree, and whether it could be meant
NESTED: Mapping[str, tuple[Make, bool]] = {
    'a folder': (lambda place: place.mkdir(), False),
    'a file': (lambda place: place.write_text('x'), False),
    'git init': (git('init', '-q', '{place}'), False),
    'git init --bare': (git('init', '-q', '--bare', '{place}/.git'), False),
    'a commit': (begun, True),
    'git clone': (git('clone', '-q', '.', '{place}'), True),
    'git clone without files': (git('clone', '-q', '-n', '.', '{place}'), False),
    'git worktree add': (git('worktree', 'add', '-q', '-b', 'x', '{place}'), True),
    'a link to the worktree': (lambda place: place.symlink_to('.'), True),
    'a link to a task': (lambda place: place.symlink_to(f'../tasks/{TASK}/code'), True),
    'a link to nothing': (lambda place: place.symlink_to('nowhere'), False),
    'a pointer to its git': (pointed('../.git'), True),
    'a pointer to nothing': (pointed('nowhere'), False),
}


@pytest.mark.parametrize('how', NESTED)
def test_what_is_made_in_the_main_worktree_moves_no_lock(
    space: Space, how: str
) -> None:
    at_top(space)
    space.worktree()
    make, could_be_meant = NESTED[how]
    make(space.main.path / 'main')
    if could_be_meant:
        with pytest.raises(Refusal, match='both worktrees'):
            task_layout.find()
        return
    found = task_layout.find()
    assert found.main == str(space.main.path)
    assert found.tasks == str(space.tasks)


# the same above the main worktree, where the workflow file lies
ENCLOSING: Mapping[str, tuple[Make, bool]] = {
    'git init': (git('init', '-q', '{place}'), False),
    'git init --bare': (git('init', '-q', '--bare', '{place}/.git'), False),
    'git init --separate-git-dir': (
        git('init', '-q', '--separate-git-dir', '{place}/../.git', '{place}'),
        False,
    ),
    'a commit': (begun, True),
    'a link to its git': (lambda place: (place / '.git').symlink_to('main/.git'), True),
    'a link to nothing': (lambda place: (place / '.git').symlink_to('nowhere'), False),
    'a pointer to its git': (pointed('main/.git'), True),
    'a pointer to nothing': (pointed('nowhere'), False),
}


@pytest.mark.parametrize('how', ENCLOSING)
def test_what_is_made_above_the_main_worktree_moves_no_lock(
    space: Space, how: str
) -> None:
    make, could_be_meant = ENCLOSING[how]
    make(space.path)
    if could_be_meant:
        with pytest.raises(Refusal, match='both worktrees'):
            task_layout.find()
        return
    found = task_layout.find()
    assert found.main == str(space.main.path)
    assert found.tasks == str(space.tasks)


def test_worktrees_of_a_bare_repository_beside_them(
    space: Space, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at_top(space)
    place = tmp_path / 'bare'
    place.mkdir()
    space.main.git('clone', '-q', '--bare', '.', str(place / '.git'))
    git('-C', '{place}', 'worktree', 'add', '-q', '-b', 'x', 'main')(place)
    for folder in (place, place / 'main'):
        monkeypatch.chdir(folder)
        found = task_layout.find(str(place / 'main/.interlock.yaml'))
        assert found.main == str(place / 'main')
        assert found.tasks == str(place / 'tasks')
        assert found.state == str(place / '.git')


def test_a_repository_in_which_nothing_was_done_is_the_one_above_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git('init', '-q', '{place}')(tmp_path / 'new')
    (tmp_path / 'new/.interlock.yaml').write_text(spaces.WORKFLOW)
    monkeypatch.chdir(tmp_path / 'new')
    assert task_layout.find().main == str(tmp_path / 'new')
    git('init', '-q', '{place}')(tmp_path / 'new/main')
    with pytest.raises(Refusal, match='both worktrees') as caught:
        task_layout.find()
    assert caught.value.hint.endswith(str(tmp_path / 'new/.interlock.yaml'))
    with open('.interlock.yaml', 'a') as file:
        file.write('roots: {main: ., tasks: ../tasks}\n')
    assert task_layout.find().tasks == str(tmp_path / 'tasks')


def test_a_file_below_the_top_counts_from_there(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_top(space)
    text = f'{spaces.WORKFLOW}roots: {{main: .., tasks: ../work}}\n'
    space.main.commit({'sub/.interlock.yaml': text})
    code = space.worktree()
    for top in (space.main.path, code.path):
        monkeypatch.chdir(top / 'sub')
        found = task_layout.find()
        assert found.main == str(space.main.path)
        assert found.tasks == str(space.main.path / 'work')


def test_a_file_that_only_the_history_holds_counts(space: Space) -> None:
    at_top(space)
    (space.main.path / '.interlock.yaml').unlink()
    assert task_layout.find().tasks == str(space.tasks)


def test_without_a_file_nothing_governs(repo: Repo) -> None:
    with pytest.raises(Refusal, match='no workflow governs here'):
        task_layout.find()


def test_a_file_that_is_named_and_absent_is_a_refusal(space: Space) -> None:
    with pytest.raises(Refusal, match='does not exist'):
        task_layout.find('nope.yaml')


def test_a_file_that_is_named_counts(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = space.path / 'other' / 'flow.yaml'
    file.parent.mkdir()
    file.write_text(spaces.WORKFLOW)
    (space.path / 'other' / 'main').mkdir()
    assert task_layout.find(str(file)).tasks == str(file.parent / 'tasks')
    monkeypatch.setenv('INTERLOCK_CONFIG', str(file))
    assert task_layout.find().tasks == str(file.parent / 'tasks')


def test_outside_of_git_the_state_is_kept_by_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / '.interlock.yaml').write_text(spaces.WORKFLOW)
    monkeypatch.chdir(tmp_path)
    found = task_layout.find()
    # neither root is there: the first line is what is meant
    assert found.main == str(tmp_path / 'main')
    assert 'is not a git repository' in found.without_git
    assert found.state.startswith(os.environ['XDG_CACHE_HOME'])


@pytest.mark.parametrize(
    ('folder', 'expected'),
    (
        pytest.param('main', WorktreeOwner(''), id='main'),
        pytest.param('main/a/b', WorktreeOwner(''), id='below main'),
        pytest.param(f'tasks/{TASK}/code', WorktreeOwner(TASK), id='task'),
        pytest.param(f'tasks/{TASK}/code/é', WorktreeOwner(TASK), id='below a task'),
        pytest.param(
            f'tasks/{TASK}/agents/test/code', WorktreeOwner(TASK, 'test'), id='agent'
        ),
        pytest.param(
            f'tasks/{TASK}/agents/test/code/x/y',
            WorktreeOwner(TASK, 'test'),
            id='below an agent',
        ),
        pytest.param(f'tasks/{TASK}', None, id='directory of a task'),
        pytest.param(f'tasks/{TASK}/agents', None, id='agents'),
        pytest.param(f'tasks/{TASK}/agents/test', None, id='an agent'),
        pytest.param(f'tasks/{TASK}/codex', None, id='a longer name'),
        pytest.param('tasks/Not_A_Task/code', None, id='no task'),
        pytest.param('tasks/main/code', None, id='main is not a task'),
        pytest.param('tasks', None, id='tasks'),
        pytest.param('.', None, id='above'),
        pytest.param('maine', None, id='beside'),
    ),
)
def test_whose_worktree_a_directory_is(
    space: Space, folder: str, expected: WorktreeOwner | None
) -> None:
    (space.path / folder).mkdir(parents=True, exist_ok=True)
    found = task_layout.find()
    assert found.place(str(space.path / folder)) == expected


def test_a_way_through_links_leads_to_the_same_place(
    space: Space, tmp_path: Path
) -> None:
    space.file('code').mkdir(parents=True)
    link = tmp_path / 'link'
    link.symlink_to(space.tasks)
    found = task_layout.find()
    assert found.place(str(link / TASK / 'code')) == WorktreeOwner(TASK)


def test_the_tasks_and_agents_that_are_there(space: Space) -> None:
    space.write('agents/test/code/x', '')
    space.write('agents/style/status.json', '{}')
    space.write('x', '', 'wash-up')
    space.write('x', '', 'No Task')
    (space.tasks / 'file').write_text('')
    found = task_layout.find()
    assert found.names() == [TASK, 'wash-up']
    assert found.agents(TASK) == ['test']
    assert found.agents('wash-up') == []


@pytest.mark.parametrize('content', (b'', b'gitdir', b'gitdir: ', b'x: y', b'\xff'))
def test_a_broken_pointer_is_not_a_repository(tmp_path: Path, content: bytes) -> None:
    (tmp_path / '.git').write_bytes(content)
    assert common_dir(str(tmp_path)) == ''


def test_the_compiled_workflow_is_found_again(space: Space) -> None:
    forget_compiled()
    task_layout.find()
    (made,) = compiled_folder().iterdir()
    # a damaged one is made again, never trusted
    made.write_text('{}')
    assert task_layout.find().tasks == str(space.tasks)
    assert made.read_text() != '{}'
