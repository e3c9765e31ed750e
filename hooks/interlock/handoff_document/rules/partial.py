"""Signs of partial work, in a handoff document or any markdown file."""

from __future__ import annotations

from bisect import bisect_left

from interlock.documents.markdown import (
    Fence,
    Part,
    fences,
    fields,
    is_delimiter,
    parts,
    visible_lines,
)
from interlock.documents.text import shown
from interlock.handoff_document.case import Case, complete, finding, rule
from interlock.handoff_document.comparisons import placeholders
from interlock.handoff_document.document import STATE, YAML
from interlock.handoff_document.outline import Markers, outline
from interlock.handoff_document.rules.tables import match
from interlock.model import quick_re as re
from interlock.model.finding import ERROR, WARNING, Finding
from interlock.model.quick_typing import Iterable, Iterator, NamedTuple, Sequence

NUMBER_RE = re.compile(r'(\d+(?:\.\d+)*)\.?\s')
BULLET_RE = re.compile(r'\s*(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?\s*\Z')

ITEM_RE = re.compile(r'\s*(?:[-*+]|\d{1,9}[.)])\s')
# headings, tables, quotes, HTML, definitions of links, code
NO_PROSE_RE = re.compile(r'\s{0,3}(?:[#|>]|<[\w/!]|\[[^\]]*\]:)| {4}|\t')
# the end of one sentence, and the start of the next
SENTENCE_RE = re.compile(r'[^\W\d_]{2,}[.!?]["\')]*\s+[^\W\d_a-z]')
# a paragraph of several lines with fewer words may be a signature
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
# for a handoff document, the rules about sections report these
OUTLINED = {EMPTY, TWICE, MISPLACED}
CODE = 'DOC027'
TODO = 'finish it, or do it again from there'


class Marker(NamedTuple):
    kind: str
    line: int
    message: str
    # identifies the marker, wherever it moves
    key: str


# the line of a marker, its message, and what identifies it
Sign = tuple[int, str, str]


def _open(text: str, words: Sequence[str]) -> Iterator[Sign]:
    """`TODO:`, `TODO(x)`, or the word alone on its line or in its cell."""
    any_word = f'(?:{"|".join(map(re.escape, words))})'
    pattern = re.compile(
        rf'\b{any_word}(?:\(|:)|(?:^|\|)[\s\-*+>]*(?:\[ \]\s*\**)?'
        rf'{any_word}\**\s*(?:\||$)'
    )
    for number, line in visible_lines(text):
        if pattern.search(line):
            said = shown(line.strip())
            yield number, f'open work: `{said}`', said


def _with_enclosing(found: Sequence[Part]) -> Iterator[tuple[Part, list[Part]]]:
    """Each heading, and the headings that enclose it."""
    stack: list[Part] = []
    for part in found:
        while stack and stack[-1].level >= part.level:
            stack.pop()
        yield part, list(stack)
        stack.append(part)


def _empty(found: Sequence[Part]) -> Iterator[Sign]:
    for part, following in zip(found, [*found, None][1:], strict=True):
        holds = following is not None and following.level > part.level
        if part.empty and not holds:
            title = shown(part.title)
            yield part.line, f'nothing follows the heading `{title}`', title


def _twice(found: Sequence[Part]) -> Iterator[Sign]:
    seen: dict[tuple[str, ...], int] = {}
    for part, above in _with_enclosing(found):
        path = (*(each.title for each in above), part.title)
        title = shown(part.title)
        if path in seen:
            message = f'the heading `{title}` is already on line {seen[path]}'
            yield part.line, message, title
        seen.setdefault(path, part.line)


def _number(part: Part) -> str:
    match = NUMBER_RE.match(f'{part.title} ')
    return match[1] if match else ''


def _misplaced(found: Sequence[Part]) -> Iterator[Sign]:
    """A numbered heading below one with another number."""
    for part, above in _with_enclosing(found):
        own = _number(part)
        outer = next(filter(None, map(_number, reversed(above))), '')
        deeper = own.count('.') > outer.count('.')
        if outer and own and deeper and not own.startswith(f'{outer}.'):
            title = shown(part.title)
            yield part.line, f'`{title}` is below the heading of {outer}', title


def _unclosed(blocks: Sequence[Fence]) -> Iterator[Sign]:
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
            first = shown(fence.text.partition('\n')[0])
            yield fence.line, f'the code block is not closed{where}', first


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
    # its case stays: in capitals it may be a keyword
    return text.split()[-1] if text.split() else ''


def _mid_sentence(text: str, markers: Markers) -> bool:
    """Whether a paragraph ends in the middle of a sentence.

    Lists and captions have no full stop either. So only a word that cannot end a
    sentence counts, or that the sentences before it had a full stop.
    """
    if not text[-1:].isalnum():
        return False
    elif _last_word(text) in markers.unfinished:
        return True
    has_sentences = SENTENCE_RE.search(text) is not None
    wrapped = '\n' in text and len(text.split()) >= WRAPPED
    return has_sentences or (wrapped and ITEM_RE.match(text) is None)


def _abrupt(text: str, markers: Markers) -> Iterator[Sign]:
    lines = [line for line in visible_lines(text) if line[1].strip()]
    if not lines or lines[-1][0] <= text.rstrip().count('\n'):
        # the text ends with a code block
        return
    last = lines[-1][1]
    bare = last.rstrip().rstrip('*_`')
    table = is_delimiter(last.encode(errors='replace')) and '|' in last
    cut = bare.endswith(markers.endings) and set(bare.strip()) - set('-=*_ ')
    if table or cut or BULLET_RE.match(last):
        yield _broken_off(*lines[-1])
    elif _mid_sentence(_paragraph(lines), markers):
        yield _broken_off(*lines[-1])


