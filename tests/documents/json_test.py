from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents.json import Json, parse, parse_object, render
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from tests.documents.shapes import blob
from tests.documents.strategies import any_bytes
from tests.profiles import some

often = settings(max_examples=some(300), deadline=None)

TEXT = """\
{
  "session_id": "é",
  "log": [
    {"from": null, "to": "INIT"},
    {
      "from": "INIT",
      "to": "DONE"
    }
  ],
  "n": [[1], [2,
  3]],
  "": {}
}
"""
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ('path', 'line'),
    (
        pytest.param((), 1, id='whole'),
        pytest.param(('session_id',), 2, id='text'),
        pytest.param(('log',), 3, id='list'),
        pytest.param(('log', 0), 4, id='entry on one line'),
        pytest.param(('log', 0, 'to'), 4, id='key on the same line'),
        pytest.param(('log', 1), 5, id='entry'),
        pytest.param(('log', 1, 'to'), 7, id='key of an entry'),
        pytest.param(('log', 2), 3, id='an entry that is absent'),
        pytest.param(('log', 1, 'reason'), 5, id='a key that is absent'),
        pytest.param(('n', 1, 1), 11, id='list in a list'),
        pytest.param(('',), 12, id='empty key'),
        pytest.param(('nope',), 1, id='absent'),
    ),
)
def test_a_value_stands_on_a_line(path: tuple[str | int, ...], line: int) -> None:
    assert parse(blob(TEXT.encode())).line(*path) == line


@pytest.mark.parametrize(
    ('data', 'sentence', 'line'),
    (
        pytest.param(b'', 'is empty', 1, id='empty'),
        pytest.param(b' \n\t', 'is empty', 1, id='blank'),
        pytest.param(b'{"a": 1', 'is not valid JSON', 1, id='truncated'),
        pytest.param(b'{\n"a": x\n}', 'is not valid JSON', 2, id='word'),
        pytest.param(b'{"a": 1, "a": 2}', 'the key `a` twice', 1, id='twice'),
        pytest.param(b'{"a": NaN}', '`NaN`', 1, id='NaN'),
        pytest.param(b'[-Infinity]', '`-Infinity`', 1, id='infinity'),
        pytest.param(b'[1e999]', 'too large: 1e999', 1, id='large number'),
        pytest.param(b'[' * 500 + b']' * 500, 'nested', 1, id='deep'),
        pytest.param(b'[' * 100_000, 'nested', 1, id='deeper than a stack'),
        pytest.param(b'[1' + b'0' * 5000 + b']', 'valid JSON', 1, id='int'),
        pytest.param(b'{}\n\0', 'NUL', 2, id='NUL'),
        pytest.param(b'{\n"a": "\xff"}', 'not UTF-8', 2, id='no UTF-8'),
        pytest.param('\ufeff{}'.encode(), 'is not valid JSON', 1, id='BOM'),
    ),
)
def test_what_makes_no_sense_is_unreadable(
    data: bytes, sentence: str, line: int
) -> None:
    with pytest.raises(Unreadable) as e:
        parse(blob(data))
    assert sentence in e.value.message
    assert e.value.line == line


def test_a_file_that_is_too_large_is_unreadable() -> None:
    with pytest.raises(Unreadable, match='too large'):
        parse(Blob('', 10**9, None))


@pytest.mark.parametrize('data', (b'[]', b'1', b'"x"', b'null'))
def test_an_object_is_demanded(data: bytes) -> None:
    with pytest.raises(Unreadable, match='is not an object'):
        parse_object(blob(data))


@often
@given(any_bytes | st.text(alphabet='{}[]",:\\ \n1atrue').map(str.encode))
def test_any_bytes_are_json_or_unreadable(data: bytes) -> None:
    try:
        found = parse(blob(data))
    except Unreadable as e:
        assert 1 <= e.line <= data.count(b'\n') + 1
    else:
        assert found.data == json.loads(data)


def paths(data: Any) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = [()]
    pairs: Any = ()
    if isinstance(data, dict):
        pairs = data.items()
    elif isinstance(data, list):
        pairs = enumerate(data)
    for key, value in pairs:
        found.extend((key, *rest) for rest in paths(value))
    return found


@often
@given(values, st.sampled_from(('  ', '\t', '    ')))
def test_what_is_written_is_read_again(data: Any, indent: str) -> None:
    like = f'{{\n{indent}"a": 1\n}}\n'.encode()
    written = render(data, like)
    again = parse(blob(written))
    assert again.data == data
    assert (
        written == json.dumps(data, indent=indent, ensure_ascii=False).encode() + b'\n'
    )
    lines = written.decode().split('\n')
    for path in paths(data):
        shown = lines[again.line(*path) - 1].strip()
        if path and isinstance(path[-1], str):
            assert shown.startswith(json.dumps(path[-1], ensure_ascii=False))


@pytest.mark.parametrize(
    ('like', 'expected'),
    (
        pytest.param(None, b'{\n  "a": 1\n}\n', id='new'),
        pytest.param(b'{"b": 2}', b'{\n  "a": 1\n}', id='no end of line'),
        pytest.param(
            b'{\r\n    "b": 2\r\n}\r\n', b'{\r\n    "a": 1\r\n}\r\n', id='CRLF'
        ),
    ),
)
def test_a_file_keeps_its_form(like: bytes | None, expected: bytes) -> None:
    assert render({'a': 1}, like) == expected


def test_half_a_character_is_written_as_it_was() -> None:
    data = b'{\n  "a": "\\ud800"\n}\n'
    assert render(parse(blob(data)).data, data) == data


def test_the_order_of_keys_is_kept() -> None:
    data = b'{\n  "z": 1,\n  "a": 2\n}\n'
    assert render(parse(blob(data)).data, data) == data


def test_a_value_without_text_stands_on_the_first_line() -> None:
    assert Json({}, '').line('a', 0) == 1
