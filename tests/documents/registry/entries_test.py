from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents.registry import edits
from interlock.documents.registry.record import read_entry
from interlock.documents.text import emoji, plain
from interlock.model.errors import Unreadable
from tests.documents import shapes
from tests.documents.shapes import SHAPE
from tests.documents.strategies import Table, any_text, tables
from tests.documents.strategies import value as cell_values
from tests.profiles import some

ENTRY = """\
### Écho

**Status:** 🚧 **Stage 2**
**Version:** 1.0 <!-- 1.0 ist alt -->
- **Type:** Status: alt

```
**Status:** x
```

**Lifecycle Timeline:**
- **2026-01-01:** Anfang
  geht weiter

**Last Updated:** 2026-01-02
"""


@pytest.mark.parametrize('newline', ('\n', '\r\n'))
@pytest.mark.parametrize(
    ('role', 'value', 'old', 'new'),
    (
        pytest.param(
            'status', '📦 Installed', '🚧 **Stage 2**', '📦 Installed', id='status'
        ),
        pytest.param(
            'version', '2.0', ' 1.0 <!-- 1.0', ' 2.0 <!-- 1.0', id='a comment stays'
        ),
        pytest.param('updated', '2026-03-04', '2026-01-02', '2026-03-04', id='last'),
    ),
)
def test_only_a_value_changes(
    role: str, value: str, old: str, new: str, newline: str
) -> None:
    text = ENTRY.replace('\n', newline)
    expected = ENTRY.replace(old, new, 1).replace('\n', newline)
    assert edits.set_values(text, SHAPE, {role: value}) == expected


@pytest.mark.parametrize(
    ('line', 'expected'),
    (
        pytest.param('**Status:**', '**Status:** neu', id='nothing'),
        pytest.param('**Status:** ', '**Status:** neu', id='a space'),
        pytest.param('**Status:**\t', '**Status:**\tneu', id='a tab'),
        pytest.param('**Status**: x', '**Status**: neu', id='other colon'),
        pytest.param('* **STATUS:** x', '* **STATUS:** neu', id='in a list'),
        pytest.param(
            '**Status:** <!-- x -->', '**Status:** <!-- x --> neu', id='only a comment'
        ),
        pytest.param('**Status:** x  ', '**Status:** neu  ', id='spaces'),
        pytest.param('**Status:** Status:** x', '**Status:** neu', id='like a label'),
    ),
)
@pytest.mark.parametrize('end', ('', '\n', '\r\n'))
def test_a_value_in_any_form(line: str, expected: str, end: str) -> None:
    changed = edits.set_values(line + end, SHAPE, {'status': 'neu'})
    assert changed == expected + end


@pytest.mark.parametrize(
    ('text', 'value'),
    (
        pytest.param('**Version:** 1\n', 'neu', id='no field'),
        pytest.param('**Status:** a <!-- b --> c\n', 'neu', id='comment in'),
        pytest.param('**Status:** <!-- a --> a\n', 'neu', id='comment first'),
        pytest.param('**Status:** a\n', 'a\n### B', id='two lines'),
        pytest.param('**Status:** a\n', 'a\u2028b', id='u2028'),
        pytest.param('**Status:** a\n', 'a\0', id='NUL'),
        pytest.param('**Status:** a\n', 'x <!-- y -->', id='a comment'),
    ),
)
def test_a_value_that_cannot_be_set_is_refused(text: str, value: str) -> None:
    with pytest.raises(Unreadable):
        edits.set_values(text, SHAPE, {'status': value})


