from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.checks.run import judge
from interlock.model.actor import Actor
from interlock.model.change import Blob, Site
from interlock.model.finding import Finding
from interlock.workflow.language.spec import Workflow
from tests import spaces
from tests.checks.trees import change, workflow
from tests.spaces import OTHER, SESSION, TASK

TASKS: Workflow = workflow(spaces.WORKFLOW)
PATH = f'/tâches/{TASK}/task.json'
MAIN = {
    'session_id': SESSION,
    'task_name': 'main-worktree-operation',
    'operation_type': 'git-operation',
    'state': 'IN_PROGRESS',
    'created_at': '2026-01-02T03:04:05Z',
}


def actor(session: str = SESSION, automated: bool = True) -> Actor:
    return Actor(session, '', 'hôte', 7, automated)


PERSON = actor('', False)
NOBODY = actor('')


def site(who: Actor, data: Any = None, task: str = TASK, readable: bool = True) -> Site:
    """`data` None: there is no lock."""
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    blob = Blob('', len(text), text) if readable else None
    return Site(
        'task',
        task,
        who,
        PATH,
        data is not None,
        None if data is None else blob,
        'somebody',
    )


def found(where: Site | None, **fields: Any) -> list[Finding]:
    made = change({'x': '1'}, {'x': '2'}, 'é')
    return judge([made._replace(site=where, **fields)], TASKS)


def codes(where: Site) -> list[tuple[str, str]]:
    return [(each.code, each.severity) for each in found(where)]


LOCK = spaces.lock('INIT', 'CLASSIFIED')
FOREIGN = {**LOCK, 'session_id': OTHER}


@pytest.mark.parametrize(
    ('where', 'expected'),
    (
        pytest.param(site(actor(), LOCK), [], id='the holder'),
        pytest.param(
            site(actor()._replace(agent='a-1'), LOCK), [], id='a subagent of the holder'
        ),
        pytest.param(
            site(actor()._replace(host='x', pid=1), LOCK),
            [],
            id='the holder on another host',
        ),
        pytest.param(site(actor(), FOREIGN), [('LCK001', 'error')], id='another'),
        pytest.param(site(PERSON, FOREIGN), [('LCK001', 'warning')], id='a person'),
        pytest.param(site(NOBODY, LOCK), [('LCK003', 'error')], id='nobody'),
        pytest.param(
            site(NOBODY, {**LOCK, 'session_id': ''}),
            [('LCK003', 'error'), ('LCK005', 'error')],
            id='nobody and an empty owner',
        ),
        pytest.param(
            site(actor(), {**LOCK, 'session_id': ''}),
            [('LCK005', 'error')],
            id='ownerless',
        ),
        *(
            pytest.param(
                site(actor(), {**LOCK, 'session_id': value}),
                [('LCK005', 'error')],
                id=f'held by {value!r}',
            )
            for value in ('null', 'undefined', 'None', ' ', 7, '{}')
        ),
        pytest.param(
            site(NOBODY, {**LOCK, 'session_id': 'null'}),
            [('LCK003', 'error'), ('LCK005', 'error')],
            id='null and null are two',
        ),
        pytest.param(
            site(PERSON, {**LOCK, 'session_id': None}),
            [('LCK005', 'warning')],
            id='a person and no owner',
        ),
        pytest.param(site(actor(), b'{'), [('LCK002', 'error')], id='torn'),
        pytest.param(site(actor(), b''), [('LCK002', 'error')], id='empty'),
        pytest.param(
            site(actor(), LOCK, readable=False), [('LCK002', 'error')], id='unreadable'
        ),
        pytest.param(
            site(PERSON, b'['), [('LCK002', 'warning')], id='a person and a torn one'
        ),
        pytest.param(site(actor()), [('LCK004', 'warning')], id='no lock'),
    ),
)
def test_the_committer_for_a_task_holds_its_lock(
    where: Site, expected: list[tuple[str, str]]
) -> None:
    assert codes(where) == expected


@pytest.mark.parametrize(
    ('where', 'expected'),
    (
        pytest.param(site(actor(), MAIN, ''), [], id='the holder'),
        pytest.param(site(actor(), None, ''), [('LCK007', 'error')], id='no lock'),
        pytest.param(site(PERSON, None, ''), [], id='a person, no lock'),
        pytest.param(
            site(actor(), {**MAIN, 'session_id': OTHER}, ''),
            [('LCK001', 'error')],
            id='another',
        ),
        pytest.param(
            site(PERSON, {**MAIN, 'session_id': OTHER}, ''),
            [('LCK001', 'warning')],
            id='a person',
        ),
        pytest.param(site(actor(), b'{}', ''), [('LCK005', 'error')] * 5, id='empty'),
        pytest.param(
            site(actor(), {**MAIN, 'operation_type': 'é'}, ''),
            [('LCK005', 'error')],
            id='operation',
        ),
        pytest.param(
            site(actor(), {**MAIN, 'state': 'INIT'}, ''),
            [('LCK005', 'error')],
            id='state of a task',
        ),
        pytest.param(site(actor(), b'x', ''), [('LCK002', 'error')], id='torn'),
    ),
)
def test_the_committer_in_the_main_worktree_holds_its_lock(
    where: Site, expected: list[tuple[str, str]]
) -> None:
    assert codes(where) == expected


