from __future__ import annotations

import copy
import inspect
import pickle
import typing

import pytest

from interlock.model import quick_typing


class Slow(typing.NamedTuple):
    name: str
    size: int = 3
    parts: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f'{self.name} {self.size}'


class Quick(quick_typing.NamedTuple):
    name: str
    size: int = 3
    parts: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f'{self.name} {self.size}'


class Empty(quick_typing.NamedTuple):
    pass


@pytest.mark.parametrize(
    ('values', 'named'),
    [
        pytest.param(('a',), {}, id='defaults'),
        pytest.param(('a', 1, ('b',)), {}, id='all by place'),
        pytest.param((), {'name': 'a', 'parts': ('b',)}, id='by name, with a gap'),
        pytest.param(('a',), {'size': 1}, id='both'),
    ],
)
def test_a_quick_tuple_is_made_like_the_slow_one(
    values: tuple[typing.Any, ...], named: dict[str, typing.Any]
) -> None:
    slow, quick = Slow(*values, **named), Quick(*values, **named)
    assert tuple(quick) == tuple(slow)
    assert hash(quick) == hash(slow)
    assert repr(quick) == repr(slow).replace('Slow', 'Quick')
    assert quick.label == slow.label
    assert (quick.name, quick.size, quick.parts) == slow
    assert quick._asdict() == slow._asdict()
    assert tuple(quick._replace(size=9)) == tuple(slow._replace(size=9))
    assert type(quick._replace(size=9)) is Quick
    assert copy.copy(quick) == pickle.loads(pickle.dumps(quick)) == quick
    assert Quick._make(slow) == quick


@pytest.mark.parametrize('number', [1, 2, 8, 9, 40])
def test_a_class_has_a_constructor_of_its_own(number: int) -> None:
    names = [f'field_{i}' for i in range(number)]
    body = {'__annotations__': dict.fromkeys(names, 'int'), names[-1]: 3}
    many = type('Many', (quick_typing.NamedTuple,), body)
    values = tuple(range(number - 1))
    for _ in range(3):
        assert many(*values) == (*values, 3)
        assert many(**dict(zip(names, values, strict=False))) == (*values, 3)
        assert many(*values, **{names[-1]: 4}) == (*values, 4)
    with pytest.raises(TypeError):
        many(*values, 3, 4)
    assert many.__new__.__code__.co_varnames[1:] == tuple(names)


@pytest.mark.parametrize(
    ('values', 'named'),
    [
        pytest.param((), {}, id='a field is missing'),
        pytest.param(('a', 1, (), 2), {}, id='one value too many'),
        pytest.param(('a',), {'colour': 1}, id='an unknown field'),
        pytest.param(('a',), {'name': 'b'}, id='a field twice'),
    ],
)
def test_what_the_slow_one_refuses_the_quick_one_refuses(
    values: tuple[typing.Any, ...], named: dict[str, typing.Any]
) -> None:
    for kind in (Slow, Quick):
        with pytest.raises(TypeError):
            kind(*values, **named)


def test_an_unknown_field_is_not_replaced() -> None:
    for kind in (Slow, Quick):
        # a TypeError from Python 3.13 on
        with pytest.raises((TypeError, ValueError)):
            kind('a')._replace(colour=1)  # type: ignore[call-arg]


def test_what_describes_the_class_is_the_same() -> None:
    assert Quick._fields == Slow._fields
    assert Quick._field_defaults == Slow._field_defaults
    assert Quick.__match_args__ == Slow.__match_args__
    assert list(inspect.signature(Quick).parameters) == list(Quick._fields)
    assert inspect.signature(Quick).parameters['size'].default == 3
    assert not hasattr(Quick('a'), '__dict__')
    assert Empty() == ()


def test_a_field_cannot_be_assigned() -> None:
    with pytest.raises(AttributeError):
        Quick('a').name = 'b'  # type: ignore[misc]