@pytest.mark.parametrize('newline', ('\n', '\r\n'))
@pytest.mark.parametrize(
    ('old', 'new'),
    (
        pytest.param(
            ENTRY,
            ENTRY.replace('  geht weiter\n', '  geht weiter\n- neu\n'),
            id='behind an item of two lines',
        ),
        pytest.param(
            '**Lifecycle Timeline:**\n\n**Last Updated:** x\n',
            '**Lifecycle Timeline:**\n- neu\n\n**Last Updated:** x\n',
            id='empty',
        ),
        pytest.param(
            '**Lifecycle Timeline:**\n\n- a\n\n- b\n\nx\n',
            '**Lifecycle Timeline:**\n\n- a\n\n- b\n- neu\n\nx\n',
            id='blank lines between',
        ),
        pytest.param(
            '#### Lifecycle Timeline\n* a\n',
            '#### Lifecycle Timeline\n* a\n- neu\n',
            id='as a heading',
        ),
        pytest.param(
            '**Lifecycle Timeline:**\n- a',
            '**Lifecycle Timeline:**\n- a\n- neu',
            id='no last newline',
        ),
        pytest.param(
            '**Lifecycle Timeline:**',
            '**Lifecycle Timeline:**\n- neu',
            id='only the label',
        ),
        pytest.param(
            '**Lifecycle Timeline:**\n- a\n\nx\n\n'
            '**Lifecycle Timeline:**\n- b\n\n- nicht\n',
            '**Lifecycle Timeline:**\n- a\n\nx\n\n'
            '**Lifecycle Timeline:**\n- b\n\n- nicht\n- neu\n',
            id='the last of two',
        ),
        pytest.param(
            '**Lifecycle Timeline:**\n- a\n\n```\n**Lifecycle Timeline:**\n- b\n```\n',
            '**Lifecycle Timeline:**\n- a\n- neu\n\n```\n'
            '**Lifecycle Timeline:**\n- b\n```\n',
            id='not in a fence',
        ),
    ),
)
def test_a_line_is_appended_to_the_timeline(old: str, new: str, newline: str) -> None:
    changed = edits.append_to_timeline(old.replace('\n', newline), SHAPE, '- neu')
    if newline == '\r\n' and '\n' not in old:
        newline = '\n'
    assert changed == new.replace('\n', newline)


@pytest.mark.parametrize(
    ('text', 'line'),
    (
        pytest.param('### Écho\n', '- neu', id='no timeline'),
        pytest.param('', '- neu', id='empty'),
        pytest.param('**Lifecycle Timeline:**\n', '- a\n### B', id='lines'),
        pytest.param('**Lifecycle Timeline:**\n', '- a\rb', id='return'),
        pytest.param('**Lifecycle Timeline:**\n', '- a\0', id='NUL'),
    ),
)
def test_a_line_that_cannot_be_appended_is_refused(text: str, line: str) -> None:
    with pytest.raises(Unreadable):
        edits.append_to_timeline(text, SHAPE, line)


@pytest.mark.parametrize(
    ('old', 'new', 'expected'),
    (
        pytest.param('💡 Ideated', '🚧 **Stage 2**', '🚧 Stage 2', id='plain'),
        pytest.param('💡 **Ideated**', '🚧 Stage 2', '🚧 **Stage 2**', id='bold'),
        pytest.param(
            '**💡 Ideated**', '🚧 Stage 2', '**🚧 Stage 2**', id='bold with its emoji'
        ),
        pytest.param('**Ideated**', 'Stage 2', '**Stage 2**', id='no emoji'),
        pytest.param('**1.0**', '1_0', '**1_0**', id='an underscore stays'),
        pytest.param('💡 **x**', '🗑️ Archived', '🗑️ **Archived**', id='selector'),
        pytest.param(
            '💡 **x**',
            '💡 Ideated (mit Bild)',
            '💡 **Ideated (mit Bild)**',
            id='annotation',
        ),
        pytest.param('**x**', '📦', '**📦**', id='only an emoji'),
        pytest.param('', '📦 Installed', '📦 Installed', id='nothing'),
    ),
)
def test_a_status_keeps_the_style_of_the_old_one(
    old: str, new: str, expected: str
) -> None:
    assert edits.restyled(old, new) == expected


def test_a_row_is_added_behind_the_last_one() -> None:
    text = f'{shapes.TABLE}| A | x | 1 | 2 |\n\nEnde\n'
    data = edits.new_row(
        shapes.good(text), {'item': 'Bé', 'status': 'a|b', 'updated': '3'}
    )
    assert data.decode() == text.replace('| 2 |\n', '| 2 |\n| Bé | a\\|b | - | 3 |\n')