def test_the_lock_itself_is_judged_at_a_commit() -> None:
    broken = {**LOCK, 'state': 'BANANA', 'transition_log': 'none'}
    assert sorted(codes(site(actor(), broken))) == [
        ('TSK003', 'error'),
        ('TSK004', 'error'),
    ]
    skipped = spaces.lock('INIT', 'IMPLEMENTATION')
    assert codes(site(actor(), skipped)) == [('STG003', 'error')]


def test_a_commit_elsewhere_is_not_ours() -> None:
    assert found(None) == []


def test_a_finding_says_who_holds_the_lock_and_what_comes_next() -> None:
    (finding,) = found(site(actor(), FOREIGN))
    assert finding.message == 'held by somebody'
    assert finding.item == TASK
    assert finding.path == PATH
    assert finding.fix.command == 'interlock task select'
    assert finding.introduced
    (finding,) = found(site(actor(), None, ''))
    assert finding.fix.command == (
        'interlock lock acquire main --operation git-operation'
    )


@pytest.mark.parametrize(
    ('message', 'newest', 'expected'),
    (
        pytest.param(f'é\n\nInterlock-Lock: {TASK}@2', 3, ['LCK006'], id='old'),
        pytest.param(f'é\n\nInterlock-Lock: {TASK}@3', 3, [], id='same'),
        pytest.param(f'é\n\nInterlock-Lock: {TASK}@4', 3, [], id='new'),
        pytest.param('é\n\nInterlock-Lock: other@1', 3, [], id='other'),
        *(
            pytest.param(
                f'é\n\nInterlock-Lock: {value}',
                3,
                ['LCK006'],
                id=f'not a generation: {value[-9:]}',
            )
            for value in (
                f'{TASK}@x',
                f'{TASK}@-1',
                f'{TASK}@{"9" * 40}',
                f'{TASK}@',
                TASK,
                '@3',
                f'{TASK}@3 4',
                f'{TASK}@3.5',
            )
        ),
        pytest.param('é', 3, [], id='none'),
    ),
)
def test_a_commit_is_not_of_an_older_generation(
    message: str, newest: int, expected: list[str]
) -> None:
    made = change({'x': '1'}, {'x': '2'}, message)._replace(
        commit='abcdef', generations={TASK: newest}
    )
    assert [each.code for each in judge([made], TASKS)] == expected


def test_a_generation_that_was_never_given_out_is_refused_everywhere() -> None:
    made = change({'x': '1'}, {'x': '2'}, f'é\n\nInterlock-Lock: {TASK}@9')
    for commit in ('', 'abcdef'):
        forged = made._replace(commit=commit, is_generation_given=False)
        (found,) = judge([forged], TASKS)
        assert (found.code, found.item) == ('LCK006', TASK)
        assert found.message == 'generation 9 of the lock was never given out'
        assert judge([made._replace(commit=commit)], TASKS) == []


@pytest.mark.parametrize(
    ('who', 'expected'),
    (
        pytest.param(actor(), [('LCK006', 'error')], id='the holder'),
        pytest.param(
            PERSON, [('LCK001', 'warning'), ('LCK006', 'warning')], id='a person'
        ),
        pytest.param(actor(OTHER), [('LCK001', 'error')], id='another'),
    ),
)
def test_a_lock_whose_generation_was_edited(
    who: Actor, expected: list[tuple[str, str]]
) -> None:
    assert codes(site(who, LOCK)._replace(given=False)) == expected
    where = site(who, MAIN, '')._replace(given=False)
    assert codes(where) == expected
    findings = [each for each in found(where) if each.code == 'LCK006']
    assert [each.fix.command for each in findings] == [
        'interlock lock acquire main --operation git-operation'
    ][: len(findings)]


TODO = f'- [ ] **READY:** `{TASK}` - é\n- [ ] wash-up\n'


