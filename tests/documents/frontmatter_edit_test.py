from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.documents import frontmatter, yaml
from interlock.documents.frontmatter_edit import remove, scalar, set_field
from interlock.model.errors import Unreadable
from tests.documents.strategies import any_text, framed
from tests.profiles import some

HANDOFF = """\
---
# der Stand
plugin: Écho
stage: 2          # zwei
phase: null
"status":  'in_progress'
next_phase: 3.10
seals:
    plan: sha256:ab  # versiegelt
    brief: null
empty:
---

# Résumé
stage: 2
"""


@pytest.mark.parametrize(
    ('key', 'value', 'old', 'new'),
    (
        pytest.param(
            ('stage',),
            '3',
            'stage: 2          # zwei\n',
            'stage: 3          # zwei\n',
            id='comment',
        ),
        pytest.param(('phase',), '3.10', 'phase: null\n', 'phase: 3.10\n', id='phase'),
        pytest.param(
            ('status',),
            'complete',
            """"status":  'in_progress'\n""",
            '"status":  complete\n',
            id='quotes and space',
        ),
        pytest.param(
            ('seals', 'plan'),
            'sha256:cd',
            '    plan: sha256:ab  # versiegelt\n',
            '    plan: sha256:cd  # versiegelt\n',
            id='nested',
        ),
        pytest.param(
            ('seals', 'architecture'),
            'null',
            '    brief: null\n',
            '    brief: null\n    architecture: null\n',
            id='nested, new',
        ),
        pytest.param(
            ('gui_type',),
            'webview',
            'empty:\n',
            'empty:\ngui_type: webview\n',
            id='new',
        ),
        pytest.param(
            ('evidence', 'test'),
            "'bestanden: ja'",
            'empty:\n',
            "empty:\nevidence:\n  test: 'bestanden: ja'\n",
            id='new, nested',
        ),
        pytest.param(('empty',), '1', 'empty:\n', 'empty: 1\n', id='without a value'),
        pytest.param(
            ('empty', 'x'),
            '1',
            'empty:\n',
            'empty:\n  x: 1\n',
            id='below one without a value',
        ),
        pytest.param(
            ('phase', 'x'), '1', 'phase: null\n', 'phase:\n  x: 1\n', id='below null'
        ),
    ),
)
@pytest.mark.parametrize('newline', ('\n', '\r\n'))
def test_only_the_line_of_a_field_changes(
    key: tuple[str, ...], value: str, old: str, new: str, newline: str
) -> None:
    text = HANDOFF.replace('\n', newline)
    expected = HANDOFF.replace(old, new, 1).replace('\n', newline)
    assert set_field(text, key, value) == expected


def test_a_new_field_stands_behind_another() -> None:
    changed = set_field(HANDOFF, ('gui_type',), 'headless', 'seals')
    changed = set_field(changed, ('mode',), 'true', 'stage')
    expected = HANDOFF.replace('# zwei\n', '# zwei\nmode: true\n').replace(
        '    brief: null\n', '    brief: null\ngui_type: headless\n'
    )
    assert changed == expected


def test_an_empty_frontmatter_gets_its_first_field() -> None:
    assert set_field('---\n---\nx', ('a',), '1') == '---\na: 1\n---\nx'


def test_a_body_without_a_last_newline_is_kept() -> None:
    text = '---\na: 1\n---\nohne Ende'
    assert set_field(text, ('a',), '2') == '---\na: 2\n---\nohne Ende'


@pytest.mark.parametrize(
    ('block', 'key'),
    (
        pytest.param('a: >\n  x\n  y\n', ('a',), id='folded'),
        pytest.param('a: |\n  x\nb: 1\n', ('a',), id='literal'),
        pytest.param('a: x\n  y\n', ('a',), id='on two lines'),
        pytest.param('a: "x\n  y"\n', ('a',), id='quoted on two lines'),
        pytest.param('a: &n 1\nb: *n\n', ('a',), id='anchor'),
        pytest.param('{a: 1, b: 2}\n', ('a',), id='flow'),
        pytest.param('s: {a: 1}\n', ('s', 'a'), id='flow below'),
        pytest.param('s: {a: 1}\n', ('s', 'b'), id='flow below, new'),
        pytest.param('a: [1, 2]\n', ('a',), id='list'),
        pytest.param('a: {b: 2}\n', ('a',), id='mapping'),
        pytest.param('? a\n: 1\n', ('a',), id='explicit key'),
        pytest.param('a: 1\rb: 2\n', ('b',), id='line end of old'),
        pytest.param('x: "\u2028\u2028\u2028"\na: 1\n', ('a',), id='u2028'),
        pytest.param(f'a: x{" " * 5000}y\n', ('a',), id='a long line'),
        pytest.param('s: 1\n', ('s', 'a'), id='below a value'),
        pytest.param('b: 1\n', ('s', 't', 'a'), id='two levels below'),
    ),
)
def test_a_form_that_is_not_edited_is_refused(block: str, key: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable):
        set_field(f'---\n{block}---\n', key, 'neu')


