"""Finds tables with one row per item and a column that looks like its status."""

from __future__ import annotations

import os
from collections import Counter
from itertools import filterfalse, pairwise, takewhile

from interlock.documents import markdown
from interlock.documents.text import BOM, decode, plain
from interlock.documents.text import name as name_in
from interlock.files.atomic_files import read
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.clients import NAMES
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Iterable, NamedTuple, Sequence
from interlock.setup.progress_words import (
    FOREIGN_HEADERS,
    FOREIGN_WORK,
    REPORTED,
    common,
    known,
)
from interlock.workflow.language.spec import BEFORE, DONE
from interlock.workflow.reading.item_paths import is_label
from interlock.workflow.reading.status_words import ANNOTATION_RE, bare

# words in a header, the best first
STATUS_HEADERS = ('status', 'state', 'stage', 'progress', 'phase')
# the longest status; longer texts are remarks
LONGEST, MOST_WORDS = 32, 5
MOST_STATES = 20
# a single row could be about anything
FEWEST = 2
# in so few rows, repeated words prove little
FEW_ROWS = 3
FILE_WORDS = frozenset(
    'adr backlog board decision feature item kanban plan progress project registry '
    'requirement roadmap stage state status stories task todo tracker tracking'.split()
)
# folders whose documents are not about the work of the project itself: what it copied,
# gives others as an example, or tells agents
ASIDE = frozenset(
    'agents archive archived commands example examples fixtures node_modules prompts '
    'skills template templates test testdata tests third_party vendor'.split()
).union(f'.{client}' for client in NAMES)
# words in the headers of a table that explains states
MEANINGS = frozenset('definition explanation meaning means'.split())
NUMBERS = frozenset('0123456789.#- ')
# headers of things that are known by their number
NUMBERED = frozenset('adr bug decision epic issue rfc story ticket'.split())
# headers of work
WORK = frozenset({*FILE_WORDS, *NUMBERED})
# words of headers that do not say what an item is
NAMELESS = frozenset('# id name title what'.split())
# headers of files and addresses
PLACES = frozenset('file folder path route url'.split())
# words in the paths of files that say how something went
REPORTS = frozenset('benchmark report result validation verification'.split())
# headers of what a project runs on, offers or understands
SUPPORTED = frozenset(
    'api browser code device endpoint environment error language locale method model '
    'option os package platform provider server service'.split()
)
# a line of dashes below a line with a pipe
TABLE_RE = re.compile(r'^[^|\n]*\|[^\n]*\n(?=[^\n]*-)[-:| \t\r]+$', re.MULTILINE)
# headers of details that differ in each row, but do not name it
DETAILS = frozenset(
    'assignee author date due lead owner responsible updated who'.split()
)


def own_documents(files: Iterable[str]) -> tuple[str, ...]:
    """The files that may be about the work of the project."""
    return tuple(each for each in files if ASIDE.isdisjoint(each.lower().split('/')))


def _words(text: str) -> set[str]:
    """The words of a header or of the name of a file, in the singular."""
    return {
        word if word in WORK else word.removesuffix('s').removesuffix('list')
        for word in re.findall(r'#|[^\W\d_]+', text.lower())
    }


def is_list(file: str) -> bool:
    """Whether a file is named like a list of work, and not like one item of it."""
    folder, name = os.path.split(os.path.splitext(file.lower())[0])
    if name in ('readme', 'index'):
        name = os.path.basename(folder)
    # files with a number in front are one per item: `07-plan`, `adr-7-plan`
    first, _, rest = name.replace('_', '-').partition('-')
    number = rest if first in NUMBERED else first
    is_one = number[:1].isdigit() or 'template' in name
    words = _words(name)
    return not is_one and (
        not FILE_WORDS.isdisjoint(words)
        # every language has plurals of its own
        or any(word.startswith(tuple(FOREIGN_WORK)) for word in words)
    )


def names_work(header: str) -> bool:
    """Whether a header says that its column names pieces of work."""
    return _words(header) <= {*WORK, *NAMELESS}.difference(STATUS_HEADERS)


class MarkdownTable(NamedTuple):
    headers: list[str]
    rows: list[list[str]]


