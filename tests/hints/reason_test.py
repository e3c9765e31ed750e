"""A commit that lacks a reason is made again with one, of the same files."""

from __future__ import annotations

import re

import pytest

from interlock.engine.staged import is_amending
from interlock.git.repository import opened
from tests import samples
from tests.conftest import Interlock, Repo
from tests.hints.ways import Ran, shell

WORKFLOW = '.interlock.yaml'
LAX = samples.WORKFLOW.replace('version: 1\n', 'version: 1\nseverity: {REG001: off}\n')
COMMAND_RE = re.compile(r'say why in the message: (.+)$', re.MULTILINE)
# what is changed besides, and must stay out of the commit
STAGED, OTHER = 'staged.md', 'other.md'


@pytest.fixture
def wired(project: Repo, interlock: Interlock) -> Repo:
    project.commit({'a.md': 'a\n', STAGED: 'b\n', OTHER: 'c\n'}, 'chore: before')
    assert interlock('init', '--git-hooks').code == 0
    return project


def tried(repo: Repo, command: str, directory: str = '') -> Ran:
    ran = shell(repo, command, directory)
    return ran._replace(out=ran.out + ran.err)


def committed(repo: Repo) -> set[str]:
    return set(repo.git('show', '--format=', '--name-only', 'HEAD').split())


@pytest.mark.parametrize(
    ('how', 'expected', 'directory'),
    (
        pytest.param('', {STAGED}, '', id='the index'),
        pytest.param('-a', {WORKFLOW, STAGED, OTHER}, '', id='all'),
        pytest.param(f'-i {WORKFLOW}', {WORKFLOW, STAGED}, '', id='more'),
        pytest.param(WORKFLOW, {WORKFLOW}, '', id='files'),
        pytest.param(f'../{WORKFLOW}', {WORKFLOW}, 'plugins', id='from a folder'),
        pytest.param(f'-o {WORKFLOW} {OTHER}', {WORKFLOW, OTHER}, '', id='only'),
    ),
)
def test_a_reason_is_added_to_the_commit_that_was_tried(
    wired: Repo, how: str, expected: set[str], directory: str
) -> None:
    for path, text in {WORKFLOW: LAX, STAGED: 'x\n', OTHER: 'x\n'}.items():
        (wired.path / path).write_text(text)
    wired.git('add', STAGED)
    if not how:
        wired.git('add', WORKFLOW)
        expected = {*expected, WORKFLOW}
    refused = tried(wired, f"git commit -m 'Moins de règles' {how}", directory)
    assert refused.code, refused
    # pre-commit said nothing of it
    assert refused.out.count('CFG008 ') == 1
    (command,) = COMMAND_RE.findall(refused.out)

    again = tried(wired, command.replace('WHY', 'REASON'), directory)
    assert again.code, again
    assert 'is a placeholder' in again.out
    (command,) = COMMAND_RE.findall(again.out)

    done = tried(wired, command, directory)
    assert done.code == 0, done
    assert 'CFG008' not in done.out
    assert committed(wired) == expected
    message = wired.git('log', '-1', '--format=%B')
    assert message.startswith('Moins de règles\n')
    assert message.count('Interlock-Rules: ') == 1


@pytest.mark.parametrize(
    'how',
    (
        pytest.param('commit --amend -a -m Autre', id='all'),
        pytest.param(f'commit --amend -m Autre {WORKFLOW}', id='files'),
        pytest.param(f'commit --ame -m Autre -o {WORKFLOW}', id='the option cut short'),
        pytest.param('commit -a --amend --no-edit', id='with the message that it has'),
        pytest.param('ca --no-edit', id='by an alias'),
    ),
)
def test_what_was_amended_is_amended_again(wired: Repo, how: str) -> None:
    before = wired.git('rev-list', 'HEAD').split()
    (wired.path / WORKFLOW).write_text(LAX)
    wired.git('config', 'alias.ca', 'commit --all --amend')
    refused = tried(wired, f'git {how}')
    assert refused.code, refused
    (command,) = COMMAND_RE.findall(refused.out)
    done = tried(wired, command)
    assert done.code == 0, done
    after = wired.git('rev-list', 'HEAD').split()
    assert after[1:] == before[1:]
    assert after[0] != before[0]
    assert committed(wired) == {'a.md', STAGED, OTHER, WORKFLOW}


@pytest.mark.parametrize(
    ('date', 'expected'),
    (('@1600000000 +0000', True), ('@1600000001 +0000', False), ('', False)),
)
def test_where_no_process_is_told_the_date_of_the_author_counts(
    wired: Repo, monkeypatch: pytest.MonkeyPatch, date: str, expected: bool
) -> None:
    wired.git('commit', '-n', '--amend', '--no-edit', '--date=1600000000 +0000')
    monkeypatch.setattr('interlock.files.process.ancestors', lambda: iter(()))
    monkeypatch.setenv('GIT_AUTHOR_DATE', date)
    with opened() as repository:
        assert is_amending(repository) == expected


