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
            files('docs/{}.md', '# x\n\n<<<<<<< HEAD\n{}\n', 'a', 'b'), id='conflicts'
        ),
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


@pytest.fixture
def decisions(repo: Repo, interlock: Interlock) -> Repo:
    repo.commit(files('docs/adr/{:04}-a.md', NYGARD, 'Accepted', 'Proposed'))
    assert interlock('init').code == 0
    return repo


@pytest.mark.parametrize(
    ('word', 'said'),
    (
        pytest.param('Acepted', 'the nearest is `Accepted`', id='near'),
        pytest.param('Foo', 'there are Proposed, Accepted, Superseded', id='far'),
    ),
)
def test_a_word_that_is_not_a_state_is_answered_with_one(
    decisions: Repo, interlock: Interlock, word: str, said: str
) -> None:
    decisions.git('add', '.')
    decisions.git('commit', '-qm', 'adopt')
    decisions.write({'docs/adr/0001-a.md': NYGARD.format(word)})
    found = interlock.check('--worktree')
    assert found.codes == ['REG005']
    assert f'`{word}` is not a state of decision; {said}' in found.out


@pytest.mark.parametrize(
    'args',
    (
        ('registry', 'show', '0001-a'),
        ('registry', 'set-status', '0001-a', 'Accepted'),
        ('registry', 'may', '0001-a'),
        ('menu', '0001-a'),
        ('resume', '0001-a'),
    ),
)
def test_a_command_for_registries_says_where_the_state_is(
    decisions: Repo, interlock: Interlock, args: tuple[str, ...]
) -> None:
    refused = interlock(*args)
    where = 'docs/adr/0001-a.md:7'
    assert f'0001-a keeps its state in {where}, not in a registry' in refused.err
    assert refused.err.endswith(f'next: to change it, edit the file by hand: {where}\n')


def test_where_nothing_is_registered_that_is_said(
    decisions: Repo, interlock: Interlock
) -> None:
    shown = interlock('registry', 'show')
    assert (shown.code, shown.out) == (0, '')
    assert shown.err == 'no items are registered; next: interlock status\n'
    decisions.write({'.interlock.yaml': 'version: 1\n'})
    shown = interlock('registry', 'show')
    assert (
        shown.err == 'no items are registered; next: interlock config explain items\n'
    )
    assert interlock('registry', 'add', 'New').err.endswith(
        'next: interlock config explain items.registry\n'
    )


def test_an_agreement_of_the_workflow_file_is_explained(
    decisions: Repo, interlock: Interlock
) -> None:
    """A refusal names this command."""
    page = interlock('explain', 'decision-frozen')
    assert page.code == 0
    assert page.out.startswith('decision-frozen: an agreement of the workflow file\n')
    assert 'must not change (of a decision)' in page.out.replace('\n', ' ')
    assert max(map(len, page.out.splitlines())) < 80
    near = interlock('explain', 'decision-frozn')
    assert near.err.endswith('next: interlock explain decision-frozen\n')
    decisions.write({'.interlock.yaml': 'version: ['})
    assert interlock('explain', 'decision-frozen').code == 2


def test_a_frozen_record_knows_a_placeholder_from_a_reason(
    decisions: Repo, interlock: Interlock
) -> None:
    decisions.git('add', '.')
    decisions.git('commit', '-qm', 'adopt')
    text = NYGARD.format('Accepted').replace('So.', 'No.')
    decisions.stage({'docs/adr/0001-a.md': text})
    message = decisions.path / 'message'
    message.write_text('Change it\n\nDecision-Amended: WHY\n')
    refused = interlock('check', '--staged', '--message', str(message))
    assert 'settled; `WHY` in the trailer `Decision-Amended: WHY` is a' in refused.out
    message.write_text('Change it\n\nDecision-Amended: it was wrong\n')
    assert interlock('check', '--staged', '--message', str(message)).code == 0


def test_a_folder_with_one_state_says_what_is_missing(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(files('docs/specs/{}.md', BOLD, 'Draft', 'Draft'))
    said = interlock('init').err
    assert (
        'every file says `Draft`, and no other state is known yet: add those that '
        'follow to `states` of .interlock.yaml\n'
    ) in said
    # of decisions, the usual states are known
    repo.commit(files('docs/adr/{}.md', BOLD, 'Accepted', 'Accepted', 'Accepted'))
    (repo.path / '.interlock.yaml').unlink()
    assert 'no other state' not in interlock('init').err


def test_a_folder_is_named_beside_a_table_and_can_be_added(
    decisions: Repo, interlock: Interlock
) -> None:
    (decisions.path / '.interlock.yaml').unlink()
    table = '| Feature | State |\n|---|---|\n| Pay | Planned |\n| Cart | Done |\n'
    decisions.write({'FEATURES.md': table})
    found = interlock('init')
    command = 'interlock init --registry docs/adr >>.interlock.yaml'
    assert (
        f'docs/adr has a file for each item too\n    to track them: {command}\n'
        in found.err
    )
    added = interlock('init', '--registry', 'docs/adr')
    file = decisions.path / '.interlock.yaml'
    file.write_text(file.read_text() + added.out)
    assert (
        'with 2 kinds of items (feature, decision)'
        in interlock('config', 'validate').out
    )
    assert '0001-a' in interlock('status').out


@pytest.mark.parametrize(
    ('file', 'head', 'first'),
    (
        pytest.param('FEATURES.md', 'Name', 'FEATURES.md', id='the file is named'),
        pytest.param('README.md', 'Feature', 'README.md', id='the column is named'),
        pytest.param('README.md', 'Dish', 'docs/adr', id='any table'),
    ),
)
def test_a_folder_of_decisions_comes_before_a_table_of_anything(
    decisions: Repo, interlock: Interlock, file: str, head: str, first: str
) -> None:
    (decisions.path / '.interlock.yaml').unlink()
    table = f'| {head} | State |\n|---|---|\n| Pie | Planned |\n| Cake | Done |\n'
    specs = files('specs/{}.md', BOLD, 'Draft', 'Approved')
    decisions.write({file: table, **specs})
    said = interlock('init').err
    assert f'.interlock.yaml: written ({first}: ' in said
    for other in {file, 'docs/adr', 'specs'} - {first}:
        command = ('init', '--registry', other)
        assert f'them: interlock {" ".join(command)} >>.interlock.yaml\n' in said
        workflow = decisions.path / '.interlock.yaml'
        workflow.write_text(workflow.read_text() + interlock(*command).out)
    assert 'with 3 kinds of items' in interlock('config', 'validate').out


@pytest.mark.parametrize(
    ('files', 'code', 'said'),
    (
        pytest.param(
            {f'notes/{each}.md': f'# {each}\n\nStatus: Draft\n' for each in 'abc'},
            0,
            'notes: 3 files, states by `Status` of each file',
            id='whatever it is called',
        ),
        pytest.param(
            {'notes/a.md': '# a\n'},
            2,
            'notes is a folder, and no two of its files say their status',
            id='without states',
        ),
    ),
)
def test_a_folder_can_be_named(
    repo: Repo, interlock: Interlock, files: dict[str, str], code: int, said: str
) -> None:
    repo.commit({**files})
    result = interlock('init', '--registry', 'notes')
    assert (result.code, said in result.err) == (code, True)
