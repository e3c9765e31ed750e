"""A plain commit in the main worktree: silent only if its lock is ours."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import pytest

from tests import spaces
from tests.guard.asking import OTHER, SESSION, ask
from tests.guard.guards.task_files_test import hold_main, lock
from tests.spaces import TASK, Space
from tests.tasks.task_layout_test import NESTED

COMMIT = 'git add -A && git commit -m "fix: x"'


@pytest.fixture(autouse=True)
def session(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    # the client says which session it is
    monkeypatch.delenv('INTERLOCK_SESSION')


def commit(space: Space) -> str:
    """The code of the answer to a commit, '' if there is none."""
    reply = ask(
        'PreToolUse', space.main.path, tool_name='Bash', tool_input={'command': COMMIT}
    )
    assert reply.decision in ('', 'deny', 'ask')
    return reply.reason[:6]


def as_text(change: Callable[[str], str]) -> Callable[[Space], None]:
    def damage(space: Space) -> None:
        path = space.file('task.json', 'main')
        path.write_text(change(path.read_text()))

    return damage


def as_link(space: Space) -> None:
    path = space.file('task.json', 'main')
    path.rename(path.with_name('elsewhere'))
    path.symlink_to('elsewhere')


def as_pipe(space: Space) -> None:
    path = space.file('task.json', 'main')
    path.unlink()
    os.mkfifo(path)


def test_with_and_without_the_lock(space: Space) -> None:
    assert commit(space) == 'LCK007'
    hold_main(space, OTHER)
    assert commit(space) == 'LCK001'
    hold_main(space)
    assert commit(space) == ''


@pytest.mark.parametrize(
    'damage',
    [
        pytest.param(as_link, id='a link'),
        pytest.param(as_pipe, id='a pipe'),
        pytest.param(as_text(lambda text: text[:-9]), id='cut'),
        pytest.param(
            as_text(lambda text: text.replace('{', f'{{"session_id": "{OTHER}",', 1)),
            id='two sessions',
        ),
        pytest.param(
            as_text(lambda text: text.replace('{', '{"x": NaN,', 1)), id='no number'
        ),
        pytest.param(
            as_text(lambda text: text.replace('{', '{"x": "a\tb",', 1)), id='a tab'
        ),
        pytest.param(
            as_text(lambda text: text.replace('{', '{"x": 1e999,', 1)),
            id='a number that is too large',
        ),
        pytest.param(
            as_text(
                lambda text: text.replace('{', f'{{"x": {"[" * 150}{"]" * 150},', 1)
            ),
            id='nested too deeply',
        ),
        pytest.param(
            as_text(lambda text: text.replace('{', f'{{"x": "{"y" * 5_000_000}",', 1)),
            id='too large',
        ),
    ],
)
def test_a_lock_that_cannot_be_read_is_not_ours(
    damage: Callable[[Space], None], space: Space
) -> None:
    hold_main(space)
    damage(space)
    assert commit(space) == 'LCK002'


def test_on_the_branch_of_a_task_of_another_session(space: Space) -> None:
    hold_main(space)
    space.worktree()
    space.put(lock('INIT', session_id=OTHER))
    space.main.git('checkout', '-q', '--ignore-other-worktrees', TASK)
    assert commit(space) == 'LCK001'


def workflow(space: Space, text: str) -> None:
    space.main.write({'.interlock.yaml': f'version: 1\n{text}'})


def test_an_ignored_name_may_be_the_branch_of_a_task(space: Space) -> None:
    workflow(
        space,
        'extends: [plugin-workflow, task-protocol]\n'
        'items:\n  task:\n    ignore: [main, task-template]\n'
        "    protocol: {branch: 'task-{item}'}\n",
    )
    hold_main(space)
    assert commit(space) == ''
    space.put(spaces.lock('INIT', task_name='template', session_id=OTHER), 'template')
    space.main.git('checkout', '-q', '-b', 'task-template')
    assert commit(space) == 'LCK001'


def test_two_layouts_of_one_worktree_are_not_told_apart(space: Space) -> None:
    workflow(
        space,
        'extends: [plugin-workflow, task-protocol]\n'
        'roots: [{main: ., tasks: ../new}, {main: ., tasks: ../tasks}]\n',
    )
    hold_main(space)
    held = json.loads(space.file('task.json', 'main').read_text())
    assert held['session_id'] == SESSION
    other = space.path / 'new/main/task.json'
    other.parent.mkdir(parents=True)
    other.write_text(json.dumps({**held, 'session_id': OTHER}))
    assert commit(space) == 'LCK001'


@pytest.mark.parametrize('how', NESTED)
def test_nothing_that_is_made_inside_moves_the_lock_away(
    space: Space, how: str
) -> None:
    (space.path / '.interlock.yaml').rename(space.main.path / '.interlock.yaml')
    space.main.commit({})
    space.worktree()
    hold_main(space, OTHER)
    assert commit(space) == 'LCK001'
    make, could_be_meant = NESTED[how]
    make(space.main.path / 'main')
    # it is not free to commit under the other layout, whose lock nobody holds
    said = commit(space)
    assert said == ('CLD014' if could_be_meant else 'LCK001')
