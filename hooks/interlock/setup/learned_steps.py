"""The steps between states that the history of a table really took."""

from __future__ import annotations

from collections import Counter

from interlock.documents import markdown
from interlock.documents.text import name as name_in
from interlock.documents.text import plain
from interlock.git.line_history import LineChange
from interlock.model.quick_typing import Callable, Iterable, Iterator, NamedTuple
from interlock.setup.status_tables import LONGEST, status_header, word_of
from interlock.workflow.language.spec import NOTHING

# a step that was taken so often, or is so large a part of all, is a habit
OFTEN, PART = 3, 0.05


class Step(NamedTuple):
    before: str
    after: str
    item: str
    commit: str
    date: str


class Columns(NamedTuple):
    item: int
    status: int
    # a row of another table has another number of cells
    width: int


# of a cell, the state that it means; '' for none
Reading = Callable[[str], str]


def columns_of(headers: Iterable[str], item: str, status: str) -> Columns | None:
    found = [*headers]
    if item not in found or status not in found or item == status:
        return None
    return Columns(found.index(item), found.index(status), len(found))


def _older_columns(change: LineChange, names: tuple[str, str]) -> Columns | None:
    """Where the columns were before a commit that changed the header."""
    for line in change.removed:
        headers = [plain(cell) for cell in markdown.cells(line)] if '|' in line else []
        if len(headers) < 2:
            continue
        item, status = names
        status = status if status in headers else status_header(headers)
        found = columns_of(headers, item if item in headers else headers[0], status)
        # the header of this table keeps one of its two names
        if found and {*names} & {*headers}:
            return found
    return None


def _states(lines: Iterable[str], at: Columns, read: Reading) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        cells = markdown.cells(line) if '|' in line else []
        if len(cells) != at.width or markdown.is_delimiter(line.encode()):
            continue
        name, state = name_in(cells[at.item]), read(cells[at.status])
        if name and state:
            found.setdefault(name, state)
    return found


def steps(
    history: Iterable[LineChange],
    columns: Columns,
    names: tuple[str, str],
    read: Reading = word_of,
) -> Iterator[Step]:
    """From the newest commit on. Rows that came with the file took no step."""
    taken: list[Step] = []
    for change in history:
        # what an older commit added is not known to be the first one yet
        yield from taken
        taken = []
        older = _older_columns(change, names)
        old = _states(change.removed, older or columns, read)
        for item, after in _states(change.added, columns, read).items():
            if len(after) > LONGEST or item in names:
                continue
            before = old.get(item, NOTHING)
            if before != after:
                taken.append(Step(before, after, item, change.commit, change.date))
        columns = older or columns
    yield from (step for step in taken if step.before != NOTHING)


class Learned(NamedTuple):
    steps: tuple[Step, ...]

    @classmethod
    def joined(cls, several: Iterable[Learned]) -> Learned:
        return cls(tuple(step for one in several for step in one.steps))

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        return Counter((each.before, each.after) for each in self.steps)

    @property
    def habits(self) -> list[tuple[str, str]]:
        """What becomes legal, the most frequent first."""
        total = len(self.steps)
        return [
            pair
            for pair, number in self.counts.most_common()
            if number >= OFTEN or number >= total * PART
        ]

    def report(self) -> Iterator[str]:
        """Every step, with the commits that took it."""
        habits = {*self.habits}
        yield (
            f'{len(self.steps)} transitions in the history; one is legal if it was '
            f'made {OFTEN} times, or makes up {PART:.0%} of all'
        )
        for (before, after), number in self.counts.most_common():
            legal = 'legal' if (before, after) in habits else 'rare'
            yield f'{before} -> {after}: {number}, {legal}'
            for step in self.steps:
                if (step.before, step.after) == (before, after):
                    yield f'    {step.commit} {step.date} {step.item}'
