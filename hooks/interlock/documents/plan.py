"""The plan of a task: a text with headings."""
from __future__ import annotations

from typing import NamedTuple

from interlock.documents import markdown
from interlock.documents.text import decode
from interlock.model.change import Blob
from interlock.model.errors import Unreadable


class Plan(NamedTuple):
    sections: tuple[markdown.Section, ...]
    # what is seen of it: no code, no comments
    text: str
    problem: Unreadable | None = None


def parse(blob: Blob) -> Plan:
    try:
        text = decode(blob)
    except Unreadable as e:
        return Plan((), '', e)
    seen = '\n'.join(line for _, line in markdown.visible_lines(text))
    return Plan(tuple(markdown.sections(text)), seen)
