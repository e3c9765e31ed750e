"""`re` whose patterns are compiled when they are first used.

A module has several patterns and an answer of a hook needs few of them;
compiling all of them would take longer than the answer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import *  # noqa: F403
else:
    # the numbers of re.RegexFlag
    IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII = 2, 8, 16, 64, 256

    class compile:
        """A pattern that becomes a compiled one when it is first asked."""

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

        def __getattr__(self, name):
            import re

            compiled = re.compile(*self._given)
            for each in self.__slots__[1:]:
                setattr(self, each, getattr(compiled, each))
            return getattr(compiled, name)

    def __getattr__(name):
        import re

        return getattr(re, name)
