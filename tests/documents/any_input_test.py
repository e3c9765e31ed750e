from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.documents import frontmatter, markdown, message, yaml
from interlock.documents.registry.edits import set_cells, splice
from interlock.model.errors import Unreadable
from tests.documents.shapes import TABLE, blob, good, read, row, texts
from tests.documents.strategies import Table, any_bytes, any_text, framed, tables, value
from tests.profiles import some

LINE_RE = re.compile(rb'[^\n]*\n|[^\n]+')
often = settings(max_examples=some(300), deadline=None)


@often
@given(any_bytes, st.booleans())
@example(b'| Plugin Name | Status |\n|---|---|\n| A | \xff |\n', False)
def test_any_bytes_are_a_registry_or_a_refusal(data: bytes, with_table: bool) -> None:
    if with_table:
        data = TABLE.encode() + data
    registry = read(data)
    if registry.problem is not None:
        assert registry.places == {}
        assert 1 <= registry.problem.line <= data.count(b'\n') + 1
        return
    for item, place in registry.places.items():
        for piece in (*place.rows, *place.entries):
            end = piece.offset + len(piece.data)
            assert data[piece.offset : end] == piece.data
            reader = registry.row if piece in place.rows else registry.entry
            try:
                record = reader(item, piece)
            except Unreadable as e:
                assert e.message == 'is not UTF-8 text'
            else:
                assert record.line == (data.count(b'\n', 0, piece.offset) + 1)


@often
@given(st.one_of(any_bytes, framed))
def test_any_bytes_are_a_handoff_or_a_refusal(data: bytes) -> None:
    result = frontmatter.parse_handoff(blob(data))
    assert result.fields is None or result.problem is None
    lines = data.split(b'\n')
    if result.problem is not None:
        assert result.problem.line >= 1
    for section in result.sections:
        assert lines[section.line - 1].lstrip().startswith(b'#')


@often
@given(st.one_of(any_text, framed.map(lambda data: data.decode(errors='ignore'))))
def test_any_text_has_frontmatter_or_none_or_is_refused(text: str) -> None:
    try:
        front = frontmatter.parse(text)
    except Unreadable as e:
        assert e.message
        assert e.line >= 1
        return
    if front is None:
        return
    assert text.startswith('---')
    assert text.endswith(front.body)
    head = text[: len(text) - len(front.body)]
    assert front.body_line == head.count('\n') + 1


@often
@given(any_text, st.integers(1, 100))
@example('a: !!int "²"', 1)
@example('? [a]\n: b', 1)
@example('\ud800', 1)
@example('a: \u2028b: c', 1)
def test_any_text_is_yaml_or_is_refused(text: str, first_line: int) -> None:
    try:
        node = yaml.parse(text, first_line)
    except Unreadable as e:
        assert e.message
        assert e.line >= first_line
        return
    yaml.value(node)
    assert node is None or node.line >= first_line


@often
@given(any_text)
def test_any_text_is_a_message(text: str) -> None:
    result = message.parse(text)
    assert '\n' not in result.subject
    assert len(result.subject) <= message.MAX_SUBJECT
    assert result.subject or not (result.body or result.trailers)
    for key, trailer in result.trailers.items():
        assert key == key.lower()
        assert trailer and '\n' not in trailer


@often
@given(any_bytes)
def test_hidden_spans_are_whole_and_in_order(data: bytes) -> None:
    position = 0
    for start, end in markdown.hidden(data):
        assert position <= start < end <= len(data)
        assert start == 0 or data[start - 1 : start] == b'\n'
        line = data[start:end].partition(b'\n')[0]
        assert any(token in line for token in markdown.TOKENS)
        position = end


@often
@given(any_bytes)
def test_visible_lines_are_lines_of_the_text(data: bytes) -> None:
    text = data.decode(errors='surrogateescape')
    lines = text.split('\n')
    numbers = []
    for number, line in markdown.visible_lines(text):
        assert lines[number - 1].rstrip('\r') == line
        numbers.append(number)
    assert numbers == sorted(set(numbers))
    for section in markdown.sections(text):
        assert lines[section.line - 1].lstrip().startswith('#')
    found = markdown.fields(markdown.visible_lines(text)).get('status', [])
    for number, said in found:
        line = lines[number - 1]
        assert '**status' in line.lower()
        assert '<!--' in line or said in line
    assert markdown.first_field(text, 'Status') == (found[0] if found else None)


