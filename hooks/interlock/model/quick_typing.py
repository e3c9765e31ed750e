"""What our modules need of `typing` and `collections.abc`, without their cost.

A hook answers in the time of a few imports. `typing` is a large one, and every
NamedTuple of its own compiles a constructor from text. Type checkers see the
original names.
"""

from __future__ import annotations

# a command that makes more tuples of a class than an answer of a hook pays for
# a constructor of its own
MANY = 50

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

    _uses = {}

    def _compile(cls):
        fields = ', '.join(cls._fields)
        source = f'lambda _cls, {fields}: _tuple(_cls, ({fields},))'
        made = eval(source, {'_tuple': tuple.__new__})  # noqa: S307
        made.__defaults__ = tuple(cls._field_defaults.values())
        cls.__new__ = made

    class _Signature:
        """What `help` and other tools show of the constructor."""

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
        """What all of them can do; each has only its fields."""

        __slots__ = ()
        __signature__ = _Signature()

        def __new__(cls, /, *values, **named):
            fields = cls._fields
            uses = _uses[cls] = _uses.get(cls, 0) + 1
            if uses > MANY:
                _compile(cls)
            if len(values) == len(fields) and not named:
                return tuple.__new__(cls, values)
            elif len(values) > len(fields):
                raise TypeError(
                    f'{cls.__name__} takes {len(fields)} values, not {len(values)}'
                )
            defaults = cls._field_defaults
            found = list(values)
            for field in fields[len(values) :]:
                if field in named:
                    found.append(named.pop(field))
                elif field in defaults:
                    found.append(defaults[field])
                else:
                    raise TypeError(f'{cls.__name__} lacks {field!r}')
            if named:
                raise TypeError(f'{cls.__name__} has no field {", ".join(named)!r}')
            return tuple.__new__(cls, found)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, /, **named):
            found = [named.pop(k, v) for k, v in zip(self._fields, self, strict=True)]
            if named:
                raise ValueError(f'unexpected field names: {list(named)!r}')
            return tuple.__new__(type(self), found)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            values = ', '.join(f'{k}={v!r}' for k, v in self._asdict().items())
            return f'{type(self).__name__}({values})'

        def __getnewargs__(self):
            return tuple(self)

    class _Meta(type):
        """Makes a subclass of tuple of a class body with annotations."""

        def __new__(cls, name, bases, body):
            fields = tuple(body.get('__annotations__', ()))
            defaults = {k: body.pop(k) for k in fields if k in body}
            getters = {k: _tuplegetter(i, '') for i, k in enumerate(fields)}
            return type(
                name,
                (_Record,),
                {
                    '__slots__': (),
                    '__match_args__': fields,
                    '_fields': fields,
                    '_field_defaults': defaults,
                    **getters,
                    **body,
                },
            )

    NamedTuple = type.__new__(_Meta, 'NamedTuple', (), {})
