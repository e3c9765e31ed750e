from __future__ import annotations

import stat
from collections.abc import Mapping

import pytest

from interlock.documents.registry import edits
from interlock.documents.registry.table import Piece
from interlock.operations.registry import change as operations
from tests import samples
from tests.conftest import Interlock, Repo
from tests.formats import bmad

HEADER = """\
| Plugin Name | Status | Version | Last Updated |
|-------------|--------|---------|--------------|
"""


def entry(
    name: str,
    status: str = '🚧 **Stage 2**',
    version: str = '1.2.0',
    day: str = '2026-01-02',
) -> str:
    return (
        f'\n### {name}\n\n**Status:** {status}\n**Version:** {version}\n'
        f'\n**Lifecycle Timeline:**\n- **2026-01-01:** Brief\n\n'
        f'**Last Updated:** {day}\n'
    )


def commit(repo: Repo, registry: str | bytes) -> None:
    repo.commit({'.interlock.yaml': samples.WORKFLOW, 'PLUGINS.md': registry})


def fixed(repo: Repo, interlock: Interlock) -> bytes:
    result = interlock('check', '--worktree', '--fix')
    assert result.code == 0, result.out
    return (repo.path / 'PLUGINS.md').read_bytes()


@pytest.mark.parametrize(
    ('row', 'status', 'expected'),
    (
        pytest.param(
            '| Écho | 💡 Ideated | 1.2.0 | 2026-01-02 |\n',
            '🚧 **Stage 2**',
            '| Écho | 🚧 Stage 2 | 1.2.0 | 2026-01-02 |\n',
            id='the style of a plain row is kept',
        ),
        pytest.param(
            '| Écho | 💡 **Ideated** | 1.2.0 | 2026-01-02 |\n',
            '🚧 Stage 2',
            '| Écho | 🚧 **Stage 2** | 1.2.0 | 2026-01-02 |\n',
            id='the style of a bold row is kept',
        ),
        pytest.param(
            '| Écho | 💡 Stage 2 | 1.2.0 | 2026-01-02 |\n',
            '🚧 **Stage 2**',
            '| Écho | 🚧 Stage 2 | 1.2.0 | 2026-01-02 |\n',
            id='only the emoji differs',
        ),
        pytest.param(
            '| Écho | 🚧 Stage 2 | 1.1.0 | 2026-01-02 |\n',
            '🚧 **Stage 2**',
            '| Écho | 🚧 Stage 2 | 1.2.0 | 2026-01-02 |\n',
            id='the version',
        ),
        pytest.param(
            '| Écho | 🚧 Stage 2 | 1.2.0 | 2025-12-31 |\n',
            '🚧 **Stage 2**',
            '| Écho | 🚧 Stage 2 | 1.2.0 | 2026-01-02 |\n',
            id='the date',
        ),
        pytest.param(
            '| Écho | 💡 Ideated | - | 2025-12-31 |\n',
            '🚧 **Stage 3.1**',
            '| Écho | 🚧 Stage 3.1 | 1.2.0 | 2026-01-02 |\n',
            id='all at once',
        ),
        pytest.param(
            '| Écho  |  💡 Ideated     | 1.2.0  | 2026-01-02   |\n',
            '🚧 **Stage 2**',
            '| Écho  |  🚧 Stage 2     | 1.2.0  | 2026-01-02   |\n',
            id='columns stay aligned',
        ),
        pytest.param(
            '| Écho | 💡 Ideated | 1.2.0 | 2026-01-02 |\n',
            '💡 **Ideated (v2 | b)**',
            '| Écho | 💡 Ideated (v2 \\| b) | 1.2.0 | 2026-01-02 |\n',
            id='a pipe is escaped',
        ),
        pytest.param(
            '| [Écho](plugins/Écho) | Ideated | 1.2.0 | 2026-01-02 |\n',
            '🚧 **Stage 2**',
            '| [Écho](plugins/Écho) | 🚧 Stage 2 | 1.2.0 | 2026-01-02 |\n',
            id='a linked name',
        ),
    ),
)
def test_a_row_is_brought_in_line_with_its_entry(
    repo: Repo, interlock: Interlock, row: str, status: str, expected: str
) -> None:
    head, tail = f'# Registre\n\n{HEADER}', entry('Écho', status) + 'fin'
    commit(repo, head + row + tail)
    new = fixed(repo, interlock).decode()
    assert new == head + expected + tail
    again = interlock('check', '--worktree', '--fix')
    assert 'fixed' not in again.err
    assert (repo.path / 'PLUGINS.md').read_text() == new