@often
@given(any_text)
def test_the_cells_of_any_line_are_parts_of_it(text: str) -> None:
    line = text.split('\n')[0]
    cells = markdown.cells(line)
    assert '|'.join(cells) in line
    if '\\' not in line:
        assert not any('|' in cell for cell in cells)


@often
@given(any_text)
def test_an_edit_of_nothing_is_the_same_row(text: str) -> None:
    line = text.replace('\n', ' ').replace('\0', ' ')
    data = TABLE.encode() + f'A|{line}\n'.encode(errors='replace')
    registry = good(data)
    piece = registry.places['A'].rows[0]
    assert set_cells(registry, piece, {}) == piece.data


@often
@given(tables(), st.data())
def test_an_edit_changes_only_the_bytes_of_its_cells(
    table: Table, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(table.rows) - 1))
    roles = data.draw(
        st.lists(
            st.sampled_from([r for r in table.roles if r not in {'', 'item'}]),
            min_size=1,
            unique=True,
        )
    )
    values = {role: data.draw(value) for role in roles}
    old = table.rows[number]

    registry = good(table.data)
    (piece,) = registry.places[old.item].rows
    assert piece == (table.offset(number), old.text.encode())
    new = splice(table.data, {piece: set_cells(registry, piece, values)})

    # the file around the row, and in the row everything but the cells
    start = table.offset(number)
    end = start + len(old.text.encode())
    assert new[:start] == table.data[:start]
    assert new[len(new) - len(table.data) + end :] == table.data[end:]
    line = new[start : len(new) - len(table.data) + end].decode()
    assert line.startswith(old.head)
    assert line.endswith(old.tail)
    inner = line[len(old.head) : len(line) - len(old.tail)]
    cells = re.split(r'(?<!\\)\|', inner)
    assert len(cells) == len(old.cells)
    for role, before, after in zip(table.roles, old.cells, cells, strict=True):
        if role in values:
            assert after.strip().replace('\\|', '|') == values[role]
        else:
            assert after == before

    # and what is read again is what was written
    again = good(new)
    assert list(again.places) == list(registry.places)
    for other in table.rows:
        expected = texts(row(registry, other.item))
        if other is old:
            expected.update(values)
        assert texts(row(again, other.item)) == expected
        if other is not old:
            assert again.places[other.item].rows[0].data == (
                registry.places[other.item].rows[0].data
            )
    for item, place in registry.places.items():
        assert [e.data for e in again.places[item].entries] == [
            e.data for e in place.entries
        ]


@settings(max_examples=some(100), deadline=None)
@given(tables())
def test_rows_of_any_table_know_their_lines(table: Table) -> None:
    registry = good(table.data)
    lines = LINE_RE.findall(table.data)
    assert list(registry.places) == [row.item for row in table.rows]
    for made in table.rows:
        record = row(registry, made.item)
        assert lines[record.line - 1] == made.text.encode()
        assert all(record.line_at(v) == record.line for v in record.values.values())


@settings(max_examples=some(100), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            (
                'text',
                '',
                '```\n### X\n\n**Status:** x\n```',
                '#### Détails',
                '<!--\n- **2026-02-02:** no\n-->',
                '- **2026-01-02:** é',
            )
        ),
        max_size=8,
    ),
    st.sampled_from(('\n', '\r\n')),
)
def test_entries_know_their_lines(filler: list[str], newline: str) -> None:
    text = '\n'.join(
        (
            f'{TABLE}| A | x | - | - |\n',
            *filler,
            '### A',
            *filler,
            '**Status:** y',
            *filler,
            '**Lifecycle Timeline:**',
            '- **2026-01-03:** z',
            '',
            '**Version:** 1',
            *filler,
        )
    )
    lines = text.split('\n')
    registry = good(text.replace('\n', newline))
    (piece,) = registry.places['A'].entries
    record = registry.entry('A', piece)
    assert lines[record.line - 1] == '### A'
    assert lines[record.line_of('status') - 1] == '**Status:** y'
    assert lines[record.line_of('version') - 1] == '**Version:** 1'
    (timeline,) = record.timelines
    assert [lines[record.line_at(day) - 1] for day in timeline] == [
        '- **2026-01-03:** z'
    ]


@pytest.mark.parametrize('name', ('Größe', '표', 'A B'))
def test_a_name_of_any_script_is_edited(name: str) -> None:
    registry = good(f'{TABLE}| {name} | x | - | - |\n')
    (piece,) = registry.places[name].rows
    assert set_cells(registry, piece, {'version': '1.0'}).decode() == (
        f'| {name} | x | 1.0 | - |\n'
    )
