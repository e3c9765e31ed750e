"""Changes to single sections of a document; every other byte stays."""

from __future__ import annotations

from interlock.documents import frontmatter, markdown
from interlock.documents.markdown import whole_lines
from interlock.documents.registry.edits import with_line_after
from interlock.documents.text import require_one_line
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import NamedTuple, Sequence


class _Section(NamedTuple):
    """The lines below its heading, without and with its sub-headings."""

    start: int
    end: int
    whole: int


def _headings(text: str) -> Sequence[markdown.Section]:
    """The headings below the frontmatter, by their lines in the file."""
    front = frontmatter.parse(text)
    shown, first = (front.body, front.body_line) if front else (text, 1)
    return markdown.sections(shown, first)


def _find(text: str, title: str) -> _Section | None:
    headings = _headings(text)
    # a title may have more text: `Current State: Stage 3`
    matching = [
        each for each in headings if each.title.lower().startswith(title.lower())
    ]
    if not matching:
        return None
    # a first-level heading is that of the document
    found = next((each for each in matching if each.level > 1), matching[0])
    end = len(whole_lines(text)) + 1
    below = [each for each in headings if each.line > found.line]
    beside = [each for each in below if each.level <= found.level or found.level == 1]
    next_one, next_beside = (
        min((each.line for each in among), default=end) for among in (below, beside)
    )
    return _Section(found.line, next_one - 1, next_beside - 1)


def exists(text: str, title: str) -> bool:
    return _find(text, title) is not None


def body(text: str, title: str) -> list[str]:
    """The lines of a section, without blank ones."""
    found = _find(text, title)
    lines = whole_lines(text)[found.start : found.whole] if found else []
    return [line.rstrip('\r\n') for line in lines if line.strip()]


def _newline(text: str) -> str:
    return '\r\n' if '\r\n' in text else '\n'


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """The range without the blank lines at its ends."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


def _checked(result: str, title: str, number: int) -> str:
    """The result, if the new line is visible in the section."""
    found = _find(result, title)
    front = frontmatter.parse(result)
    shown, first = (front.body, front.body_line) if front else (result, 1)
    visible = {line + first - 1 for line, _ in markdown.visible_lines(shown)}
    if found is None or number < found.start or number not in visible:
        raise Unreadable(f'has a section `{title}` that Interlock cannot edit')
    return result


def _added(text: str, title: str, content: Sequence[str]) -> str:
    newline = _newline(text)
    ended = not text or text.endswith('\n')
    head = text if ended else f'{text}{newline}'
    gap = newline if head.strip() and not head.endswith(newline * 2) else ''
    lines = newline.join(['', *map(require_one_line, content)])
    end = newline if ended else ''
    result = f'{head}{gap}## {title}{newline}{lines}{end}'
    return _checked(result, title, len(whole_lines(head + gap)) + 1)


def append(text: str, title: str, line: str) -> str:
    """Add a line to a section, above its sub-headings.

    Creates the section if it is missing.
    """
    found = _find(text, title)
    if found is None:
        return _added(text, title, [line])
    lines = whole_lines(text)
    newline = _newline(text)
    start, at = _trimmed(lines, found.start, found.end)
    new = require_one_line(line)
    if at == start:
        # after the heading, and after a blank line if there is one
        at = min(found.start + 1, found.end)
        if at == found.start:
            new = f'{newline}{new}'
        if at < len(lines) and lines[at].strip():
            new += newline
    lines[at - 1] = with_line_after(lines[at - 1], new, text)
    number = at + 1 + (at == found.start)
    return _checked(''.join(lines), title, number)


def replace(text: str, title: str, content: Sequence[str]) -> str:
    """Replace the lines of a section and its sub-headings, unless it has them.

    Creates the section if it is missing.
    """
    if body(text, title) == list(content):
        return text
    found = _find(text, title)
    if found is None:
        return _added(text, title, content)
    lines = whole_lines(text)
    newline = _newline(text)
    start, end = _trimmed(lines, found.start, found.whole)
    if start == end:
        for line in content:
            text = append(text, title, line)
        return text
    last = lines[end - 1]
    new = newline.join(map(require_one_line, content))
    if content:
        new += last[len(last.rstrip('\r\n')) :]
    result = ''.join([*lines[:start], new, *lines[end:]])
    return _checked(result, title, start) if content else result


def retitle(text: str, title: str, new: str) -> str:
    """Give the heading that starts with a title another text after it."""
    found = _find(text, title)
    if found is None:
        return text
    lines = whole_lines(text)
    old = lines[found.start - 1]
    hashes = old[: len(old) - len(old.lstrip(' #\t'))]
    ending = old[len(old.rstrip('\r\n')) :]
    lines[found.start - 1] = f'{hashes}{require_one_line(new)}{ending}'
    return ''.join(lines)


def set_line(text: str, title: str, old: str, new: str) -> str:
    """Replace a line of a section."""
    found = _find(text, title)
    lines = whole_lines(text)
    for number in range(found.start, found.whole) if found else ():
        bare = lines[number].rstrip('\r\n')
        if bare == old:
            lines[number] = require_one_line(new) + lines[number][len(bare) :]
            return ''.join(lines)
    return text
