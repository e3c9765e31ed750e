from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.item_paths import (
    MARKUP,
    is_label,
    is_name,
    is_path_name,
    item_of,
    similar_name,
    why_no_name,
)
from tests.checks import bakery
from tests.checks.trees import workflow
from tests.profiles import some

# items in a table, and no files of theirs
TABLE = """
version: 1
items:
  feature:
    path: features/{item}
    registry: {file: FEATURES.md, columns: {item: Feature, status: State}}
    states: {Open: {role: before}, Done: {role: done}}
    transitions: [{from: nothing, to: Open}, {from: Open, to: Done}]
"""
FEATURE: Kind = workflow(TABLE).kinds[0]
PLUGIN: Kind = workflow().kinds[0]
RECIPE: Kind = workflow(bakery.FIELDS).kinds[0]


def _without_joiners(text: str) -> str:
    return text.replace('\u200c', '').replace('\u200d', '')


@pytest.mark.parametrize(
    'name',
    [
        *('Bravo', 'a', '音', 'Zoë 2', "D'Arco", 'R&B', 'C++', 'a_b-c', 'x' * 100),
        # letters with signs of their own
        *('हिन्दी', 'e\u0301'),
        *('🚀', '🚀 Launch', '⚙️ Engine', '👍🏽', 'R ☺︎', 'שלום 🎉'),
        # several signs that are shown as one
        *('👩\u200d💻 Editor', '🏳️\u200d🌈', '👩🏽\u200d🚀', '🙂\u200d↔️'),
        *('1\ufe0f\u20e3 First', '🇩🇪', '‼️'),
        # letters that some scripts join or part
        *('می\u200cخواهم', 'क्\u200dष'),
        *('Login (web)', 'Search, filters', 'Café – menu', '“Quoted”', 'A → B', '№ 5'),
    ],
)
def test_what_is_a_name(name: str) -> None:
    assert is_path_name(name)
    assert is_name(name, PLUGIN) and is_name(name, FEATURE)


@pytest.mark.parametrize(
    'name',
    [
        *('Import/Export', '/login', 'a/../b', 'API: tokens', 'a:b', '.env', 'Wait...'),
        *('What now?', '"Beta"', 'C#', '#12', 'Done!', '100% coverage', '~a', 'a;b'),
        *('$ price', '$(x)', 'a@b', 'k=v', 'x^2', '👩\u200d💻: Editor/IDE'),
    ],
)
def test_what_is_a_name_only_where_it_is_not_a_path(name: str) -> None:
    assert is_name(name, FEATURE)
    assert not is_name(name, PLUGIN)
    assert 'names become paths (`plugins/{item}/' in why_no_name(name, PLUGIN)


@pytest.mark.parametrize(
    'name',
    [
        '',
        '.',
        '..',
        '../../x',
        '/x',
        'a/b',
        'a\\b',
        '.x',
        '-x',
        ' x',
        'x ',
        'x.',
        'a..b',
        'a\nb',
        'a\0b',
        'a\tb',
        'a\x1b[0m',
        '$(x)',
        'a;b',
        'a|b',
        '`a`',
        '"a"',
        '*',
        'a?b',
        '[a]',
        '{item}',
        'x' * 101,
        'a\u202eb',
        'a\u200bb',
        '\udcff',
        '~',
        'a:b',
        '<a>',
        '#a',
        # signs that belong to an emoji, and have none
        *('\u0301', '\ufe0f', 'a\ufe0f', '🏽', '1\ufe0f', '1\u20e3\u20e3', 'a\u20e3'),
        # joiners that join nothing
        *(
            '👩\u200d',
            '\u200d💻',
            '👩\u200da',
            'a\u200db',
            '👩\u200c💻',
            'خ\u200c',
            'a\u200cb',
        ),
        *('👩\u200d\u200d💻', '🏴\U000e0067\U000e007f', 'a\u00a0b'),
    ],
)
def test_invalid_names(name: str) -> None:
    assert not is_path_name(name)
    assert not is_name(name, PLUGIN)