class StatusTable(NamedTuple):
    file: str
    # the headers of the item column and of the status column
    item: str
    status: str
    headers: tuple[str, ...]
    # the name and the status of each row, as written
    rows: tuple[tuple[str, str], ...]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file, self.item, self.status

    @property
    def is_foreign(self) -> bool:
        """Whether its words are not English, so that they have other plurals."""
        return self.status.lower() in FOREIGN_HEADERS or not FOREIGN_WORK.isdisjoint(
            self.item.lower().split()
        )

    @property
    def known(self) -> int:
        """How many rows have a status in common use."""
        return sum(known(word_of(text)) is not None for _, text in self.rows)

    @property
    def is_report(self) -> bool:
        """Whether it says what is supported, or how something went."""
        words = [word_of(text) for _, text in self.rows]
        roles = {found[1] for found in map(known, words) if found}
        # where something waits, a word may name work: `Working`
        own = [word for word in words if BEFORE not in roles or not known(word)]
        if sum(common(word) in REPORTED for word in own) * 2 >= len(words):
            return True
        elif is_list(self.file):
            return False
        header = _words(self.item)
        if not SUPPORTED.isdisjoint(header):
            return True
        elif len({*words}) == 1:
            return NUMBERED.isdisjoint(header)
        is_open = not roles <= {DONE}
        return not self.is_named and not (is_open and self.has_words)

    @property
    def is_of_report(self) -> bool:
        """Whether its file is named like a report about something else than work."""
        name = _words(os.path.basename(self.file))
        return WORK.isdisjoint(name) and not REPORTS.isdisjoint(_words(self.file))

    @property
    def is_clear(self) -> bool:
        """Whether its words show that it is about work, and not a report."""
        number, rows = len(common_words(self)), len(self.rows)
        unusable = [name for name, _ in self.rows if not is_label(name)]
        is_of_places = not PLACES.isdisjoint(_words(self.item))
        if self.is_report or is_of_places or len(unusable) * 2 >= rows:
            return False
        elif is_list(self.file):
            # a team's own words are states if they repeat
            return FEW_ROWS < rows > number > 1 or self.known * 2 >= rows
        # what lies deeper, or has one state, may be a part of a report
        depth = self.file.count('/')
        if depth > 1 or (depth and number == 1) or self.is_of_report:
            return False
        elif self.is_named:
            return self.known * 2 >= rows
        # numbers alone may be those of another tracker
        is_numbered = all(name.lstrip('#').isdigit() for name, _ in self.rows)
        return self.known == rows and not is_numbered

    @property
    def is_possible(self) -> bool:
        """Whether a person may be asked if it is about work."""
        again = self.is_named and len(common_words(self)) * 2 <= len(self.rows)
        is_status = self.status.lower() in (*STATUS_HEADERS, *FOREIGN_HEADERS)
        return self.is_clear or (
            not self.is_report
            and (
                self.known * 2 >= len(self.rows)
                or (is_status and (again or is_list(self.file)))
            )
        )

    @property
    def has_words(self) -> bool:
        """Whether its states are words, and not only marks."""
        return any(map(str.isalpha, ''.join(common_words(self))))

    @property
    def is_named(self) -> bool:
        """Whether the file or the item column is named like a list of work."""
        words = {*_words(self.item), *self.item.lower().split()}
        return is_list(self.file) or not words.isdisjoint(WORK | FOREIGN_WORK)

    @property
    def order(self) -> tuple[bool, bool, int, int, str]:
        """A sort key: the likeliest table comes first."""
        depth = self.file.count('/')
        return not self.is_clear, not self.is_named, depth, -len(self.rows), self.file


def tables(text: str) -> Sequence[MarkdownTable]:
    # most files have none, and need not be split into lines
    return _tables(text) if TABLE_RE.search(text) else ()


@functools.cache
def _tables(text: str) -> Sequence[MarkdownTable]:
    found = []
    lines = [line for _, line in markdown.visible_lines(text)]
    for number, (line, below) in enumerate(pairwise(lines)):
        if '|' in line and markdown.is_delimiter(below.encode()):
            rows = takewhile(lambda row: '|' in row, lines[number + 2 :])
            found.append(
                MarkdownTable(
                    [plain(cell) for cell in markdown.cells(line)],
                    [markdown.cells(row) for row in rows],
                )
            )
    return found


def _text(top: str, file: str) -> str:
    """The content of a file; '' if it is not text."""
    try:
        data = read(os.path.join(top, file)) or b''
        return decode(Blob('', len(data), data.removeprefix(BOM)))
    except Unreadable:
        return ''


def tables_in(top: str, file: str) -> Sequence[MarkdownTable]:
    return tables(_text(top, file))


def header_alone(top: str, file: str) -> int:
    """The line of a header that has a status and rows, but no line of dashes below
    it; 0 if there is none."""
    text = _text(top, file)
    lines = [(0, ''), *markdown.visible_lines(text if '|' in text else '')]
    for (_, above), (number, line), (_, below) in zip(
        lines, lines[1:], lines[2:], strict=False
    ):
        if (
            below.count('|') == line.count('|') > 0
            and '|' not in above
            and not markdown.is_delimiter(below.encode())
        ):
            headers = [plain(cell) for cell in markdown.cells(line)]
            # a command of the shell has `||` in it
            if all(headers) and status_header(headers):
                return number
    return 0


def word_of(text: str) -> str:
    """A status without styling, and without a remark in parentheses."""
    word = bare(text)
    match = ANNOTATION_RE.match(word)
    return match[1] if match and match[1] else word


def status_header(headers: Sequence[str]) -> str:
    """The header that looks most like a status, '' if none does."""
    for wanted in (*STATUS_HEADERS, *FOREIGN_HEADERS):
        for header in headers:
            if header.lower() == wanted:
                return header
    for wanted in STATUS_HEADERS[:2]:
        for header in headers:
            if wanted in header.lower().split():
                return header
    return ''


def _column(table: MarkdownTable, header: str) -> list[str]:
    at = table.headers.index(header)
    return [row[at].strip() if at < len(row) else '' for row in table.rows]


