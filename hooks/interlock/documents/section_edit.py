"""Changes of single sections of a document; every other byte stays."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interlock.documents import frontmatter
from interlock.documents import markdown
from interlock.documents.entry_edit import behind
from interlock.documents.markdown import whole_lines
from interlock.model.errors import Unreadable


class _Body(NamedTuple):
    """The lines of a section below its heading: first and behind the last."""

    start: int
    end: int


def _headings(text: str) -> list[tuple[str, int]]:
    """Titles and their lines; a comment in the frontmatter is none."""
    front = frontmatter.parse(text)
    if front is None:
        return [(each.title, each.line) for each in markdown.sections(text)]
    return [
        (each.title, each.line + front.body_line - 1)
        for each in markdown.sections(front.body)
    ]


def _bodies(text: str) -> list[tuple[str, _Body]]:
    """Titles and bodies; a body ends where the next heading starts."""
    headings = _headings(text)
    count = len(whole_lines(text))
    ends = [line - 1 for _, line in headings[1:]] + [count]
    return [
        (title, _Body(line, end))
        # a text without headings has an end all the same
        for (title, line), end in zip(headings, ends, strict=False)
    ]


def _find(text: str, title: str) -> _Body | None:
    for found, body in _bodies(text):
        # a title may go on: `Current State: Stage 3`
        if found.lower().startswith(title.lower()):
            return body
    return None


def _newline(text: str) -> str:
    return '\r\n' if '\r\n' in text else '\n'


def _trimmed(lines: Sequence[str], body: _Body) -> _Body:
    """Without the blank lines around it."""
    start, end = body
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return _Body(start, end)


def _one_line(line: str) -> str:
    if '\n' in line or '\r' in line:
        raise Unreadable(f'cannot hold {line!r} in one line')
    return line


def _checked(result: str, title: str, number: int) -> str:
    """The result, if what is written from a line on can be read there."""
    found = _find(result, title)
    front = frontmatter.parse(result)
    body, first = (front.body, front.body_line) if front else (result, 1)
    visible = {line + first - 1 for line, _ in markdown.visible_lines(body)}
    if found is None or number < found.start or number not in visible:
        raise Unreadable(f'has a section `{title}` that is not edited')
    return result


def _added(text: str, title: str, content: Sequence[str]) -> str:
    newline = _newline(text)
    ended = not text or text.endswith('\n')
    head = text if ended else f'{text}{newline}'
    gap = newline if head.strip() and not head.endswith(newline * 2) else ''
    body = newline.join(['', *map(_one_line, content)])
    end = newline if ended else ''
    result = f'{head}{gap}## {title}{newline}{body}{end}'
    return _checked(result, title, len(whole_lines(head + gap)) + 1)


def append(text: str, title: str, line: str) -> str:
    """One more line at the end of a section; the section is made if absent."""
    found = _find(text, title)
    if found is None:
        return _added(text, title, [line])
    lines = whole_lines(text)
    newline = _newline(text)
    body = _trimmed(lines, found)
    at = body.end
    new = _one_line(line)
    if body.end == body.start:
        # behind the heading, with the blank line that stands there or not
        at = min(found.start + 1, found.end)
        if at == found.start:
            new = f'{newline}{new}'
        if at < len(lines) and lines[at].strip():
            new += newline
    lines[at - 1] = behind(lines[at - 1], new, text)
    number = at + 1 + (at == found.start)
    return _checked(''.join(lines), title, number)


def replace(text: str, title: str, content: Sequence[str]) -> str:
    """Other lines in a section; the section is made if absent."""
    found = _find(text, title)
    if found is None:
        return _added(text, title, content)
    lines = whole_lines(text)
    newline = _newline(text)
    body = _trimmed(lines, found)
    if body.start == body.end:
        for line in content:
            text = append(text, title, line)
        return text
    end = lines[body.end - 1]
    new = newline.join(map(_one_line, content))
    if content:
        new += end[len(end.rstrip('\r\n')):]
    result = ''.join([*lines[:body.start], new, *lines[body.end:]])
    return _checked(result, title, body.start) if content else result


def retitle(text: str, title: str, new: str) -> str:
    """The heading that starts with a title, with another text behind it."""
    for found, line in _headings(text):
        if found.lower().startswith(title.lower()):
            lines = whole_lines(text)
            old = lines[line - 1]
            hashes = old[:len(old) - len(old.lstrip(' #\t'))]
            ending = old[len(old.rstrip('\r\n')):]
            lines[line - 1] = f'{hashes}{_one_line(new)}{ending}'
            return ''.join(lines)
    return text
