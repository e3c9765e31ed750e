"""A handoff document: its sections, and the state that 1.20 holds."""

from __future__ import annotations

from interlock.documents import frontmatter, yaml
from interlock.documents.markdown import Fence, Line, Part, Table, parts
from interlock.documents.text import decode
from interlock.documents.tool_calls import ToolCall, calls
from interlock.handoff_document.outline import Outline, SectionSpec, outline
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, NamedTuple
from interlock.state.validate import rows_at, value_at

STATE = '1.20'
YAML = ('yaml', 'yml')


class Section(NamedTuple):
    spec: SectionSpec
    title: str
    line: int
    # of its heading, and of the unknown headings below it
    lines: list[Line]
    text: list[Line]
    fences: list[Fence]
    tables: list[Table]
    empty: bool


class StateBlock(NamedTuple):
    """The YAML of 1.20: plain data, and the line of each value."""

    data: Any
    node: yaml.Node | None
    problem: Unreadable | None

    def get(self, *path: str | int) -> Any:
        return value_at(self.data, *path)

    def rows(self, *path: str | int) -> list[dict[str, Any]]:
        return rows_at(self.data, *path)

    def line(self, *path: str | int) -> int:
        """The line of a value, or of the innermost value around it."""
        node, line = self.node, self.node.line if self.node else 1
        for part in path:
            if isinstance(node, yaml.Mapping) and part in node.items:
                line = node.lines[str(part)]
                node = node.items[str(part)]
            elif isinstance(node, yaml.Sequence) and (
                isinstance(part, int) and part < len(node.items)
            ):
                node = node.items[part]
                line = node.line
            else:
                break
        return line


class Document(NamedTuple):
    outline: Outline
    text: str
    sections: tuple[Section, ...]
    # the headings above the first known section
    before: tuple[Part, ...]
    state: StateBlock

    def all(self, id: str) -> list[Section]:
        return [each for each in self.sections if each.spec.id == id]

    def get(self, id: str) -> Section | None:
        return next(iter(self.all(id)), None)

    def lines(self, id: str) -> list[Line]:
        section = self.get(id)
        return section.lines if section else []

    def line(self, id: str) -> int:
        section = self.get(id)
        return section.line if section else 1

    def calls(self, id: str, tool: str) -> list[ToolCall]:
        return list(calls(self.lines(id), self.outline.calls[tool]))

    def says_nothing(self, id: str) -> bool:
        """Whether a line starts with the words for "nothing"."""
        words = self.outline.nothing.get(id, self.outline.nothing['any'])
        return any(starts(bare(line), words) for _, line in self.lines(id))


def bare(line: str) -> str:
    """The line without emphasis and list marker."""
    return line.strip().lstrip('-*+>`"\'_ ')


def starts(line: str, words: tuple[str, ...]) -> bool:
    return any(
        line.startswith(word) and not line[len(word) : len(word) + 1].isalnum()
        for word in words
    )


def _spec(title: str, known: Outline) -> SectionSpec | None:
    title = title.strip('*_ ').casefold()
    for spec in known.sections.values():
        for start in spec.starts:
            rest = title[len(start) :]
            if title.startswith(start.casefold()) and not (
                rest[:1].isalnum() or (rest[:1] == '.' and rest[1:2].isdigit())
            ):
                return spec
    return None


def _section(spec: SectionSpec, parts: list[Part]) -> Section:
    return Section(
        spec,
        parts[0].title,
        parts[0].line,
        [line for part in parts for line in part.lines],
        [line for part in parts for line in part.text],
        [fence for part in parts for fence in part.fences],
        [table for part in parts for table in part.tables],
        all(part.empty for part in parts),
    )


def _sections(
    found: list[Part], known: Outline
) -> tuple[tuple[Section, ...], tuple[Part, ...]]:
    made: list[tuple[SectionSpec, list[Part]]] = []
    before = []
    for part in found:
        spec = _spec(part.title, known)
        if spec is not None:
            made.append((spec, [part]))
        elif made:
            made[-1][1].append(part)
        else:
            before.append(part)
    return tuple(_section(*each) for each in made), tuple(before)


def _state(sections: tuple[Section, ...]) -> StateBlock:
    blocks = [
        fence
        for section in sections
        if section.spec.id == STATE
        for fence in section.fences
        if fence.language.split(' ')[0].lower() in YAML
    ]
    try:
        if not blocks:
            raise Unreadable('has no yaml block')
        elif len(blocks) > 1:
            message = f'has {len(blocks)} yaml blocks instead of one'
            raise Unreadable(message, blocks[1].line)
        node = yaml.parse(blocks[0].text, blocks[0].line + 1)
        if not isinstance(node, yaml.Mapping):
            raise Unreadable('is not a mapping of keys to values', blocks[0].line)
        return StateBlock(yaml.value(node), node, None)
    except Unreadable as e:
        return StateBlock(None, None, e)


def parse(blob: Blob, known: Outline | None = None) -> Document:
    """Parse a document; raises Unreadable if it is not text."""
    known = known or outline()
    text = decode(blob).removeprefix('\ufeff')
    front = frontmatter.parse(text)
    if front is not None:
        # the frontmatter becomes empty lines, so that line numbers stay
        text = '\n' * (front.body_line - 1) + front.body
    sections, before = _sections(parts(text), known)
    return Document(known, text, sections, before, _state(sections))
