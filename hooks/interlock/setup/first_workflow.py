"""The workflow of a project without a preset: from its table, or without items."""

from __future__ import annotations

import os
from itertools import islice

from interlock.documents.registry.record import Shape
from interlock.documents.registry.table import Registry
from interlock.documents.text import decode, emoji, encoding_of, shown
from interlock.files.atomic_files import read
from interlock.git.git_paths import FILE
from interlock.git.line_history import History
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.fixes import nearest, ours, quoted
from interlock.model.quick_typing import (
    Callable,
    Container,
    Iterable,
    Iterator,
    NamedTuple,
    Sequence,
)
from interlock.model.report import plural
from interlock.report.progress import progress
from interlock.setup.basic_workflow import (
    LEARNED,
    MOST_LINES,
    BasicWorkflow,
    basic_workflow,
    lines_of,
    misspelled,
)
from interlock.setup.learned_steps import OFTEN, LearnedSteps, columns_of, steps
from interlock.setup.status_tables import (
    STATUS_HEADERS,
    StatusTable,
    common_words,
    header_alone,
    is_list,
    names_work,
    other_tables,
    status_header,
    status_tables,
    tables,
    tables_in,
    usable_columns,
    why_unusable,
    word_of,
)
from interlock.setup.workflow_detection import HEAD, DetectedWorkflow, others_missing
from interlock.workflow.reading.item_paths import is_label, is_path_name, why_no_name

# for a project with only handoff documents and saved states
NO_ITEMS = """\
# No items are tracked; handoff documents and saved states do not need them.
# To check handoff documents at every commit, name them:
# documents: {handoffs: ['handoffs/*.md']}
# To track items, extend a preset; `interlock init --help` lists them all:
# extends: basic
"""
BEGIN = 'interlock init --preset basic'
# how many words of a column are shown, to identify its table
MOST_SHOWN = 4
# how many files are searched for a column that changed like states
MOST_HISTORIES = 16


class Interview(NamedTuple):
    """The questions for a person, if there is one; each has a default answer."""

    table: Callable[[Sequence[StatusTable]], StatusTable | None]
    # asks how steps are chosen, given what the table and the history suggest
    steps: Callable[[BasicWorkflow], str]
    frozen: Callable[[BasicWorkflow], str]


def _likeliest(found: Sequence[StatusTable]) -> StatusTable | None:
    # where many files have such a table, nothing says which of them is the list
    rivals = {each.file for each in found if each.order[:3] == found[0].order[:3]}
    return found[0] if 0 < len(rivals) <= MOST_SHOWN and found[0].is_clear else None


NOBODY = Interview(_likeliest, lambda basic: basic.how, lambda _: '')


def learn(table: StatusTable, history: History) -> LearnedSteps:
    columns = columns_of(table.headers, table.item, table.status)
    assert columns is not None, 'both are headers of the table'
    names, emojis = (table.item, table.status), dict[str, str]()

    def read(cell: str) -> str:
        word, mark = word_of(cell), emoji(cell)
        if mark not in ('', word):
            # the newest commit comes first
            emojis.setdefault(word, mark)
        return word

    found = tuple(steps(history(table.file), columns, names, read))
    return LearnedSteps(found, emojis=emojis)


def _moves(table: StatusTable, history: History) -> int:
    """How many steps its rows took between words that recur, as states do."""
    taken = [step.after for step in learn(table, history).steps if step.is_move]
    return len(taken) if len({*taken}) < len(taken) else 0


def _likely_columns(
    top: str, file: str, history: History
) -> list[tuple[int, StatusTable]]:
    """The columns that may hold states, with the steps that their rows took; the
    likeliest first."""
    found = [
        table
        for column in usable_columns(top, file)
        for table in status_tables(top, [file], column)[:1]
    ]
    moves = [(_moves(table, history), table) for table in found]
    return sorted(moves, key=lambda each: -each[0])


def moving_tables(
    top: str, files: Iterable[str], history: History
) -> list[StatusTable]:
    """Tables whose rows take steps in a column that is not named like a status, the
    most steps first; each file costs a walk through the history."""
    usable = (file for file in files if usable_columns(top, file))
    likely = [*islice(usable, MOST_HISTORIES)]
    found = [
        (moves, table)
        for file in progress(likely, 'reading histories')
        for moves, table in _likely_columns(top, file, history)[:1]
        if moves >= OFTEN and table.has_words and not status_header([table.status])
    ]
    return [table for _, table in sorted(found, key=lambda each: -each[0])]


def here(top: str, file: str) -> str:
    """The path of a file, relative to the user's directory."""
    return os.path.relpath(os.path.join(top, file))


def _tabled(top: str, file: str) -> str:
    """The next step for a file without a table."""
    new = here(top, f'{os.path.splitext(file)[0]}.md')
    return f'write one into {quoted([new])}, then: {ours("init", "--registry", new)}'


