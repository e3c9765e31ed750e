from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.git.batch import MAX_BLOB
from tests.conftest import Interlock
from tests.desk import PARTS, PLAN, Desk
from tests.spaces import TASK


def gate(interlock: Interlock, state: str) -> dict[str, Any]:
    result = interlock('gate', TASK, state, '--format', 'json')
    found: dict[str, Any] = json.loads(result.out)
    assert result.code == (0 if found['open'] else 1)
    return found


def failing(found: dict[str, Any]) -> list[str]:
    return [each['code'] for each in found['conditions'] if each['severity'] == 'error']


def test_a_gate_says_what_holds_and_what_does_not(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at('CLASSIFIED', risk_level='HIGH')
    before = desk.bytes()
    result = interlock('gate', TASK, 'REQUIREMENTS')
    assert result.code == 1
    lines = result.out.splitlines()
    assert 'holds    GAT009 risk-level: the risk level is recorded' in lines
    place = lines.index('fails    GAT014 plan-file: there is no task.md')
    assert lines[place + 1 : place + 3] == [
        '         cause: CLASSIFIED did not create task.md (CLASSIFIED)',
        '         next: write task.md with its sections, at the root of the task',
    ]
    assert lines[-1] == 'CLASSIFIED -> REQUIREMENTS: the gate is closed'
    assert desk.bytes() == before


def test_the_command_that_is_named_opens_the_gate(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at('CLASSIFIED')
    desk.write('task.md', PLAN)
    result = interlock('gate', TASK, 'REQUIREMENTS', '-q')
    named = re.search('GAT009.*\n.*\n +next: interlock (.*)', result.out)
    assert named is not None, result.out
    args = named[1].replace('LEVEL', 'LOW').split()
    result = interlock(*args)
    assert result.code == 0, result.out + result.err
    assert desk.read()['state'] == 'REQUIREMENTS'


def test_quiet_says_only_what_does_not_hold(desk: Desk, interlock: Interlock) -> None:
    result = interlock('gate', TASK, 'CLASSIFIED', '-q')
    assert result.code == 0
    assert result.out == 'INIT -> CLASSIFIED: the gate is open\n'


def test_a_gate_of_a_state_that_is_none(desk: Desk, interlock: Interlock) -> None:
    found = gate(interlock, 'BANANA')
    assert failing(found) == ['GAT001']


def test_a_step_that_is_illegal_has_no_other_conditions(
    desk: Desk, interlock: Interlock
) -> None:
    lines = interlock('gate', TASK, 'REVIEW').out.splitlines()
    assert len([line for line in lines if line.startswith('fails')]) > 1
    lines = interlock('transition', TASK, 'REVIEW').out.splitlines()
    assert [line[9:15] for line in lines if line.startswith('fails')] == ['GAT001']


@pytest.mark.parametrize(
    ('todo', 'code'),
    (
        pytest.param(f'- [ ] **READY:** `{TASK}` - é\n', 0, id='ready'),
        pytest.param(f'- [ ] {TASK}\n', 0, id='bare'),
        pytest.param(f'- [x] {TASK}\n', 1, id='ticked'),
        pytest.param(f'- [ ] **DONE:** `{TASK}`\n', 1, id='done'),
        pytest.param(f'- [ ] {TASK}-too\n', 1, id='another'),
        pytest.param('', 1, id='empty'),
        pytest.param(None, 1, id='missing'),
        pytest.param(b'\xff', 1, id='no UTF-8'),
    ),
)
def test_the_task_is_on_the_list(
    desk: Desk, interlock: Interlock, todo: str | bytes | None, code: int
) -> None:
    desk.main.write({'todo.md': todo})
    found = gate(interlock, 'CLASSIFIED')
    assert failing(found) == (['GAT005'] if code else [])


def no_text(path: Path) -> None:
    path.write_bytes(b'\xff')


def no_file(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ('spoil', 'why'),
    (
        pytest.param(no_text, 'todo.md is not UTF-8 text', id='no text'),
        pytest.param(no_file, 'todo.md is not a file', id='a directory'),
        pytest.param(pipe, 'todo.md is not a file', id='a pipe'),
    ),
)
def test_a_list_that_cannot_be_read_is_the_reason(
    desk: Desk, interlock: Interlock, spoil: Callable[[Path], None], why: str
) -> None:
    spoil(desk.main.path / 'todo.md')
    result = interlock('gate', TASK, 'CLASSIFIED')
    assert result.code == 1
    assert f'GAT005 todo-entry: {why}\n' in result.out
    result = interlock('task', 'check', TASK, '--format', 'json')
    assert (result.code, result.codes) == (1, ['TSK009'])
    result = interlock('task', 'start', 'wash-up')
    assert result.code != 0


def test_a_worktree_that_was_removed_by_hand(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.main.path)
    desk.main.git('worktree', 'remove', '--force', str(desk.code.path))
    found = gate(interlock, 'CLASSIFIED')
    assert failing(found) == ['GAT006', 'GAT007']


def complete(desk: Desk, state: str) -> None:
    desk.at(state)
    desk.write('task.md', PLAN + PARTS)
    desk.status('architect')
    desk.report('architect')


@pytest.mark.parametrize(
    ('name', 'content', 'codes'),
    (
        pytest.param('status', None, ['GAT017'], id='no status'),
        pytest.param('status', '', ['GAT017'], id='an empty status'),
        pytest.param('status', '{"sta', ['GAT017'], id='half a status'),
        pytest.param('status', '[]', ['GAT017'], id='a list'),
        pytest.param('status', '{"status": 3}', ['GAT017'], id='a number'),
        pytest.param(
            'status',
            '{"status": "ERROR", "error_message": "é"}',
            ['GAT017', 'GAT019'],
            id='an error',
        ),
        pytest.param('report', None, ['GAT018'], id='no report'),
        pytest.param('report', 'x' * 99, ['GAT018'], id='99 bytes'),
        pytest.param('report', 'é' * 50, [], id='100 bytes, 50 characters'),
        pytest.param(
            'plan', None, ['GAT014', 'GAT015', 'GAT015', 'GAT015'], id='no plan'
        ),
        pytest.param('plan', '', ['GAT015', 'GAT015', 'GAT015'], id='an empty plan'),
    ),
)
def test_the_way_out_of_the_requirements(
    desk: Desk, interlock: Interlock, name: str, content: str | None, codes: list[str]
) -> None:
    complete(desk, 'REQUIREMENTS')
    path = desk.file(
        {
            'status': 'agents/architect/status.json',
            'report': f'{TASK}-architect-requirements.md',
            'plan': 'task.md',
        }[name]
    )
    path.unlink()
    if content is not None:
        path.write_text(content, encoding='UTF-8')
    assert failing(gate(interlock, 'SYNTHESIS')) == codes


def test_a_plan_that_is_not_text(desk: Desk, interlock: Interlock) -> None:
    complete(desk, 'REQUIREMENTS')
    desk.file('task.md').write_bytes(b'\xff\xfe')
    found = gate(interlock, 'SYNTHESIS')
    assert failing(found)[0] == 'GAT014'
    messages = [each['message'] for each in found['conditions']]
    assert 'task.md is not UTF-8 text' in messages


def test_a_directory_is_not_a_plan(desk: Desk, interlock: Interlock) -> None:
    complete(desk, 'REQUIREMENTS')
    desk.file('task.md').unlink()
    desk.file('task.md').mkdir()
    assert failing(gate(interlock, 'SYNTHESIS'))[0] == 'GAT014'


@pytest.mark.parametrize(
    ('name', 'code'),
    (
        pytest.param('task.md', 'GAT014', id='plan'),
        pytest.param('agents/architect/status.json', 'GAT017', id='status'),
        pytest.param(f'{TASK}-architect-requirements.md', 'GAT018', id='report'),
    ),
)
def test_a_pipe_is_not_waited_for(
    desk: Desk, interlock: Interlock, name: str, code: str
) -> None:
    complete(desk, 'REQUIREMENTS')
    desk.file(name).unlink()
    os.mkfifo(desk.file(name))
    assert failing(gate(interlock, 'SYNTHESIS'))[0] == code


def test_what_is_huge_is_not_read(desk: Desk, interlock: Interlock) -> None:
    complete(desk, 'REQUIREMENTS')
    for name in ('task.md', 'agents/architect/status.json'):
        with open(desk.file(name), 'wb') as f:
            f.truncate(MAX_BLOB + 1)
    found = gate(interlock, 'SYNTHESIS')
    messages = [each['message'] for each in found['conditions']]
    assert f'task.md is too large to be read ({MAX_BLOB + 1} bytes)' in (messages)
    assert (
        f'architect: its status file is too large to be read ({MAX_BLOB + 1} bytes)'
    ) in messages


def test_links_are_followed(desk: Desk, interlock: Interlock) -> None:
    complete(desk, 'REQUIREMENTS')
    path = desk.file('task.md')
    path.rename(desk.path / 'plan.md')
    path.symlink_to(desk.path / 'plan.md')
    assert gate(interlock, 'SYNTHESIS')['open']
    (desk.path / 'plan.md').unlink()
    assert failing(gate(interlock, 'SYNTHESIS'))[0] == 'GAT014'


def test_a_report_under_an_older_name_counts_with_a_warning(
    desk: Desk, interlock: Interlock
) -> None:
    complete(desk, 'REQUIREMENTS')
    old = desk.file(f'{TASK}-architect-requirements.md')
    old.rename(desk.file('architect-requirements.md'))
    found = gate(interlock, 'SYNTHESIS')
    assert found['open']
    assert [
        each['message'] for each in found['conditions'] if each['code'] == 'GAT018'
    ] == [
        f'architect: its report is architect-requirements.md, an older name '
        f'of {TASK}-architect-requirements.md'
    ]


def test_an_agent_under_another_name_counts(desk: Desk, interlock: Interlock) -> None:
    complete(desk, 'REQUIREMENTS')
    desk.change(required_agents=['architect', 'quality'])
    desk.status('engineer')
    desk.report('engineer')
    desk.file('agents/engineer/code').mkdir(parents=True)
    assert gate(interlock, 'SYNTHESIS')['open']


@pytest.mark.parametrize('name', ('../../x', 'a/b', '..', '', '\n'))
def test_an_agent_with_a_name_that_leads_elsewhere(
    desk: Desk, interlock: Interlock, name: str
) -> None:
    complete(desk, 'REQUIREMENTS')
    desk.change(required_agents=[name])
    assert failing(gate(interlock, 'SYNTHESIS'))[0] == 'GAT008'


def test_what_is_not_committed_is_not_validated(
    desk: Desk, interlock: Interlock
) -> None:
    complete(desk, 'IMPLEMENTATION')
    assert gate(interlock, 'VALIDATION')['open']
    desk.code.write({'neu é.txt': 'x'})
    assert failing(gate(interlock, 'VALIDATION')) == ['GAT023']
    desk.code.commit({})
    agent = desk.file('agents/architect/code/README.md')
    agent.write_text('changed\n')
    found = gate(interlock, 'VALIDATION')
    assert failing(found) == ['GAT023']
    assert 'worktree of architect: README.md is not committed' in (
        [each['message'] for each in found['conditions']]
    )


def test_what_git_ignores_does_not_count_as_work(
    desk: Desk, interlock: Interlock
) -> None:
    desk.code.commit({'.gitignore': 'target/\n'})
    desk.code.write({'target/X.class': 'x'})
    complete(desk, 'IMPLEMENTATION')
    assert gate(interlock, 'VALIDATION')['open']


def test_outside_of_git_only_what_needs_git_fails(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete(desk, 'REQUIREMENTS')
    monkeypatch.chdir(desk.main.path)
    desk.main.git('worktree', 'remove', '--force', str(desk.code.path))
    desk.code.path.mkdir()
    monkeypatch.chdir(desk.code.path)
    assert gate(interlock, 'SYNTHESIS')['open']
    complete(desk, 'IMPLEMENTATION')
    found = gate(interlock, 'VALIDATION')
    assert failing(found) == ['GAT023']
    assert f'{desk.code.path}: {desk.code.path} is not a git worktree' in (
        [each['message'] for each in found['conditions']]
    )


def test_the_variables_of_a_hook_do_not_mislead(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete(desk, 'IMPLEMENTATION')
    desk.code.write({'X': 'x'})
    monkeypatch.setenv('GIT_DIR', str(desk.main.path / '.git'))
    monkeypatch.setenv('GIT_INDEX_FILE', str(desk.path / 'none'))
    assert failing(gate(interlock, 'VALIDATION')) == ['GAT023']


@pytest.mark.parametrize(
    ('change', 'codes'),
    (
        pytest.param('code', ['GAT024'], id='code'),
        pytest.param('documentation', [], id='documents only'),
        pytest.param(None, ['GAT024'], id='not recorded'),
    ),
)
def test_only_documents_need_no_build(
    desk: Desk, interlock: Interlock, change: str | None, codes: list[str]
) -> None:
    complete(desk, 'VALIDATION')
    desk.change(change_type=change)
    assert failing(gate(interlock, 'REVIEW')) == codes


def test_without_git_installed_the_gate_says_so(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete(desk, 'VALIDATION')
    monkeypatch.setenv('PATH', str(desk.path))
    result = interlock('gate', TASK, 'REVIEW')
    assert result.code in {1, 2}
    assert 'git is not installed' in result.out + result.err
