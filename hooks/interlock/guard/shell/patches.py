"""Patches in the unified format: which files, and what becomes of them.

Context has to match exactly, wherever it stands: what fits less well is
applied by no rule that could be told here.
"""

from __future__ import annotations

import posixpath
from typing import NamedTuple

NOWHERE = '/dev/null'


class Hunk(NamedTuple):
    start: int
    before: list[str]
    after: list[str]


class Patch(NamedTuple):
    """Of one file; '' where it is made, or goes."""

    old: str
    new: str
    hunks: list[Hunk]


def _name(line: str, strip: int) -> str:
    name = line[4:].split('\t')[0].strip().strip('"')
    if name == NOWHERE:
        return ''
    if strip < 0:
        # as `patch` does: the name alone
        return posixpath.basename(name)
    return '/'.join(name.split('/')[strip:])


def _range(line: str, sign: str) -> tuple[int, int]:
    """`-3,7` of a line with `@@`: where it starts, how many lines it has."""
    for word in line.split():
        start, comma, count = word[1:].partition(',')
        if word[0] == sign and start.isdecimal():
            many = int(count) if count.isdecimal() else 1
            return int(start), many if comma else 1
    return 1, 0


def parse(text: str, strip: int, reverse: bool) -> list[Patch]:
    found: list[Patch] = []
    signs = ('+', '-') if reverse else ('-', '+')
    lines = text.split('\n')
    at = 0
    while at < len(lines):
        line, after = lines[at], ''.join(lines[at + 1 : at + 2])
        at += 1
        if line.startswith('--- ') and after.startswith('+++ '):
            old, new = _name(line, strip), _name(after, strip)
            found.append(Patch(new, old, []) if reverse else (Patch(old, new, [])))
            at += 1
        elif line.startswith('@@') and found:
            hunk, at = _hunk(lines, at, signs)
            found[-1].hunks.append(hunk)
        elif line.startswith(('rename from ', 'rename to ')):
            # these names have no prefix
            found.append(_foreign(line.split(' ', 2)[2], strip - 1))
        elif line.startswith('GIT binary patch'):
            head = next(
                (
                    each
                    for each in reversed(lines[:at])
                    if each.startswith('diff --git ')
                ),
                '',
            )
            found.append(_foreign(head.rpartition(' ')[2], strip))
    return found


def _hunk(lines: list[str], at: int, signs: tuple[str, str]) -> tuple[Hunk, int]:
    """The lines below `@@`, and where those that follow begin."""
    (start, before), (_, after) = (_range(lines[at - 1], sign) for sign in signs)
    hunk = Hunk(start, [], [])
    while at < len(lines) and (len(hunk.before) < before or len(hunk.after) < after):
        sign, rest = lines[at][:1], lines[at][1:]
        if sign in (signs[0], ' ', ''):
            hunk.before.append(rest)
        if sign in (signs[1], ' ', ''):
            hunk.after.append(rest)
        at += 1
    return hunk, at


def _foreign(name: str, strip: int) -> Patch:
    """A change that is not told by lines: it fits nothing here."""
    name = '/'.join(name.split('/')[max(strip, 0) :])
    return Patch(name, name, [Hunk(1, ['\0'], [])])


def _place(lines: list[str], hunk: Hunk, shift: int) -> int:
    size, wanted = len(hunk.before), hunk.start - 1 + shift
    if not size:
        return min(wanted + 1, len(lines)) if lines else 0
    found = [
        at
        for at in range(len(lines) - size + 1)
        if lines[at : at + size] == hunk.before
    ]
    return min(found, key=lambda at: abs(at - wanted), default=-1)


def applied(text: str, patch: Patch) -> str | None:
    """None where it does not fit."""
    lines, shift = text.split('\n'), 0
    for hunk in patch.hunks:
        at = _place(lines, hunk, shift)
        if at < 0:
            return None
        lines[at : at + len(hunk.before)] = hunk.after
        shift += len(hunk.after) - len(hunk.before)
    return '\n'.join(lines)
