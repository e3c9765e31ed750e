"""The workflow of a project that follows no preset: by its table, or none."""

from __future__ import annotations

import os
import shlex
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from interlock.documents.text import decode, shown
from interlock.files.atomic_files import read
from interlock.git.line_history import History
from interlock.git.workflow_source import FILE
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import (
    Callable,
    Iterable,
    Iterator,
    NamedTuple,
    Sequence,
)
from interlock.model.report import plural
from interlock.setup.basic_workflow import (
    LEARNED,
    MOST_LINES,
    Basic,
    basic_workflow,
    lines_of,
)
from interlock.setup.learned_steps import Learned, columns_of, steps
from interlock.setup.status_tables import (
    STATUS_HEADERS,
    StatusTable,
    status_tables,
    tables,
    tables_in,
)
from interlock.setup.workflow_detection import HEAD, Detected
from interlock.workflow.language.presets import presets

# for handoff documents and saved states alone
NO_ITEMS = """\
# No items are tracked; handoff documents and saved states do not need them. To
# track some, extend a preset: {presets}
"""
BEGIN = 'interlock init --preset basic'


class Interview(NamedTuple):
    """What a person is asked where there is one; each has a default."""

    table: Callable[[Sequence[StatusTable]], StatusTable | None]
    # of how steps are chosen, by what the table and the history suggest
    steps: Callable[[Basic, Learned], str]
    frozen: Callable[[Basic], str]


def _likeliest(found: Sequence[StatusTable]) -> StatusTable | None:
    return found[0] if found and found[0].is_clear else None


NOBODY = Interview(_likeliest, lambda basic, _: basic.how, lambda _: '')


def learn(table: StatusTable, history: History) -> Learned:
    columns = columns_of(table.headers, table.item, table.status)
    assert columns is not None, 'both are headers of the table'
    names = (table.item, table.status)
    return Learned(tuple(steps(history(table.file), columns, names)))


def named_table(top: str, file: str, column: str) -> StatusTable:
    """The table of a file that a person named."""
    path = os.path.join(top, file)
    if not os.path.isfile(path):
        raise Refusal(f'{file} does not exist', 'git ls-files "*.md"')
    try:
        data = read(path) or b''
        decode(Blob('', len(data), data))
    except Unreadable as e:
        raise Refusal(
            f'{file}:{e.line}: {e.message}', _converting(file, data)
        ) from None
    found = status_tables(top, [file], column)
    if found:
        return found[0]
    headers = [', '.join(table.headers) for table in tables_in(top, file)]
    if not headers:
        raise Refusal(
            f'{file} holds no table; a table of items has a header, a line of '
            f'dashes and one row for each item',
            BEGIN,
        )
    what = f'`{column}`' if column else ', '.join(STATUS_HEADERS)
    raise Refusal(
        f'no table in {file} lists items with a column {what}; its columns are '
        f'{shown("; ".join(headers))}',
        shlex.join(['interlock', 'init', '--registry', file, '--column', 'HEADER']),
    )


def _converting(file: str, data: bytes) -> str:
    name = shlex.quote(file)
    encoding = 'UTF-16' if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else 'LATIN1'
    return f'iconv -f {encoding} -t UTF-8 {name} >{name}.new && mv {name}.new {name}'


def _unreadable(top: str, files: Iterable[str]) -> Iterator[str]:
    """Files that would have a table, were they in UTF-8."""
    for file in files:
        data = read(os.path.join(top, file)) or b''
        try:
            decode(Blob('', len(data), data))
        except Unreadable as e:
            if any(tables(data.decode('latin-1').replace('\0', ''))):
                yield (
                    f'{file}:{e.line}: {e.message}, so its tables were not read\n'
                    f'next: {_converting(file, data)}'
                )


def without_items(
    top: str, files: Sequence[str], weak: Sequence[StatusTable]
) -> Detected:
    comment = NO_ITEMS.format(presets=', '.join(presets()))
    advice = [*_unreadable(top, files)]
    if weak:
        named = shlex.join(['interlock', 'init', '--registry', weak[0].file])
        advice.append(
            f'{weak[0].file} has a table with a column `{weak[0].status}`, whose '
            f'values do not look like states; if it lists your items: rm {FILE} && '
            f'{named}'
        )
    elif not advice:
        advice.append(
            f'to track items in a table: rm {FILE} && {BEGIN} (or --registry FILE)'
        )
    missing = (
        'no table has states in a column like Status'
        if weak
        else 'no table with a column like Status was found'
    )
    return Detected(
        HEAD.format(extends=comment),
        f'{missing}, so it tracks no items; handoff documents and saved states do '
        f'not need them',
        advice,
    )


def of_table(
    table: StatusTable, history: History, interview: Interview
) -> tuple[Detected, Learned]:
    learned = learn(table, history)
    basic = basic_workflow(table, learned)
    how = interview.steps(basic, learned)
    basic = basic_workflow(table, learned, how)
    basic = basic._replace(frozen=interview.frozen(basic))
    head = HEAD.format(extends='')
    lines = lines_of(basic, MOST_LINES - head.count('\n'))
    advice = []
    if table.unusable:
        advice.append(
            f'{plural(len(table.unusable), "name")} cannot be the name of an item '
            f"(letters, digits, spaces and . + & ' - _ can): "
            f'{shown(", ".join(table.unusable))}'
        )
    items = plural(len(table.rows), 'item')
    remark = f'{table.file}: {items} by `{table.item}`, states by `{table.status}`'
    if basic.how == LEARNED:
        remark += f', {plural(len(learned.steps), "step")} in the history'
    text = head + '\n'.join(lines) + '\n'
    return Detected(text, remark, advice), learned
