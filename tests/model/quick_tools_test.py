"""The quick tools do what those of the standard library do."""

from __future__ import annotations

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model import quick_re, quick_tools

TEXTS = st.text('ab.*?[]!-/\n', max_size=8)


@given(TEXTS, TEXTS)
def test_names_are_matched_as_by_fnmatch(name: str, pattern: str) -> None:
    expected = fnmatch.fnmatchcase(name, pattern)
    assert quick_tools.fnmatchcase(name, pattern) == expected


@given(st.text())
def test_texts_are_escaped_as_by_re(text: str) -> None:
    assert quick_re.escape(text) == re.escape(text)


def test_errors_are_suppressed_and_others_are_not() -> None:
    with quick_tools.suppress(KeyError, OSError):
        raise FileNotFoundError
    with quick_tools.suppress(OSError):
        pass
    with pytest.raises(KeyError), quick_tools.suppress(OSError):
        raise KeyError


def test_results_are_kept() -> None:
    calls = []

    @quick_tools.cache
    def every(value: int) -> int:
        calls.append(value)
        return value

    @quick_tools.lru_cache(maxsize=1)
    def last(value: int) -> int:
        calls.append(value)
        return value

    assert [every(1), every(1), last(2), last(3), last(2)] == [1, 1, 2, 3, 2]
    assert calls == [1, 2, 3, 2]


def test_a_property_is_computed_once_for_each_object() -> None:
    class Sample:
        made = 0

        @quick_tools.cached_property
        def value(self) -> int:
            self.made += 1
            return self.made

    one, other = Sample(), Sample()
    assert (one.value, one.value, other.value) == (1, 1, 1)
    assert isinstance(Sample.value, quick_tools.cached_property)