def test_a_commit_that_follows_at_once_is_not_amended(wired: Repo) -> None:
    (wired.path / WORKFLOW).write_text(LAX)
    refused = tried(wired, "git commit -am 'no --amend here'")
    (command,) = COMMAND_RE.findall(refused.out)
    assert '--amend' not in command
    assert tried(wired, command).code == 0
    assert committed(wired) == {WORKFLOW}


def test_without_commit_msg_no_message_would_count(wired: Repo) -> None:
    (wired.path / '.git' / 'hooks' / 'commit-msg').unlink()
    (wired.path / WORKFLOW).write_text(LAX)
    refused = tried(wired, 'git commit -am x')
    assert refused.code, refused
    assert 'let commit-msg judge the message: interlock doctor' in refused.out


def test_before_there_is_a_message_the_last_one_is_not_taken(
    wired: Repo, interlock: Interlock
) -> None:
    wired.stage({WORKFLOW: LAX})
    (wired.path / OTHER).write_text('x\n')
    found = interlock('check', '--staged')
    (command,) = COMMAND_RE.findall(found.out)
    done = tried(wired, command)
    assert done.code == 0, done
    assert committed(wired) == {WORKFLOW}
    assert 'chore: before' not in wired.git('log', '-1', '--format=%B')


BASIC = """version: 1
items:
  task:
    path: tasks/{item}
    registry:
      file: tasks.md
      layout: distributed
      columns: {item: Task, status: State}
    states: {Building: {}, Shipped: {role: done}}
    transitions:
      - {from: nothing, to: Building}
      - {from: Building, to: Shipped}
"""
NEW = BASIC.replace('Building: {}', 'Building: {}, Testing: {}').replace(
    '- {from: nothing', '- {from: Building, to: Testing}\n      - {from: nothing'
)
COMMIT_RE = re.compile(r'(git commit -m .+)$', re.MULTILINE)


def table(**states: str) -> str:
    rows = ''.join(f'| {item} | {state} |\n' for item, state in states.items())
    return f'| Task | State |\n|---|---|\n{rows}'


@pytest.fixture
def basic(repo: Repo, interlock: Interlock) -> Repo:
    repo.commit({WORKFLOW: BASIC, 'tasks.md': table(Pay='Building', Cart='Shipped')})
    assert interlock('init', '--git-hooks').code == 0
    return repo


def test_a_new_state_comes_after_the_workflow_that_has_it(basic: Repo) -> None:
    (basic.path / WORKFLOW).write_text(NEW)
    (basic.path / 'tasks.md').write_text(table(Pay='Testing', Cart='Shipped'))
    refused = tried(basic, "git commit -am 'Test it'")
    assert 'REG005' in refused.out
    (command,) = COMMIT_RE.findall(refused.out)
    first = tried(basic, command)
    assert first.code == 0, first
    assert committed(basic) == {WORKFLOW}
    done = tried(basic, "git commit -am 'Test it'")
    assert done.code == 0, done


def test_a_change_is_reviewed_in_the_commit_that_was_made(basic: Repo) -> None:
    with open(basic.path / WORKFLOW, 'a') as f:
        f.write('# a remark\n')
    done = tried(basic, "git commit -am 'Remark'")
    assert done.code == 0, done
    commands = re.findall('review the change: (.*)', done.out)
    assert commands
    for command in commands:
        assert '+# a remark\n' in tried(basic, command).out


def test_a_state_that_no_workflow_has_is_corrected(basic: Repo) -> None:
    (basic.path / WORKFLOW).write_text(NEW)
    (basic.path / 'tasks.md').write_text(table(Pay='Tasting', Cart=''))
    refused = tried(basic, "git commit -am 'Test it'")
    assert refused.out.count('correct the file by hand: tasks.md') == 1
    both = 'write one of these, or first add `Tasting` to items.task.states of'
    assert f'{both} {WORKFLOW}, by hand: tasks.md:3\n' in refused.out
    assert 'Cart: the status is empty; there are' in refused.out
    assert not COMMIT_RE.findall(refused.out)


def test_a_step_back_names_the_line_that_would_allow_it(
    basic: Repo, interlock: Interlock
) -> None:
    refused = interlock('registry', 'set-status', 'Cart', 'Building')
    line = '- {from: Shipped, to: Building}'
    assert f'add `{line}` to `items.task.transitions`' in refused.err
    (basic.path / WORKFLOW).write_text(f'{BASIC}      {line}\n')
    basic.commit({}, 'Allow it')
    assert interlock('registry', 'set-status', 'Cart', 'Building').code == 0


def test_a_step_that_needs_a_reason_names_its_trailer_at_once(
    basic: Repo, interlock: Interlock
) -> None:
    line = '- {from: Shipped, to: Building, severity: warning, reason: Back-Because}'
    (basic.path / WORKFLOW).write_text(f'{BASIC}      {line}\n')
    basic.commit({}, 'Allow it')
    done = interlock('registry', 'set-status', 'Cart', 'Building')
    assert done.code == 0
    assert 'say why in the message: `Back-Because: WHY`' in done.err
    passed = tried(basic, "git commit -am 'Back' -m 'Back-Because: it breaks'")
    assert passed.code == 0, passed
    assert 'for this step; the message gives a reason' in passed.out