@pytest.mark.parametrize(
    ('text', 'sentence'),
    (
        pytest.param('stage: 2\n', 'has no frontmatter', id='none'),
        pytest.param('', 'has no frontmatter', id='empty'),
        pytest.param('---\na: 1\n', 'is not closed', id='not closed'),
        pytest.param('---\na: [\n---\n', 'is not valid YAML', id='broken'),
        pytest.param('---\na: 1\na: 2\n---\n', 'twice', id='twice'),
    ),
)
def test_without_frontmatter_nothing_is_set(text: str, sentence: str) -> None:
    with pytest.raises(Unreadable, match=sentence):
        set_field(text, ('a',), '1')


@pytest.mark.parametrize(
    ('key', 'gone'),
    (
        pytest.param(('phase',), 'phase: null\n', id='one'),
        pytest.param(('stage',), 'stage: 2          # zwei\n', id='comment'),
        pytest.param(('seals', 'brief'), '    brief: null\n', id='nested'),
        pytest.param(
            ('seals',),
            'seals:\n    plan: sha256:ab  # versiegelt\n    brief: null\n',
            id='with all below it',
        ),
        pytest.param(('absent',), '', id='absent'),
        pytest.param(('seals', 'x'), '', id='absent below'),
    ),
)
def test_fields_are_removed_with_their_lines(key: tuple[str, ...], gone: str) -> None:
    assert remove(HANDOFF, key) == HANDOFF.replace(gone, '', 1)


@pytest.mark.parametrize(
    'block',
    (
        pytest.param('a: >\n  x\n  y\n', id='folded'),
        pytest.param('{a: 1, b: 2}\n', id='flow'),
        pytest.param('a: &n 1\nb: *n\n', id='anchor'),
        pytest.param('a: "x\n  y"\n', id='quoted on two lines'),
    ),
)
def test_what_cannot_be_removed_alone_is_refused(block: str) -> None:
    with pytest.raises(Unreadable):
        remove(f'---\n{block}---\n', ('a',))


def test_the_last_field_can_be_removed() -> None:
    assert remove('---\na: 1\n---\nx', ('a',)) == '---\n---\nx'
    assert remove('---\ns:\n  a: 1\n---\n', ('s', 'a')) == '---\ns:\n---\n'


@pytest.mark.parametrize(
    ('text', 'form'),
    (
        pytest.param('3.10', '3.10', id='number'),
        pytest.param('2026-01-02', '2026-01-02', id='date'),
        pytest.param('null', 'null', id='null'),
        pytest.param('🚧 Stage 2', '🚧 Stage 2', id='emoji'),
        pytest.param('a: b', "'a: b'", id='colon'),
        pytest.param('a #b', "'a #b'", id='comment'),
        pytest.param("'t is", "'''t is'", id='quote'),
        pytest.param('[x', "'[x'", id='bracket'),
        pytest.param('*x', "'*x'", id='alias'),
        pytest.param(' x ', "' x '", id='spaces'),
        pytest.param('- x', "'- x'", id='list'),
        pytest.param('"', "'\"'", id='double quote'),
    ),
)
def test_a_text_is_quoted_where_it_must_be(text: str, form: str) -> None:
    assert scalar(text) == form


@pytest.mark.parametrize('text', ('a\nb', 'a\r', 'a\0b', 'a\ud800'))
def test_a_text_that_is_not_a_line_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        scalar(text)


