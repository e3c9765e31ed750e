"""`re` with patterns that are compiled on first use.

A module has several patterns, and a hook needs few of them for its answer;
compiling all of them would take longer than the answer.
`files/pattern_cache.py` can hand patterns from one process to the next, which
then does not import `re` at all.
"""

from __future__ import annotations

from interlock import model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import *  # noqa: F403

    compiled_here: dict[str, tuple[str | bytes, int]]
else:
    # the values of re.RegexFlag
    IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII = 2, 8, 16, 64, 256

    compiled_here = {}
    _known = None

    class compile:
        """A pattern that compiles itself on first use."""

        __slots__ = (
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
            self.pattern = source

        def __getattr__(self, name):
            compiled = _compiled(*self._given)
            for each in self.__slots__[1:]:
                setattr(self, each, getattr(compiled, each))
            return getattr(compiled, name)

    def _compiled(pattern, flags):
        global _known
        if _known is None:
            _known = model.pattern_source()
        key = f'{int(flags)} {pattern!r}'
        if key in _known:
            import _sre

            try:
                all_flags, words, groups, names = _known[key]
                code = list(memoryview(bytes.fromhex(words)).cast('I'))
                index = {number: name for name, number in names.items()}
                by_number = tuple(map(index.get, range(groups + 1)))
                return _sre.compile(pattern, all_flags, code, groups, names, by_number)
            except (RuntimeError, OverflowError, TypeError, ValueError, AttributeError):
                # it is damaged: let `re` compile the pattern
                pass
        import re

        compiled_here[key] = pattern, flags
        return re.compile(pattern, flags)

    def escape(text):
        return text.translate(_SPECIAL)

    # the same characters as in `re.escape`
    _SPECIAL = {ord(sign): f'\\{sign}' for sign in '()[]{}?*+-|^$\\.&~# \t\n\r\v\f'}

    def __getattr__(name):
        import re

        return getattr(re, name)