def file_with_column(top: str, files: Sequence[str], column: str) -> str:
    """The likeliest file with such a column, or with one that may be meant."""
    found = status_tables(top, files, column)
    found = found or status_tables(top, files, column, legends=True)
    if found:
        return found[0].file
    listed = [file for file in files if any(tables_in(top, file))]
    if not listed:
        what = f'there is no column `{column}`: no markdown file has a table'
        raise Refusal(what, BEGIN)
    return max(
        listed, key=lambda file: (bool(usable_columns(top, file)), is_list(file))
    )


def named_table(
    top: str,
    file: str,
    column: str,
    history: History,
    tracked: Container[tuple[str, str, str]] = (),
) -> StatusTable:
    """The table in a file that a person named, if no workflow tracks it yet."""
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
    # a person who names a table knows what it lists
    found = found or status_tables(top, [file], column, legends=True, fewest=1)
    for table in found:
        if table.key not in tracked:
            return table
    if found:
        raise Refusal(f'the items in {file} are tracked already', 'interlock status')
    headers = [
        ', '.join(header or '(no header)' for header in table.headers)
        for table in tables_in(top, file)
    ]
    if not headers:
        raise Refusal(
            f'{file} holds no markdown table; a table of items has a header, a line '
            f'of dashes and one row for each item',
            _tabled(top, file),
        )
    why = why_unusable(top, file, column)
    if why:
        raise Refusal(
            f'{file} lists no items: {shown(why)}', f'correct {quoted([file])} by hand'
        )
    what = f'`{column}`' if column else ', '.join(STATUS_HEADERS)
    usable = [table.status for _, table in _likely_columns(top, file, history)]
    meant = nearest(column, usable) or ''.join(usable[:1])
    # a person may know that words of their own are states
    meant = meant or nearest(
        column, (each for table in tables_in(top, file) for each in table.headers[1:])
    )
    candidates = f'; {" or ".join(usable)} may hold the states' if usable else ''
    raise Refusal(
        f'no table in {file} lists items with a column {what}; its columns are '
        f'{shown("; ".join(headers) + candidates)}',
        ours('init', '--registry', here(top, file), '--column', meant)
        if meant
        else f'add a column Status to the table in {file}, or rename one to it',
    )


def _converting(file: str, data: bytes) -> str:
    name = quoted([file])
    encoding = encoding_of(data)
    if not encoding:
        return f'save {name} as UTF-8 text'
    return f'iconv -f {encoding} -t UTF-8 {name} >{name}.new && mv {name}.new {name}'


def _unreadable(top: str, files: Iterable[str], begin: str) -> Iterator[str]:
    """Files that would have a table if they were encoded in UTF-8."""
    for file in files:
        data = read(os.path.join(top, file)) or b''
        try:
            decode(Blob('', len(data), data))
        except Unreadable as e:
            if any(tables(data.decode('latin-1').replace('\0', ''))):
                where = here(top, file)
                converting = _converting(where, data)
                joined = '&&' if encoding_of(data) else 'and then:'
                yield (
                    f'{file}:{e.line}: {e.message}, so its tables were not read\n'
                    f'next: {converting} {joined} {begin}'
                    f'{ours("init", "--registry", where)}'
                )


def _without_dashes(
    top: str,
    files: Iterable[str],
    begin: str,
    end: str = '',
    reported: tuple[str, int] = ('', 0),
) -> Iterator[str]:
    """Files with a table that markdown does not read as one; `reported`: the file
    and the line of which something else says so."""
    found = ((file, header_alone(top, file)) for file in files)
    new = (each for each in found if each[1] and each != reported)
    for file, line in islice(new, MOST_SHOWN):
        yield (
            f'{file}:{line}: this header of a table has no line like `|---|---|` '
            f'below it, so its rows were not read; add that line\n    then: '
            f'{begin}{ours("init", "--registry", here(top, file))}{end}'
        )


def _by_column(top: str, table: StatusTable, begin: str) -> str:
    """The advice to take the states from a column that is not named like a status."""
    named = ('--registry', here(top, table.file), '--column', table.status)
    return (
        f'{_columns(table.file, table.headers)}\n    if `{shown(table.status)}` holds '
        f'the states of its rows: {begin}{ours("init", *named)}'
    )


def _columns(file: str, headers: Iterable[str]) -> str:
    return (
        f'{file} has a table without a column like Status (its columns are '
        f'{shown(", ".join(headers))})'
    )


def _without_status(top: str, files: Iterable[str], begin: str) -> Iterator[str]:
    """Advice for each file named like a list of work, by its first table."""
    for file in filter(is_list, files):
        found = tables_in(top, file)
        if not found:
            continue
        why = why_unusable(top, file, '')
        progress = other_tables(top, [file])
        if progress:
            yield _by_column(top, progress[0], begin)
            continue
        elif not names_work(found[0].headers[0]):
            continue
        elif why:
            what = f'{file} lists no items: {shown(why)}; correct that\n    then: '
        elif status_header(found[0].headers):
            # its states are those of a report
            continue
        else:
            columns = _columns(file, found[0].headers)
            what = f'{columns}; to track its rows, add one\n    then: '
        yield f'{what}{begin}{ours("init", "--registry", here(top, file))}'