ROW = '| Écho | 💡 Ideated | 1.2.0 | 2026-01-02 |'
FIXED = '| Écho | 🚧 Stage 2 | 1.2.0 | 2026-01-02 |'


@pytest.mark.parametrize(
    ('directory', 'path'),
    (
        pytest.param('.', 'PLUGINS.md', id='at the top'),
        pytest.param('docs', '../PLUGINS.md', id='below it'),
    ),
)
def test_what_was_fixed_is_listed_with_the_next_command(
    repo: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    directory: str,
    path: str,
) -> None:
    commit(repo, HEADER + ROW + '\n' + entry('Écho'))
    (repo.path / directory).mkdir(exist_ok=True)
    monkeypatch.chdir(repo.path / directory)
    result = interlock('check', '--worktree', '--fix')
    assert result.err == f'fixed 1 row of PLUGINS.md; next: git add {path}\n'
    assert result.out == ''


def test_several_rows_are_fixed_at_once(repo: Repo, interlock: Interlock) -> None:
    text = samples.registry(
        {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'},
        rows={'Alpha': 'Stage 0', 'Charlie': 'Working'},
    )
    commit(repo, text)
    result = interlock('check', '--worktree', '--fix')
    assert 'fixed 2 rows of PLUGINS.md' in result.err
    assert (repo.path / 'PLUGINS.md').read_text() == samples.registry(
        {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    )


@pytest.mark.parametrize(
    ('old', 'new'),
    (
        pytest.param(
            (HEADER + ROW + '\n' + entry('Écho')).replace('\n', '\r\n'),
            (HEADER + FIXED + '\n' + entry('Écho')).replace('\n', '\r\n'),
            id='CRLF',
        ),
        pytest.param(
            entry('Écho') + '\n## Tout\n\n' + HEADER + ROW,
            entry('Écho') + '\n## Tout\n\n' + HEADER + FIXED,
            id='no newline at the end of the row',
        ),
        pytest.param(
            (HEADER + ROW + '\n' + entry('Écho')).rstrip('\n'),
            (HEADER + FIXED + '\n' + entry('Écho')).rstrip('\n'),
            id='no newline at the end of the file',
        ),
        pytest.param(
            '\ufeff# Registre\n\n' + HEADER + ROW + '\n' + entry('Écho'),
            '\ufeff# Registre\n\n' + HEADER + FIXED + '\n' + entry('Écho'),
            id='byte order mark',
        ),
        pytest.param(
            HEADER + ROW + '  \n\r\n\t\n\x0c' + entry('Écho'),
            HEADER + FIXED + '  \n\r\n\t\n\x0c' + entry('Écho'),
            id='odd white space',
        ),
        pytest.param(
            HEADER + ROW + '\n' + entry('Écho') + f'\n```\n{ROW}\n```\n',
            HEADER + FIXED + '\n' + entry('Écho') + f'\n```\n{ROW}\n```\n',
            id='a fenced copy of the row',
        ),
    ),
)
def test_every_other_byte_stays(
    repo: Repo, interlock: Interlock, old: str, new: str
) -> None:
    repo.git('config', 'core.autocrlf', 'false')
    commit(repo, old.encode())
    assert fixed(repo, interlock) == new.encode()


def test_bytes_elsewhere_that_are_no_utf_8_stay(
    repo: Repo, interlock: Interlock
) -> None:
    text = (HEADER + ROW + '\n' + entry('Écho')).encode()
    commit(repo, b'# \xff\xfe\n\n' + text)
    interlock('check', '--worktree', '--fix')
    expected = text.replace(ROW.encode(), FIXED.encode())
    data = (repo.path / 'PLUGINS.md').read_bytes()
    assert data == b'# \xff\xfe\n\n' + expected


@pytest.mark.parametrize(
    'text',
    (
        pytest.param(HEADER + f'{ROW}\n{ROW}\n' + entry('Écho'), id='two rows'),
        pytest.param(
            HEADER + f'{ROW}\n' + entry('Écho') + entry('Écho', '✅ Working'),
            id='two entries',
        ),
        pytest.param(HEADER + f'{FIXED}\n' + entry('Écho'), id='nothing to fix'),
        pytest.param(HEADER + f'{ROW}\n' + entry('Autre'), id='no entry'),
        pytest.param(HEADER + f'{ROW}\n' + entry('Écho', ''), id='an empty status'),
        pytest.param(entry('Écho'), id='no table'),
    ),
)
def test_what_is_not_mechanical_is_left_alone(
    repo: Repo, interlock: Interlock, text: str
) -> None:
    commit(repo, text)
    result = interlock('check', '--worktree', '--fix')
    assert 'fixed' not in result.err
    assert (repo.path / 'PLUGINS.md').read_text() == text


def test_a_diff_shows_what_would_be_fixed_and_writes_nothing(
    repo: Repo, interlock: Interlock
) -> None:
    text = HEADER + ROW + '\n' + entry('Écho')
    commit(repo, text)
    result = interlock('check', '--worktree', '--fix', '--diff')
    lines = result.out.splitlines()
    assert lines[:2] == ['--- a/PLUGINS.md', '+++ b/PLUGINS.md']
    changed = [line for line in lines[2:] if line[:1] in {'+', '-'}]
    assert changed == [f'-{ROW}', f'+{FIXED}']
    assert (repo.path / 'PLUGINS.md').read_text() == text
    assert result.err == ''


def test_a_diff_of_nothing_is_empty(repo: Repo, interlock: Interlock) -> None:
    commit(repo, HEADER + FIXED + '\n' + entry('Écho'))
    result = interlock('check', '--worktree', '--fix', '--diff')
    assert (result.code, result.out, result.err) == (0, '', '')


def test_a_read_only_file_is_refused_and_stays_whole(
    repo: Repo, interlock: Interlock
) -> None:
    text = HEADER + ROW + '\n' + entry('Écho')
    commit(repo, text)
    file = repo.path / 'PLUGINS.md'
    file.chmod(0o444)
    result = interlock('check', '--worktree', '--fix')
    assert result.code == 2
    assert 'PLUGINS.md is read-only' in result.err
    assert 'next: chmod u+w' in result.err
    assert file.read_text() == text
    assert stat.S_IMODE(file.stat().st_mode) == 0o444
    assert sorted(p.name for p in repo.path.iterdir()) == [
        '.git',
        '.interlock.yaml',
        'PLUGINS.md',
    ]


def test_the_mode_of_the_file_is_kept(repo: Repo, interlock: Interlock) -> None:
    commit(repo, HEADER + ROW + '\n' + entry('Écho'))
    file = repo.path / 'PLUGINS.md'
    file.chmod(0o660)
    fixed(repo, interlock)
    assert stat.S_IMODE(file.stat().st_mode) == 0o660


def test_a_cell_that_a_row_lacks_is_not_made(repo: Repo, interlock: Interlock) -> None:
    text = HEADER + '| Écho | 💡 Ideated |\n' + entry('Écho')
    commit(repo, text)
    assert fixed(repo, interlock).decode() == (
        HEADER + '| Écho | 🚧 Stage 2 |\n' + entry('Écho')
    )


def test_a_symbolic_link_is_followed_and_kept(repo: Repo, interlock: Interlock) -> None:
    commit(repo, HEADER + ROW + '\n' + entry('Écho'))
    link = repo.path / 'PLUGINS.md'
    link.rename(repo.path / 'réel.md')
    link.symlink_to('réel.md')
    interlock('check', '--worktree', '--fix')
    assert link.is_symlink()
    assert link.read_text() == HEADER + FIXED + '\n' + entry('Écho')


def test_the_index_is_fixed_only_by_git_add(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.stage({'PLUGINS.md': samples.registry(statuses, rows={'Alpha': 'Stage 0'})})
    result = interlock('check', '--staged', '--fix')
    assert result.code == 1
    assert 'REG001' in result.out
    assert 'next: git add PLUGINS.md' in result.err
    project.git('add', 'PLUGINS.md')
    assert interlock('check', '--staged').code == 0


def test_what_is_right_on_disk_needs_only_git_add(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.stage({'PLUGINS.md': samples.registry(statuses, rows={'Alpha': 'Stage 0'})})
    project.write({'PLUGINS.md': samples.registry(statuses)})
    said = 'nothing to fix on disk; next: git add PLUGINS.md\n'
    result = interlock('check', '--staged', '--fix')
    assert (result.code, result.err) == (1, said)
    assert interlock('check', '--fix', '--diff').err == said
    # the working tree is not the index
    assert interlock('check', '--worktree', '--fix').err == ''
    project.git('add', 'PLUGINS.md')
    result = interlock('check', '--staged', '--fix')
    assert (result.code, result.err) == (0, '')


def test_records_that_are_right_on_disk_need_only_git_add(
    repo: Repo, interlock: Interlock
) -> None:
    workflow = 'version: 1\nextends: bmad\n'
    repo.commit(
        {
            '.interlock.yaml': workflow,
            bmad.Y: bmad.sprint(one='review'),
            bmad.STORY: 'Status: review\n',
        }
    )
    repo.stage({bmad.Y: bmad.sprint(one='done')})
    repo.write({bmad.STORY: 'Status: done\n'})
    said = f'nothing to fix on disk; next: git add {bmad.STORY}\n'
    assert interlock('check', '--staged', '--fix').err == said
    repo.git('add', bmad.STORY)
    assert interlock('check', '--staged', '--fix').err == ''


def test_from_a_subdirectory_the_same_file_is_fixed(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repo, HEADER + ROW + '\n' + entry('Écho'))
    below = repo.path / 'sous dossier'
    below.mkdir()
    monkeypatch.chdir(below)
    text = fixed(repo, interlock).decode()
    assert text == HEADER + FIXED + '\n' + entry('Écho')


def test_fixing_without_a_workflow_is_refused(repo: Repo, interlock: Interlock) -> None:
    repo.commit({'PLUGINS.md': HEADER})
    result = interlock('check', '--fix')
    assert result.code == 2
    assert 'next: interlock init' in result.err


def test_a_registry_in_another_file_with_other_columns_is_fixed(
    repo: Repo, interlock: Interlock
) -> None:
    old = '| Tâche | État |\n|---|---|\n| Écho | 💡 Ideated |\n'
    repo.commit(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}items:\n  plugin:\n    registry:\n'
                f'      file: doc/Tâches.md\n      columns:\n'
                f'        item: Tâche\n        status: État\n'
            ),
            'doc/Tâches.md': old + entry('Écho'),
        }
    )
    result = interlock('check', '--worktree', '--fix')
    assert 'fixed 1 row of doc/Tâches.md' in result.err
    assert (repo.path / 'doc/Tâches.md').read_text() == (
        old.replace('💡 Ideated', '🚧 Stage 2') + entry('Écho')
    )


def test_a_row_that_is_not_utf_8_is_left_alone(
    repo: Repo, interlock: Interlock
) -> None:
    bad = '| Zo\udcff | Ideated |\n'.encode(errors='surrogateescape')
    row = f'{ROW}\n'.encode()
    commit(repo, HEADER.encode() + bad + row + entry('Écho').encode())
    result = interlock('check', '--worktree', '--fix')
    assert 'fixed 1 row' in result.err
    data = (repo.path / 'PLUGINS.md').read_bytes()
    assert data == (
        HEADER.encode() + bad + f'{FIXED}\n'.encode() + entry('Écho').encode()
    )


def test_a_file_that_changes_meanwhile_is_refused_and_kept(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    commit(repo, HEADER + ROW + '\n' + entry('Écho'))
    file = repo.path / 'PLUGINS.md'
    splice = edits.splice

    def slow(data: bytes, changes: Mapping[Piece, bytes]) -> bytes:
        file.write_text('de quelqu’un d’autre\n')
        return splice(data, changes)

    monkeypatch.setattr(operations, 'splice', slow)
    result = interlock('check', '--worktree', '--fix')
    assert result.code == 2
    assert 'PLUGINS.md changed while it was read' in result.err
    assert file.read_text() == 'de quelqu’un d’autre\n'
