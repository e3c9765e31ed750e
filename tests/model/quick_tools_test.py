"""The quick tools do what those of the standard library do."""

from __future__ import annotations

import contextlib
import fnmatch
import re
from collections.abc import Iterator
from typing import Any

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


class Trace:
    """What happens around a `with`, in its order."""

    def __init__(self, module: Any, swallows: type[BaseException]) -> None:
        self.seen: list[str] = []

        def around(value: str) -> Iterator[str]:
            self.seen.append('enter')
            try:
                yield value
            except swallows as e:
                self.seen.append(f'swallowed {e!r}')
            except ArithmeticError as e:
                raise LookupError('other') from e
            finally:
                self.seen.append('exit')

        self.around = module.contextmanager(around)

    def run(self, error: BaseException | None) -> str:
        try:
            with self.around('value') as value:
                self.seen.append(value)
                if error is not None:
                    raise error
        except BaseException as e:
            return f'{e!r} from {e.__cause__!r}'
        return ''


@pytest.mark.parametrize(
    'error',
    [
        None,
        OSError('swallowed'),
        ValueError('passes'),
        ArithmeticError('becomes another'),
        KeyboardInterrupt(),
    ],
    ids=repr,
)
def test_a_generator_stands_around_a_with_as_by_contextlib(
    error: BaseException | None,
) -> None:
    ours, theirs = Trace(quick_tools, OSError), Trace(contextlib, OSError)
    assert (ours.run(error), ours.seen) == (theirs.run(error), theirs.seen)


def test_what_is_closed_is_closed_whatever_happens() -> None:
    closed = []

    class Thing:
        def close(self) -> None:
            closed.append(self)

    thing = Thing()
    with quick_tools.closing(thing) as found:
        assert found is thing
    with pytest.raises(KeyError), quick_tools.closing(thing):
        raise KeyError
    assert closed == [thing, thing]
