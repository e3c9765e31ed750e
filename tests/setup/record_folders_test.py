from __future__ import annotations

import pytest

from tests.conftest import Interlock, Repo

NYGARD = '# 1. Title\n\nDate: 2026-01-01\n\n## Status\n\n{}\n\n## Decision\n\nSo.\n'
MADR = (
    '---\nstatus: {}\ndate: 2026-01-01\n---\n\n# Title\n\n## Decision Outcome\n\nSo.\n'
)
LINE = '# Title\n\n* Status: {}\n* Deciders: all\n\n## Decision Outcome\n\nSo.\n'
BOLD = '# Title\n\n**Status:** {}\n\nWhy.\n'


def files(pattern: str, form: str, *states: str) -> dict[str, str | bytes | None]:
    return {
        pattern.format(number): form.format(state)
        for number, state in enumerate(states, 1)
    }


@pytest.mark.parametrize(
    ('pattern', 'form', 'kind'),
    (
        pytest.param('doc/adr/{:04}-use-it.md', NYGARD, 'decision', id='adr-tools'),
        pytest.param('docs/decisions/{:04}-a.md', MADR, 'decision', id='MADR'),
        pytest.param('docs/adr/{:04}-a.md', LINE, 'decision', id='older MADR'),
        pytest.param('adrs/ADR-{:03}-a b.md', BOLD, 'decision', id='a head'),
        pytest.param('rfcs/{}_x.md', BOLD, 'rfc', id='short numbers'),
        pytest.param('docs/adr/use-it-{}.md', MADR, 'decision', id='no numbers'),
        pytest.param('stories/story-{}.md', MADR, 'story', id='stories'),
    ),
)
def test_files_with_a_status_are_items(
    repo: Repo, interlock: Interlock, pattern: str, form: str, kind: str
) -> None:
    states = ('proposed', 'Accepted', 'accepted', 'Superseded by [4](x.md)')
    made = files(pattern, form, *states)
    repo.commit({**made, pattern.format(0).rpartition('/')[0] + '/README.md': '# x\n'})
    said = interlock('init')
    assert f': written ({pattern.rpartition("/")[0]}: 4 files, states by' in said.err
    assert interlock('config', 'validate').code == 0
    board = interlock('status').out
    assert f'Accepted (2 {kind}' in board.replace('stories', 'storys')
    assert '4 items: nothing to refuse\n' in board
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    name = pattern.format(2)
    repo.write({name: form.format('Accepted').replace('So.', 'No.') + 'More.\n'})
    refused = interlock('check', '--worktree')
    assert (refused.code, 'CON007' in refused.out) == (1, True)
    repo.write({name: form.format('Superseded by [1](y.md)')})
    assert interlock('check', '--worktree').code == 0


@pytest.mark.parametrize(
    'made',
    (
        pytest.param(files('posts/{:04}-a.md', MADR, 'published', 'draft'), id='posts'),
        pytest.param(files('docs/adr/{:04}-a.md', MADR, 'accepted'), id='one alone'),
        pytest.param(files('docs/adr/{:04}-a.md', '# {}\n', 'a', 'b'), id='no status'),
        pytest.param(
            files('docs/adr/{:04}-a.md', BOLD, 'lorem ipsum', 'dolor'), id='no states'
        ),
        pytest.param(files('docs/adr/{:04}.md', '---\nx', 'a', 'b'), id='unreadable'),
        pytest.param(
            {**files('adr/{}-a.md', BOLD, 'Done', 'Done', *['?'] * 4)}, id='few of many'
        ),
    ),
)
def test_other_files_are_not(
    repo: Repo, interlock: Interlock, made: dict[str, str | bytes | None]
) -> None:
    repo.commit(made)
    assert 'so it tracks no items' in interlock('init').err


def test_a_table_comes_first(repo: Repo, interlock: Interlock) -> None:
    table = '| Feature | State |\n|---|---|\n| a | Planned |\n| b | Done |\n'
    made = files('docs/adr/{:04}-a.md', MADR, 'accepted', 'proposed')
    repo.commit({**made, 'FEATURES.md': table})
    assert 'FEATURES.md: 2 items' in interlock('init').err
