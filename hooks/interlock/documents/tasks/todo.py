"""The list of tasks: one entry per task, with lines about it below."""

from __future__ import annotations

from interlock.documents.markdown import visible_lines
from interlock.documents.text import decode
from interlock.model import quick_re as re
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Collection, Iterator, Mapping, NamedTuple

BOX_RE = re.compile(r'\s*[-*+]\s+\[([ xX])\]\s*(.*)$')
# `**READY:**`, `READY:` or nothing before the name
STATE_RE = re.compile(r'\**([A-Z][A-Z_]*)\**:\**\s*')
# a name is in code or alone: `- [ ] buy milk` names no task
NAME_RE = re.compile(
    r'\**(?:`([a-z0-9]+(?:-[a-z0-9]+)*)`'
    r'|([a-z0-9]+(?:-[a-z0-9]+)*)(?=\**\s*(?:$|:|\(|[-\u2013\u2014]\s)))'
)
FIELD_RE = re.compile(r'\s+(?:[-*+]\s+)?\**Dependencies\**:\**\s*(.*)$', re.IGNORECASE)
# what may precede a name in a changelog: a bullet, a box, a date
LEAD_RE = re.compile(
    r'\s*(?:#{1,6}\s+|[-*+]\s+)?(?:\[[xX]\]\s*)?'
    r'(?:\**\d{4}-\d{2}-\d{2}\**[:\s*\u2013\u2014-]*)?'
)
OPEN_RE = re.compile(r'\s*[-*+]\s+\[ \]')
CODE_RE = re.compile(r'`([a-z0-9]+(?:-[a-z0-9]+)*)`')
WORD_RE = re.compile(r'[a-z0-9]+(?:-[a-z0-9]+)*')
NONE = frozenset({'none', 'nothing', 'n', 'a'})


class TodoEntry(NamedTuple):
    name: str
    # READY and the like, '' for none
    state: str
    ticked: bool
    line: int
    # the whole entry, to tell whether it changed
    text: str
    dependencies: tuple[str, ...] = ()


class Todo(NamedTuple):
    entries: Mapping[str, TodoEntry]
    problem: Unreadable | None = None
    # boxes with a state, but without the name of a task
    unnamed: tuple[TodoEntry, ...] = ()


def _names(text: str) -> tuple[str, ...]:
    # a remark in parentheses names no task
    bare = re.sub(r'\([^()]*\)', ' ', text)
    found = WORD_RE.findall(bare)
    return tuple(name for name in found if name not in NONE)


def _entry(line: str, number: int) -> TodoEntry | None:
    box = BOX_RE.match(line)
    if box is None:
        return None
    rest, state = box[2], ''
    word = STATE_RE.match(rest)
    if word is not None:
        rest, state = rest[word.end() :], word[1]
    name = NAME_RE.match(rest)
    if name is None and not state:
        return None
    found = (name[1] or name[2]) if name else ''
    return TodoEntry(found, state, box[1] != ' ', number, line.strip())


def _with_field(entry: TodoEntry, line: str) -> TodoEntry:
    entry = entry._replace(text=f'{entry.text}\n{line.strip()}')
    field = FIELD_RE.match(line)
    return entry._replace(dependencies=_names(field[1])) if field else entry


def _said_done(line: str, words: Collection[str]) -> Iterator[str]:
    """The tasks that a changelog line says are done."""
    lead = LEAD_RE.match(line)
    assert lead is not None, 'it matches everything'
    rest = line[lead.end() :]
    word = STATE_RE.match(rest)
    name = NAME_RE.match(rest[word.end() :] if word else rest)
    if name is not None:
        yield name[1] or name[2]
    if any(re.search(rf'(?i)\b{re.escape(each)}\b', line) for each in words):
        yield from CODE_RE.findall(line)


def completed(blob: Blob, words: Collection[str]) -> dict[str, int]:
    """The tasks that a changelog says are done, each with its line.

    An entry says so if it starts with the name of a task, a line if it names a task in
    code beside one of these words.
    """
    try:
        text = decode(blob)
    except Unreadable:
        return {}
    found: dict[str, int] = {}
    for number, line in visible_lines(text):
        for name in () if OPEN_RE.match(line) else _said_done(line, words):
            found.setdefault(name, number)
    return found


def parse(blob: Blob) -> Todo:
    try:
        text = decode(blob)
    except Unreadable as e:
        return Todo({}, e)
    entries: dict[str, TodoEntry] = {}
    unnamed: list[TodoEntry] = []
    current = ''
    for number, line in visible_lines(text):
        entry = _entry(line, number)
        if entry is not None and not entry.name:
            unnamed.append(entry)
            entry = None
        if entry is not None:
            current = entry.name
            # a duplicate entry is open while one of the two is
            if current not in entries or entries[current].ticked:
                entries[current] = entry
        elif not line.strip() or not line[:1].isspace():
            current = ''
        elif current:
            entries[current] = _with_field(entries[current], line)
    return Todo(entries, unnamed=tuple(unnamed))
