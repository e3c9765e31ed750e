"""Other formats on every surface: index, commit, range, push and server."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Interlock, Repo
from tests.formats import gsd, openspec
from tests.formats.trees import edited

WORKFLOW = {'.interlock.yaml': 'version: 1\nextends: openspec\n'}
BAD = openspec.archived('- [ ] 1.1 one\n')


ACTIVE = {path: text for path, text in openspec.BASE.items() if openspec.C in path}
OUT = {**{path: None for path in openspec.archived() if openspec.A in path}, **ACTIVE}


@pytest.fixture
def changes(repo: Repo) -> Repo:
    repo.commit({**openspec.BASE, **WORKFLOW})
    return repo


def found(interlock: Interlock, *args: str) -> list[tuple[str, str]]:
    result = interlock('check', *args, '--format', 'json')
    return sorted(
        (each['rule'], each['severity']) for each in json.loads(result.out)['findings']
    )


def test_every_surface_says_the_same(changes: Repo, interlock: Interlock) -> None:
    expected = [('archived-with-open-tasks', 'error')]
    changes.stage(BAD)
    assert found(interlock, '--staged') == expected
    assert found(interlock, '--worktree') == expected
    changes.git('commit', '-qm', 'archive')
    assert found(interlock, '--commit', 'HEAD') == expected
    assert found(interlock, '--range', 'HEAD~1..HEAD') == expected
    assert found(interlock, '--tree', 'HEAD', '--inherited') == expected


def test_a_history_of_its_own_is_judged_as_one_commit(
    changes: Repo, interlock: Interlock
) -> None:
    changes.stage(BAD)
    oid = changes.git('commit-tree', '-m', 'neu', changes.git('write-tree'))
    assert found(interlock, '--range', f'main..{oid}') == [
        ('archived-with-open-tasks', 'error')
    ]


def test_a_reason_in_the_message_lets_it_pass(
    changes: Repo, interlock: Interlock
) -> None:
    changes.commit(BAD, 'archive\n\nOpen-Tasks: next sprint\n')
    assert found(interlock, '--commit', 'HEAD') == []


def test_a_hook_refuses_it(changes: Repo, interlock: Interlock) -> None:
    assert interlock('init', '--git-hooks').code == 0
    changes.stage(BAD)
    refused = changes.try_git('commit', '-qm', 'archive')
    assert refused.returncode == 1
    assert 'archived-with-open-tasks' in refused.stderr + refused.stdout


def test_what_only_a_push_refuses_is_a_warning_before(
    repo: Repo, interlock: Interlock
) -> None:
    workflow = {'.interlock.yaml': 'version: 1\nextends: gsd\n'}
    repo.commit({**gsd.BASE, **workflow})
    repo.commit(gsd.SUMMARY)
    late = ('summary-not-ticked', 'warning')
    assert found(interlock, '--commit', 'HEAD') == [late]
    assert found(interlock, '--range', 'HEAD~1..HEAD') == [
        ('summary-not-ticked', 'error'),
        late,
    ]
    repo.commit({gsd.R: edited(gsd.BASE, {gsd.R: gsd.TICK})[gsd.R]})
    # the two ends of the range agree
    assert found(interlock, '--range', 'HEAD~2..HEAD') == [late]


@pytest.mark.parametrize(
    ('message', 'expected'),
    (('back', ['taken-out-of-archive']), ('back\n\nArchive-Amended: too early\n', [])),
)
def test_a_reason_counts_where_only_a_push_refuses(
    changes: Repo, interlock: Interlock, message: str, expected: list[str]
) -> None:
    changes.commit(openspec.archived())
    changes.commit(OUT, message)
    changes.commit({'README.md': 'x'}, 'docs\n\nArchive-Amended: about another\n')
    assert [
        rule
        for rule, severity in found(interlock, '--range', 'HEAD~2..HEAD')
        if severity == 'error'
    ] == expected
    # the two ends are the same
    assert found(interlock, '--range', 'HEAD~3..HEAD') == [
        (rule, 'warning') for rule in expected
    ]


def test_a_merge_may_not_bring_together_what_does_not_agree(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'specs/001-a/spec.md': 'x', '.interlock.yaml': 'extends: spec-kit\n'})
    repo.git('checkout', '-qb', 'one')
    repo.commit({'specs/002-b/spec.md': 'x'})
    repo.git('checkout', '-q', 'main')
    repo.commit({'specs/002-c/spec.md': 'x'})
    repo.git('merge', '-q', '--no-edit', 'one')
    assert found(interlock, '--commit', 'HEAD') == [('number-twice', 'error')]


def test_the_board_and_fixes(repo: Repo, interlock: Interlock) -> None:
    workflow = {'.interlock.yaml': 'version: 1\nextends: gsd\n'}
    repo.commit({**gsd.BASE, **workflow, **gsd.SUMMARY})
    board = interlock('status')
    assert 'open (1 phase)' in board.out
    assert 'done (1 phase)' in board.out
    fixed = interlock('check', '--worktree', '--only', 'registry', '--fix')
    assert f'fixed {gsd.R}; next: git add {gsd.R}' in fixed.err
    assert '[x] 05-02' in (repo.path / gsd.R).read_text(encoding='UTF-8')


SPEC = f'{openspec.C}/specs/auth/spec.md'
EDITED = ('spec-edited-after-start', 'warning')
AMENDED = 'again\n\nSpec-Amended: asked for\n'
Edits = dict[str, str | None]
BEGUN = openspec.BASE[f'{openspec.C}/tasks.md']
OTHER = f'{openspec.DELTA}more\n'


@pytest.mark.parametrize(
    ('edits', 'expected'),
    (
        pytest.param(({SPEC: None}, {SPEC: OTHER}), [EDITED], id='deleted'),
        pytest.param(
            ({SPEC: None}, {f'{openspec.C}/specs/auth2/spec.md': OTHER}),
            [EDITED],
            id='under another name',
        ),
        pytest.param(
            (openspec.MOVED, {**openspec.BASE, SPEC: OTHER}),
            [EDITED],
            id='the whole change',
        ),
        pytest.param(({SPEC: None}, {SPEC: openspec.DELTA}), [], id='as it was before'),
        pytest.param(({SPEC: None},), [], id='deleted only'),
        pytest.param(
            ({f'{openspec.C}/tasks.md': '- [ ] 1.1 one\n', SPEC: None}, {SPEC: OTHER}),
            [],
            id='work did not begin',
        ),
        pytest.param(
            (
                {f'{openspec.C}/tasks.md': '- [ ] 1.1 one\n', SPEC: None},
                {f'{openspec.C}/tasks.md': BEGUN, SPEC: OTHER},
            ),
            [],
            id='work began anew',
        ),
    ),
)
def test_what_is_frozen_does_not_come_back_otherwise(
    changes: Repo,
    interlock: Interlock,
    edits: tuple[Edits, ...],
    expected: list[tuple[str, str]],
) -> None:
    start = changes.git('rev-parse', 'HEAD')
    for edit in edits:
        changes.commit(edit)
        assert EDITED not in found(interlock, '--commit', 'HEAD')
    assert found(interlock, '--range', f'{start}..HEAD') == expected


def test_a_reason_of_both_commits_lets_it_come_back_otherwise(
    changes: Repo, interlock: Interlock
) -> None:
    start = changes.git('rev-parse', 'HEAD')
    changes.commit({SPEC: None}, AMENDED)
    changes.commit({SPEC: OTHER}, AMENDED)
    assert found(interlock, '--range', f'{start}..HEAD') == []


def test_what_each_commit_is_asked_is_not_asked_again(
    changes: Repo, interlock: Interlock
) -> None:
    start = changes.git('rev-parse', 'HEAD')
    changes.commit({SPEC: OTHER}, 'one\n')
    changes.commit({SPEC: f'{OTHER}and more\n'}, AMENDED)
    assert found(interlock, '--range', f'{start}..HEAD') == [EDITED]


def test_a_task_that_becomes_a_link_is_said(repo: Repo, interlock: Interlock) -> None:
    task = 'backlog/tasks/task-1 - One.md'
    repo.commit(
        {
            '.interlock.yaml': 'version: 1\nextends: backlog-md\n',
            'backlog/config.yml': 'statuses: [To Do, Done]\n',
            task: '---\nid: task-1\nstatus: Done\n---\n',
        }
    )
    (repo.path / task).unlink()
    (repo.path / task).symlink_to('../elsewhere.md')
    repo.git('add', '-A')
    assert found(interlock, '--staged') == [('REG018', 'warning')]
    repo.git('commit', '-qm', 'link')
    assert found(interlock, '--commit', 'HEAD') == [('REG018', 'warning')]
    assert ('REG018', 'warning') in found(interlock, '--tree', 'HEAD', '--inherited')
    assert found(interlock, '--worktree', '--inherited') == [('REG018', 'warning')]


@pytest.mark.parametrize('folder', (openspec.C, 'openspec/specs/auth', 'openspec'))
@pytest.mark.parametrize('is_link', (True, False), ids=('a link', 'a submodule'))
def test_a_folder_of_records_does_not_become_something_else_in_silence(
    changes: Repo, interlock: Interlock, folder: str, is_link: bool
) -> None:
    changes.git('mv', folder, 'moved')
    changes.git('add', '-A')
    content = changes.path / 'content'
    content.write_text('moved')
    oid = changes.git('hash-object', '-w', 'content') if is_link else 'HEAD'
    mode = '120000' if is_link else '160000'
    entry = f'{mode},{changes.git("rev-parse", oid)},{folder}'
    changes.git('update-index', '--add', '--cacheinfo', entry)
    expected = ('REG018', 'error')
    assert expected in found(interlock, '--staged')
    changes.git('commit', '-qm', 'elsewhere')
    assert expected in found(interlock, '--commit', 'HEAD')
    assert expected in found(interlock, '--range', 'HEAD~1..HEAD')


def test_a_folder_of_records_may_move(changes: Repo, interlock: Interlock) -> None:
    """And something else may become a link."""
    changes.commit({'docs/a.md': 'x'})
    changes.git('mv', openspec.C, 'openspec/changes/add-z')
    changes.git('mv', 'docs', 'pages')
    (changes.path / 'docs').symlink_to('pages')
    changes.commit({})
    assert ('REG018', 'error') not in found(interlock, '--commit', 'HEAD')


def test_a_record_that_reads_like_a_link_is_none(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'.interlock.yaml': 'version: 1\nextends: kiro\n'})
    for text in ('../../tasks.md', '/tasks.md', 'tasks.md'):
        repo.write({'.kiro/specs/login/tasks.md': text})
        repo.git('add', '-A')
        assert ('REG018', 'error') not in found(interlock, '--staged')
        repo.git('commit', '-qm', 'text')
        assert ('REG018', 'error') not in found(interlock, '--commit', 'HEAD')
