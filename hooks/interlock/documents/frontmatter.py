from __future__ import annotations

from interlock.documents import markdown, yaml
from interlock.documents.text import decode
from interlock.model import quick_re as re
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Mapping, NamedTuple

FENCE_RE = re.compile(r'---[ \t]*\r?$', re.MULTILINE)
CLOSE_RE = re.compile(r'^(?:---|\.\.\.)[ \t]*\r?$', re.MULTILINE)
MAX_BLOCK = 256 * 1024


class Frontmatter(NamedTuple):
    fields: yaml.Mapping
    body: str
    # the line number at which the body starts
    body_line: int


def parse(text: str) -> Frontmatter | None:
    """The parsed frontmatter, None if there is none; Unreadable if it is broken."""
    if text.startswith('\ufeff'):
        if FENCE_RE.match(text, 1):
            raise Unreadable('stands behind a byte order mark')
        return None
    opening = FENCE_RE.match(text)
    if opening is None:
        return None
    closing = CLOSE_RE.search(text, opening.end())
    if closing is None:
        raise Unreadable('is not closed by a line `---`')
    block = text[opening.end() : closing.start()]
    if len(block) > MAX_BLOCK:
        raise Unreadable(f'is too large ({len(block)} characters)')
    found = yaml.parse_fields(block)
    if found is None:
        found = yaml.Mapping({}, {}, 1)
    elif not isinstance(found, yaml.Mapping):
        raise Unreadable('is not a mapping of keys to values', found.line)
    line = text.count('\n', 0, closing.end()) + 1
    return Frontmatter(found, text[closing.end() :], line)


class Handoff(NamedTuple):
    # None: the file has no frontmatter, or one that cannot be read
    fields: yaml.Mapping | None
    problem: Unreadable | None
    sections: tuple[markdown.Section, ...]
    # by key; empty where there are no fields
    nodes: Mapping[str, yaml.Node] = {}

    def line(self, key: str) -> int:
        return self.fields.lines.get(key, 1) if self.fields else 1


def parse_handoff(blob: Blob) -> Handoff:
    try:
        text = decode(blob)
        front = parse(text)
    except Unreadable as e:
        return Handoff(None, e, ())
    if front is None:
        return Handoff(None, None, ())
    sections = markdown.sections(front.body, front.body_line)
    return Handoff(front.fields, None, tuple(sections), front.fields.items)