def without_items(
    top: str,
    files: Sequence[str],
    weak: Sequence[StatusTable],
    moving: Sequence[StatusTable] = (),
) -> DetectedWorkflow:
    """`moving`: tables that took steps in a column not named like a status."""
    begin = f'rm {quoted([here(top, FILE)])} && '
    advice = [*_unreadable(top, files, begin), *_without_dashes(top, files, begin)]
    clear = {table.file for table in weak if table.is_clear}
    legends = status_tables(top, files, legends=True)
    lists = [each for each in legends if names_work(each.item) and each.is_possible]
    for first in [*weak, *lists][:1]:
        words = shown(', '.join([*common_words(first)][:MOST_SHOWN]))
        known = (
            f'the rows of {first.file} are not tracked\n    to track them after all'
            if clear
            else f'{first.file} has a table with a column `{first.status}` ({words})\n'
            f'    if these are the states of your items'
        )
        named = ours('init', '--registry', here(top, first.file))
        advice.append(f'{known}: {begin}{named}')
    if not advice:
        # the history shows more than the name of a file
        advice.extend(_by_column(top, each, begin) for each in moving[:MOST_SHOWN])
    if not advice:
        advice.extend(islice(_without_status(top, files, begin), MOST_SHOWN))
    if not advice:
        advice.append(
            f'if you have a table of items, name it with --registry\n'
            f'    to begin a new one: {begin}{BEGIN}'
        )
    missing = (
        f'no table was chosen of those in {plural(len(clear), "file")}'
        if len(clear) > MOST_SHOWN
        else 'no table was chosen'
        if clear
        else 'no table has states in a column like Status'
        if legends
        else 'no markdown table with words in a column like Status was found'
    )
    return DetectedWorkflow(
        HEAD.format(extends=NO_ITEMS),
        f'{missing}, so it tracks no items; handoff documents and saved states do '
        f'not need them',
        advice,
    )


def _added(top: str) -> str:
    return f' >>{quoted([here(top, FILE)])}'


def one_more(top: str, place: str, how: str) -> str:
    """The advice to track another file or folder, too."""
    command = f'{ours("init", "--registry", here(top, place))}{_added(top)}'
    return f'{place} {how} too\n    to track them: {command}'


def more_tables(top: str, found: Iterable[StatusTable]) -> Iterator[str]:
    for table in islice((each for each in found if each.is_clear), MOST_SHOWN):
        yield one_more(top, table.file, f'lists items by `{table.item}`')


def others(
    top: str, chosen: StatusTable, found: Iterable[StatusTable], files: Iterable[str]
) -> Iterator[str]:
    """Suggest other tables that are registries too: a workflow may have several."""
    yield from more_tables(top, (table for table in found if table != chosen))
    problem = _problem(top, chosen)
    reported = (chosen.file, problem.line if problem else 0)
    yield from _without_dashes(top, files, '', _added(top), reported)


def _problem(top: str, table: StatusTable) -> Unreadable | None:
    """Why the checks could not read the registry, although it has the table."""
    data = read(os.path.join(top, table.file)) or b''
    columns = (('item', table.item), ('status', table.status))
    return Registry(Blob('', len(data), data), Shape(columns, 0, (), ())).problem


def of_table(
    top: str,
    table: StatusTable,
    history: History,
    interview: Interview,
    taken: Container[str] = (),
) -> tuple[DetectedWorkflow, LearnedSteps]:
    learned = learn(table, history)
    basic = basic_workflow(table, learned)
    how = interview.steps(basic)
    basic = basic_workflow(table, learned, how, taken)
    basic = basic._replace(frozen=interview.frozen(basic))
    head = HEAD.format(extends='')
    lines = lines_of(basic, MOST_LINES - head.count('\n'))
    advice = []
    problem = _problem(top, table)
    if problem is not None:
        advice.append(
            f'{table.file}:{problem.line}: the registry {problem.message}; until that '
            f'is corrected by hand, no items are checked'
        )
    fits = is_path_name if basic.frozen else is_label
    unusable = [name for name, _ in table.rows if not fits(name)]
    if unusable:
        advice.append(
            f'{plural(len(unusable), "name")} cannot be the name of an item: '
            f'{shown(", ".join(unusable))} ({why_no_name(unusable[0])}); '
            f'rename {"it" if len(unusable) == 1 else "them"} in {table.file}'
        )
    named = ('--registry', here(top, table.file), '--column', table.status)
    again = f'rm {quoted([here(top, FILE)])} && {ours("init", *named)}'
    for word, near in misspelled(table):
        advice.append(
            f'`{shown(word)}` is a state of its own now; if it is a misspelled '
            f'`{shown(near)}`, correct it in {table.file}\n    then: {again}'
        )
    if len(basic.states) == 1:
        keys = '`states` and `transitions`'
        advice.append(others_missing('row', basic.states[0].name, keys))
    items = plural(len(table.rows), 'item')
    remark = f'{table.file}: {items} by `{table.item}`, states by `{table.status}`'
    if basic.how == LEARNED:
        remark += f', {plural(len(learned.steps), "step")} in the history'
        advice.extend(filter(None, [learned.left_out]))
    text = head + '\n'.join(lines) + '\n'
    return DetectedWorkflow(text, remark, advice), learned
