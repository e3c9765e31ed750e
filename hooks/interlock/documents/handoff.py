from __future__ import annotations

from interlock.documents import frontmatter, markdown, yaml
from interlock.documents.text import decode
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import NamedTuple


class Handoff(NamedTuple):
    # None: the file has no frontmatter, or one that cannot be read
    fields: yaml.Mapping | None
    problem: Unreadable | None
    sections: tuple[markdown.Section, ...]

    def get(self, key: str) -> yaml.Node | None:
        return self.fields.items.get(key) if self.fields else None

    def line(self, key: str) -> int:
        return self.fields.lines.get(key, 1) if self.fields else 1


def parse(blob: Blob) -> Handoff:
    try:
        text = decode(blob)
        front = frontmatter.parse(text)
    except Unreadable as e:
        return Handoff(None, e, ())
    if front is None:
        return Handoff(None, None, ())
    sections = markdown.sections(front.body, front.body_line)
    return Handoff(front.fields, None, tuple(sections))
