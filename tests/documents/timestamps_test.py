from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents import timestamps
from tests.profiles import some


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z', id='Z'),
        pytest.param('2026-01-02T03:04:05-05:00', '2026-01-02T08:04:05Z', id='offset'),
        pytest.param('2026-01-02T03:04:05', '2026-01-02T03:04:05Z', id='no zone'),
        pytest.param('2026-01-02', '2026-01-02T00:00:00Z', id='a day'),
    ),
)
def test_a_time_is_read(text: str, expected: str) -> None:
    found = timestamps.parse(text)
    assert found is not None
    assert timestamps.in_seconds(found.timestamp()) == expected


@pytest.mark.parametrize('text', ('', 'ISO8601', '2026-13-01', '…', 'Z'))
def test_invalid_times(text: str) -> None:
    assert timestamps.parse(text) is None
    assert not timestamps.is_before(text, '2026-01-02T03:04:05Z')
    assert not timestamps.is_before('2026-01-02T03:04:05Z', text)
    assert timestamps.minutes_between(text, '2026-01-02T03:04:05Z') is None


def test_times_of_different_zones_are_compared() -> None:
    early, late = '2026-01-02T04:00:00+02:00', '2026-01-02T03:00:00Z'
    assert timestamps.is_before(early, late)
    assert not timestamps.is_before(late, early)
    assert timestamps.minutes_between(early, late) == 60


@given(st.datetimes(min_value=datetime.datetime(1970, 1, 2)))
@settings(max_examples=some(200), deadline=None)
def test_what_is_written_is_read(moment: datetime.datetime) -> None:
    utc = moment.replace(tzinfo=datetime.timezone.utc, microsecond=0)
    assert timestamps.parse(timestamps.in_seconds(utc.timestamp())) == utc
    part = datetime.timedelta(milliseconds=moment.microsecond // 1000)
    since = round(utc.timestamp()) * 10**9 + moment.microsecond * 1000
    assert timestamps.parse(timestamps.in_milliseconds(since)) == utc + part


@given(st.text())
@settings(max_examples=some(200), deadline=None)
def test_no_text_fails(text: str) -> None:
    timestamps.parse(text)
