"""Our part of `functools`, `contextlib` and `fnmatch`, without their imports.

A hook must answer in the time of a few imports, and each of these modules
imports six others.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import closing as closing
    from contextlib import contextmanager as contextmanager
    from contextlib import suppress as suppress
    from fnmatch import fnmatchcase as fnmatchcase
    from functools import *  # noqa: F403
else:
    from _functools import _lru_cache_wrapper, partial

    __all__ = (
        'cache',
        'cached_property',
        'closing',
        'contextmanager',
        'fnmatchcase',
        'lru_cache',
        'partial',
        'suppress',
    )

    class _Uses:
        def __init__(self, hits, misses, most, size):
            self.hits, self.misses = hits, misses

    def lru_cache(maxsize):
        return partial(
            _lru_cache_wrapper, maxsize=maxsize, typed=False, cache_info_type=_Uses
        )

    cache = lru_cache(None)

    class cached_property:
        """Computed once per object, without a lock."""

        def __init__(self, function):
            self._function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            found = instance.__dict__[self._name] = self._function(instance)
            return found

    class suppress:
        def __init__(self, *errors):
            self._errors = errors

        def __enter__(self):
            return None

        def __exit__(self, kind, error, traceback):
            return kind is not None and issubclass(kind, self._errors)

    class closing:
        def __init__(self, thing):
            self._thing = thing

        def __enter__(self):
            return self._thing

        def __exit__(self, kind, error, traceback):
            self._thing.close()

    def contextmanager(function):
        def made(*args, **named):
            return _Generated(function(*args, **named))

        return made

    class _Generated:
        """A generator that yields once, used by a `with` statement."""

        def __init__(self, generator):
            self._generator = generator

        def __enter__(self):
            return next(self._generator)

        def __exit__(self, kind, error, traceback):
            if error is None:
                for _ in self._generator:
                    raise RuntimeError('it yields more than once')
                return False
            try:
                self._generator.throw(error)
            except StopIteration:
                return True
            except BaseException as e:
                if e is not error:
                    raise
                return False
            raise RuntimeError('it goes on after an error')

    def fnmatchcase(name, pattern):
        if '[' in pattern:
            from fnmatch import fnmatchcase

            return fnmatchcase(name, pattern)
        if '*' not in pattern and '?' not in pattern:
            return name == pattern
        first, *others = pattern.split('*')
        if not others:
            return len(name) == len(first) and _fits(name, 0, first)
        *middle, last = others
        at, end = len(first), len(name) - len(last)
        if end < at or not (_fits(name, 0, first) and _fits(name, end, last)):
            return False
        for part in middle:
            # the first match is the best: it leaves the most text for the rest
            while at + len(part) <= end and not _fits(name, at, part):
                at += 1
            at += len(part)
        return at <= end

    def _fits(name, at, part):
        signs = zip(name[at : at + len(part)], part, strict=True)
        return all(sign in ('?', char) for char, sign in signs)
