"""Tables: their words, and that they say what 1.20 says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from interlock.documents.markdown import Row, Table
from interlock.documents.text import shown
from interlock.handoff_document.comparisons import is_null, is_placeholder, norm, same
from interlock.handoff_document.document import bare, starts
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.outline import ColumnSpec, TableSpec
from interlock.model.finding import Finding
from interlock.state.validate import where


def _is_header(written: str, name: str) -> bool:
    """`Path` for `Path (ABSOLUTE)`, `Skip` for `Skip?`."""

    def head(text: str) -> str:
        return norm(text.partition('(')[0].rstrip('? '))

    return head(written) == head(name)


class Known(NamedTuple):
    """A table of the document, and what the outline says of it."""

    spec: TableSpec
    table: Table
    # the place of each column that is there
    at: dict[str, int]

    def cell(self, row: Row, name: str) -> str:
        at = self.at.get(name, -1)
        return row.cells[at] if 0 <= at < len(row.cells) else ''


def _places(table: Table, spec: TableSpec) -> dict[str, int]:
    found = {}
    for column in spec.columns:
        for number, name in enumerate(table.header):
            if _is_header(name, column.name):
                found[column.name] = number
                break
    return found


def match(table: Table, spec: TableSpec) -> Known | None:
    """Whether a table is one of the outline, by its columns."""
    at = _places(table, spec)
    enough = 2 * len(at) > len(spec.columns)
    return Known(spec, table, at) if spec.key in at and enough else None


def known(case: Case) -> Iterator[Known]:
    for spec in case.document.outline.tables:
        for section in case.document.all(spec.section):
            fitting = [match(table, spec) for table in section.tables]
            best = [each for each in fitting if each is not None]
            if best:
                yield max(best, key=lambda each: len(each.at))


def words(case: Case) -> Iterator[Finding]:
    for each in known(case):
        for column in each.spec.columns:
            for row in each.table.rows if column.values else ():
                text = each.cell(row, column.name)
                if column.name not in each.at or is_placeholder(
                    text, case.document.outline
                ):
                    continue
                if norm(text) not in map(norm, column.values):
                    valid = ', '.join(column.values)
                    yield case.finding(
                        'DOC037',
                        row.line,
                        f'`{column.name}` of {each.spec.section} is '
                        f'`{shown(text)}`, none of {valid}',
                        f'write one of {valid}',
                        found=shown(text),
                        key=f'{each.spec.section} {column.name}',
                    )


def cell_text(column: ColumnSpec, row: dict[str, Any], number: int) -> str:
    """What a cell says of a row of the state."""
    if column.kind == 'number':
        return str(number)
    values = [row.get(field) for field in column.fields]
    if column.kind == 'flag':
        return 'Yes' if values[0] else 'No'
    texts = [str(value) for value in values if value not in (None, '')]
    return ', '.join(texts) or column.nothing


def _agrees(column: ColumnSpec, text: str, row: dict[str, Any]) -> bool:
    wanted = cell_text(column, row, 0)
    if same(text, wanted):
        return True
    elif is_null(text):
        return wanted == column.nothing
    # `Phase 4 / Task 10` names both as well
    return len(column.fields) > 1 and all(
        norm(str(row.get(field) or '')) in norm(text) for field in column.fields
    )


def _by_key(
    each: Known, rows: list[dict[str, Any]]
) -> Iterator[tuple[Row | None, int | None]]:
    """Rows of the table with those of the state that they speak of."""
    key = each.spec.column(each.spec.key)
    if not key.fields:
        for number in range(max(len(each.table.rows), len(rows))):
            yield (
                each.table.rows[number] if number < len(each.table.rows) else None,
                number if number < len(rows) else None,
            )
        return
    left: dict[str, list[int]] = {}
    for number, data in enumerate(rows):
        left.setdefault(norm(cell_text(key, data, 0)), []).append(number)
    for row in each.table.rows:
        text = each.cell(row, key.name)
        same_key = left.get(norm(key.nothing if is_null(text) else text))
        yield row, same_key.pop(0) if same_key else None
    for number in sorted(itertools.chain(*left.values())):
        yield None, number


def is_filled(case: Case, row: Row) -> bool:
    """A row that is still a template, or says that there is none, is none."""
    outline = case.document.outline
    return not any(
        is_placeholder(cell.strip('`'), outline) for cell in row.cells
    ) and not all(map(is_null, row.cells))


def _only_written(case: Case, each: Known, row: Row) -> Finding:
    """A row of the table that the state does not have."""
    path, section = each.spec.rows, each.spec.section
    what = shown(each.cell(row, each.spec.key))
    at = case.document.state.line(*path)
    return case.finding(
        'DOC036',
        row.line,
        f'{section} (line {row.line}) names `{what}`, 1.20 (line {at}) does not',
        'make both the same',
        found=what,
        key=f'{section}/{where(path)}',
    )


def _only_saved(case: Case, each: Known, number: int) -> Finding:
    """A row of the state that the table does not have."""
    state, path = case.document.state, each.spec.rows
    section, line = each.spec.section, each.table.line
    key = each.spec.column(each.spec.key)
    what = shown(cell_text(key, state.rows(*path)[number], number + 1))
    at = state.line(*path, number)
    return case.finding(
        'DOC036',
        line,
        f'1.20 (line {at}) names `{what}`, {section} (line {line}) does not',
        'make both the same',
        expected=what,
        key=f'{section}/{where(path)}',
    )


def _cells(case: Case, each: Known, row: Row, number: int) -> Iterator[Finding]:
    """What differs in a row that both have."""
    state, path = case.document.state, each.spec.rows
    data = state.rows(*path)[number]
    for column in each.spec.columns:
        text = each.cell(row, column.name)
        compared = column.fields and column.kind not in {'number', 'summary'}
        if column.name not in each.at or not compared:
            continue
        if not _agrees(column, text, data):
            line = state.line(*path, number, column.fields[0])
            wanted = shown(cell_text(column, data, number + 1))
            yield case.finding(
                'DOC036',
                row.line,
                f'`{column.name}` of {each.spec.section} is `{shown(text)}`, '
                f'1.20 (line {line}) says `{wanted}`',
                'make both the same',
                found=shown(text),
                expected=wanted,
                key=f'{each.spec.section}/{where(path)} {column.name}',
            )


def _is_left(case: Case, path: tuple[str | int, ...]) -> bool:
    """Still has to be filled in, and is told as such."""
    row = case.document.state.get(*path)
    return isinstance(row, dict) and any(
        isinstance(value, str) and is_placeholder(value, case.document.outline)
        for value in row.values()
    )


def _difference(
    case: Case, each: Known, row: Row | None, number: int | None
) -> Iterator[Finding]:
    if number is not None and _is_left(case, (*each.spec.rows, number)):
        return
    elif row is None:
        assert number is not None, 'one of them has the row'
        yield _only_saved(case, each, number)
    elif not is_filled(case, row):
        return
    elif number is None:
        yield _only_written(case, each, row)
    else:
        yield from _cells(case, each, row, number)


def _says_none(case: Case, spec: TableSpec) -> bool:
    """Does a section that should hold a table say that there is nothing?"""
    words = case.document.outline.nothing.get(
        spec.section, case.document.outline.nothing['any']
    )
    for section in case.document.all(spec.section):
        first = next((line for _, line in section.lines if line.strip()), '')
        if not section.tables and starts(bare(first), words):
            return True
    return False


def denied(case: Case) -> Iterator[Finding]:
    """A section says that there is nothing, and the state lists something."""
    outline, state = case.document.outline, case.document.state
    for spec in outline.tables:
        alone = len(outline.tables_of(spec.section)) == 1
        rows = state.rows(*spec.rows) if spec.rows and alone else []
        if rows and _says_none(case, spec):
            key = spec.column(spec.key)
            yield case.finding(
                'DOC036',
                case.document.line(spec.section),
                f'{spec.section} says that there is nothing, 1.20 (line '
                f'{state.line(*spec.rows)}) names '
                f'`{shown(cell_text(key, rows[0], 1))}`',
                'make both the same',
                key=f'{spec.section}/{where(spec.rows)}',
                expected=shown(cell_text(key, rows[0], 1)),
            )


def agree(case: Case) -> Iterator[Finding]:
    state = case.document.state
    for each in known(case):
        path = each.spec.rows
        if path and isinstance(state.get(*path), list):
            for row, number in _by_key(each, state.rows(*path)):
                yield from _difference(case, each, row, number)