def _item_header(table: MarkdownTable, status: str) -> str:
    """The first column whose cells name the rows, '' if there is none."""
    numbered = ''
    for header in table.headers:
        if not header or header == status or table.headers.count(header) > 1:
            continue
        names = [name_in(cell) for cell in _column(table, header)]
        if not all(names) or len({*names}) < len(names):
            continue
        if header.lower() in DETAILS:
            continue
        is_numbered = all(set(name) <= NUMBERS for name in names)
        if not is_numbered or header.lower() in NUMBERED:
            return header
        numbered = numbered or header
    return numbered


def _is_short(word: str) -> bool:
    return len(word) <= LONGEST and len(word.split()) <= MOST_WORDS


def _fault(table: MarkdownTable, status: str, fewest: int = FEWEST) -> str:
    """Why a column of a table cannot hold the states of its rows, '' if it can."""
    words = [word_of(cell) for cell in _column(table, status)]
    distinct = {*words}
    long = [*filterfalse(_is_short, sorted(distinct))]
    if not words:
        return 'its table has no rows yet'
    elif '' in distinct:
        return f'row {words.index("") + 1} of its table has no `{status}`'
    elif long:
        return f'`{long[0]}` is longer than a state'
    elif len(distinct) > MOST_STATES:
        return f'`{status}` has more than {MOST_STATES} different states'
    elif len(words) < fewest:
        return 'its table has only one row'
    elif not _item_header(table, status):
        return 'no column of its table has another name in each row'
    return ''


def why_unusable(top: str, file: str, column: str) -> str:
    """Why a column of a file cannot hold states, '' if it can."""
    for table in tables_in(top, file):
        status = column or status_header(table.headers)
        if status in table.headers and (why := _fault(table, status)):
            return why
    return ''


def _is_legend(table: MarkdownTable, item: str, status: str) -> bool:
    """Whether the table explains states, or translates them into others."""
    words = [word_of(cell) for cell in _column(table, status)]
    if not _words(item).isdisjoint(STATUS_HEADERS[:2]):
        return True
    elif len({*words}) < len(words):
        return False
    headers = {word for header in table.headers for word in header.lower().split()}
    if table.headers[0] == status or not headers.isdisjoint(MEANINGS):
        return True
    names = [name_in(cell) for cell in _column(table, item)]
    is_key = all(len(name) == 1 or set(name) <= NUMBERS for name in names)
    is_foreign = status.lower() in FOREIGN_HEADERS
    # a few items may all be in different states
    return len(names) > 3 and (is_key or not (is_foreign or names_work(item)))


def _registry(
    table: MarkdownTable,
    file: str,
    status: str,
    others: Iterable[StatusTable],
    legends: bool,
    fewest: int,
) -> StatusTable | None:
    goes_on = any((each.file, each.status) == (file, status) for each in others)
    if _fault(table, status, fewest=1 if goes_on else fewest):
        return None
    item = _item_header(table, status)
    if not legends and _is_legend(table, item, status):
        return None
    pairs = zip(_column(table, item), _column(table, status), strict=True)
    rows = tuple((name_in(name), text) for name, text in pairs)
    return StatusTable(file, item, status, tuple(table.headers), rows)


def status_tables(
    top: str,
    files: Iterable[str],
    column: str = '',
    legends: bool = False,
    fewest: int = FEWEST,
) -> list[StatusTable]:
    """Every table with at least so many rows that may be a registry, the likeliest
    first.

    Tables in one file with the same columns are one registry. With `legends`,
    tables that seem to explain states count too.
    """
    found: dict[tuple[str, str, str], StatusTable] = {}
    for file in files:
        for table in tables_in(top, file):
            status = column if column in table.headers else ''
            status = status or ('' if column else status_header(table.headers))
            others = found.values()
            read_as = (
                _registry(table, file, status, others, legends, fewest)
                if status
                else None
            )
            if read_as is None:
                continue
            before = found.get(read_as.key)
            rows = before.rows if before else ()
            found[read_as.key] = read_as._replace(rows=(*rows, *read_as.rows))
    return sorted(found.values(), key=lambda each: each.order)


def usable_columns(top: str, file: str) -> list[str]:
    """Columns that could hold the states of items, whatever their header."""
    headers = dict.fromkeys(
        header
        for table in tables_in(top, file)
        for header in table.headers
        if header and header.lower() not in DETAILS
    )
    found = {
        header: tables[0]
        for header in headers
        if (tables := status_tables(top, [file], header))
    }
    return sorted(found, key=lambda header: -found[header].known)


def other_tables(top: str, files: Iterable[str]) -> list[StatusTable]:
    """Tables in files that are named like lists of work, with common states in a
    column whose header does not name states."""
    found = [
        table
        for file in filter(is_list, files)
        for column in usable_columns(top, file)
        if not status_header([column])
        for table in status_tables(top, [file], column)
        if table.known * 2 > len(table.rows)
        and table.has_words
        and len(common_words(table)) > 1
    ]
    return sorted(found, key=lambda each: each.order)


def common_words(table: StatusTable) -> Counter[str]:
    return Counter(word_of(text) for _, text in table.rows)
