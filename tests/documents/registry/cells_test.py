from __future__ import annotations

import pytest

from interlock.documents.registry.edits import set_cells, splice
from interlock.model.errors import Unreadable
from tests import samples
from tests.documents.shapes import TABLE, good, row, texts

HEADER = '| Plugin Name | Status | Version |\n|---|---|---|\n'


def edited(line: str, values: dict[str, str], header: str = HEADER) -> str:
    registry = good(f'{header}{line}')
    (piece,) = registry.places['Alpha'].rows
    return set_cells(registry, piece, values).decode()


@pytest.mark.parametrize(
    ('line', 'value', 'expected'),
    (
        pytest.param(
            '| Alpha | 🚧 Stage 2 | - |\n',
            '🚧 Stage 3',
            '| Alpha | 🚧 Stage 3 | - |\n',
            id='as long',
        ),
        pytest.param(
            '| Alpha | 🚧 Stage 2   | - |\n',
            '🚧 Stage 3.10',
            '| Alpha | 🚧 Stage 3.10 | - |\n',
            id='longer takes padding',
        ),
        pytest.param(
            '| Alpha | 🚧 Stage 2 | - |\n',
            '📦 Installed at last',
            '| Alpha | 📦 Installed at last | - |\n',
            id='longer than all',
        ),
        pytest.param(
            '| Alpha | 🚧 Stage 3.10 | - |\n',
            '🚧 Stage 4',
            '| Alpha | 🚧 Stage 4    | - |\n',
            id='shorter gives padding',
        ),
        pytest.param(
            '| Alpha |   🚧 Stage 2 | - |\n',
            '🚧 Stage 3',
            '| Alpha |   🚧 Stage 3 | - |\n',
            id='left padding stays',
        ),
        pytest.param(
            '| Alpha | Stage 2    | - |\n',
            '🚧 Stage 2',
            '| Alpha | 🚧 Stage 2 | - |\n',
            id='an emoji is two wide',
        ),
        pytest.param(
            '| Alpha | ⚠️ Has Issues | - |\n',
            '⚠ Has Issues',
            '| Alpha | ⚠ Has Issues | - |\n',
            id='a selector has no width',
        ),
        pytest.param(
            '|Alpha|Stage 2|-|\n', 'Stage 3', '|Alpha| Stage 3|-|\n', id='no padding'
        ),
        pytest.param(
            '| Alpha |         | - |\n',
            'Stage 3',
            '| Alpha | Stage 3 | - |\n',
            id='blank cell',
        ),
        pytest.param(
            '| Alpha || - |\n', 'Stage 3', '| Alpha | Stage 3| - |\n', id='empty cell'
        ),
        pytest.param(
            'Alpha | Stage 2 | -\n',
            'Stage 3',
            'Alpha | Stage 3 | -\n',
            id='no outer pipes',
        ),
        pytest.param(
            '  | Alpha | Stage 2 | - |  \r\n',
            'Stage 3',
            '  | Alpha | Stage 3 | - |  \r\n',
            id='spaces around, CRLF',
        ),
        pytest.param(
            '| Alpha | Stage 2 | - |',
            'Stage 3',
            '| Alpha | Stage 3 | - |',
            id='no final newline',
        ),
        pytest.param(
            '| Alpha | **Stage 2** | - |\n',
            '**Stage 3**',
            '| Alpha | **Stage 3** | - |\n',
            id='bold',
        ),
        pytest.param(
            '| Alpha | a\\|b | c\\|d |\n',
            'e|f',
            '| Alpha | e\\|f | c\\|d |\n',
            id='escaped pipes',
        ),
        pytest.param('|Alpha|a|-|\n', 'b\\', '|Alpha| b\\ |-|\n', id='backslash'),
    ),
)
def test_a_cell_gets_its_value_in_its_padding(
    line: str, value: str, expected: str
) -> None:
    assert edited(line, {'status': value}) == expected


def test_several_cells_change_at_once() -> None:
    line = '| Alpha | Stage 2 | 1.0 |\n'
    assert edited(line, {'version': '1.1', 'status': 'Stage 3'}) == (
        '| Alpha | Stage 3 | 1.1 |\n'
    )


def test_no_value_changes_no_byte() -> None:
    line = '| Alpha |🚧 Stage 2  | \\| | |\r\n'
    assert edited(line, {}) == line


def test_the_last_cell_of_a_row_without_outer_pipes_can_change() -> None:
    assert edited('Alpha | Stage 2 | 1.0\n', {'version': '2.0'}) == (
        'Alpha | Stage 2 | 2.0\n'
    )


@pytest.mark.parametrize(
    ('line', 'role'),
    (
        pytest.param('| Alpha | Stage 2 |\n', 'version', id='cell'),
        pytest.param('| Alpha | Stage 2 | - |\n', 'updated', id='column'),
    ),
)
def test_a_row_without_the_cell_is_refused(line: str, role: str) -> None:
    with pytest.raises(Unreadable) as excinfo:
        edited(line, {role: 'x'})
    assert excinfo.value.message == f'has no cell for the {role} in this row'


@pytest.mark.parametrize(
    'value',
    (
        pytest.param('a\nb', id='newline'),
        pytest.param('a\r', id='carriage return'),
        pytest.param('a\tb', id='tab'),
        pytest.param('\0', id='NUL'),
        pytest.param('\x1b[31ma', id='escape'),
        pytest.param('a\u2028b', id='line separator'),
        pytest.param('\udcff', id='not UTF-8'),
    ),
)
def test_a_value_that_is_not_printable_is_refused(value: str) -> None:
    with pytest.raises(Unreadable) as excinfo:
        edited('| Alpha | Stage 2 | - |\n', {'version': value})
    assert excinfo.value.message == f'cannot hold {value!r} in one line'


def test_a_row_that_is_not_utf8_is_refused() -> None:
    registry = good(HEADER.encode() + b'| Alpha | \xff | - |\n')
    (piece,) = registry.places['Alpha'].rows
    with pytest.raises(Unreadable) as excinfo:
        set_cells(registry, piece, {'status': 'x'})
    assert excinfo.value.message == 'is not UTF-8 text'


def test_several_rows_are_spliced_whatever_their_order() -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Größe': 'Working'}
    text = samples.registry(statuses)
    registry = good(text)
    rows = {name: registry.places[name].rows[0] for name in statuses}
    new = splice(
        registry.data,
        {
            rows['Größe']: b'| G | long, much longer than it was | - | - |\n',
            rows['Alpha']: b'| A |\n',
        },
    )
    assert new.decode() == text.replace(
        samples.row('Alpha', 'Ideated'), '| A |\n'
    ).replace(
        samples.row('Größe', 'Working'),
        '| G | long, much longer than it was | - | - |\n',
    )


def test_a_splice_of_nothing_is_the_same_file() -> None:
    assert splice(b'a\r\n\xff', {}) == b'a\r\n\xff'


def test_bytes_around_an_edit_need_not_be_text() -> None:
    data = (
        b'\xff\xfe\r\n'
        + TABLE.encode()
        + b'| \xe9 | x | - | - |\r\n| Alpha | Stage 2 | - | - |\r\n\r\n\xff'
    )
    registry = good(data)
    (piece,) = registry.places['Alpha'].rows
    new = splice(data, {piece: set_cells(registry, piece, {'version': '1'})})
    assert new == data.replace(b'Stage 2 | - |', b'Stage 2 | 1 |')
    assert texts(row(good(new), 'Alpha'))['version'] == '1'