def _broken_off(number: int, line: str) -> Sign:
    said = shown(line.strip())
    return number, f'the text breaks off after `{said}`', said


def _cut_sections(found: Sequence[Part], markers: Markers) -> Iterator[Sign]:
    """Sections, except the last, whose last word cannot end a sentence."""
    for part in found[:-1]:
        lines = [line for line in part.lines if line[1].strip()]
        if lines and lines[-1] in part.text:
            last = _paragraph([lines[-1]])
            if last[-1:].isalnum() and _last_word(last) in markers.unfinished:
                yield _broken_off(*lines[-1])


def _subsections(found: Sequence[Part]) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {part.title: [] for part in found}
    for part, above in _with_enclosing(found):
        if above:
            made[above[-1].title].append(part.title)
    return made


def _bare(found: Sequence[Part], before: Sequence[Part]) -> Iterator[Sign]:
    """Headings that had subsections and lost all of them."""
    had, has = _subsections(before), _subsections(found)
    for part in found:
        lost = had.get(part.title)
        if lost and not has[part.title]:
            title = shown(part.title)
            message = (
                f'`{title}` has lost its subsections (`{shown(lost[0])}` and more)'
            )
            yield part.line, message, title


def markers(text: str, before: str | None = None) -> list[Marker]:
    """The signs of unfinished or damaged work; `before` is the text before a change."""
    known = outline().markers
    found = parts(text)
    signs: tuple[tuple[str, Iterable[Sign]], ...] = (
        (EMPTY, _empty(found)),
        (OPEN, _open(text, known.words)),
        (TWICE, _twice(found)),
        (MISPLACED, _misplaced(found)),
        (UNCLOSED, _unclosed(fences(text))),
        (ABRUPT, _abrupt(text, known)),
        (ABRUPT, _cut_sections(found, known)),
        (BARE, _bare(found, parts(before)) if before is not None else ()),
    )
    made = [Marker(kind, *sign) for kind, each in signs for sign in each]
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


def _findings(text: str, found: Iterable[Marker]) -> Iterator[Finding]:
    found = list(found)
    sections = CompleteSections(text, found)
    for marker in found:
        last = sections.before(marker.line)
        back = 'no section before it is complete'
        if last:
            back = (
                f'the last complete section is `{shown(last.title)}` (line {last.line})'
            )
        yield finding(
            marker.line,
            f'{marker.message}; {back}',
            severity=ERROR if marker.kind in CORRUPTED else WARNING,
            found=marker.key,
            key=marker.kind,
        )


def partial_work(path: str, text: str, before: str | None = None) -> Iterator[Finding]:
    """The findings in any markdown file; `before` is its text before a change."""
    for found in _findings(text, markers(text, before)):
        yield complete(path, found, CODE, TODO)


def _misplaced_content(case: Case) -> Iterator[Marker]:
    """Content that belongs to another section."""
    for section in case.document.sections:
        id = section.spec.id
        for table in section.tables:
            if any(match(table, spec) for spec in case.outline.tables_of(id)):
                continue
            for spec in case.outline.tables:
                known = match(table, spec)
                if known and len(known.columns) == len(spec.columns):
                    message = f'this table belongs to {spec.section}'
                    yield Marker(MISPLACED, table.line, message, spec.section)
                    break
        for fence in section.fences if id != STATE else ():
            if fence.language in YAML and 'format_version:' in fence.text:
                message = f'this block belongs to {STATE}'
                yield Marker(MISPLACED, fence.line, message, STATE)


@rule(CODE, TODO)
def document_is_finished(case: Case) -> Iterator[Finding]:
    text = case.document.text
    found = markers(text, case.before)
    own = [marker for marker in found if marker.kind not in OUTLINED]
    yield from _findings(text, [*own, *_misplaced_content(case)])


def _values(case: Case) -> Iterator[tuple[int, str]]:
    """The values that are alone in a table cell or after a label."""
    for section in case.document.sections:
        for table in section.tables:
            for row in table.rows:
                yield from ((row.line, cell) for cell in row.cells)
        for found in fields(section.text).values():
            yield from found


def _in_lines(case: Case) -> Iterator[tuple[int, str]]:
    """Placeholders within a line of text or code."""
    names = {
        f'[{row.get(key)}]'
        for key in ('id', 'persona', 'name')
        for row in (*case.state.rows('subagents'), *case.state.rows('skill_stack'))
    }
    for id in case.outline.markers.filled:
        for number, line in case.document.lines(id):
            for text in placeholders(line, case.outline):
                if text not in names:
                    yield number, text


@rule('DOC009', 'write the value')
def sections_are_filled_in(case: Case) -> Iterator[Finding]:
    stripped = [(line, text.strip('` ')) for line, text in _values(case)]
    whole = [each for each in stripped if case.is_open(each[1])]
    for line, text in dict.fromkeys([*whole, *_in_lines(case)]):
        if not text.startswith(case.outline.gap):
            message = f'`{shown(text)}` is not filled in'
            yield finding(line, message, found=shown(text), severity=WARNING)


@rule('DOC009', 'fill the gap')
def gaps_are_filled(case: Case) -> Iterator[Finding]:
    """Gaps that were left on purpose must be filled in by hand."""
    # a rule about the state reports the gaps in its block
    reported = {
        number
        for section in (case.document.all(STATE) if not case.state.problem else ())
        for fence in section.fences
        for number, _ in fence.lines
    }
    for number, line in enumerate(case.document.text.split('\n'), 1):
        at = line.find(case.outline.gap)
        if at >= 0 and number not in reported:
            said = shown(line[at:].partition(']')[0].strip('[ '))
            yield finding(number, f'a gap is left: {said}', found=said)