@pytest.mark.parametrize(
    ('after', 'expected'),
    (
        pytest.param({'todo.md': '- [ ] wash-up\n'}, [TASK], id='removed'),
        pytest.param(
            {'todo.md': TODO.replace('[ ] **R', '[x] **R')}, [TASK], id='ticked'
        ),
        pytest.param({'todo.md': TODO.replace('READY', 'DONE')}, [TASK], id='said'),
        pytest.param({}, [TASK, 'wash-up'], id='no list any more'),
        pytest.param(
            {'todo.md': '- [ ] wash-up\n', 'changelog.md': 'é'},
            [TASK],
            id='with the changelog only',
        ),
        pytest.param(
            {'todo.md': '- [ ] wash-up\n', 'bread.py': '1'}, [], id='with the work'
        ),
        pytest.param({'todo.md': TODO + '- [ ] new-one\n'}, [], id='added'),
        pytest.param({'todo.md': TODO.replace('READY', 'BLOCKED')}, [], id='blocked'),
        pytest.param({'todo.md': TODO, 'bread.py': '1'}, [], id='work only'),
        pytest.param(
            {'todo.md': TODO.replace(f'`{TASK}`', 'a loaf'), 'bread.py': '1'},
            ['*'],
            id='with the work, and its name is lost',
        ),
        pytest.param(
            {'todo.md': TODO.replace(f'`{TASK}`', 'a loaf')},
            ['*'],
            id='alone, and its name is lost',
        ),
        pytest.param({'todo.md': TODO + '- [ ] **BLOCKED:**\n'}, ['*'], id='no name'),
        pytest.param(
            {'todo.md': TODO + '- [ ] **IN_PROGRESS:** a loaf\n'},
            ['*'],
            id='in progress, without a name',
        ),
        pytest.param(
            {'todo.md': TODO + '- [x] **IN_PROGRESS:** a loaf\n'},
            [],
            id='done, without a name',
        ),
        pytest.param({'todo.md': TODO + '- [ ] NOTE: buy flour\n'}, [], id='a note'),
    ),
)
def test_a_task_is_completed_together_with_its_work(
    after: dict[str, str], expected: list[str]
) -> None:
    made = change({'todo.md': TODO}, after, 'é')
    findings = judge([made], TASKS)
    assert [(each.code, each.item) for each in findings] == [
        ('COM007', task) for task in expected
    ]


def test_a_list_that_cannot_be_read_completes_nothing() -> None:
    made = change({'todo.md': TODO}, {'todo.md': '\0', 'bread.py': '1'}, 'é')
    (found,) = judge([made], TASKS)
    assert (found.code, found.severity) == ('COM007', 'error')
    assert 'holds a NUL byte' in found.message
    # who does not touch it is not asked
    before = {'todo.md': '\0'}
    made = change(before, {'todo.md': '\0', 'bread.py': '1'}, 'é')
    assert judge([made], TASKS) == []
    repaired = change(before, {'todo.md': TODO}, 'é')
    assert judge([repaired], TASKS) == []


def test_what_was_completed_before_is_deleted_alone() -> None:
    before = {'todo.md': TODO.replace('[ ] **R', '[x] **R')}
    made = change(before, {'todo.md': '- [ ] wash-up\n'}, 'é')
    assert judge([made], TASKS) == []


@pytest.mark.parametrize(
    ('after', 'message', 'where', 'expected'),
    (
        pytest.param(TODO, 'é', None, ['COM007'], id='still open'),
        pytest.param('- [ ] wash-up\n', 'é', None, [], id='completed'),
        pytest.param(
            TODO,
            f'é\n\nInterlock-Task: {TASK}',
            None,
            [],
            id="an agent's branch, in history",
        ),
        pytest.param(
            TODO,
            'é',
            site(actor(), LOCK),
            [],
            id="an agent's branch, in the task's worktree",
        ),
        pytest.param(
            TODO, 'é', site(actor(), MAIN, ''), ['COM007'], id='in the main worktree'
        ),
    ),
)
def test_a_merge_brings_the_work_and_completes_the_task(
    after: str, message: str, where: Site | None, expected: list[str]
) -> None:
    made = change({'todo.md': TODO}, {'todo.md': after, 'x': '1'}, message)
    made = made._replace(merged=(TASK,), site=where)
    assert [each.code for each in judge([made], TASKS)] == expected


@pytest.mark.parametrize(
    ('line', 'expected'),
    (
        pytest.param(f'- {TASK}: crusty', ['COM007'], id='an entry'),
        pytest.param(f'## `{TASK}`', ['COM007'], id='a heading'),
        pytest.param(f'- [x] **{TASK}**', ['COM007'], id='a box'),
        pytest.param(f'- 2026-01-02: `{TASK}` baked', ['COM007'], id='behind a date'),
        pytest.param(f'Work on `{TASK}`: done.', ['COM007'], id='in words'),
        pytest.param(f'- [ ] {TASK}', [], id='an open box'),
        pytest.param(f'- oven ready for `{TASK}`', [], id='mentioned'),
        pytest.param(f'- {TASK}-again: no', [], id='another task'),
    ),
)
def test_a_task_that_the_changelog_says_is_done_is_completed(
    line: str, expected: list[str]
) -> None:
    before = {'todo.md': TODO, 'changelog.md': '# Changes\n'}
    after = {**before, 'changelog.md': f'# Changes\n\n{line}\n', 'x': '1'}
    made = change(before, after, 'é')
    assert [each.code for each in judge([made], TASKS)] == expected
    own = change(before, after, f'é\n\nInterlock-Task: {TASK}')
    assert judge([own], TASKS) == []
    completed = change(before, {**after, 'todo.md': '- [ ] wash-up\n'}, 'é')
    assert judge([completed], TASKS) == []
    # what it said before is not said again
    again = change(
        after,
        {**after, 'x': '2', 'changelog.md': (f'# Changes\n\n{line}\n\n- more\n')},
        'é',
    )
    assert judge([again], TASKS) == []
