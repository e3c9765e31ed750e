"""A project that follows no preset: its table, its states, its steps."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies

from interlock.documents.yaml_text import scalar
from interlock.git.line_history import LineChange
from interlock.report.terminal import INTERRUPTED
from interlock.setup.basic_workflow import (
    MOST_LINES,
    basic_workflow,
    kind_name,
    lines_of,
    states_of,
)
from interlock.setup.learned_steps import Columns, LearnedSteps, Step, steps
from interlock.setup.status_tables import StatusTable, status_tables, word_of
from interlock.workflow.language.spec import NOTHING
from tests.commands.terminal import typed
from tests.conftest import Interlock, Repo
from tests.hints.ways import shell
from tests.profiles import some

TABLE = """\
# Features

| Feature | State | Owner |
|---|---|---|
| Login | Building | Ann |
| Search | Idea | Bob |
| Export | Shipped | Cy |
"""


def rows(*pairs: tuple[str, str], head: str = 'Feature | State') -> str:
    lines = ''.join(f'| {item} | {state} |\n' for item, state in pairs)
    return f'| {head} |\n|---|---|\n{lines}'


def workflow(repo: Repo) -> dict[str, dict[str, dict[str, object]]]:
    text = (repo.path / '.interlock.yaml').read_text()
    assert text.count('\n') <= MOST_LINES
    found: dict[str, dict[str, dict[str, object]]] = yaml.safe_load(text)
    return found


def test_a_table_of_any_file_becomes_the_registry(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'docs/work.md': TABLE})
    result = interlock('init')
    assert result.code == 0
    assert 'docs/work.md: 3 items by `Feature`, states by `State`' in result.err
    for word in ('audio', 'Audio', 'plugin', 'phase'):
        assert word not in result.err
    feature = workflow(repo)['items']['feature']
    assert list(feature['states']) == ['Idea', 'Building', 'Shipped']  # type: ignore[call-overload]
    assert interlock('check', '--worktree').code == 0
    assert interlock('registry', 'may', 'Search', 'Shipped').code == 1
    assert interlock('registry', 'set-status', 'Search', 'Building').code == 0


def move(repo: Repo, states: dict[str, str], item: str, state: str) -> None:
    states[item] = state
    repo.commit({'WORK.md': rows(*states.items())}, f'{item}: {state}')


def test_steps_of_the_history_become_legal_and_rare_ones_do_not(
    repo: Repo, interlock: Interlock
) -> None:
    names = [f'é{number}' for number in range(1, 22)]
    states = dict.fromkeys(names, 'Idea')
    repo.commit({'WORK.md': rows(*states.items())})
    for name in names:
        move(repo, states, name, 'Building')
    for name in names[:3]:
        move(repo, states, name, 'Shipped')
    move(repo, states, names[5], 'Shipped')
    move(repo, states, names[0], 'Idea')
    left_out = '1 rare step of the history is left out, so it will be refused'
    assert left_out in interlock('init', '--dry-run').err
    result = interlock('init', '--report')
    assert result.code == 0, result.err
    assert result.err.count(left_out) == 1
    _, _, command = result.err.partition(f'{left_out}\n    to see which: ')
    again = interlock(*command.partition('\n')[0].split()[1:])
    assert again.out.splitlines()[0] == result.out.splitlines()[0]
    lines = result.out.splitlines()
    assert lines[0].startswith('26 transitions in the history; ')
    assert 'Idea -> Building: 21, legal' in lines
    assert 'Building -> Shipped: 4, legal' in lines
    assert 'Shipped -> Idea: 1, rare' in lines
    rare = lines[lines.index('Shipped -> Idea: 1, rare') + 1].split()
    assert repo.git('log', '-1', '--format=%h').strip() == rare[0]
    assert rare[2] == names[0]
    found = workflow(repo)['items']['feature']['transitions']
    assert found == [
        {'from': 'nothing', 'to': 'Idea'},
        {'from': 'Idea', 'to': 'Building'},
        {'from': 'Building', 'to': 'Shipped'},
    ]
    # what is there already is left, and what the history says is shown
    again = interlock('init', '--learn')
    assert '- {from: Building, to: Shipped}' in again.out
    # the table came with all its rows, and new ones shall be possible
    assert '- {from: nothing, to: Idea}' in again.out
    assert 'left unchanged' in again.err


CHANGES = (
    # the newest first: the column was renamed and moved, the file came with rows
    LineChange('c4', '2026-01-04', ('| a | Doing | x |',), ('| a | Done | x |',)),
    LineChange(
        'c3',
        '2026-01-03',
        ('| State | Name |', '|---|---|', '| Todo | a |', '| Todo | b |'),
        (
            '| Name | Status | By |',
            '|---|---|---|',
            '| a | Doing | x |',
            '| b | Todo | |',
        ),
    ),
    LineChange('c2', '2026-01-02', (), ('| Todo | b |',)),
    LineChange(
        'c1', '2026-01-01', (), ('| State | Name |', '|---|---|', '| Todo | a |')
    ),
)


def test_columns_are_followed_through_the_history() -> None:
    found = [*steps(CHANGES, Columns(0, 1, 3), ('Name', 'Status'))]
    assert [(each.before, each.after, each.commit) for each in found] == [
        ('Doing', 'Done', 'c4'),
        ('Todo', 'Doing', 'c3'),
        ('nothing', 'Todo', 'c2'),
    ]


@pytest.mark.parametrize(
    ('text', 'found'),
    (
        pytest.param(TABLE, ['Feature', 'State'], id='a table of features'),
        pytest.param(
            rows(('1', 'Done'), ('2', 'Open'), head='# | Status'),
            ['#', 'Status'],
            id='numbers alone',
        ),
        pytest.param(
            '| # | Task | Status |\n|---|---|---|\n| 1 | a | Done |\n| 2 | b | Open |\n',
            ['Task', 'Status'],
            id='numbers and names',
        ),
        pytest.param(
            rows(('a', 'Open'), ('b', 'Open'), ('c', 'Done'), ('d', 'Done')),
            ['Feature', 'State'],
            id='repeated words',
        ),
        pytest.param(
            rows(('Open', 'waits'), ('Done', 'is over'), head='Status | Meaning'),
            [],
            id='a legend',
        ),
        pytest.param(
            rows(
                ('Login', 'Idea'),
                ('Search', 'Review'),
                ('Export', 'Building'),
                ('Billing', 'Shipped'),
                ('Dark mode', 'Dropped'),
            ),
            ['Feature', 'State'],
            id='every state once',
        ),
        pytest.param(
            '| Feature | State | Owner |\n|---|---|---|\n'
            '| Login | Idea | Ann |\n| Search | Review | Bob |\n'
            '| Export | Building | Ann |\n| Billing | Shipped | Bob |\n',
            ['Feature', 'State'],
            id='every state once, and owners',
        ),
        pytest.param(
            rows(
                ('Offline mode', 'Idea'),
                ('Fast search 🔍', 'Doing'),
                ('ייצוא', 'Review'),
                ('Import/Export', 'Shipped'),
                ('Dark theme', 'Dropped'),
            ),
            ['Feature', 'State'],
            id='every state once, and names that no item can have',
        ),
        pytest.param(
            rows(
                ('💡', 'Idea'),
                ('🚧', 'Building'),
                ('✅', 'Shipped'),
                ('🗑', 'Dropped'),
                head='Icon | Status',
            ),
            [],
            id='a legend of emoji',
        ),
        pytest.param(
            rows(
                ('D', 'Draft'),
                ('R', 'Review'),
                ('A', 'Accepted'),
                ('S', 'Superseded'),
                head='Key | Status',
            ),
            [],
            id='a legend of keys',
        ),
        pytest.param(
            '| Key | State | Meaning |\n|---|---|---|\n'
            '| Draft | Open | it waits |\n| Final | Done | it is over |\n',
            [],
            id='a legend of keys and meanings',
        ),
        pytest.param(
            rows(
                ('Nobody has looked at it, and nobody will before May', 'Idea'),
                ('Somebody builds it right now, and says so every day', 'Building'),
                ('It is in the hands of every one of our users', 'Shipped'),
                ('It was given up, and the reason stands in its notes', 'Dropped'),
                head='What it says | Status',
            ),
            [],
            id='a legend that begins with the meaning',
        ),
        pytest.param(
            rows(('a', 'Open'), ('a', 'Done')), [], id='names that stand twice'
        ),
        pytest.param(rows(('a', 'Open'), ('b', '')), [], id='an empty cell'),
        pytest.param(rows(('a', 'Open')), [], id='one row'),
        pytest.param(
            rows(('a', 'it will be done some day in June'), ('b', 'Done')),
            [],
            id='remarks',
        ),
        pytest.param(
            rows(('a', '3'), ('b', '4'), head='Name | Price'), [], id='prices'
        ),
        pytest.param(
            rows(('a', 'offen'), ('b', 'fertig'), head='Funktion | Zustand'),
            ['Funktion', 'Zustand'],
            id='German',
        ),
        pytest.param(
            rows(('a', '进行中'), ('b', '已完成'), head='功能 | 状态'),
            ['功能', '状态'],
            id='Chinese',
        ),
        pytest.param(
            rows(('a', '✅'), ('b', '❌')), ['Feature', 'State'], id='emoji alone'
        ),
        pytest.param(
            rows(
                ('[0001](1.md)', 'Use git | Accepted'),
                ('[0002](2.md)', 'Use tables | Proposed'),
                head='ADR | Title | Status',
            ),
            ['ADR', 'Status'],
            id='decisions by their numbers',
        ),
        pytest.param(
            rows(('1', 'Open | Ann'), ('2', 'Done | Bob'), head='Bug | State | Owner'),
            ['Bug', 'State'],
            id='numbers, and who does it',
        ),
        pytest.param(
            rows(('a', 'Open'), ('b', 'Done')) + '\n' + rows(('c', 'Open')),
            ['Feature', 'State'],
            id='a second table with one row',
        ),
    ),
)
def test_which_tables_list_items(repo: Repo, text: str, found: list[str]) -> None:
    repo.write({'a.md': text})
    tables = status_tables(str(repo.path), ['a.md'])
    assert [name for each in tables for name in (each.item, each.status)] == found


@pytest.mark.parametrize(
    ('cells', 'first', 'last'),
    (
        pytest.param(('✅', '🚧', '❌'), '❌', '✅', id='emoji alone'),
        pytest.param(('✔️', '⏸️', '🚧', '📝'), '📝', '✔️', id='emoji with a selector'),
        pytest.param(
            ('✅ Done', '✅', '🚧 Building', '📋 Idea'),
            '📋 Idea',
            '✅',
            id='emoji with and without their word',
        ),
        pytest.param(('`done`', '`doing`', '`todo`'), '`todo`', '`done`', id='code'),
        pytest.param(
            ('**Done**', '**Doing**', '**Todo**'), '**Todo**', '**Done**', id='bold'
        ),
        pytest.param(('*Done*', '*Doing*', '*Todo*'), '*Todo*', '*Done*', id='italics'),
        pytest.param(('完了', '進行中', '未着手'), '未着手', '完了', id='Japanese'),
    ),
)
@pytest.mark.parametrize(
    'shape',
    (
        pytest.param(lambda text: text, id='usual'),
        pytest.param(lambda text: text.replace('\n', '\r\n'), id='CRLF'),
        pytest.param(
            lambda text: text.replace('\n| ', '\n').replace(' |\n', '\n')[2:],
            id='no outer pipes',
        ),
        pytest.param(lambda text: text.replace('| a', '| [a](a.md)'), id='links'),
        pytest.param(lambda text: text.replace('| a', '| 1'), id='numbers'),
    ),
)
def test_a_step_of_any_table_is_refused_and_led_back(
    repo: Repo,
    interlock: Interlock,
    cells: tuple[str, ...],
    first: str,
    last: str,
    shape: Callable[[str], str],
) -> None:
    named = enumerate((*cells[:2], *cells[1:]))
    text = shape(rows(*((f'a{at}', cell) for at, cell in named)))
    repo.commit({'WORK.md': text})
    assert 'states by `State`' in interlock('init').err
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    assert ': nothing to refuse' in interlock('status').out
    at = text.rindex(first)
    repo.write({'WORK.md': text[:at] + last + text[at + len(first) :]})
    refused = interlock('check', '--worktree')
    assert refused.code == 1
    assert 'STG001' in refused.out
    assert '1 error' in interlock('status').out
    back = refused.out.partition('interlock registry ')[2].splitlines()[0]
    assert interlock('registry', *shlex.split(back)).code == 0
    assert interlock('check', '--worktree').code == 0
    assert (repo.path / 'WORK.md').read_bytes().split() == text.encode().split()


def test_a_csv_file_holds_no_table(repo: Repo, interlock: Interlock) -> None:
    repo.commit({'features.csv': 'feature,status\na,Done\n'})
    assert interlock('init').code == 0
    refused = interlock('init', '--registry', 'features.csv')
    assert 'features.csv holds no markdown table' in refused.err
    assert refused.err.endswith(
        'next: write one into features.md, then: interlock init --registry '
        'features.md\n'
    )
    repo.write({'features.md': TABLE})
    # beside the workflow without items that is there now
    more = interlock('init', '--registry', 'features.md')
    file = repo.path / '.interlock.yaml'
    file.write_text(file.read_text() + more.out)
    assert 'with 1 kind of items (feature)' in interlock('config', 'validate').out


def test_tables_about_something_else_are_not_taken_by_themselves(
    repo: Repo, interlock: Interlock
) -> None:
    table = rows(('a', 'Warm'), ('b', 'Cold'), ('c', 'Warm'), ('d', 'Cold'))
    repo.commit({'README.md': table})
    result = interlock('init')
    assert 'items' not in workflow(repo)
    assert 'interlock init --registry README.md' in result.err
    (repo.path / '.interlock.yaml').unlink()
    assert interlock('init', '--registry', 'README.md').code == 0
    assert list(workflow(repo)['items']['feature']['states']) == ['Warm', 'Cold']  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ('tree', 'args', 'said', 'command'),
    (
        pytest.param(
            {}, ('no.md',), 'no.md does not exist', 'git ls-files', id='no file'
        ),
        pytest.param(
            {'a.md': '# é\n'},
            ('a.md',),
            'a.md holds no markdown table',
            'write one into a.md, then: interlock init --registry a.md',
            id='no table',
        ),
        pytest.param(
            {'a.md': rows(('x', 'Fast'), ('y', 'Slow'), head='Feature | Lane')},
            ('a.md',),
            'no table in a.md lists items with a column status, state, stage, '
            'progress, phase; its columns are Feature, Lane; Lane may hold the states',
            'interlock init --registry a.md --column Lane',
            id='no status column',
        ),
        pytest.param(
            {'a.md': rows(('x', 'Ann'), ('y', 'Bob'), head='Feature | Owner')},
            ('a.md',),
            'progress, phase; its columns are Feature, Owner\n',
            'add a column Status to the table in a.md',
            id='people are no states',
        ),
        pytest.param(
            {
                'a.md': rows(
                    ('x', 'Ann | Open'), ('y', 'Bob | Done'), head='A | B | Étape'
                )
            },
            ('a.md',),
            'Étape or B may hold the states',
            'interlock init --registry a.md --column Étape',
            id='the column whose words are in common use comes first',
        ),
        pytest.param(
            {'a.md': rows(('x', 'Ben'), ('y', 'Ana'), head='Feature | Owner')},
            ('a.md', '--column', 'owner'),
            'a column `owner`; its columns are Feature, Owner\n',
            'interlock init --registry a.md --column Owner',
            id='another case',
        ),
        pytest.param(
            {'a.md': rows(('x', ''), ('y', ''), head='Feature | Owner')},
            ('a.md',),
            'its columns are Feature, Owner',
            'add a column Status to the table in a.md',
            id='nothing that could be a status',
        ),
        pytest.param(
            {'a.md': rows(('x', 'Open'), ('y', ''))},
            ('a.md',),
            'row 2 of its table has no `State`',
            'correct a.md by hand',
            id='an empty cell',
        ),
        pytest.param(
            {'a.md': rows(('x', 'it will be done some day in June'), ('y', 'Done'))},
            ('a.md',),
            '`it will be done some day in June` is longer than a state',
            'correct a.md by hand',
            id='a remark',
        ),
        pytest.param(
            {'a.md': rows(('x', 'Open'), ('x', 'Done'))},
            ('a.md', '--column', 'State'),
            'no column of its table has another name in each row',
            'correct a.md by hand',
            id='names that stand twice',
        ),
        pytest.param(
            {'a.md': '| Nom | État |\n|---|---|\n| é | Open |\n'.encode('latin-1')},
            ('a.md',),
            'a.md:1: is not UTF-8 text',
            'iconv -f LATIN1 -t UTF-8 a.md',
            id='not UTF-8',
        ),
        pytest.param(
            {'a.md': rows(('x', 'Open'), ('y', 'Done')).encode('UTF-16')},
            ('a.md',),
            'a.md:1: is UTF-16 text, and has to be UTF-8',
            'iconv -f UTF-16 -t UTF-8 a.md',
            id='UTF-16',
        ),
    ),
)
def test_a_file_that_cannot_be_the_registry(
    repo: Repo,
    interlock: Interlock,
    tree: dict[str, str | bytes],
    args: tuple[str, ...],
    said: str,
    command: str,
) -> None:
    repo.write(tree)
    result = interlock('init', '--registry', *args)
    assert result.code == 2
    assert said in result.err
    assert f'next: {command}' in result.err


@pytest.mark.parametrize('tree', ({}, {'a.md': '# Nothing\n'}))
def test_a_column_needs_a_table(
    repo: Repo, interlock: Interlock, tree: dict[str, str | bytes]
) -> None:
    repo.write(tree)
    result = interlock('init', '--column', 'État')
    assert result.code == 2
    assert 'there is no column `État`: no markdown file has a table' in result.err
    assert 'next: interlock init --preset basic\n' in result.err


@pytest.mark.parametrize('file', ((), ('--registry', 'a.md')))
def test_the_column_of_states_can_be_named(
    repo: Repo, interlock: Interlock, file: tuple[str, ...]
) -> None:
    repo.write({'a.md': rows(('x', 'A'), ('y', 'B'), ('z', 'A'), head='Nom | Étape')})
    wrong = interlock('init', *file, '--column', 'etape')
    assert wrong.code == 2
    assert 'a column `etape`; its columns are Nom, Étape; Étape may hold' in wrong.err
    assert 'next: interlock init --registry a.md --column Étape\n' in wrong.err
    assert interlock('init', *file, '--column', 'Étape').code == 0
    assert workflow(repo)['items']['nom']['registry']['columns'] == {  # type: ignore[index]
        'item': 'Nom',
        'status': 'Étape',
    }


def test_a_table_that_is_not_utf_8_is_said_and_the_way_out_works(
    repo: Repo, interlock: Interlock
) -> None:
    table = TABLE.replace('Login', 'Café').encode('latin-1')
    repo.write({'WORK.md': table})
    result = interlock('init')
    assert 'WORK.md:5: is not UTF-8 text, so its tables were not read' in result.err
    (following,) = re.findall('^next: (.*)', result.err, re.MULTILINE)
    ran = shell(repo, following)
    assert ran.code == 0, ran.err
    assert '.interlock.yaml: written (WORK.md: ' in ran.err
    assert ran.err.endswith('next: interlock init --git-hooks\n')


def test_a_state_that_is_struck_through_is_the_same_state(
    repo: Repo, interlock: Interlock
) -> None:
    table = rows(('a', 'Idea'), ('~~b~~', '~~Building~~'), ('c', 'Review'))
    repo.commit({'W.md': table})
    assert interlock('init').code == 0
    assert transitions(repo)['Building'] == ['Review', 'Idea']
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    for state, codes in (
        ('~~Review~~', []),
        ('Building', []),
        ('~~Idae~~', ['REG005']),
    ):
        repo.write({'W.md': table.replace('~~Building~~', state)})
        result = interlock('check', '--worktree', '--json')
        assert [each['code'] for each in json.loads(result.out)['findings']] == codes


@pytest.mark.parametrize(
    ('added', 'said'),
    (
        pytest.param('', '', id='nothing'),
        pytest.param('\nNotes | here\n', '', id='prose'),
        pytest.param('\n| Feature | State |\n|--|--|\n| A | Idea |\n', '', id='more'),
        pytest.param(
            '\n| Feature | State |\n| A | Idea |\n',
            'W.md:9: the registry has a header without the line `|---|---|` below it, '
            'so its rows do not count; until that is corrected by hand, no items are',
            id='a header without dashes',
        ),
        pytest.param(
            'A remark\n| A | Idea | Ann |\n',
            'W.md:8: the registry has a row in line 9 that is not in a table, because '
            '`A remark` ends the table above it; until that is corrected by hand, ',
            id='a lost row',
        ),
        pytest.param(
            '<<<<<<< HEAD\n| A | Idea | Ann |\n=======\n>>>>>>> x\n',
            'until that is corrected by hand, no items are checked',
            id='a conflict',
        ),
    ),
)
def test_a_registry_that_the_checks_cannot_read_is_said(
    repo: Repo, interlock: Interlock, added: str, said: str
) -> None:
    repo.commit({'W.md': f'{TABLE}{added}'})
    result = interlock('init')
    assert 'written (W.md: ' in result.err
    assert (said in result.err) and (bool(said) == ('is corrected' in result.err))
    checked = interlock('check', '--worktree', '--inherited')
    assert ('REG008' in checked.out) == bool(said)


@pytest.mark.parametrize(
    ('text', 'line'),
    (
        pytest.param('# A\n\n| Task | State |\n| A | Idea |\n', 3, id='a table'),
        pytest.param('Task | State\nA | Idea\n', 1, id='without outer pipes'),
        pytest.param('```\n| Task | State |\n| A | Idea |\n```\n', 0, id='code'),
        pytest.param('| Task | Who |\n| A | Ann |\n', 0, id='no column of states'),
        pytest.param('the State | the rest\n\nof it\n', 0, id='prose'),
        pytest.param('oven state || light\noven heat || light\n', 0, id='a command'),
        pytest.param('| Task | State |\n', 0, id='no rows'),
    ),
)
def test_a_header_without_dashes_is_said_where_there_is_no_table(
    repo: Repo, interlock: Interlock, text: str, line: int
) -> None:
    repo.commit({'W.md': text})
    result = interlock('init')
    assert (f'W.md:{line}: this header of a table has no line' in result.err) == (
        line > 0
    )
    if line:
        dashed = [*text.splitlines()]
        dashed[line:line] = ['|---|---|']
        repo.write({'W.md': '\n'.join([*dashed, '| B | Idea |', ''])})
        (following,) = re.findall(' then: (.*)', result.err)
        ran = shell(repo, following)
        assert 'written (W.md: 2 items by `Task`' in ran.err


def test_a_header_without_dashes_is_said_beside_another_table(
    repo: Repo, interlock: Interlock
) -> None:
    lost = '| Bug | State |\n| 1 | Open |\n| 2 | Closed |\n'
    repo.commit({'WORK.md': TABLE, 'BUGS.md': lost})
    (following,) = re.findall(r'BUGS.md:1: .*\n    then: (.*)', interlock('init').err)
    repo.write({'BUGS.md': lost.replace('| 1', '|---|---|\n| 1')})
    _, more, name = re.split('interlock | >>', following)
    file = repo.path / name
    file.write_text(file.read_text() + interlock(*more.split()).out)
    assert '2 kinds of items (feature, bug)' in interlock('config', 'validate').out
    # where the registry cannot be read, that says it
    repo.write({'WORK.md': f'{TABLE}\n| Feature | State |\n| A | Idea |\n'})
    file.unlink()
    assert interlock('init').err.count('WORK.md:9: ') == 1


@pytest.mark.parametrize('written', ('in_progress', '`in_progress`', 'in\\_progress'))
def test_an_underscore_belongs_to_the_state(
    repo: Repo, interlock: Interlock, written: str
) -> None:
    repo.commit({'TASKS.md': rows(('a', written), ('b', 'todo'), ('c', 'done'))})
    assert interlock('init').code == 0
    (kind,) = workflow(repo)['items'].values()
    assert isinstance(kind['states'], dict) and 'in_progress' in kind['states']
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    assert interlock('registry', 'set-status', 'b', 'in_progress').code == 0
    assert '| b | in_progress' in (repo.path / 'TASKS.md').read_text()
    assert interlock('check', '--worktree').code == 0
    misspelled = interlock('registry', 'set-status', 'c', 'inprogress')
    assert 'in_progress' in misspelled.err


def test_emoji_remarks_and_spellings_are_kept(repo: Repo, interlock: Interlock) -> None:
    table = rows(
        ('שלום', '🚧 In Progress'),
        ('b', '🚧 In Progress (half)'),
        ('c', '🚧 in progress'),
        ('🚀 d', '✅ Done'),
        ('e<br>f', '✅ Done'),
    )
    repo.commit({'WORK.md': table})
    result = interlock('init')
    assert (
        '1 name cannot be the name of an item: e<br>f (`<` is not allowed, because '
        'it is markup); rename it in WORK.md\n'
    ) in result.err
    states = workflow(repo)['items']['feature']['states']
    assert states == {
        'In Progress': {
            'emoji': '🚧',
            'annotation': True,
            'aliases': {'in progress': ''},
        },
        'Done': {'role': 'done', 'emoji': '✅'},
    }
    assert interlock('registry', 'set-status', 'שלום', 'Done').code == 0
    assert '| שלום | ✅ Done' in (repo.path / 'WORK.md').read_text()


def test_on_a_terminal_three_questions_are_asked(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'WORK.md': TABLE})
    monkeypatch.chdir(repo.path)
    result = typed('init', answers=('1', '2', 'specs/{item}.md'))
    assert result.code == 0
    assert result.out.count('Choose [') == 2
    feature = workflow(repo)['items']['feature']
    assert feature['transitions'] == [
        {'from': 'nothing', 'to': 'any'},
        {'from': 'any', 'to': 'any'},
    ]
    assert feature['contracts'] == {
        'frozen': ['Shipped'],
        'files': {'spec': {'paths': ['specs/{item}.md']}},
    }


@pytest.mark.parametrize(
    ('word', 'codes'),
    (
        pytest.param('Simmering', [], id='a state in the middle'),
        pytest.param('Plated', [], id='a last state'),
        pytest.param('Platde', ['REG005'], id='no state'),
    ),
)
def test_where_every_step_is_legal_items_begin_anywhere(
    repo: Repo, interlock: Interlock, word: str, codes: list[str]
) -> None:
    words = ('Chopped', 'Simmering', 'Plated', 'Plated', 'Chopped')
    table = rows(*((f'dish {number}', each) for number, each in enumerate(words)))
    repo.commit({'BOARD.md': table})
    assert interlock('init').code == 0
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    repo.write({'BOARD.md': f'{table}| new | {word} |\n'})
    result = interlock('check', '--worktree', '--json')
    assert [each['code'] for each in json.loads(result.out)['findings']] == codes


@pytest.mark.parametrize(
    ('moves', 'said'),
    (
        pytest.param(
            ('Building', 'Shipped'),
            'Planned -> Building, Building -> Shipped\n',
            id='a few',
        ),
        pytest.param(
            ('Specified', 'Building', 'Testing', 'Review', 'Merged', 'Live', 'Retired'),
            'Merged -> Live and 1 more\n',
            id='many',
        ),
        pytest.param((), '', id='none'),
    ),
)
def test_the_steps_of_the_history_are_shown_before_they_are_chosen(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, moves: Sequence[str], said: str
) -> None:
    for state in ('Planned', *moves):
        repo.commit({'WORK.md': rows(('Login', state), ('Cart', 'Planned'))})
    monkeypatch.chdir(repo.path)
    result = typed('init', answers=('1', '1', ''))
    shown = result.out.replace('\r', '').partition('those found in the history: ')[2]
    assert said in re.sub('\n {5}', ' ', shown)
    assert bool(shown) == bool(moves)


STANDS = TABLE.replace('State', 'Where it stands')


def test_on_a_terminal_a_column_of_another_name_is_offered(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'roadmap.md': STANDS})
    monkeypatch.chdir(repo.path)
    result = typed('init', answers=('', '', ''))
    assert result.code == 0
    assert 'roadmap.md: 3 rows, `Where it stands` says ' in result.out
    assert workflow(repo)['items']['feature']['registry'] == {
        'file': 'roadmap.md',
        'layout': 'distributed',
        'columns': {'item': 'Feature', 'status': 'Where it stands'},
    }


def test_without_a_terminal_a_column_of_another_name_is_named(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'roadmap.md': STANDS})
    said = interlock('init').err
    assert 'items' not in workflow(repo)
    following = said.partition('if `Where it stands` holds the states of its rows: ')[2]
    command = following.splitlines()[0]
    assert command == (
        'rm .interlock.yaml && interlock init --registry roadmap.md '
        "--column 'Where it stands'"
    )
    (repo.path / '.interlock.yaml').unlink()
    assert interlock(*shlex.split(command)[4:]).code == 0
    assert 'feature' in workflow(repo)['items']


WISH = '| Ref | Wish | Who asked | Since | Where it stands | Euros |\n|---|---|---|---|---|---|\n'
STANDINGS = ('not seen', 'talked over', 'with them', 'sent', 'paid', 'thanked')


VERSIONS = tuple(f'0.{number}.0' for number in range(6))


def of_wishes(
    repo: Repo, recur: bool = True, standings: Sequence[str] = STANDINGS
) -> None:
    """Requests of which some take steps, to words that recur or to others each time."""
    repo.commit({'a.md': '| Path | Kind |\n|---|---|\n| a | file |\n| b | folder |\n'})
    at = [0] * 6
    for number, item in enumerate((0, 0, 1, 1, 2)):
        at[item] = at[item] + 1 if recur else number + 1
        cells = (
            f'| CR-{each} | Wish {each} | {"Hofer" if each % 2 else "Fjord"} | 1.{each} '
            f'| {standings[place]} | {each} |\n'
            for each, place in enumerate(at)
        )
        repo.commit({'docs/requests.md': WISH + ''.join(cells)})


def test_a_column_that_changes_like_states_is_named_whatever_it_is_called(
    repo: Repo, interlock: Interlock
) -> None:
    of_wishes(repo)
    said = interlock('init').err
    assert 'items' not in workflow(repo)
    assert 'docs/requests.md has a table without a column like Status' in said
    asked = 'if `Where it stands` holds the states of its rows: '
    shell(repo, said.partition(asked)[2].splitlines()[0])
    states = list(workflow(repo)['items']['ref']['states'])  # type: ignore[call-overload]
    assert states == [*STANDINGS[:3]]


def test_a_column_of_which_no_word_recurs_holds_no_states(
    repo: Repo, interlock: Interlock
) -> None:
    of_wishes(repo, recur=False)
    assert 'docs/requests.md' not in interlock('init').err


def test_versions_that_change_are_not_states(repo: Repo, interlock: Interlock) -> None:
    of_wishes(repo, standings=VERSIONS)
    assert 'holds the states' not in interlock('init').err


def test_the_column_that_changed_is_the_first_that_is_suggested(
    repo: Repo, interlock: Interlock
) -> None:
    of_wishes(repo)
    slip = interlock('init', '--registry', 'docs/requests.md')
    assert '; Where it stands or ' in slip.err
    assert slip.err.endswith("--column 'Where it stands'\n")


def test_on_a_terminal_that_column_is_offered_and_not_taken_by_itself(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_wishes(repo)
    monkeypatch.chdir(repo.path)
    assert 'docs/requests.md: 6 rows' in typed('init', answers=('',)).out
    assert 'items' not in workflow(repo)
    (repo.path / '.interlock.yaml').unlink()
    assert typed('init', answers=('1', '', '')).code == 0
    assert 'ref' in workflow(repo)['items']


def test_a_registry_is_added_to_a_workflow_without_items_as_printed(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'roadmap.md': 'No table yet.\n'})
    interlock('init')
    repo.commit({'roadmap.md': STANDS})
    column = ('--column', 'Where it stands')
    said = interlock('init', '--registry', 'roadmap.md', *column).err
    command = said.partition('to add them: ')[2].splitlines()[0]
    shell(repo, command)
    assert (
        'valid, with 1 kind of items (feature)' in interlock('config', 'validate').out
    )


def test_only_words_of_the_team_need_a_role(repo: Repo, interlock: Interlock) -> None:
    comment = 'over: {role: done}'
    for word, needs in (('Building', False), ('Simmering', True)):
        repo.commit({'WORK.md': rows(('a', 'Idea'), ('b', 'Idea'), ('c', word))})
        assert (comment in interlock('init', '--dry-run').out) == needs


BUNDLE = Path(__file__).parents[3] / 'shared/realdata/plugin-history.bundle'


@pytest.mark.skipif(not BUNDLE.exists(), reason='the history is not here')
def test_the_steps_of_a_real_history(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = Repo(tmp_path)
    top.git('clone', '-q', str(BUNDLE), 'histoire')
    monkeypatch.chdir(tmp_path / 'histoire')
    real = Repo(tmp_path / 'histoire')
    newest = real.git('for-each-ref', '--format=%(objectname)', '--count=1')
    real.git('checkout', '-q', newest.strip())
    result = interlock('init', '--report', '--dry-run')
    assert result.code == 0
    assert 'nothing -> Ideated: ' in result.out
    assert '- {from: Working, to: Installed}' in result.out


WORDS = strategies.text('abzé- \'":{}[]#&*!|>%@`,?0', min_size=1, max_size=12).map(
    lambda text: ' '.join(text.replace('|', '').replace('*', '').split())
)


@given(
    # a table without a word in its column is not taken for one
    strategies.lists(WORDS.filter(bool), min_size=1, max_size=25, unique=True).filter(
        lambda words: any(map(word_of, words))
    ),
    strategies.lists(strategies.tuples(WORDS, WORDS), max_size=30),
)
@settings(max_examples=some(150), deadline=None)
def test_any_words_are_written_so_that_they_read_the_same(
    words: list[str], pairs: list[tuple[str, str]]
) -> None:
    table = StatusTable('a b.md', 'It: em', 'Sta"tus', (), tuple((w, w) for w in words))
    learned = LearnedSteps(tuple(Step(*pair, 'x', 'c', 'd') for pair in pairs))
    text = '\n'.join(lines_of(basic_workflow(table, learned), 30))
    kind = yaml.safe_load(text)['items']['it-em']
    known = {word_of(word) for word in words} | {
        word for pair in learned.habits for word in pair
    }
    written = {
        word
        for name, state in kind['states'].items()
        for word in (name, *state.get('aliases', ()))
    }
    assert written == known - {'', 'nothing'}
    assert kind['registry']['file'] == 'a b.md'


@pytest.mark.parametrize(
    ('header', 'name'),
    (
        ('Feature', 'feature'),
        ('Plugin Name', 'plugin'),
        ('ID', 'item'),
        ('What', 'item'),
        ('#', 'item'),
        ('Étape', 'etape'),
        ('User story title', 'user-story'),
        ('Wish of the customer', 'wish'),
        ('Requests for 2027', 'request'),
        ('Stories', 'story'),
        ('Epics & Stories', 'epics-story'),
        ('Branches', 'branch'),
        ('Process', 'process'),
        ('Of whom', 'item'),
    ),
)
def test_the_kind_is_named_by_the_header(header: str, name: str) -> None:
    assert kind_name(header) == name


@given(strategies.text(max_size=20))
@settings(max_examples=some(200), deadline=None)
def test_a_scalar_reads_as_it_was(text: str) -> None:
    text = ''.join(char for char in text if char.isprintable())
    assert yaml.safe_load(f'a: [{scalar(text)}]') == {'a': [text]}


def transitions(repo: Repo) -> dict[str, object]:
    found = workflow(repo)['items']['feature']['transitions']
    assert isinstance(found, list)
    return {each['from']: each['to'] for each in found}


def test_work_may_pause_and_be_given_up_at_any_time(
    repo: Repo, interlock: Interlock
) -> None:
    words = (
        'Planned',
        'Blocked',
        'In progress',
        'In review',
        'Done',
        'Dropped',
        'Done',
    )
    named = ((f'é{number}', word) for number, word in enumerate(words))
    repo.commit({'WORK.md': rows(*named)})
    assert interlock('init').code == 0
    assert transitions(repo) == {
        'nothing': 'Planned',
        'Planned': ['In progress', 'Blocked', 'Dropped'],
        'In progress': ['In review', 'Planned', 'Blocked', 'Dropped'],
        'In review': ['Done', 'In progress', 'Blocked', 'Dropped'],
        'Done': 'In review',
        'Blocked': ['Planned', 'In progress', 'In review', 'Dropped'],
        'Dropped': 'Planned',
    }


@pytest.mark.parametrize(
    ('word', 'way'),
    (
        pytest.param('Building', ['Shipped', 'Idea'], id='to its neighbours'),
        pytest.param('Simmering', 'any', id='anywhere, in words of one team'),
    ),
)
def test_a_short_history_leaves_no_state_without_a_way_out(
    repo: Repo, interlock: Interlock, word: str, way: object
) -> None:
    states = {'a': 'Idea', 'b': 'Idea', 'c': word, 'd': 'Shipped'}
    repo.commit({'WORK.md': rows(*states.items())})
    move(repo, states, 'a', word)
    assert interlock('init').code == 0
    assert transitions(repo) == {'nothing': 'Idea', 'Idea': word, word: way}


def test_a_second_registry_is_named_and_added_as_printed(
    repo: Repo, interlock: Interlock
) -> None:
    apps = ('Mobile', 'Draft'), ('Web', 'Live'), ('Watch', 'Live')
    other = rows(*apps, head='App | Status')
    repo.commit({'FEATURES.md': TABLE, 'apps/list.md': other})
    result = interlock('init')
    command = 'interlock init --registry apps/list.md'
    said = f'lists items by `App` too\n    to track them: {command} >>.interlock.yaml\n'
    assert said in result.err
    more = interlock(*command.split()[1:])
    assert 'add this below `items`' in more.err
    file = repo.path / '.interlock.yaml'
    file.write_text(file.read_text() + more.out)
    assert 'valid, with 2 kinds of items (feature, app)' in (
        interlock('config', 'validate').out
    )
    slip = interlock('registry', 'set-status', 'mobile', 'Live')
    assert slip.err.endswith('next: interlock registry set-status app:Mobile Live\n')


def test_a_list_in_another_language_is_named_in_any_folder(
    repo: Repo, interlock: Interlock
) -> None:
    tasks = rows(('Maße', 'offen'), ('Größe', 'in Arbeit'), head='Was | Zustand')
    files = ('libs/kern/docs/AUFGABEN.md', 'libs/web/docs/Tâches.md')
    repo.commit({'FEATURES.md': TABLE, **dict.fromkeys(files, tasks)})
    repo.commit({'libs/web/docs/Handbuch.md': tasks})
    said = interlock('init').err
    for file in files:
        assert f'interlock init --registry {file} >>' in said
    assert 'Handbuch' not in said


def test_registries_alike_become_kinds_apart_from_any_folder(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    bugs = '\n' + rows(('1', 'Open'), ('2', 'Closed'), head='Bug | State')
    repo.commit({'web/FEATURES.md': TABLE + bugs, 'api/docs/FEATURES.md': TABLE})
    monkeypatch.chdir(repo.path / 'api')
    result = interlock('init')
    hints = re.findall('to track them: interlock (.*) >>(.*)\n', result.err)
    assert {hint for _, hint in hints} == {'../.interlock.yaml'}
    for hint, file in hints:
        more = interlock(*hint.split()).out
        Path(file).write_text(Path(file).read_text() + more)
    assert 'with 3 kinds of items (feature, bug, api-feature)' in (
        interlock('config', 'validate').out
    )
    tracked = interlock('init', '--registry', 'docs/FEATURES.md')
    assert 'the items in api/docs/FEATURES.md are tracked already' in tracked.err


def test_an_item_of_two_registries_is_named_with_its_kind(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'web/FEATURES.md': TABLE, 'api/docs/FEATURES.md': TABLE})
    assert interlock('init').code == 0
    file = repo.path / '.interlock.yaml'
    more = interlock('init', '--registry', 'api/docs/FEATURES.md').out
    repo.commit({'.interlock.yaml': file.read_text() + more})
    repo.write({'api/docs/FEATURES.md': TABLE.replace('Idea', 'Shipped')})
    refused = interlock('check', '--worktree').out
    back = ('registry', 'set-status', 'api-feature:Search', 'Idea')
    assert f'set it back to Idea: interlock {" ".join(back)}\n' in refused
    unclear = interlock('registry', 'set-status', 'Search', 'Idea')
    assert unclear.code == 2
    assert 'Search is in web/FEATURES.md and in api/docs/FEATURES.md' in unclear.err
    for name, step in (('search', ('status',)), ('api-feature:search', back)):
        wrong = interlock('registry', 'set-status', name, 'Idea')
        assert wrong.err.endswith(f'next: interlock {" ".join(step)}\n')
    assert 'next: name one of them: feature:Search or api-feature:Search' in unclear.err
    assert interlock(*back).code == 0
    assert interlock('check', '--worktree').code == 0
    assert repo.git('status', '--short').split() in ([], ['M', 'api/docs/FEATURES.md'])
    shown = interlock('registry', 'show').out
    assert 'feature:Search ' in shown and 'api-feature:Search ' in shown
    wanted = interlock('registry', 'may', 'api-feature:New', 'Idea')
    assert 'next: interlock registry add New --kind api-feature\n' in wanted.err


@pytest.mark.parametrize(
    ('text', 'clear'),
    (
        pytest.param(
            rows(('1', 'Accepted'), ('b', 'Accepted'), head='ADR | Status'),
            True,
            id='one state of what is called a decision',
        ),
        pytest.param(
            rows(('a', 'À faire'), ('b', 'Terminé'), head='Sujet | État'),
            True,
            id='French',
        ),
        pytest.param(
            rows(('a', 'Accepted'), ('b', 'Accepted'), head='Dish | Status'),
            False,
            id='one state of something else',
        ),
        pytest.param(
            rows(('/a', 'Draft'), ('/b', 'Live'), ('c', 'Live'), head='Path | Status'),
            False,
            id='addresses',
        ),
        pytest.param(
            rows(
                ('bake()', '✅'),
                ('cool()', '❌'),
                ('cut()', '🚧'),
                head='Call | Status',
            ),
            False,
            id='marks of what is supported',
        ),
        pytest.param(
            rows(('Gas', 'Ready'), ('Wood', 'Coming soon'), head='Oven | Status'),
            False,
            id='words of what is supported',
        ),
        pytest.param(
            rows(('Crust', 'Fixed'), ('Crumb', 'Done'), head='Part | Status'),
            False,
            id='a report in which nothing is open',
        ),
        pytest.param(
            rows(('Crust', 'Done'), ('Crumb', 'Planned'), head='Part | Status'),
            True,
            id='something is open',
        ),
        pytest.param(
            rows(
                ('Crust', 'Open'), ('Crumb', 'Needs proof'), head='Known bugs | State'
            ),
            True,
            id='bugs',
        ),
        pytest.param(
            rows(('12', 'Open'), ('[7](x/7)', 'Closed'), head='Elsewhere | State'),
            False,
            id='numbers of another tracker',
        ),
        pytest.param(
            rows(('12', 'Open'), ('7', 'Closed'), head='Ticket | State'),
            True,
            id='numbers of tickets',
        ),
        pytest.param(
            rows(('v12', 'Open'), ('v7', 'Closed'), head='Elsewhere | State'),
            True,
            id='names with numbers',
        ),
    ),
)
def test_which_tables_are_taken_without_a_question(
    repo: Repo, text: str, clear: bool
) -> None:
    repo.write({'README.md': text})
    (table,) = status_tables(str(repo.path), ['README.md'])
    assert table.is_clear is clear


@pytest.mark.parametrize(
    ('file', 'is_report'),
    (
        pytest.param('bake.md', False, id='any file'),
        pytest.param('OVEN-VALIDATION.md', True, id='how something went'),
        pytest.param('docs/test_report.md', True, id='a report'),
        pytest.param('reports/ovens.md', True, id='a folder of reports'),
        pytest.param('docs/reporting.md', False, id='a word that contains `report`'),
        pytest.param('BUG-REPORTS.md', False, id='reports are the work'),
        pytest.param('reports/BACKLOG.md', False, id='a list beside reports'),
        pytest.param('status-report.md', False, id='a report of the work'),
    ),
)
def test_a_table_of_a_report_is_offered_but_not_taken(
    repo: Repo, interlock: Interlock, file: str, is_report: bool
) -> None:
    repo.commit({file: TABLE})
    said = interlock('init')
    assert ('items' not in workflow(repo)) is is_report
    assert (f'interlock init --registry {file}' in said.err) is is_report


@pytest.mark.parametrize(
    ('file', 'states', 'is_taken'),
    (
        pytest.param('BACKLOG.md', 'Ready for QA,In dev,In dev,Live', True, id='again'),
        pytest.param('BACKLOG.md', 'Warm,Cold,Hot,Icy', False, id='each once'),
        pytest.param('BACKLOG.md', 'Warm,Cold,Cold', False, id='few rows'),
        pytest.param('notes.md', 'Warm,Cold,Cold,Hot', False, id='another file'),
        pytest.param('docs/01-plan.md', 'Cold,Cold,Hot,Hot', False, id='one of many'),
        pytest.param('stories/x.md', 'Cold,Cold,Hot,Hot', False, id='of a folder'),
        pytest.param('backlog/README.md', 'Cold,Cold,Hot,Hot', True, id='the folder'),
        pytest.param('docs/plan.md', 'Cold,Cold,Hot,Hot', True, id='in a folder'),
        pytest.param('adr-7-plan.md', 'Cold,Cold,Hot,Hot', False, id='a decision'),
        pytest.param('plan-template.md', 'Cold,Cold,Hot,Hot', False, id='a template'),
        pytest.param('docs/x.md', 'Done,Done', False, id='one state in a folder'),
        pytest.param('docs/plan.md', 'Done,Done', True, id='one state of a list'),
        pytest.param('notes.md', 'הושלם,בתהליך,מתוכנן', True, id='Hebrew'),
        pytest.param('notes.md', 'مكتمل,قيد التنفيذ,مخطط', True, id='Arabic'),
    ),
)
def test_words_of_a_team_are_states_in_a_list_of_work(
    repo: Repo, interlock: Interlock, file: str, states: str, is_taken: bool
) -> None:
    words = enumerate(states.split(','))
    repo.commit({file: rows(*((f'item {number}', word) for number, word in words))})
    interlock('init')
    assert ('items' in workflow(repo)) is is_taken


def test_of_many_files_with_such_a_table_none_is_taken(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({f'docs/{name}.md': TABLE for name in 'abcde'})
    said = interlock('init', '--dry-run')
    assert '(no table was chosen of those in 5 files, so ' in said.out
    assert (
        '    to track them after all: interlock init --registry docs/a.md\n' in said.err
    )
    repo.write({'WORK.md': TABLE})
    assert 'WORK.md: 3 items' in interlock('init', '--dry-run').out


@pytest.mark.parametrize(
    ('file', 'text', 'said'),
    (
        pytest.param(
            'README.md',
            rows(('no loaf', '404'), ('no oven', '503'), head='Error | Status Code'),
            '',
            id='codes',
        ),
        pytest.param(
            'README.md',
            rows(('Rye', '![a]'), ('Oat', '![b]'), head='Loaf | Status'),
            '',
            id='badges',
        ),
        pytest.param(
            'README.md',
            rows(('Rye', 'pending'), ('Oat', 'pending'), head='Loaf | Status'),
            '',
            id='one word',
        ),
        pytest.param(
            'ovens/PLAN.md',
            rows(('50%', 'slow'), ('90%', 'fast'), head="Heat | The oven's state"),
            '',
            id='a state of something',
        ),
        pytest.param(
            'README.md',
            rows(('Rye', '✅'), ('Oat', '❌'), head='Loaf | Status'),
            '',
            id='marks',
        ),
        pytest.param(
            'TASKS.md',
            rows(('a', 'Open'), ('b', ''), head='Task | Status'),
            'TASKS.md lists no items: row 2 of its table has no `Status`; correct ',
            id='an empty cell',
        ),
        pytest.param(
            'TASKS.md',
            rows(('a', 'Open'), ('a', 'Done'), head='Task name | Status'),
            'TASKS.md lists no items: no column of its table has another name in ',
            id='names that stand twice',
        ),
        pytest.param(
            'TODO.md',
            rows(('a', 'high'), ('b', 'low'), ('c', 'low'), head='Name | Weight'),
            'its columns are Name, Weight); to track its rows, add one\n    then: ',
            id='another column',
        ),
        pytest.param(
            'docs/tasks.md',
            rows(('heat', 'number'), ('time', 'number'), head='Option | Type'),
            '',
            id='a reference',
        ),
    ),
)
def test_what_is_offered_where_no_table_is_taken(
    repo: Repo, interlock: Interlock, file: str, text: str, said: str
) -> None:
    repo.commit({file: text})
    advice = interlock('init').err
    assert 'items' not in workflow(repo)
    assert said in advice
    assert (f'interlock init --registry {file}' in advice) == bool(said)


def test_a_list_without_a_status_is_named(repo: Repo, interlock: Interlock) -> None:
    repo.commit({'FEATURES.md': '| Feature | Owner |\n|---|---|\n| a | Ana |\n'})
    said = interlock('init').err
    assert (
        'FEATURES.md has a table without a column like Status (its columns are '
        'Feature, Owner); to track its rows, add one\n    then: '
        'rm .interlock.yaml && interlock init --registry FEATURES.md\n'
    ) in said


def test_a_table_with_one_state_says_what_is_missing(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'FEATURES.md': rows(('a', 'Planned'), ('b', 'Planned'))})
    assert (
        'every row says `Planned`, and no other state is known yet: add those that '
        'follow to `states` and `transitions` of .interlock.yaml\n'
    ) in interlock('init').err


@pytest.mark.parametrize(
    ('states', 'said'),
    (
        pytest.param(('Planned', 'Planned', 'Shipped'), '', id='none'),
        pytest.param(
            ('Planned', 'Planed', 'Planned', 'Shipped'),
            '`Planed` is a state of its own now; if it is a misspelled `Planned`',
            id='a word in common use',
        ),
        pytest.param(
            ('Im Bau', 'Im Bau', 'im Bua', 'Fertig'),
            '`im Bua` is a state of its own now; if it is a misspelled `Im Bau`',
            id='a word of the team',
        ),
        pytest.param(('Phase A', 'Phase A', 'Phase A', 'Phase B'), '', id='letters'),
        pytest.param(
            ('Stage 10', 'Stage 10', 'Stage 10', 'Stage 11'), '', id='numbers'
        ),
        pytest.param(('Build', 'Build', 'Built', 'Built'), '', id='both often'),
    ),
)
def test_a_state_that_may_be_misspelled_is_said(
    repo: Repo, interlock: Interlock, states: tuple[str, ...], said: str
) -> None:
    cells = ((f'a{number}', state) for number, state in enumerate(states))
    repo.commit({'FEATURES.md': rows(*cells)})
    result = interlock('init')
    assert 'states by `State`' in result.err
    assert (said in result.err) if said else ('misspelled' not in result.err)
    # the command chooses the same table, whatever is likelier
    again = 'interlock init --registry FEATURES.md --column State\n'
    assert (f'then: rm .interlock.yaml && {again}' in result.err) == bool(said)


def test_steps_that_a_shallow_clone_lacks_are_said(
    repo: Repo, interlock: Interlock
) -> None:
    oid = repo.commit({'FEATURES.md': TABLE})
    assert 'shallow' not in interlock('init', '--dry-run').err
    repo.write({'.git/shallow': f'{oid}\n'})
    assert (
        'this clone is shallow, so steps of the older history were not seen\n'
        '    to learn from all of them: git fetch --unshallow && rm .interlock.yaml && '
        'interlock init --learn\n'
    ) in interlock('init').err
    (repo.path / '.interlock.yaml').unlink()
    named = ('--registry', 'FEATURES.md', '--column', 'State')
    assert (
        f'rm .interlock.yaml && interlock init --learn {" ".join(named)}\n'
        in interlock('init', *named).err
    )


def test_a_table_with_one_row_for_each_state_is_taken_if_it_is_named(
    repo: Repo, interlock: Interlock
) -> None:
    """It may be a list of what states mean."""
    rows = ''.join(
        f'| {state[0]} | {state} |\n'
        for state in ('Idea', 'Building', 'Review', 'Shipped')
    )
    repo.commit({'features.md': f'| Feature | State |\n|---|---|\n{rows}'})
    found = interlock('init', '--dry-run')
    said = (
        'if these are the states of your items: interlock init --registry features.md'
    )
    assert said in found.err
    assert interlock('init', '--registry', 'features.md').code == 0
    assert 'Building' in (repo.path / '.interlock.yaml').read_text()


def test_a_person_who_wants_no_table_is_not_told_that_there_is_none(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'WORK.md': TABLE})
    monkeypatch.chdir(repo.path)
    result = typed('init', answers=('x', '9', '2'))
    assert result.out.count('a number from 1 to 2, or q to leave') == 2
    assert 'written (no table was chosen, so it tracks no items' in result.out
    after_all = 'rm .interlock.yaml && interlock init --registry WORK.md'
    assert f'    to track them after all: {after_all}' in result.out
    assert shell(repo, after_all).code == 0
    assert workflow(repo)['items']


@pytest.mark.parametrize('answers', (('q',), ('1', 'Q'), ('1', '1', 'quit')))
def test_a_person_may_leave_at_every_question(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, answers: tuple[str, ...]
) -> None:
    repo.commit({'WORK.md': TABLE})
    monkeypatch.chdir(repo.path)
    result = typed('init', '--git-hooks', answers=answers)
    assert result.code == INTERRUPTED
    assert 'interlock: interrupted' in result.out
    assert not repo.git('status', '--short')


def test_a_state_that_no_row_has_now_keeps_its_emoji(
    repo: Repo, interlock: Interlock
) -> None:
    states = dict.fromkeys('abcd', '💡 Idea')
    for name in 'abcd':
        repo.commit({'WORK.md': rows(*states.items(), ('e', '✅ Done'))})
        states[name] = '🚧 Building'
    repo.commit({'WORK.md': rows(*states.items(), ('e', '✅ Done'))})
    assert interlock('init').code == 0
    assert workflow(repo)['items']['feature']['states'] == {
        'Idea': {'role': 'before', 'emoji': '💡'},
        'Building': {'emoji': '🚧'},
        'Done': {'role': 'done', 'emoji': '✅'},
    }


def test_a_review_comes_after_the_work_in_every_language(
    repo: Repo, interlock: Interlock
) -> None:
    states = ('Idee', 'In Arbeit', 'Review', 'Fertig')
    table = rows(*((f'Sache {at}', word) for at, word in enumerate(states)))
    repo.commit({'WORK.md': table})
    interlock('init')
    text = (repo.path / '.interlock.yaml').read_text()
    places = [text.index(f'\n      {state}: ') for state in states]
    assert places == sorted(places)


def test_states_with_numbers_are_in_their_order(
    repo: Repo, interlock: Interlock
) -> None:
    numbers = (2, 10, 0, 1)
    repo.commit({'WORK.md': rows(*((f'a{each}', f'Stage {each}') for each in numbers))})
    interlock('init', '--registry', 'WORK.md')
    (kind,) = workflow(repo)['items'].values()
    assert list(kind['states']) == [f'Stage {each}' for each in sorted(numbers)]  # type: ignore[call-overload]


def test_states_of_a_team_are_in_the_order_of_the_steps_to_them() -> None:
    way = (NOTHING, 'seen', 'agreed', 'made', 'sent')
    taken = [
        Step(before, after, 'x', '', '')
        for (before, after), number in zip(pairwise(way), (4, 4, 3, 1), strict=True)
        for _ in range(number)
    ]
    pairs = tuple((word, word) for word in ('sent', 'made', 'agreed', 'seen', 'lost'))
    table = StatusTable('WORK.md', 'Wish', 'Where', ('Wish', 'Where'), pairs)
    found = states_of(table, LearnedSteps(tuple(taken)))
    assert [each.name for each in found] == [*way[1:], 'lost']


def test_no_step_leads_from_a_state_to_itself(repo: Repo, interlock: Interlock) -> None:
    repo.commit({'WORK.md': rows(('a', 'Simmering'), ('b', 'Boiling'))})
    interlock('init', '--registry', 'WORK.md')
    listed = interlock('registry', 'may', 'a').out.splitlines()
    assert listed == ['a is at Simmering and may go to:', '  Boiling']
    assert interlock('menu', 'a').err.startswith(
        'interlock: refused: a is Simmering, and the workflow has no menu; '
        'next comes Boiling\n'
    )


def test_a_registered_item_begins_where_items_begin(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'WORK.md': rows(('a', 'Done'), ('b', 'Idea'), ('c', 'Dropped'))})
    assert interlock('init').code == 0
    file = repo.path / '.interlock.yaml'
    text = file.read_text()
    # the order of the states says nothing about the first one
    head, states, rest = re.split('(?<=states:\n)|(?=    # each)', text)
    first, *others = states.splitlines(keepends=True)
    file.write_text(head + ''.join([*others, first]) + rest)
    repo.git('add', '.')
    repo.git('commit', '-qm', 'adopt')
    assert interlock('registry', 'add', 'new').code == 0
    assert '| new | Idea |' in (repo.path / 'WORK.md').read_text().replace('  ', '')
    assert interlock('check', '--worktree').code == 0


@pytest.mark.parametrize(
    ('head', 'rows', 'before'),
    (
        pytest.param(
            '| 機能 | 状態 |',
            ('| ログイン | 完了 |', '| 検索 | レビュー |', '| 印刷 | 未着手 |'),
            '未着手',
            id='Japanese',
        ),
        pytest.param(
            '| משימה | סטטוס |',
            ('| כניסה | בוצע |', '| חיפוש | בעבודה |', '| הדפסה | ממתין |'),
            'ממתין',
            id='Hebrew',
        ),
        pytest.param(
            '| Aufgabe | Status |',
            ('| Bäume | offen |', '| Größe | erledigt |'),
            'offen',
            id='German',
        ),
        pytest.param(
            '\ufeff| Aufgabe | Status |\r',
            ('| Bäume | offen |\r', '| Größe | erledigt |\r'),
            'offen',
            id='with a mark of the byte order',
        ),
    ),
)
def test_a_table_in_any_language_is_found(
    repo: Repo, interlock: Interlock, head: str, rows: tuple[str, ...], before: str
) -> None:
    mark = '\r' if head.endswith('\r') else ''
    lines = '\n'.join((head, f'|---|---|{mark}', *rows, ''))
    repo.commit({'一覧.md': lines.encode()})
    result = interlock('init')
    assert f'written (一覧.md: {len(rows)} items' in result.err
    items: Any = workflow(repo)['items']
    # a plural of English would be wrong
    assert [*items] == ['item']
    assert items['item']['states'][before] == {'role': 'before'}
    repo.commit({})
    assert interlock('registry', 'show').code == 0


@pytest.mark.parametrize(
    ('rows', 'said'),
    (
        pytest.param(
            '', 'TODO.md lists no items: its table has no rows yet', id='none'
        ),
        pytest.param('| Pay | Todo |\n', '', id='one'),
    ),
)
def test_a_named_table_needs_a_row(
    repo: Repo, interlock: Interlock, rows: str, said: str
) -> None:
    repo.commit({'TODO.md': f'| Feature | Status |\n|---|---|\n{rows}'})
    result = interlock('init', '--registry', 'TODO.md')
    assert (result.code, said in result.err) == (2 if said else 0, True)