names = st.sampled_from(('a', 'stage', 'größe', 'next_phase', 'x-y'))
values = st.one_of(
    st.sampled_from(
        (
            '1',
            '3.10',
            'null',
            '',
            'é',
            "'a: b'",
            '"x # y"',
            'a#b',
            '~',
            'sha256:pending',
            '2026-01-02',
        )
    ),
    st.text('ab 3.é', min_size=1, max_size=6).map(str.strip),
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    newline = draw(st.sampled_from(('\n', '\r\n')))
    lines = []
    for name in draw(st.lists(names, unique=True, max_size=4)):
        lines.extend(
            draw(st.lists(st.sampled_from(('', '# bemerkung: 1')), max_size=1))
        )
        if draw(st.integers(0, 3)) == 0:
            lines.append(f'{name}:')
            indent = draw(st.sampled_from((' ', '  ', '    ')))
            lines.extend(
                f'{indent}{key}: {draw(values)}'
                for key in draw(st.lists(names, unique=True, min_size=1, max_size=3))
            )
        else:
            gap = draw(st.sampled_from((' ', '   ')))
            remark = draw(st.sampled_from(('', ' # bemerkt', '  ')))
            lines.append(f'{name}:{gap}{draw(values)}{remark}')
    tail = draw(st.sampled_from(('', '\n# A\n', '\nstage: 2\n---\nx')))
    return newline.join(['---', *lines, f'---{tail}'])


@given(
    documents(),
    names,
    st.one_of(st.none(), names),
    st.text(st.characters(exclude_categories=('Cs', 'Cc')), max_size=12),
)
@example('---\n---', 'a', None, '...')
@example('---\n---', 'a', None, '---')
@settings(max_examples=some(300), deadline=None)
def test_a_value_is_read_back_and_nothing_else_changes(
    text: str, name: str, below: str | None, value: str
) -> None:
    key = (name,) if below is None else (name, below)
    before = frontmatter.parse(text)
    assert before is not None
    try:
        changed = set_field(text, key, scalar(value))
    except Unreadable:
        # a field of fields is not replaced, and a value has no fields
        node = before.fields.items.get(name)
        flat = isinstance(node, yaml.Scalar) and node.kind != 'null'
        nested = isinstance(node, yaml.Mapping)
        assert (flat and below) or (nested and not below) or (not value.isprintable())
        return
    after = frontmatter.parse(changed)
    assert after is not None
    found: yaml.Node = after.fields
    for part in key:
        assert isinstance(found, yaml.Mapping)
        found = found.items[part]
    assert isinstance(found, yaml.Scalar) and found.text == value
    old, new = text.split('\n'), changed.split('\n')
    added = len(new) - len(old)
    assert added in {0, 1, 2}
    same = 0
    while same < len(old) and old[same] == new[same]:
        same += 1
    # one line changed, or some were added (behind a null that goes)
    rest = len(old) - same - 1
    if old != new:
        assert rest <= 0 or old[-rest:] == new[-rest:]


@given(
    st.one_of(any_text, framed.map(lambda d: d.decode(errors='replace'))),
    st.sampled_from((('a',), ('Key',), ('a', 'b'), ('x', 'y', 'z'), ('',))),
    any_text,
)
@settings(max_examples=some(300), deadline=None)
def test_any_text_is_edited_or_unreadable(
    text: str, key: tuple[str, ...], value: str
) -> None:
    try:
        changed = set_field(text, key, value)
    except Unreadable:
        return
    before, after = frontmatter.parse(text), frontmatter.parse(changed)
    assert before is not None and after is not None
    assert before.body == after.body


@given(
    st.one_of(any_text, framed.map(lambda d: d.decode(errors='replace'))),
    st.sampled_from((('a',), ('Key',), ('a', 'b'))),
)
@settings(max_examples=some(300), deadline=None)
def test_any_text_loses_a_field_or_is_unreadable(
    text: str, key: tuple[str, ...]
) -> None:
    try:
        changed = remove(text, key)
    except Unreadable:
        return
    before, after = frontmatter.parse(text), frontmatter.parse(changed)
    assert (before and before.body) == (after and after.body)
    assert remove(changed, key) == changed


@given(any_text)
@settings(max_examples=some(300), deadline=None)
def test_any_text_becomes_yaml_that_is_read_as_it_or_is_refused(text: str) -> None:
    try:
        form = scalar(text)
    except Unreadable:
        return
    node = yaml.parse(f'key: {form}\n')
    assert isinstance(node, yaml.Mapping)
    found = node.items['key']
    assert isinstance(found, yaml.Scalar) and found.text == text