def test_labels_without_markup() -> None:
    assert not [sign for sign in MARKUP if is_label(f'a{sign}b')]
    assert not [
        text for text in ('', ' x', 'x ', '-x', 'a\nb', 'x' * 101) if is_label(text)
    ]


@given(st.text())
@settings(max_examples=some(300), deadline=None)
def test_a_name_never_leaves_its_directory(text: str) -> None:
    assert not is_path_name(text) or is_label(text)
    if is_path_name(text):
        assert '/' not in text and '\\' not in text and '..' not in text
        assert _without_joiners(text).isprintable()
        assert text == text.strip()


@pytest.mark.parametrize(
    ('path', 'item'),
    [
        ('plugins/Bravo/Source/x.cpp', 'Bravo'),
        ('plugins/Zoë 2/.continue-here.md', 'Zoë 2'),
        ('plugins/Bravo', ''),
        ('plugins/TEMPLATE-x/y', ''),
        ('old/plugins/Bravo/x', ''),
        ('PLUGINS.md', ''),
        ('plugins//x', ''),
        ('plugins/a\nb/x', 'a\nb'),
        ('plugins/../x', '..'),
    ],
)
def test_a_path_belongs_to_an_item(path: str, item: str) -> None:
    assert item_of(path, PLUGIN) == item


@pytest.mark.parametrize(
    ('path', 'item'),
    [('bücher/Zopf/zutaten.txt', 'Zopf'), ('bücher/Zopf', ''), ('docs/REZEPTE.md', '')],
)
def test_paths_of_another_workflow(path: str, item: str) -> None:
    assert item_of(path, RECIPE) == item


def test_records_outside_of_the_directory_belong_to_their_item() -> None:
    text = (
        'extends: plugin-workflow\nitems:\n  plugin:\n'
        '    handoff: {file: "handoffs/{item}.md"}\n'
        '    registry: {entry: {file: "entries/{item}.md"}}\n'
        '    contracts: {files: {plan: {paths: ["plans/{item}/plan.md"]}}}\n'
    )
    (kind,) = workflow(text).kinds
    assert item_of('handoffs/Zoë.md', kind) == 'Zoë'
    assert item_of('entries/Zoë.md', kind) == 'Zoë'
    assert item_of('plans/Zoë/plan.md', kind) == 'Zoë'
    assert item_of('plans/Zoë/other.md', kind) == ''


@pytest.mark.parametrize(
    ('name', 'why', 'similar'),
    (
        pytest.param('', 'it is empty', '', id='empty'),
        pytest.param(
            'x' * 101, 'it has 101 characters; the maximum is 100', 'x' * 100, id='long'
        ),
        pytest.param(
            'a/b', '`/` is not allowed, because names become paths', 'a b', id='slash'
        ),
        pytest.param('1\ufe0f', 'U+FE0F', '1', id='a sign that makes an emoji'),
        pytest.param('a\u202eb', 'U+202E (invisible)', 'a b', id='invisible'),
        pytest.param('a..b', '`..` is not allowed', 'a b', id='dots'),
        pytest.param('-x', 'it begins with `-`', 'x', id='first'),
        pytest.param('x.', 'it ends with `.`', 'x', id='last'),
        pytest.param('/', 'it has neither a letter nor a digit', '', id='signs'),
        pytest.param('|', '`|` is not allowed, because', '', id='nothing is left'),
        pytest.param('⚙️ [x]', '`[` is not allowed', '⚙️ x', id='an emoji is left'),
        pytest.param(
            '👩\u200d💻/x', '`/` is not allowed', '👩\u200d💻 x', id='joined emoji'
        ),
    ),
)
def test_what_is_wrong_with_a_name_is_said(name: str, why: str, similar: str) -> None:
    assert not is_path_name(name)
    assert why_no_name(name).startswith(why)
    assert similar_name(name) == similar


@given(st.text(max_size=120))
@settings(max_examples=some(200))
def test_every_invalid_name_has_a_reason(name: str) -> None:
    similar = similar_name(name)
    assert not similar or is_path_name(similar)
    assert is_path_name(name) or why_no_name(name)
