"""Patterns of paths, as effects hold them, and what an effect reaches."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from interlock.guard.shell.effects import Removes, Writes
from interlock.guard.shell.words import (
    ANY,
    FRESH,
    escaped,
    is_nothing,
    is_plain,
    literal,
)

DIRS = '**/'
INSIDE = '**/…'
# in place of what no file is called
NEW = 'XXXXXXXXXX'


class PathPattern(NamedTuple):
    path: str
    # it is a pattern
    glob: bool


def resolve(directory: str, word: str) -> PathPattern | None:
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
    path = path.replace('//', '/').replace(FRESH, NEW)
    if is_plain(path):
        return PathPattern(literal(path), False)
    return PathPattern(escaped(path), True)


def matches(pattern: str, path: str) -> bool:
    """Could a pattern of an effect mean this path?"""
    return fits(parts_of(pattern), path)


def fits(parts: list[str], path: str) -> bool:
    """All ways to read it at once, so that no pattern takes long."""
    at = _reached(parts, {0})
    for char in path:
        at = _reached(
            parts,
            {
                after
                for index in at
                if index < len(parts)
                for after in _step(parts[index], index, char)
            },
        )
    return len(parts) in at


def parts_of(pattern: str) -> list[str]:
    """`**/` is DIRS and INSIDE: any directories, or none."""
    found, at = [], 0
    while at < len(pattern):
        size = 1
        if pattern.startswith('**/', at):
            found.append(DIRS)
            size, part = 3, INSIDE
        elif pattern.startswith('**', at):
            size, part = 2, '**'
        else:
            part = pattern[at]
            # a bracket that comes first is a member
            end = pattern.find(']', at + 2) if part == '[' else -1
            if end >= 0:
                part, size = pattern[at : end + 1], end + 1 - at
        found.append(part)
        at += size
    return found


def _reached(parts: list[str], at: set[int]) -> set[int]:
    """With those that can stand for nothing."""
    todo = list(at)
    while todo:
        index = todo.pop()
        part = parts[index] if index < len(parts) else ''
        more = {'*': (1,), '**': (1,), DIRS: (1, 2)}.get(part, ())
        for each in more:
            if index + each not in at:
                at.add(index + each)
                todo.append(index + each)
    return at


def _step(part: str, index: int, char: str) -> list[int]:
    if part == '**' or (part == '*' and char != '/'):
        return [index]
    if part == INSIDE:
        return [index, index + 1] if char == '/' else [index]
    if part == '?' or len(part) > 2:
        found = char != '/' and (part == '?' or _is_member(part, char))
        return [index + 1] if found else []
    return [index + 1] if part == char else []


def _is_member(part: str, char: str) -> bool:
    """Of a set: `[a-z]`, `[!0]`, `[*]`."""
    inside = part[1:-1]
    negated = inside[0] in '!^' and len(inside) > 1
    inside = inside[negated:]
    found, at = False, 0
    while at < len(inside):
        if inside[at + 1 : at + 2] == '-' and at + 2 < len(inside):
            found = found or inside[at] <= char <= inside[at + 2]
            at += 3
        else:
            found = found or inside[at] == char
            at += 1
    return found != negated


def covers(effect: Writes | Removes, path: str) -> bool:
    """Does the effect reach this path?"""
    while True:
        if matches(effect.path, path) if effect.glob else path == effect.path:
            return True
        above = posixpath.dirname(path)
        if not effect.recursive or above == path:
            return False
        path = above
