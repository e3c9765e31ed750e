"""Changes of single sections of a document; every other byte stays."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interlock.documents import markdown
from interlock.documents.markdown import whole_lines


class _Body(NamedTuple):
    """The lines of a section below its heading: first and behind the last."""

    start: int
    end: int


def _bodies(text: str) -> list[tuple[str, _Body]]:
    """Titles and bodies; a body ends where the next heading starts."""
    headings = [
        (section.title, section.line) for section in markdown.sections(text)
    ]
    count = len(whole_lines(text))
    ends = [line - 1 for _, line in headings[1:]] + [count]
    return [
        (title, _Body(line, end))
        for (title, line), end in zip(headings, ends, strict=True)
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


def _added(text: str, title: str, content: Sequence[str]) -> str:
    newline = _newline(text)
    if text and not text.endswith('\n'):
        text += newline
    gap = newline if text.strip() and not text.endswith(newline * 2) else ''
    body = ''.join(f'{line}{newline}' for line in content)
    return f'{text}{gap}## {title}{newline}{newline}{body}'


def append(text: str, title: str, line: str) -> str:
    """One more line at the end of a section; the section is made if absent."""
    found = _find(text, title)
    if found is None:
        return _added(text, title, [line])
    lines = whole_lines(text)
    newline = _newline(text)
    body = _trimmed(lines, found)
    if body.end == body.start:
        # behind the heading, with the blank line that stands there or not
        at = min(found.start + 1, found.end)
        gap = [] if at > found.start else [newline]
        new = [*gap, f'{line}{newline}']
        if at < len(lines) and lines[at].strip():
            new.append(newline)
        return ''.join([*lines[:at], *new, *lines[at:]])
    if not lines[body.end - 1].endswith('\n'):
        lines[body.end - 1] += newline
    return ''.join([*lines[:body.end], f'{line}{newline}', *lines[body.end:]])


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
    new = [f'{line}{newline}' for line in content]
    return ''.join([*lines[:body.start], *new, *lines[body.end:]])


def retitle(text: str, title: str, new: str) -> str:
    """The heading that starts with a title, with another text behind it."""
    for section in markdown.sections(text):
        if section.title.lower().startswith(title.lower()):
            lines = whole_lines(text)
            old = lines[section.line - 1]
            hashes = old[:len(old) - len(old.lstrip(' #'))]
            ending = old[len(old.rstrip('\r\n')):]
            lines[section.line - 1] = f'{hashes}{new}{ending}'
            return ''.join(lines)
    return text
