"""Tables: their words are valid, and they agree with 1.20.

The outline defines every table: its columns, and where its rows are in the state.
"""

from __future__ import annotations

import itertools

from interlock.documents.markdown import Row, Table
from interlock.documents.text import shown
from interlock.handoff_document.case import (
    SAME,
    Case,
    disagreement,
    finding,
    rule,
    unmatched,
)
from interlock.handoff_document.comparisons import is_null, norm, same
from interlock.handoff_document.document import bare, starts
from interlock.handoff_document.outline import ColumnSpec, TableSpec
from interlock.model.finding import Finding
from interlock.model.quick_typing import Any, Iterator, NamedTuple
from interlock.model.schema_check import where


class KnownTable(NamedTuple):
    """A table of the document with its definition in the outline."""

    spec: TableSpec
    table: Table
    # column -> its number in this table
    columns: dict[str, int]

    @property
    def key(self) -> str:
        """Its identity in findings."""
        return f'{self.spec.section}/{where(self.spec.rows)}'

    def cell(self, row: Row, name: str) -> str:
        number = self.columns.get(name, -1)
        return row.cells[number] if 0 <= number < len(row.cells) else ''


def _heading(text: str) -> str:
    """`Path` for `Path (ABSOLUTE)`, `Skip` for `Skip?`."""
    return norm(text.partition('(')[0].rstrip('? '))


def match(table: Table, spec: TableSpec) -> KnownTable | None:
    """The table as the one of the outline, if its columns match."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(table.header):
        numbers.setdefault(_heading(name), number)
    columns = {
        name: numbers[_heading(name)]
        for name in spec.header
        if _heading(name) in numbers
    }
    enough = 2 * len(columns) > len(spec.columns) and spec.key.name in columns
    return KnownTable(spec, table, columns) if enough else None


def known_tables(case: Case) -> Iterator[KnownTable]:
    for spec in case.outline.tables:
        for section in case.document.all(spec.section):
            found = filter(None, (match(table, spec) for table in section.tables))
            best = max(found, key=lambda each: len(each.columns), default=None)
            if best is not None:
                yield best


@rule('DOC037', 'write one of the words')
def words_are_allowed(case: Case) -> Iterator[Finding]:
    for each in known_tables(case):
        for column in each.spec.columns:
            words = ', '.join(column.values)
            restricted = words and column.name in each.columns
            for row in each.table.rows if restricted else ():
                text = each.cell(row, column.name)
                if case.is_open(text) or norm(text) in map(norm, column.values):
                    continue
                name = f'`{column.name}` of {each.spec.section}'
                yield finding(
                    row.line,
                    f'{name} is `{shown(text)}`, not one of {words}',
                    found=shown(text),
                    key=f'{each.spec.section} {column.name}',
                    todo=f'write one of {words}',
                )


def cell_text(column: ColumnSpec, row: dict[str, Any], number: int) -> str:
    """The text of a cell for a row of the state."""
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
    # `Phase 4 / Task 10` names both fields as well
    return len(column.fields) > 1 and all(
        norm(str(row.get(field) or '')) in norm(text) for field in column.fields
    )


def _pairs(
    each: KnownTable, rows: list[dict[str, Any]]
) -> Iterator[tuple[Row | None, int | None]]:
    """The rows of the table, each with the number of its row in the state."""
    key = each.spec.key
    if not key.fields:
        yield from itertools.zip_longest(each.table.rows, range(len(rows)))
        return
    left: dict[str, list[int]] = {}
    for number, data in enumerate(rows):
        left.setdefault(norm(cell_text(key, data, 0)), []).append(number)
    for row in each.table.rows:
        text = each.cell(row, key.name)
        numbers = left.get(norm(key.nothing if is_null(text) else text))
        yield row, numbers.pop(0) if numbers else None
    for number in sorted(itertools.chain(*left.values())):
        yield None, number


def is_filled(case: Case, row: Row) -> bool:
    """Whether a row is neither from the template nor says "nothing"."""
    return not any(case.is_open(cell.strip('`')) for cell in row.cells) and not all(
        map(is_null, row.cells)
    )


def _cells(case: Case, each: KnownTable, row: Row, number: int) -> Iterator[Finding]:
    """The differences in a row that both have."""
    path = each.spec.rows
    data = case.state.rows(*path)[number]
    for column in each.spec.columns:
        compared = column.fields and column.kind not in {'number', 'summary'}
        text = each.cell(row, column.name)
        if not compared or column.name not in each.columns:
            continue
        if not _agrees(column, text, data):
            line = case.state.line(*path, number, column.fields[0])
            wanted = cell_text(column, data, number + 1)
            name, key = column.name, f'{each.key} {column.name}'
            what = f'`{name}` of {each.spec.section}'
            yield disagreement(row.line, what, text, line, wanted, key)


def _differences(
    case: Case, each: KnownTable, row: Row | None, number: int | None
) -> Iterator[Finding]:
    spec, state, line = each.spec, case.state, each.table.line
    data = state.rows(*spec.rows)[number] if number is not None else {}
    if any(map(case.is_open, data.values())):
        # another rule reports it as not filled in
        return
    elif row is None and number is not None:
        name, at = cell_text(spec.key, data, number + 1), state.line(*spec.rows, number)
        message = unmatched('1.20', at, shown(name), spec.section, line)
        yield finding(line, message, expected=shown(name), key=each.key)
    elif row is None or not is_filled(case, row):
        return
    elif number is None:
        name, at = each.cell(row, spec.key.name), state.line(*spec.rows)
        message = unmatched(spec.section, row.line, shown(name), '1.20', at)
        yield finding(row.line, message, found=shown(name), key=each.key)
    else:
        yield from _cells(case, each, row, number)


@rule('DOC036', SAME)
def tables_agree_with_the_state(case: Case) -> Iterator[Finding]:
    for each in known_tables(case):
        path = each.spec.rows
        if path and isinstance(case.state.get(*path), list):
            for row, number in _pairs(each, case.state.rows(*path)):
                yield from _differences(case, each, row, number)


def _says_none(case: Case, section: str) -> bool:
    """Whether a section that should hold a table says that there is nothing."""
    words = case.outline.nothing.get(section, case.outline.nothing['any'])
    for each in case.document.all(section):
        first = next((line for _, line in each.lines if line.strip()), '')
        if not each.tables and starts(bare(first), words):
            return True
    return False


@rule('DOC036', SAME)
def state_is_not_denied(case: Case) -> Iterator[Finding]:
    """A section may say "nothing" only if the state has nothing."""
    for spec in case.outline.tables:
        section = spec.section
        alone = len(case.outline.tables_of(section)) == 1
        rows = case.state.rows(*spec.rows) if spec.rows and alone else []
        if rows and _says_none(case, section):
            name, at = (
                shown(cell_text(spec.key, rows[0], 1)),
                case.state.line(*spec.rows),
            )
            message = (
                f'{section} says that there is nothing, 1.20 (line {at}) names `{name}`'
            )
            key = f'{section}/{where(spec.rows)}'
            yield finding(case.document.line(section), message, key=key, expected=name)
