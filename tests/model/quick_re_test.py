from __future__ import annotations

import re

import pytest

from interlock.model import quick_re

FLAGS = ('IGNORECASE', 'MULTILINE', 'DOTALL', 'VERBOSE', 'ASCII')


@pytest.mark.parametrize('name', FLAGS)
def test_a_flag_has_the_number_of_the_original(name: str) -> None:
    assert getattr(quick_re, name) == getattr(re, name)


def test_a_pattern_does_what_the_compiled_one_does() -> None:
    given = r'^(?P<key>\w+)=', quick_re.MULTILINE | quick_re.IGNORECASE
    quick, slow = quick_re.compile(*given), re.compile(*given)
    text = 'a=1\nB=2\nno\n'
    assert quick.findall(text) == slow.findall(text)
    assert quick.sub('-', text) == slow.sub('-', text)
    assert quick.split(text) == slow.split(text)
    assert [m['key'] for m in quick.finditer(text)] == ['a', 'B']
    assert (quick.pattern, quick.flags) == (slow.pattern, slow.flags)
    assert quick.groupindex == slow.groupindex
    assert quick.match('?') is None


def test_a_bad_pattern_is_found_when_it_is_used() -> None:
    pattern = quick_re.compile('(')
    with pytest.raises(re.error):
        pattern.search('')


def test_the_rest_is_that_of_re() -> None:
    assert quick_re.error is re.error
