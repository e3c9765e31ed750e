"""The parts of `typing` and `collections.abc` that we need, without their cost.

A hook must answer in the time of a few imports. `typing` is a large one, and
each of its NamedTuples compiles a constructor from text. Type checkers see the
original names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable as Callable
    from collections.abc import Collection as Collection
    from collections.abc import Container as Container
    from collections.abc import Hashable as Hashable
    from collections.abc import Iterable as Iterable
    from collections.abc import Iterator as Iterator
    from collections.abc import Mapping as Mapping
    from collections.abc import Sequence as Sequence
    from collections.abc import Set as Set
    from typing import IO as IO
    from typing import Any as Any
    from typing import NamedTuple as NamedTuple
    from typing import Protocol as Protocol
    from typing import TypeVar as TypeVar
    from typing import Union as Union
else:
    from _collections import _tuplegetter
    from _collections_abc import Callable as Callable
    from _collections_abc import Collection as Collection
    from _collections_abc import Container as Container
    from _collections_abc import Hashable as Hashable
    from _collections_abc import Iterable as Iterable
    from _collections_abc import Iterator as Iterator
    from _collections_abc import Mapping as Mapping
    from _collections_abc import Sequence as Sequence
    from _collections_abc import Set as Set

    # annotations are never evaluated
    Any = IO = object

    class Protocol:
        pass

    class TypeVar:
        def __init__(self, name, *args, **keywords):
            self.__name__ = name

    class Union:
        def __class_getitem__(cls, types):
            return cls

    _function = type(lambda: None)
    _tuple = tuple.__new__

    # constructors of classes with 1 to 8 fields; each class gets a copy with
    # its own field names
    _CONSTRUCTORS = (
        lambda _cls, a: _tuple(_cls, (a,)),
        lambda _cls, a, b: _tuple(_cls, (a, b)),
        lambda _cls, a, b, c: _tuple(_cls, (a, b, c)),
        lambda _cls, a, b, c, d: _tuple(_cls, (a, b, c, d)),
        lambda _cls, a, b, c, d, e: _tuple(_cls, (a, b, c, d, e)),
        lambda _cls, a, b, c, d, e, f: _tuple(_cls, (a, b, c, d, e, f)),
        lambda _cls, a, b, c, d, e, f, g: _tuple(_cls, (a, b, c, d, e, f, g)),
        lambda _cls, a, b, c, d, e, f, g, h: _tuple(_cls, (a, b, c, d, e, f, g, h)),
        lambda _cls, a, b, c, d, e, f, g, h, i: _tuple(
            _cls, (a, b, c, d, e, f, g, h, i)
        ),
    )

    def _any_number(_cls):
        return _tuple(_cls, (*locals().values(),)[1:])

    class _Signature:
        """The signature of the constructor, for `help` and other tools."""

        def __get__(self, instance, cls):
            from inspect import Parameter, Signature

            either, defaults = Parameter.POSITIONAL_OR_KEYWORD, cls._field_defaults
            return Signature(
                [
                    Parameter(
                        field, either, default=defaults.get(field, Parameter.empty)
                    )
                    for field in cls._fields
                ]
            )

    class _Record(tuple):
        """The methods that all of them share."""

        __slots__ = ()
        __signature__ = _Signature()

        _make = classmethod(_tuple)

        def _replace(self, /, **named):
            found = _tuple(type(self), map(named.pop, self._fields, self))
            if named:
                raise ValueError(f'unexpected field names: {list(named)!r}')
            return found

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            values = ', '.join(f'{k}={v!r}' for k, v in self._asdict().items())
            return f'{type(self).__name__}({values})'

        def __getnewargs__(self):
            return tuple(self)

    class _Meta(type):
        """Turns a class body with annotations into a subclass of tuple."""

        def __new__(cls, name, bases, body):
            fields = tuple(body.get('__annotations__', ()))
            defaults = {}
            for number, field in enumerate(fields):
                if field in body:
                    defaults[field] = body[field]
                body[field] = _tuplegetter(number, '')
            # as fast as a compiled constructor, and created in a tenth of the time
            few = 0 < len(fields) <= len(_CONSTRUCTORS)
            template = _CONSTRUCTORS[len(fields) - 1] if few else _any_number
            code = template.__code__.replace(
                co_argcount=1 + len(fields),
                co_nlocals=1 + len(fields),
                co_varnames=('_cls', *fields),
                co_name='__new__',
                co_filename=f'<{name}>',
            )
            constructor = _function(code, globals(), None, tuple(defaults.values()))
            return type(
                name,
                (_Record,),
                {
                    '__slots__': (),
                    '__new__': constructor,
                    '__match_args__': fields,
                    '_fields': fields,
                    '_field_defaults': defaults,
                    **body,
                },
            )

    NamedTuple = type.__new__(_Meta, 'NamedTuple', (), {})
