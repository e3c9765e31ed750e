from __future__ import annotations

import pytest

from interlock.workflow.reading.changed_items import item_pairs, renamed, similarity
from tests import samples
from tests.checks.trees import Files, Tree, at, workflow

BRIEF = 'plugins/{}/.ideas/creative-brief.md'
LONG = ''.join(f'requirement {number}\n' for number in range(40))
OTHER = ''.join(f'nothing of that sort, {number}\n' for number in range(40))


def item(name: str, brief: str = LONG, stage: str = 'Stage 2') -> Files:
    return {'PLUGINS.md': samples.registry({name: stage}), BRIEF.format(name): brief}


def names(before: Files, after: Files) -> dict[str, str]:
    (kind,) = workflow().kinds
    return renamed(Tree(before), Tree(after), kind, ['Alpha', 'Bravo', 'Zoë'])


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(item('Bravo'), item('Zoë'), {'Zoë': 'Bravo'}, id='moved'),
        pytest.param(
            item('Bravo'),
            item('Zoë', LONG + 'one more\n'),
            {'Zoë': 'Bravo'},
            id='moved and changed a little',
        ),
        pytest.param(
            item('Bravo', LONG.replace('\n', '\r\n')),
            item('Zoë'),
            {'Zoë': 'Bravo'},
            id='line endings do not count',
        ),
        pytest.param(item('Bravo'), item('Zoë', OTHER), {}, id='rewritten'),
        pytest.param(
            item('Bravo', ''), item('Zoë', ''), {}, id='empty files tell nothing'
        ),
        pytest.param(item('Bravo'), item('Bravo', OTHER), {}, id='the name stays'),
        pytest.param(
            item('Bravo'),
            {**item('Bravo'), **item('Zoë')},
            {},
            id='the file is copied and not moved',
        ),
        pytest.param(
            {**item('Bravo'), BRIEF.format('Zoë'): 'x'},
            item('Zoë'),
            {},
            id='the file was there before',
        ),
        pytest.param(
            item('Bravo'), {BRIEF.format('Bravo'): LONG}, {}, id='no registry'
        ),
    ],
)
def test_an_item_is_renamed_if_a_file_of_its_records_moves(
    before: Files, after: Files, expected: dict[str, str]
) -> None:
    assert names(before, after) == expected


def test_a_handoff_that_moves_is_enough() -> None:
    before = at('Stage 2', '2')
    after = at('Stage 2', '2', item='Zoë')
    for path in before:
        if '/.ideas/' in path:
            after[path.replace('Bravo', 'Zoë')] = OTHER
    assert names(before, after) == {'Zoë': 'Bravo'}


def test_two_items_that_are_renamed_are_told_apart() -> None:
    before = {
        **item('Alpha'),
        **item('Bravo', OTHER),
        'PLUGINS.md': samples.registry({'Alpha': 'Stage 2', 'Bravo': 'Stage 3'}),
    }
    after = {
        **item('Yves', OTHER),
        **item('Zoë', LONG + 'x\n'),
        'PLUGINS.md': samples.registry({'Yves': 'Stage 3', 'Zoë': 'Stage 2'}),
    }
    (kind,) = workflow().kinds
    pairs = item_pairs(
        Tree(before), Tree(after), kind, ['Alpha', 'Bravo', 'Yves', 'Zoë']
    )
    assert [(old.item, new.item) for old, new in pairs] == [
        ('Bravo', 'Yves'),
        ('Alpha', 'Zoë'),
    ]


TABLE = '| Feature | State | Owner |\n|---|---|---|\n'
FEATURES = (
    'items:\n  feature:\n    path: features/{item}\n'
    '    registry: {file: F.md, layout: distributed, '
    'columns: {item: Feature, status: State}}\n'
    '    states: {Planned: {role: before}, Building: {}, Done: {role: done}}\n'
    '    transitions: [{from: any, to: any}]\n'
    '    contracts: {files: {spec: {paths: ["features/{item}/spec.md"]}}}\n'
)


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param('Logn|Done|A', 'Login | Done | A', {'Login': 'Logn'}, id='a name'),
        pytest.param('Logn|Done|A', 'Login|Building|A', {}, id='a state too'),
        pytest.param('Logn|Done|A', 'Login|Done|B', {}, id='another cell too'),
        pytest.param('A/B|Done|A', 'A B|Done|A', {'A B': 'A/B'}, id='was not a name'),
        pytest.param('A B|Done|A', 'A/B|Done|A', {}, id='is not a name'),
        pytest.param('../x|Done|A', 'x|Done|A', {'x': '../x'}, id='was a path'),
        pytest.param('Spec|Done|A', 'Login|Done|A', {}, id='its file stays'),
        pytest.param('a|Done|A', 'a|Done|A\nb|Done|A', {}, id='one more'),
        pytest.param(
            'a|Done|A\nb|Planned|A',
            'c|Planned|A\nd|Done|A',
            {'c': 'b', 'd': 'a'},
            id='two',
        ),
    ],
)
def test_an_item_without_files_is_renamed_if_its_row_stays(
    before: str, after: str, expected: dict[str, str]
) -> None:
    (kind,) = workflow(FEATURES).kinds
    spec = {'features/Spec/spec.md': 'x\n'}
    old, new = (
        Tree(
            {'F.md': TABLE + ''.join(f'|{row}|\n' for row in rows.split('\n')), **spec}
        )
        for rows in (before, after)
    )
    items = {row.partition('|')[0].strip() for row in f'{before}\n{after}'.split('\n')}
    assert renamed(old, new, kind, sorted(items)) == expected


@pytest.mark.parametrize(
    ('one', 'two', 'expected'),
    [
        (b'a\nb\n', b'a\nb\n', 1.0),
        (b'a\nb\n', b'a\nc\n', 0.5),
        (b'a\na\n', b'a\nb\n', 0.5),
        (b'', b'', 0.0),
        (b'a\n', b'', 0.0),
        (b'x' * 128, b'x' * 64 + b'y' * 64, 0.5),
        (b'a\n', b'a\n' * 10, 0.05),
    ],
)
def test_similarity(one: bytes, two: bytes, expected: float) -> None:
    assert similarity(one, two) == similarity(two, one) == expected
