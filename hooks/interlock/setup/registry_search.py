"""Which markdown files of a repository may be its registry."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from interlock.documents import markdown
from interlock.documents.text import decode, name, plain
from interlock.files.atomic_files import read
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.workflow.language.spec import STAGE, Kind, RegistrySpec
from interlock.workflow.reading import status_words as statuses
from interlock.workflow.reading.item_paths import is_name

# headers that are taken for those of a registry
STATUS = {'status', 'state'}
UPDATED = 'updated'


class Table(NamedTuple):
    headers: list[str]
    rows: list[list[str]]


class Candidate(NamedTuple):
    """The least of several is the likeliest."""

    elsewhere: bool
    renamed: bool
    # the more rows have a status of the workflow the less
    strange: int
    depth: int
    file: str
    # role and header of the columns that are named otherwise
    columns: tuple[tuple[str, str], ...]


def _tables(top: str, file: str) -> Iterator[Table]:
    data = read(os.path.join(top, file)) or b''
    try:
        text = decode(Blob('', len(data), data))
    except Unreadable:
        return
    lines = [line for _, line in markdown.visible_lines(text)]
    for number, (line, below) in enumerate(pairwise(lines)):
        if '|' in line and markdown.is_delimiter(below.encode()):
            rows = takewhile(lambda row: '|' in row, lines[number + 2 :])
            yield Table(
                [plain(cell) for cell in markdown.cells(line)],
                [markdown.cells(row) for row in rows],
            )


def _columns(headers: Sequence[str], usual: dict[str, str]) -> dict[str, str]:
    """role -> header; empty where the table cannot be a registry."""
    found = {role: header for role, header in usual.items() if header in headers}
    found.setdefault('item', headers[0])
    for header in headers:
        if header.lower() in STATUS:
            found.setdefault('status', header)
        if UPDATED in header.lower().split():
            found.setdefault(UPDATED, header)
    item, status = found['item'], found.get('status')
    return found if item and status and item != status else {}


def _known(table: Table, status: str, kind: Kind) -> int:
    """How many rows have a status that the workflow knows."""
    column = table.headers.index(status)
    return sum(
        statuses.is_known(statuses.read(row[column], kind), kind)
        for row in table.rows
        if column < len(row)
    )


def _is_likely(table: Table, found: dict[str, str], kind: Kind) -> bool:
    """Whether a table with other headers lists items at their stages.

    A column of states alone has many a table: most of its states must be
    the workflow's, one of them a stage, and every name a name.
    """
    column = table.headers.index(found['status'])
    first = table.headers.index(found['item'])
    rows = [row for row in table.rows if len(row) > max(column, first)]
    read = [statuses.read(row[column], kind) for row in rows]
    known = [each for each in read if statuses.is_known(each, kind)]
    return (
        all(is_name(name(row[first])) for row in rows)
        and len(known) * 2 > len(rows)
        and any(kind.states[each.name].role == STAGE for each in known)
    )


def candidates(
    top: str, files: Sequence[str], kind: Kind, spec: RegistrySpec
) -> Iterator[Candidate]:
    usual = dict(spec.shape.columns)
    for file in dict.fromkeys((spec.file, *files)):
        for table in _tables(top, file):
            found = _columns(table.headers, usual)
            if not found:
                continue
            others = {
                role: header
                for role, header in found.items()
                if header != usual.get(role)
            }
            renamed = bool({'item', 'status'} & set(others))
            known = _known(table, found['status'], kind)
            if file != spec.file and renamed and (not _is_likely(table, found, kind)):
                continue
            yield Candidate(
                file != spec.file,
                renamed,
                -known,
                file.count('/'),
                file,
                tuple(others.items()),
            )
