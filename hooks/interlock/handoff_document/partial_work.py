"""Signs of partial work, in any markdown file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from interlock.documents.markdown import is_delimiter, visible_lines
from interlock.documents.markdown_parts import Fence, Part, fences, parts
from interlock.documents.text import shown
from interlock.handoff_document.outline import Markers, outline

NUMBER_RE = re.compile(r'(\d+(?:\.\d+)*)\.?\s')
BULLET_RE = re.compile(r'\s*(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?\s*\Z')

ITEM_RE = re.compile(r'\s*(?:[-*+]|\d{1,9}[.)])\s')
# headings, tables, quotes, HTML, definitions of links, code
NO_PROSE_RE = re.compile(r'\s{0,3}(?:[#|>]|<[\w/!]|\[[^\]]*\]:)| {4}|\t')
# the end of one, and the start of the next
SENTENCE_RE = re.compile(r'[^\W\d_]{2,}[.!?]["\')]*\s+[^\W\d_a-z]')
# words of a paragraph of several lines that is no signature
WRAPPED = 12

EMPTY = 'empty'
OPEN = 'open'
TWICE = 'twice'
UNCLOSED = 'unclosed'
ABRUPT = 'abrupt'
BARE = 'bare'
MISPLACED = 'misplaced'
# signs of damage, not of unfinished work
CORRUPTED = {TWICE, UNCLOSED, MISPLACED}


class Marker(NamedTuple):
    kind: str
    line: int
    message: str
    # the identity of a marker, wherever it stands
    key: str


def _open_re(markers: Markers) -> re.Pattern[str]:
    """`TODO:`, `TODO(x)`, or the word alone on its line or in its cell."""
    words = '|'.join(map(re.escape, markers.words))
    return re.compile(
        rf'\b(?:{words})(?:\(|:)|(?:^|\|)[\s\-*+>]*(?:\[ \]\s*\**)?'
        rf'(?:{words})\**\s*(?:\||$)'
    )


def _open(text: str, markers: Markers) -> Iterator[Marker]:
    pattern = _open_re(markers)
    for number, line in visible_lines(text):
        if pattern.search(line):
            said = shown(line.strip())
            yield Marker(OPEN, number, f'open work: `{said}`', said)


def _above(found: Sequence[Part]) -> list[tuple[Part, ...]]:
    """For each heading those that enclose it."""
    stack: list[Part] = []
    made = []
    for part in found:
        while stack and stack[-1].level >= part.level:
            stack.pop()
        made.append(tuple(stack))
        stack.append(part)
    return made


def _empty(found: Sequence[Part]) -> Iterator[Marker]:
    for part, following in zip(found, [*found, None][1:], strict=True):
        holds = following is not None and following.level > part.level
        if part.empty and not holds:
            title = shown(part.title)
            yield Marker(
                EMPTY, part.line, f'nothing follows the heading `{title}`', title
            )


def _twice(found: Sequence[Part]) -> Iterator[Marker]:
    seen: dict[tuple[str, ...], int] = {}
    for part, above in zip(found, _above(found), strict=True):
        path = (*(each.title for each in above), part.title)
        title = shown(part.title)
        if path in seen:
            yield Marker(
                TWICE,
                part.line,
                f'the heading `{title}` is on line {seen[path]} already',
                title,
            )
        seen.setdefault(path, part.line)


def _number(part: Part) -> str:
    match = NUMBER_RE.match(f'{part.title} ')
    return match[1] if match else ''


def _misplaced(found: Sequence[Part]) -> Iterator[Marker]:
    """A numbered heading below one with another number."""
    for part, above in zip(found, _above(found), strict=True):
        own = _number(part)
        outer = next(filter(None, map(_number, reversed(above))), '')
        deeper = own.count('.') > outer.count('.')
        if outer and own and deeper and not own.startswith(f'{outer}.'):
            title = shown(part.title)
            yield Marker(
                MISPLACED,
                part.line,
                f'`{title}` is below the heading of {outer}',
                title,
            )


def _unclosed(blocks: Sequence[Fence]) -> Iterator[Marker]:
    for fence in blocks:
        # the start of another block does not close it, and is text in it
        opened = [
            number
            for number, line in fence.lines
            if line.startswith(fence.mark)
            and line[len(fence.mark) : len(fence.mark) + 1].isalpha()
        ]
        if opened or not fence.closed:
            where = f' before line {opened[0]}' if opened else ''
            yield Marker(
                UNCLOSED,
                fence.line,
                f'the code block is not closed{where}',
                shown(fence.text.partition('\n')[0]),
            )


def _paragraph(lines: Sequence[tuple[int, str]]) -> str:
    """The last paragraph or item of a list, '' if it is not prose."""
    taken: list[str] = []
    for at in range(len(lines) - 1, -1, -1):
        number, line = lines[at]
        if (taken and number + 1 != lines[at + 1][0]) or (NO_PROSE_RE.match(line)):
            break
        taken.append(line.strip())
        if ITEM_RE.match(line):
            break
    return '\n'.join(reversed(taken))


def _last_word(text: str) -> str:
    # in capitals it may be a keyword
    return text.split()[-1] if text.split() else ''


def _mid_sentence(text: str, markers: Markers) -> bool:
    """Does a paragraph end in the middle of a sentence?

    Lists and captions have no full stop either: what counts is a word that
    nothing can end with, or that the sentences before it had a full stop.
    """
    if not text[-1:].isalnum():
        return False
    elif _last_word(text) in markers.unfinished:
        return True
    whole = SENTENCE_RE.search(text) is not None
    wrapped = '\n' in text and len(text.split()) >= WRAPPED
    return whole or (wrapped and ITEM_RE.match(text) is None)


def _abrupt(text: str, markers: Markers) -> Iterator[Marker]:
    lines = [line for line in visible_lines(text) if line[1].strip()]
    all_lines = text.rstrip().count('\n') + 1
    if not lines or lines[-1][0] < all_lines:
        # it ends with a code block
        return
    number, last = lines[-1]
    bare = last.rstrip().rstrip('*_`')
    table = is_delimiter(last.encode(errors='replace')) and '|' in last
    cut = bare.endswith(markers.endings) and set(bare.strip()) - set('-=*_ ')
    if (
        table
        or BULLET_RE.match(last)
        or cut
        or _mid_sentence(_paragraph(lines), markers)
    ):
        yield _broken_off(number, last)


def _broken_off(number: int, line: str) -> Marker:
    said = shown(line.strip())
    return Marker(ABRUPT, number, f'the text breaks off after `{said}`', said)


def _cut_sections(found: Sequence[Part], markers: Markers) -> Iterator[Marker]:
    """Sections, except the last, whose last word cannot end a sentence."""
    for part in found[:-1]:
        lines = [line for line in part.lines if line[1].strip()]
        if lines and lines[-1] in part.text:
            last = _paragraph([lines[-1]])
            if last[-1:].isalnum() and (_last_word(last) in markers.unfinished):
                yield _broken_off(*lines[-1])


def _bare(found: Sequence[Part], before: Sequence[Part]) -> Iterator[Marker]:
    """Headings that had subsections and lost all of them."""

    def children(all_parts: Sequence[Part]) -> dict[str, list[str]]:
        made: dict[str, list[str]] = {part.title: [] for part in all_parts}
        for part, above in zip(all_parts, _above(all_parts), strict=True):
            if above:
                made[above[-1].title].append(part.title)
        return made

    had, has = children(before), children(found)
    for part in found:
        lost = had.get(part.title)
        if lost and not has[part.title]:
            title = shown(part.title)
            yield Marker(
                BARE,
                part.line,
                f'`{title}` has lost its subsections '
                f'(`{shown(lost[0])}` and what followed)',
                title,
            )


def markers(text: str, before: str | None = None) -> list[Marker]:
    """What is unfinished or damaged; `before` is the text before a change."""
    known = outline().markers
    found = parts(text)
    made = [
        *_empty(found),
        *_open(text, known),
        *_twice(found),
        *_misplaced(found),
        *_unclosed(fences(text)),
        *_abrupt(text, known),
        *_cut_sections(found, known),
    ]
    if before is not None:
        made += _bare(found, parts(before))
    return sorted(made, key=lambda each: each.line)


class CompleteSections:
    """The sections of a text without a marker."""

    def __init__(self, text: str, wrong: Sequence[Marker]) -> None:
        lines = sorted(each.line for each in wrong)
        found = parts(text)
        ends = [*(part.line for part in found), text.count('\n') + 2][1:]
        self.complete = [
            part
            for part, end in zip(found, ends, strict=True)
            if not part.empty
            and bisect_left(lines, part.line) == bisect_left(lines, end)
        ]
        self._lines = [part.line for part in self.complete]

    def before(self, line: int) -> Part | None:
        at = bisect_left(self._lines, line)
        return self.complete[at - 1] if at else None
