"""Patches in the unified format: which files, and what becomes of them.

Context has to match exactly, wherever it stands: a patch that fits less well
is not computed here.
"""

from __future__ import annotations

import posixpath

from interlock.model import quick_re as re
from interlock.model.quick_typing import NamedTuple

NOWHERE = '/dev/null'
RANGE = re.compile(r'(?<!\S)([-+])(\d+)(?:,(\d+))?')


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


def parse(text: str, strip: int, reverse: bool) -> list[Patch]:
    found: list[Patch] = []
    lines = text.split('\n')
    head, at = '', 0
    while at < len(lines):
        line, after = lines[at], ''.join(lines[at + 1 : at + 2])
        at += 1
        if line.startswith('--- ') and after.startswith('+++ '):
            names = _name(line, strip), _name(after, strip)
            found.append(Patch(*(names[::-1] if reverse else names), []))
            at += 1
        elif line.startswith('@@') and found:
            hunk, at = _hunk(lines, at, '+-' if reverse else '-+')
            found[-1].hunks.append(hunk)
        elif line.startswith(('rename from ', 'rename to ')):
            # these names have no prefix
            found.append(_foreign(line.split(' ', 2)[2], strip - 1))
        elif line.startswith('diff --git '):
            head = line
        elif line.startswith('GIT binary patch'):
            found.append(_foreign(head.rpartition(' ')[2], strip))
    return found


def _hunk(lines: list[str], at: int, signs: str) -> tuple[Hunk, int]:
    """The lines below `@@`, and where those that follow begin."""
    # `-3,7`: where it starts, how many lines it has; the first of each sign counts
    found = reversed(RANGE.findall(lines[at - 1]))
    ranges = {sign: (start, count) for sign, start, count in found}
    (start, before), (_, after) = (ranges.get(sign, ('1', '0')) for sign in signs)
    hunk = Hunk(int(start), [], [])
    while at < len(lines) and (
        len(hunk.before) < int(before or 1) or len(hunk.after) < int(after or 1)
    ):
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


def _fitting_line(lines: list[str], hunk: Hunk, shift: int) -> int:
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
        at = _fitting_line(lines, hunk, shift)
        if at < 0:
            return None
        lines[at : at + len(hunk.before)] = hunk.after
        shift += len(hunk.after) - len(hunk.before)
    return '\n'.join(lines)
