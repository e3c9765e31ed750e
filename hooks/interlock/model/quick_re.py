"""`re` with patterns that are compiled on first use.

A module has several patterns, and a hook needs few of them for its answer;
compiling all of them would take longer than the answer.
`files/pattern_cache.py` can hand patterns from one process to the next, which
then does not import `re` at all: the first use of a pattern restores all those
that were made until then.
"""

from __future__ import annotations

from interlock import model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import *  # noqa: F403

    compiled_here: dict[str, tuple[str | bytes, int]]
else:
    from _operator import methodcaller

    # the values of re.RegexFlag
    IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII = 2, 8, 16, 64, 256

    compiled_here = {}
    _known = None
    # the patterns that were made since the last first use of one
    _waiting = []

    class compile:
        """A pattern that compiles itself on first use."""

        __slots__ = (
            '_compiled',
            '_given',
            'findall',
            'finditer',
            'flags',
            'fullmatch',
            'groupindex',
            'groups',
            'match',
            'pattern',
            'scanner',
            'search',
            'split',
            'sub',
            'subn',
        )

        def __init__(self, source, flags=0):
            self._given = source, flags
            self._compiled = None
            self.pattern = source
            _waiting.append(self)

        def __getattr__(self, name):
            if self._compiled is None:
                _restore_waiting()
            if self._compiled is None:
                self._become(_compiled_now(*self._given))
            return getattr(self._compiled, name)

        def _become(self, compiled):
            self._compiled = compiled
            for each in self.__slots__[2:]:
                setattr(self, each, getattr(compiled, each))

    def _restore_waiting():
        global _known
        if _known is None:
            _known = model.pattern_source()
        for each in _waiting:
            compiled = _restored(*each._given)
            if compiled is not None:
                each._become(compiled)
        _waiting.clear()

    def _restored(pattern, flags):
        """The pattern that another process compiled, None if none did."""
        key = _key(pattern, flags)
        if key not in _known:
            return None
        import _sre

        try:
            all_flags, words, groups, names = _known[key]
            code = list(memoryview(bytes.fromhex(words)).cast('I'))
            index = {number: name for name, number in names.items()}
            by_number = tuple(map(index.get, range(groups + 1)))
            return _sre.compile(pattern, all_flags, code, groups, names, by_number)
        except (RuntimeError, OverflowError, TypeError, ValueError, AttributeError):
            # it is damaged: let `re` compile the pattern
            return None

    def _compiled_now(pattern, flags):
        import re

        compiled_here[_key(pattern, flags)] = pattern, flags
        return re.compile(pattern, flags)

    def _key(pattern, flags):
        return f'{int(flags)} {pattern!r}'

    # the same characters as in `re.escape`
    _SPECIAL = {ord(sign): f'\\{sign}' for sign in '()[]{}?*+-|^$\\.&~# \t\n\r\v\f'}
    escape = methodcaller('translate', _SPECIAL)

    def __getattr__(name):
        import re

        return getattr(re, name)