@pytest.mark.parametrize(
    ('table', 'row'),
    (
        pytest.param(
            '| Plugin Name | Status     |\n|-------------|------------|\n'
            '| Écho        | 🚧 Stage 2 |\n',
            '| B           | 💡 neu     |',
            id='padded',
        ),
        pytest.param(
            '| Plugin Name | Status |\n|---|---|\n',
            '| B           | 💡 neu |',
            id='no row yet',
        ),
        pytest.param(
            '| Plugin Name | Type | Status |\n|---|---|---|\n| x | y | z |\n',
            '| B | - | 💡 neu |',
            id='a column that we do not know',
        ),
    ),
)
@pytest.mark.parametrize('newline', ('\n', '\r\n'))
@pytest.mark.parametrize('last', (True, False))
def test_a_new_row_fits_its_table(
    table: str, row: str, newline: str, last: bool
) -> None:
    text = table.replace('\n', newline)
    if not last:
        text = text[: -len(newline)]
    data = edits.new_row(shapes.good(text), {'item': 'B', 'status': '💡 neu'})
    expected = text + row + newline if last else text + newline + row
    assert data.decode() == expected


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    (
        pytest.param(
            '\n### A\n\n**Status:** x\n',
            '\n## Ende\n',
            '\n### B\n\n**Status:** y\n',
            id='behind the last entry',
        ),
        pytest.param(
            '\n### A\n\n**Status:** x\n\n\n\n',
            '## Ende\n',
            '### B\n\n**Status:** y\n\n',
            id='blank lines stay',
        ),
        pytest.param('\n', '', '### B\n\n**Status:** y\n', id='no entry'),
        pytest.param(
            '\n### A\n**Status:** x',
            '',
            '\n\n### B\n\n**Status:** y',
            id='no last newline',
        ),
    ),
)
@pytest.mark.parametrize('newline', ('\n', '\r\n'))
def test_a_new_entry_is_only_added(
    before: str, after: str, expected: str, newline: str
) -> None:
    head = f'{shapes.TABLE}| A | x | - | - |\n{before}'
    text = (head + after).replace('\n', newline)
    data = edits.new_entry(shapes.good(text), '### B\n\n**Status:** y\n').decode()
    assert data == (head + expected + after).replace('\n', newline)
    assert shapes.texts(shapes.entry(shapes.good(data), 'B')) == {'status': 'y'}


statuses = st.builds(
    lambda sign, text: f'{sign} {text}'.strip(),
    st.sampled_from(('', '🚧', '📦', '🗑️', '✅')),
    st.sampled_from(('Stage 2', 'Stage 3.10', 'Ideated (très)', 'Größe')),
)
fields = st.lists(
    st.one_of(
        st.builds(
            lambda mark, label, value, end: f'{mark}**{label}:**{value}{end}',
            st.sampled_from(('', '- ', '  ')),
            st.sampled_from(('Status', 'Version', 'Last Updated', 'Type')),
            st.sampled_from(('', ' ', ' x', '  🚧 **Stage 2**', ' 1.0')),
            st.sampled_from(('', ' ', ' <!-- x -->', ' <!-- 1.0 -->')),
        ),
        st.sampled_from(
            (
                '',
                '```',
                '<!-- weg',
                '-->',
                '### Écho',
                'Text **Status:** nein',
                '**Lifecycle Timeline:**',
                '- **2026-01-01:** Anfang',
                '  Fortsetzung',
                '#### Lifecycle Timeline',
            )
        ),
    ),
    max_size=14,
)
entries = st.builds(
    lambda parts, newline, end: newline.join(parts) + (newline if end else ''),
    fields,
    st.sampled_from(('\n', '\r\n')),
    st.booleans(),
)


