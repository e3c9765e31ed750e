from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from interlock.files import records
from interlock.model.errors import Refusal, Unreadable


class Sample(NamedTuple):
    name: str
    number: int


PARSE = records.fields_of(Sample)


def test_what_is_appended_is_read_again_in_order(tmp_path: Path) -> None:
    path = str(tmp_path / 'é' / 'log.jsonl')
    assert records.entries(path, PARSE) == []
    for sample in (Sample('ä', 1), Sample('b', 2)):
        records.append(path, sample._asdict())
    assert records.entries(path, PARSE) == [('ä', 1), ('b', 2)]


@pytest.mark.parametrize(
    'foreign',
    (
        pytest.param(b'{"name": "x", "num', id='torn'),
        pytest.param(b'{"name": "x"}\n', id='a field is missing'),
        pytest.param(b'{"name": 7, "number": 7}\n', id='another type'),
        pytest.param(b'[]\n7\nnull\n\n', id='no objects'),
        pytest.param(b'\xff\n', id='no UTF-8'),
    ),
)
def test_a_line_that_is_not_ours_is_skipped_and_harms_no_other(
    tmp_path: Path, foreign: bytes
) -> None:
    file = tmp_path / 'log.jsonl'
    records.append(str(file), Sample('before', 1)._asdict())
    file.write_bytes(file.read_bytes() + foreign)
    records.append(str(file), Sample('after', 2)._asdict())
    assert records.entries(str(file), PARSE) == [('before', 1), ('after', 2)]


def test_a_record_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = str(tmp_path / 'é' / 'record.json')
    assert records.load(path, PARSE) is None
    for sample in (Sample('a' * 100, 1), Sample('b', 2)):
        records.save(path, sample._asdict())
        assert records.load(path, PARSE) == sample


@pytest.mark.parametrize('damage', (b'', b'{', b'[]', b'{"name": "x"}', b'\xff'))
def test_a_damaged_record_is_not_taken_for_none(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / 'record.json').write_bytes(damage)
    with pytest.raises(Unreadable, match='is damaged'):
        records.load(str(tmp_path / 'record.json'), PARSE)


def test_where_nothing_can_be_written_there_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    path = str(tmp_path / 'file' / 'record.json')
    with pytest.raises(Refusal, match='cannot be written'):
        records.save(path, {})
    with pytest.raises(Refusal, match='cannot be written'):
        records.append(path, {})
