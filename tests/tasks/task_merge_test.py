"""How the work of a task reached the main branch."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from interlock.tasks import task_layout, task_merge
from interlock.tasks.conditions.gate import judge
from interlock.tasks.conditions.view import Main
from tests.conftest import Repo
from tests.spaces import TASK, TODO, Space
from tests.tasks.conditions.views import view

DONE = TODO.replace(f'`{TASK}`', '`x`')
TICKED = TODO.replace(f'- [ ] **READY:** `{TASK}`', f'- [x] `{TASK}`')
SAID = TODO.replace(f'READY:** `{TASK}`', f'DONE:** `{TASK}`')
WORK = {'src/X.java': 'class X {}\n'}
NOTES = {'changelog.md': '# Changes\n- X\n'}


@pytest.fixture
def code(space: Space) -> Repo:
    space.main.commit({'changelog.md': '# Changes\n'})
    return space.worktree()


def facts(space: Space, code: Repo) -> Main:
    return task_merge.main_branch(
        os.environ, task_layout.find(''), TASK, code.git('rev-parse', 'HEAD')
    )


def together(space: Space, code: Repo) -> None:
    code.commit(WORK)
    code.commit({'todo.md': DONE, **NOTES, 'src/Y.java': 'class Y {}\n'})
    space.main.git('merge', '-q', '--ff-only', TASK)


def by_merge(space: Space, code: Repo) -> None:
    code.commit(WORK)
    code.commit({'todo.md': DONE, **NOTES})
    space.main.git('merge', '-q', '--no-ff', '-m', 'merge', TASK)


def by_squash(space: Space, code: Repo) -> None:
    code.commit(WORK)
    code.commit({'todo.md': DONE, **NOTES})
    space.main.git('merge', '-q', '--squash', TASK)
    space.main.git('commit', '-qm', 'all of it')


def ticked(space: Space, code: Repo) -> None:
    code.commit({**WORK, 'todo.md': TICKED, **NOTES})
    space.main.git('merge', '-q', '--ff-only', TASK)


def said(space: Space, code: Repo) -> None:
    code.commit({**WORK, 'todo.md': SAID, **NOTES})
    space.main.git('merge', '-q', '--ff-only', TASK)


def main_went_on(space: Space, code: Repo) -> None:
    by_squash(space, code)
    space.main.commit({'src/X.java': 'class X { int y; }\n', 'todo.md': ''})


def not_merged(space: Space, code: Repo) -> None:
    code.commit({**WORK, 'todo.md': DONE, **NOTES})


def todo_alone(space: Space, code: Repo) -> None:
    code.commit({**WORK})
    code.commit({'todo.md': DONE, **NOTES})
    space.main.git('merge', '-q', '--ff-only', TASK)


def still_listed(space: Space, code: Repo) -> None:
    code.commit({**WORK, **NOTES})
    space.main.git('merge', '-q', '--ff-only', TASK)


def other_work(space: Space, code: Repo) -> None:
    code.commit({**WORK, 'todo.md': DONE, **NOTES})
    space.main.commit({'src/X.java': 'class Z {}\n', 'todo.md': DONE, **NOTES})


def unreadable(space: Space, code: Repo) -> None:
    code.commit({**WORK, **NOTES, 'todo.md': '\0'})
    space.main.git('merge', '-q', '--ff-only', TASK)


def unreadable_between(space: Space, code: Repo) -> None:
    unreadable(space, code)
    space.main.commit({'todo.md': DONE})


def no_changelog(space: Space, code: Repo) -> None:
    code.commit({**WORK, 'todo.md': DONE})
    space.main.git('merge', '-q', '--ff-only', TASK)


def without_changelog(space: Space, code: Repo) -> None:
    space.main.commit({'changelog.md': None})
    code.git('merge', '-q', '--ff-only', 'main')
    code.commit({**WORK, 'todo.md': DONE})
    space.main.git('merge', '-q', '--ff-only', TASK)


@pytest.mark.parametrize(
    ('make', 'message'),
    (
        pytest.param(together, '', id='fast-forward'),
        pytest.param(by_merge, '', id='a merge'),
        pytest.param(by_squash, '', id='a squash'),
        pytest.param(ticked, '', id='ticked'),
        pytest.param(said, '', id='said to be done'),
        pytest.param(main_went_on, '', id='main went on'),
        pytest.param(without_changelog, '', id='there is no changelog'),
        pytest.param(not_merged, 'the work is not part', id='not merged'),
        pytest.param(todo_alone, 'contains none of the work', id='apart'),
        pytest.param(still_listed, 'still lists', id='still listed'),
        pytest.param(other_work, 'the work is not part', id='other work'),
        pytest.param(
            unreadable, 'todo.md of the main branch holds a NUL', id='unreadable'
        ),
        pytest.param(unreadable_between, 'still lists', id='read no more'),
        pytest.param(
            no_changelog, 'does not change changelog.md', id='without the changelog'
        ),
    ),
)
def test_how_work_reaches_main(
    space: Space, code: Repo, make: Callable[[Space, Repo], None], message: str
) -> None:
    make(space, code)
    at = view(main=facts(space, code))
    verdict, *_ = judge(at, ['merged-with-todo'])
    assert verdict.refuses == bool(message), verdict.message
    assert message in verdict.message


def test_a_task_that_was_never_listed_is_not_completed(
    space: Space, code: Repo
) -> None:
    space.main.commit({'todo.md': '# nothing\n'})
    space.main.git('reset', '-q', '--hard', 'HEAD~1')
    other = task_merge.main_branch(
        os.environ, task_layout.find(''), 'never-listed', code.git('rev-parse', 'HEAD')
    )
    assert other.completion is None
    assert other.holds_work


def test_the_newest_completion_counts(space: Space, code: Repo) -> None:
    space.main.commit({'todo.md': DONE})
    space.main.commit({'todo.md': TODO})
    code.git('merge', '-q', '--ff-only', 'main')
    commit = code.commit({**WORK, 'todo.md': DONE, **NOTES})
    space.main.git('merge', '-q', '--ff-only', TASK)
    done = facts(space, code).completion
    assert done is not None
    assert done.commit == commit
    assert done.work == ('src/X.java',)


def test_without_a_repository_nothing_is_known(space: Space) -> None:
    at = task_layout.find('')._replace(without_git='it is no repository')
    assert task_merge.main_branch(os.environ, at, TASK, 'x') == Main(
        'it is no repository'
    )


def test_a_task_without_a_commit(space: Space) -> None:
    found = task_merge.main_branch(os.environ, task_layout.find(''), TASK, '')
    assert found.problem == 'the main branch, or the task, has no commit'


Y = {'src/Y.java': 'class Y {}\n'}
END = {'todo.md': DONE, **NOTES}


def squashed(space: Space, code: Repo) -> None:
    space.main.git('merge', '-q', '--squash', TASK)
    space.main.stage(END)
    space.main.git('commit', '-qm', 'all of it')


def merged_whole(space: Space, code: Repo) -> None:
    space.main.git('merge', '-q', '--no-ff', '--no-commit', TASK)
    space.main.stage(END)
    space.main.git('commit', '-qm', 'all of it')


def merged_after_main(space: Space, code: Repo) -> None:
    space.main.commit({'src/Z.java': 'class Z {}\n'})
    merged_whole(space, code)


def main_merged_first(space: Space, code: Repo) -> None:
    space.main.commit({'src/Z.java': 'class Z {}\n'})
    code.git('merge', '-q', '-m', 'main', 'main')
    merged_whole(space, code)


def squashed_after_main(space: Space, code: Repo) -> None:
    space.main.commit({'src/Z.java': 'class Z {}\n'})
    squashed(space, code)


def squashed_more(space: Space, code: Repo) -> None:
    space.main.git('merge', '-q', '--squash', TASK)
    space.main.stage({**END, **Y})
    space.main.git('commit', '-qm', 'all of it')


def squashed_otherwise(space: Space, code: Repo) -> None:
    code.commit({'src/X.java': 'class X { int y; }\n'})
    squashed(space, code)


def squashed_less(space: Space, code: Repo) -> None:
    space.main.stage({**END, **Y})
    space.main.git('commit', '-qm', 'all of it')


def merged_more(space: Space, code: Repo) -> None:
    code.commit(Y)
    merged_whole(space, code)


def merged_and_more(space: Space, code: Repo) -> None:
    space.main.git('merge', '-q', '--no-ff', '--no-commit', TASK)
    space.main.stage({**END, **Y})
    space.main.git('commit', '-qm', 'all of it')


def forwarded_more(space: Space, code: Repo) -> None:
    code.commit({**END, **Y})
    space.main.git('merge', '-q', '--ff-only', TASK)


def forwarded_more_and_gone(space: Space, code: Repo) -> None:
    message = f'é\n\nInterlock-Task: {TASK}'
    code.commit({**END, **Y}, message)
    space.main.git('merge', '-q', '--ff-only', TASK)
    space.main.git('worktree', 'remove', '--force', str(code.path))


def forwarded_and_main_went_on(space: Space, code: Repo) -> None:
    space.main.git('merge', '-q', '--ff-only', TASK)
    space.main.commit({'src/Z.java': 'class Z {}\n', **END})
    space.main.commit({'src/Z.java': 'class Z2 {}\n'})


@pytest.mark.parametrize(
    ('make', 'message'),
    (
        pytest.param(squashed, '', id='a squash'),
        pytest.param(merged_whole, '', id='a merge'),
        pytest.param(merged_after_main, '', id='main went on, then a merge'),
        pytest.param(main_merged_first, '', id='main came into the branch'),
        pytest.param(squashed_after_main, '', id='main went on, a squash'),
        pytest.param(forwarded_and_main_went_on, '', id='others after it'),
        pytest.param(squashed_more, 'src/Y.java', id='a squash and more'),
        pytest.param(squashed_otherwise, 'is not part', id='another squash'),
        pytest.param(squashed_less, 'is not part', id='something else'),
        pytest.param(merged_more, 'src/Y.java', id='the branch went on'),
        pytest.param(merged_and_more, 'src/Y.java', id='a merge and more'),
        pytest.param(forwarded_more, 'src/Y.java', id='forward, and more'),
        pytest.param(forwarded_more_and_gone, 'src/Y.java', id='no worktree any more'),
    ),
)
def test_what_reaches_main_is_what_was_approved(
    space: Space, code: Repo, make: Callable[[Space, Repo], None], message: str
) -> None:
    approved = code.commit(WORK)
    make(space, code)
    tip = code.git('rev-parse', 'HEAD') if code.path.exists() else ''
    found = task_merge.main_branch(
        os.environ, task_layout.find(''), TASK, tip, approved
    )
    said = [
        each.message
        for each in judge(view(main=found), ['merged-with-todo'])
        if each.refuses
    ]
    assert bool(said) == bool(message), said
    assert message in ''.join(said)


def squashed_alone(space: Space, code: Repo) -> None:
    code.commit({**WORK, 'todo.md': DONE})
    space.main.git('merge', '-q', '--squash', TASK)
    space.main.git('commit', '-qm', 'all but the changelog')


def merged_alone(space: Space, code: Repo) -> None:
    code.commit({**WORK, 'todo.md': DONE})
    space.main.git('merge', '-q', '--no-ff', '-m', 'merge', TASK)


@pytest.mark.parametrize('bring', (squashed_alone, merged_alone, no_changelog))
def test_what_was_completed_wrongly_is_completed_anew(
    space: Space, code: Repo, bring: Callable[[Space, Repo], None]
) -> None:
    """By the commands that are said to come next."""
    bring(space, code)
    (verdict,) = judge(view(main=facts(space, code)), ['merged-with-todo'])
    assert verdict.refuses
    first = verdict.recovery.partition(' in the main')[0].split()
    space.main.git(*first[1:])
    space.main.git('revert', '--no-commit', 'HEAD')
    space.main.stage(NOTES)
    space.main.git('commit', '-qm', 'all of it')
    (verdict,) = judge(view(main=facts(space, code)), ['merged-with-todo'])
    assert not verdict.refuses, verdict.message
