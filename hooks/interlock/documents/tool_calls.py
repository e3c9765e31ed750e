"""Calls of tools in a handoff document: `Read("/a/b.md")`."""

from __future__ import annotations

import ast
import json
import warnings

from interlock.documents.markdown import Line
from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Iterable, Iterator, NamedTuple

QUOTES = '\'"'
OPENING = '([{'
CLOSING = ')]}'


class ToolCall(NamedTuple):
    name: str
    line: int
    # the text between the parentheses; None if they are not closed
    inside: str | None

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The arguments, if all of them are quoted texts."""
        if self.inside is None:
            return None
        try:
            with warnings.catch_warnings():
                # ignore a backslash that escapes nothing
                warnings.simplefilter('ignore')
                value = ast.literal_eval(f'[{self.inside}]')
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
        if not all(isinstance(each, str) for each in value):
            return None
        return tuple(value)

    @property
    def json(self) -> Any:
        """The argument as JSON; ValueError if it is not JSON."""
        if self.inside is None:
            raise ValueError('the call is not closed')
        try:
            return json.loads(self.inside)
        except RecursionError:
            raise ValueError('it is nested too deeply') from None


def _inside(text: str, start: int) -> str | None:
    """The text up to the parenthesis that closes the one before `start`."""
    depth, quote, at = 1, '', start
    while at < len(text):
        char = text[at]
        if quote:
            if char == '\\':
                at += 1
            elif char == quote:
                quote = ''
        elif char in QUOTES:
            quote = char
        elif char in OPENING:
            depth += 1
        elif char in CLOSING:
            depth -= 1
            if not depth:
                return text[start:at]
        at += 1
    return None


def calls(lines: Iterable[Line], name: str) -> Iterator[ToolCall]:
    """The calls of a tool, without those in remarks."""
    kept = [line for line in lines if not line[1].lstrip().startswith('#')]
    text, numbers = '\n'.join(text for _, text in kept), [n for n, _ in kept]
    pattern = re.compile(rf'(?<![\w.]){re.escape(name)}\(')
    match = pattern.search(text)
    line = counted = 0
    while match is not None:
        start, end = match.span()
        line += text.count('\n', counted, start)
        counted = start
        if '#' not in text[text.rfind('\n', 0, start) + 1 : start]:
            inside = _inside(text, end)
            yield ToolCall(name, numbers[line], inside)
            if inside is None:
                # the rest of the text is inside the call
                return
            end += len(inside)
        match = pattern.search(text, end)


def only_call(text: str, name: str) -> ToolCall | None:
    """The call, if a text holds nothing but a call."""
    text = text.strip().strip('`').strip()
    found = next(calls([(1, text)], name), None)
    if found is None or found.inside is None:
        return None
    return found if text == f'{name}({found.inside})' else None