@given(
    entries,
    st.dictionaries(
        st.sampled_from(('status', 'version', 'updated')), statuses, min_size=1
    ),
)
@settings(max_examples=some(300), deadline=None)
def test_values_are_read_back_and_nothing_else_changes(
    text: str, values: dict[str, str]
) -> None:
    before = read_entry('Écho', text, SHAPE)
    try:
        changed = edits.set_values(text, SHAPE, values)
    except Unreadable:
        assert '<!--' in text or not values.keys() <= before.values.keys()
        return
    after = read_entry('Écho', changed, SHAPE)
    assert {role: after.text(role) for role in values} == values
    touched = {before.values[role].line for role in values}
    old, new = text.split('\n'), changed.split('\n')
    assert len(old) == len(new)
    for number, (left, right) in enumerate(zip(old, new, strict=True), 1):
        if number in touched:
            assert left.partition(':')[0] == right.partition(':')[0]
            assert left.endswith('\r') == right.endswith('\r')
        else:
            assert left == right
    untouched = before.values.keys() - values.keys()
    assert {r: before.text(r) for r in untouched} == {
        r: after.text(r) for r in untouched
    }


@given(entries)
@settings(max_examples=some(300), deadline=None)
def test_a_line_of_the_timeline_is_read_back_and_nothing_else_changes(
    text: str,
) -> None:
    before = read_entry('Écho', text, SHAPE)
    line = '- **2026-03-04 (Stage 2):** größer'
    try:
        changed = edits.append_to_timeline(text, SHAPE, line)
    except Unreadable:
        assert not before.timelines
        return
    after = read_entry('Écho', changed, SHAPE)
    assert [len(each) for each in after.timelines[:-1]] == [
        len(each) for each in before.timelines[:-1]
    ]
    assert [each.text for each in after.timelines[-1]] == [
        *(each.text for each in before.timelines[-1]),
        '2026-03-04',
    ]
    new = changed.split('\n')
    at = next(i for i, each in enumerate(new) if each.rstrip('\r') == line)
    del new[at]
    assert [each.rstrip('\r') for each in new] == [
        each.rstrip('\r') for each in text.split('\n')
    ]
    assert changed.endswith('\n') == text.endswith('\n')
    assert changed.count('\r\n') in {0, changed.count('\n')}


@given(st.one_of(any_text, entries), any_text)
@settings(max_examples=some(300), deadline=None)
def test_any_text_is_edited_or_unreadable(text: str, value: str) -> None:
    try:
        changed = edits.set_values(text, SHAPE, {'status': value})
        read = read_entry('A', changed, SHAPE)
        assert read.text('status') == value.strip()
    except Unreadable as e:
        assert e.message
    try:
        changed = edits.append_to_timeline(text, SHAPE, value)
        assert value in changed
    except Unreadable as e:
        assert e.message


@given(statuses, statuses, st.sampled_from(('{}', '**{}**', '{} **x**')))
@settings(max_examples=some(100), deadline=None)
def test_a_style_never_changes_what_is_read(old: str, new: str, style: str) -> None:
    styled = edits.restyled(style.format(old), new)
    assert plain(styled) == plain(new)
    assert emoji(styled) == emoji(new)
    assert ('**' in styled) == ('**' in style)


@given(
    tables(),
    st.dictionaries(st.sampled_from(('status', 'version', 'updated')), cell_values),
)
@settings(max_examples=some(200), deadline=None)
def test_a_new_row_is_read_back_and_nothing_else_changes(
    table: Table, values: dict[str, str]
) -> None:
    registry = shapes.read(table.data)
    if registry.problem is not None:
        return
    changed = edits.new_row(registry, {'item': 'Ümit', **values})
    again = shapes.good(changed)
    (row,) = again.place('Ümit').rows
    rest = changed[: row.offset] + changed[row.offset + len(row.data) :]
    # a table that ends without a newline needs one before the next row
    assert rest in {table.data + end for end in (b'', b'\n', b'\r\n')}
    expected = {
        role: value for role, value in values.items() if role in registry.table.columns
    }
    read = shapes.texts(shapes.row(again, 'Ümit'))
    assert {role: read[role] for role in expected} == expected
