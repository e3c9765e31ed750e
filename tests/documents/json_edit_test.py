from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from interlock.documents.json_edit import edited
from tests.documents.wiring.settings import VALUES
from tests.profiles import some

OLD = """\
{
    "a": [1, {"x": "}"}],
    "hooks": {"é": []},
    "z": "\\",:"
}
"""
DATA: dict[str, Any] = json.loads(OLD)


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in DATA.items() if name != key}


@pytest.mark.parametrize(
    ('key', 'value', 'old', 'new'),
    (
        pytest.param(
            'hooks', {'A': 1}, '{"é": []}', '{\n        "A": 1\n    }', id='replaced'
        ),
        pytest.param('hooks', None, '    "hooks": {"é": []},\n', '', id='gone'),
        pytest.param('a', None, '    "a": [1, {"x": "}"}],\n', '', id='the first'),
        pytest.param('z', None, ',\n    "z": "\\",:"', '', id='the last'),
        pytest.param('new', {}, '"\\",:"\n', '"\\",:",\n    "new": {}\n', id='added'),
    ),
)
@pytest.mark.parametrize('newline', ('\n', '\r\n'), ids=('LF', 'CRLF'))
@pytest.mark.parametrize('mark', (b'', b'\xef\xbb\xbf'), ids=('', 'BOM'))
def test_one_key_changes_and_nothing_else(
    key: str, value: Any, old: str, new: str, newline: str, mark: bytes
) -> None:
    assert OLD.count(old) == 1
    data = without(key) if value is None else {**DATA, key: value}
    before = mark + OLD.replace('\n', newline).encode()
    wanted = OLD.replace(old, new).replace('\n', newline).encode()
    assert edited(before, data, key) == mark + wanted


@pytest.mark.parametrize('old', (None, b'', b'\n', b'{}', b'{ }\n'))
def test_an_empty_file_is_written_whole(old: bytes | None) -> None:
    found = edited(old, {'hooks': {'é': 1}}, 'hooks')
    assert found.strip() == '{\n  "hooks": {\n    "é": 1\n  }\n}'.encode()


def test_a_file_in_one_line_is_indented() -> None:
    found = edited(b'{"a": 1, "b": [2]}', {'a': 1, 'b': [3]}, 'b')
    assert json.loads(found) == {'a': 1, 'b': [3]}


def test_the_last_key_leaves_an_empty_object() -> None:
    assert edited(b'{\n  "a": {"b": 1}\n}\n', {}, 'a') == b'{}\n'


@given(
    strategies.dictionaries(strategies.text(), VALUES, max_size=4),
    strategies.sampled_from([None, 2, 4, '\t']),
    strategies.booleans(),
    VALUES,
    strategies.booleans(),
)
@settings(max_examples=some(300), deadline=None)
def test_any_object_reads_as_it_should(
    before: dict[str, Any],
    indent: int | str | None,
    escaped: bool,
    value: Any,
    removed: bool,
) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=escaped)
    try:
        old = text.encode()
    except UnicodeEncodeError:
        return
    after = {**before, 'hooks': value}
    if removed:
        old, after = edited(old, after, 'hooks'), before
    assert json.loads(edited(old, after, 'hooks')) == after
    assert list(json.loads(edited(old, after, 'hooks'))) == list(after)
