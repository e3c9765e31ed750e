"""Patterns of paths, as effects hold them, and what an effect reaches."""
from __future__ import annotations

import posixpath
from typing import NamedTuple

from interlock.claude.shell.effects import Removes
from interlock.claude.shell.effects import Writes
from interlock.claude.shell.marks import ANY
from interlock.claude.shell.marks import escaped
from interlock.claude.shell.marks import is_nothing
from interlock.claude.shell.marks import is_plain
from interlock.claude.shell.marks import literal


class Place(NamedTuple):
    path: str
    # it is a pattern
    glob: bool


def place(directory: str, word: str) -> Place | None:
    """Where a word points; None where nothing is known about it."""
    if is_nothing(word):
        return None
    if not word.startswith(ANY):
        # else it may well be absolute
        word = posixpath.join(directory, word)
    path = posixpath.normpath(word)
    if not path.startswith('/'):
        path = path if path.startswith(ANY) else f'{ANY}/{path}'
    # POSIX leaves two slashes at the beginning alone
    path = path.replace('//', '/')
    if is_plain(path):
        return Place(literal(path), False)
    return Place(escaped(path), True)


def _expression(pattern: str) -> str:
    import re

    found, at = '', 0
    while at < len(pattern):
        if pattern.startswith('**/', at):
            found, at = f'{found}(?:.*/)?', at + 3
        elif pattern.startswith('**', at):
            found, at = f'{found}.*', at + 2
        elif pattern[at] in '*?':
            found += '[^/]*' if pattern[at] == '*' else '[^/]'
            at += 1
        else:
            part, at = _one(pattern, at)
            found += part if len(part) > 1 else re.escape(part)
    return found


def _one(pattern: str, at: int) -> tuple[str, int]:
    """A character, or a set of them, as an expression."""
    # a bracket that comes first is a member
    end = pattern.find(']', at + 2) if pattern[at] == '[' else -1
    if end < 0:
        return pattern[at], at + 1
    inside = pattern[at + 1:end]
    negated = inside[0] in '!^'
    for special in '\\[]^&~|':
        inside = inside.replace(special, f'\\{special}')
    if negated:
        inside = '^' + inside.removeprefix('\\')[1:]
    return f'[{inside}]', end + 1


def matches(pattern: str, path: str) -> bool:
    """Could a pattern of an effect mean this path?"""
    import re

    try:
        return re.fullmatch(
            _expression(pattern), path, re.DOTALL,
        ) is not None
    except re.error:
        # a set that makes no sense: better asked than missed
        return True


def covers(effect: Writes | Removes, path: str) -> bool:
    """Does the effect reach this path?"""
    while True:
        if matches(effect.path, path) if effect.glob else path == effect.path:
            return True
        above = posixpath.dirname(path)
        if not effect.recursive or above == path:
            return False
        path = above
