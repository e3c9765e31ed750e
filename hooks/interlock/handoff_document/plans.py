"""Plans: where they are looked for, and which of them a document names."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from interlock.handoff_document.comparisons import is_placeholder
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.outline import Plans, outline
from interlock.state.plan_files import encoded

WORD_RE = re.compile(r"""[^\s|`"'()<>\[\],;*]+""")
MARKDOWN_RE = re.compile(r'.+\.md\b')
PROGRESS_RE = re.compile(r'\s*DOC:\s*(\S.*?)\s*\Z')


def root_of(top: str, plans: Plans | None = None) -> str:
    plans = plans or outline().plans
    root = plans.root.replace('{project}', encoded(top))
    return os.path.expanduser(root)


def is_plan(path: str, plans: Plans | None = None) -> bool:
    name = posixpath.basename(path)
    plans = plans or outline().plans
    return any(fnmatchcase(name, pattern) for pattern in plans.patterns)


Place = tuple[int, str]


def _cells(case: Case, section: str) -> Iterator[Place]:
    found = case.document.get(section)
    for table in found.tables if found else ():
        for number, name in enumerate(table.header):
            if not name.lower().startswith('path'):
                continue
            for row in table.rows:
                if number < len(row.cells):
                    yield row.line, row.cells[number].strip('` ')


def _in_text(case: Case, section: str) -> Iterator[Place]:
    found = case.document.get(section)
    for number, line in found.text if found else ():
        if '|' not in line:
            for word in WORD_RE.finditer(line):
                path = MARKDOWN_RE.match(word[0])
                # in brackets it is a placeholder, or the name of a link
                if path and line[word.start() - 1 : word.start()] != '[':
                    yield number, path[0]
    for fence in found.fences if found else ():
        for number, line in fence.lines:
            progress = PROGRESS_RE.match(line)
            if progress:
                yield number, progress[1]


def _named(case: Case, found: Iterable[Place]) -> list[Place]:
    known = case.document.outline
    return [
        place for place in found if place[1] and not is_placeholder(place[1], known)
    ]


def listed(case: Case) -> list[Place]:
    """The paths that 1.9 names, with their lines."""
    found = [*_cells(case, '1.9'), *_in_text(case, '1.9')]
    return _named(case, found)


def read(case: Case, section: str) -> list[Place]:
    """The paths that the reads of a section name."""
    return [
        (call.line, call.texts[0])
        for call in case.document.calls(section, 'read')
        if call.texts and call.texts[0].strip()
    ]


def to_read(case: Case) -> list[Place]:
    return _named(case, [*_cells(case, '1.10'), *read(case, '1.10')])
