"""Patterns of paths as effects hold them, and the paths that an effect reaches."""

from __future__ import annotations

import posixpath

from interlock.guard.shell.effects import Removes, Writes
from interlock.guard.shell.words import (
    ANY,
    FRESH,
    escaped,
    is_nothing,
    is_plain,
    literal,
)
from interlock.model import quick_re as re
from interlock.model.quick_tools import fnmatchcase
from interlock.model.quick_typing import NamedTuple

# `**/` matches any directories or none; a bracket right after `[` is a member
# of the set
_PART = re.compile(r'\*\*/|\*\*|\[.[^\]]*\]|.', re.DOTALL)
# stands for a part that makes the name a new one
NEW = 'XXXXXXXXXX'


class PathPattern(NamedTuple):
    path: str
    # the path is a pattern
    glob: bool


def resolve(directory: str, word: str) -> PathPattern | None:
    """The path that a word names; None if nothing is known about it."""
    if is_nothing(word):
        return None
    if not word.startswith(ANY):
        # otherwise it may be absolute
        word = posixpath.join(directory, word)
    path = posixpath.normpath(word)
    if not path.startswith(('/', ANY)):
        path = f'{ANY}/{path}'
    # POSIX keeps two slashes at the beginning of a path
    path = path.replace('//', '/').replace(FRESH, NEW)
    if is_plain(path):
        return PathPattern(literal(path), False)
    return PathPattern(escaped(path), True)


def parts_of(pattern: str) -> list[str]:
    return _PART.findall(pattern)


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern of an effect could mean this path."""
    return fits(parts_of(pattern), path)


def fits(parts: list[str], path: str) -> bool:
    """Match all alternatives at once, so that no pattern takes long."""
    # the positions where the parts so far may end
    ends = {0}
    for part in parts:
        if not ends:
            return False
        rest = range(min(ends), len(path))
        if part == '**':
            ends = {*rest, len(path)}
        elif part == '**/':
            ends |= {at + 1 for at in rest if path[at] == '/'}
        elif part == '*':
            for at in rest:
                if at in ends and path[at] != '/':
                    ends.add(at + 1)
        else:
            ends = {at + 1 for at in ends if _is_one(part, path[at : at + 1])}
    return len(path) in ends


def _is_one(part: str, char: str) -> bool:
    """Whether a part matches one character: itself, `?`, `[a-z]`, `[!0]`, `[*]`."""
    if part == '?' or len(part) > 2:
        if len(part) > 3 and part[1] == '^':
            part = f'[!{part[2:]}'
        return char not in ('', '/') and fnmatchcase(char, part)
    return char == part


def covers(effect: Writes | Removes, path: str) -> bool:
    """Whether an effect reaches this path."""
    while True:
        if matches(effect.path, path) if effect.glob else path == effect.path:
            return True
        above = posixpath.dirname(path)
        if not effect.recursive or above == path:
            return False
        path = above
