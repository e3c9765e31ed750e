"""Learns legal transitions from the steps between states in a table's history."""

from __future__ import annotations

from collections import Counter

from interlock.documents import markdown
from interlock.documents.text import name as name_in
from interlock.documents.text import plain
from interlock.documents.yaml_text import flow_list, scalar
from interlock.files.atomic_files import read
from interlock.git.git_paths import FILE
from interlock.git.line_history import History, LineChange
from interlock.model.quick_typing import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
)
from interlock.model.report import plural
from interlock.setup.status_tables import LONGEST, status_header, tables_in, word_of
from interlock.setup.workflow_detection import DetectedWorkflow
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.spec import NOTHING, Kind, RegistrySpec, Workflow
from interlock.workflow.reading import status_words
from interlock.workflow.reading.transitions import targets

# a step taken this often, or with this share of all steps, is a habit
OFTEN, PART = 3, 0.05


class Step(NamedTuple):
    before: str
    after: str
    item: str
    commit: str
    date: str

    @property
    def is_move(self) -> bool:
        """Whether the item was there before."""
        return self.before != NOTHING


class Columns(NamedTuple):
    item: int
    status: int
    # rows of other tables have another number of cells
    width: int


# maps a cell to the state that it means; '' for none
Reading = Callable[[str], str]


def columns_of(headers: Iterable[str], item: str, status: str) -> Columns | None:
    found = [*headers]
    if item not in found or status not in found or item == status:
        return None
    return Columns(found.index(item), found.index(status), len(found))


def _older_columns(change: LineChange, names: tuple[str, str]) -> Columns | None:
    """The columns before a commit that changed the header."""
    for line in change.removed:
        headers = [plain(cell) for cell in markdown.cells(line)] if '|' in line else []
        if len(headers) < 2:
            continue
        item, status = names
        status = status if status in headers else status_header(headers)
        found = columns_of(headers, item if item in headers else headers[0], status)
        # the old header of this table has at least one of the two names
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
    """The steps, newest commit first; rows that came with the file took none."""
    taken: list[Step] = []
    for change in history:
        # an older commit exists, so the newer one did not create the file
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
    yield from (step for step in taken if step.is_move)


class LearnedSteps(NamedTuple):
    steps: tuple[Step, ...]
    # the first states that the workflow names
    first: tuple[str, ...] = ()
    # state -> the emoji that the history has before it
    emojis: Mapping[str, str] = {}

    @classmethod
    def joined(cls, several: Iterable[LearnedSteps]) -> LearnedSteps:
        return cls(tuple(step for one in several for step in one.steps))

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        return Counter((each.before, each.after) for each in self.steps)

    @property
    def habits(self) -> list[tuple[str, str]]:
        """The steps that become legal, the most frequent first."""
        total = len(self.steps)
        return [
            pair
            for pair, number in self.counts.most_common()
            if number >= OFTEN or number >= total * PART
        ]

    @property
    def legal(self) -> list[tuple[str, str]]:
        """The habits; if no item was added, items begin as the workflow says."""
        habits = self.habits
        is_known = not habits or any(before == NOTHING for before, _ in habits)
        return habits if is_known else [*((NOTHING, to) for to in self.first), *habits]

    @property
    def left_out(self) -> str:
        """A message about the steps that do not become legal; '' if all do."""
        rare = len(self.counts) - len(self.habits)
        if not rare:
            return ''
        verb = 'is' if rare == 1 else 'are'
        return (
            f'{plural(rare, "rare step")} of the history {verb} left out, so '
            f'{"it" if rare == 1 else "they"} will be refused\n    to see which: '
            f'interlock init --report'
        )

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


def _learn(kind: Kind, spec: RegistrySpec, top: str, history: History) -> LearnedSteps:
    roles = dict(spec.shape.columns)
    names = (roles['item'], roles['status'])

    def state(cell: str) -> str:
        return status_words.read(cell, kind).name

    for table in tables_in(top, spec.file):
        columns = columns_of(table.headers, *names)
        if columns is not None:
            return LearnedSteps(
                tuple(steps(history(spec.file), columns, names, state)),
                tuple(targets(NOTHING, kind)),
            )
    return LearnedSteps(())


def learn_kinds(
    workflow: Workflow, top: str, history: History
) -> dict[str, LearnedSteps]:
    """The steps of each kind of item that has a registry."""
    return {
        kind.name: _learn(kind, kind.registry, top, history)
        for kind in workflow.kinds
        if kind.registry
    }


def transition_lines(legal: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The lines of the key `transitions` of a kind."""
    found: dict[str, list[str]] = {}
    for before, after in legal:
        found.setdefault(before, []).append(after)
    yield '    # the transitions found in the history; all others are refused'
    yield '    transitions:'
    for before in sorted(found, key=lambda name: name != NOTHING):
        yield f'      - {{from: {scalar(before)}, to: {flow_list(found[before])}}}'


def shown_transitions(learned: Mapping[str, LearnedSteps]) -> str:
    """The lines to add to an existing workflow."""
    lines: list[str] = []
    for kind, one in learned.items():
        if one.legal:
            lines.extend((f'  {kind}:', *transition_lines(one.legal)))
    return '\n'.join(['items:', *lines]) if lines else ''


def _with_transitions(text: str, kind: str, legal: Iterable[tuple[str, str]]) -> str:
    lines, new = text.splitlines(), [*transition_lines(legal)]
    if 'items:' not in lines:
        lines.append('items:')
    if f'  {kind}:' not in lines:
        lines.insert(lines.index('items:') + 1, f'  {kind}:')
    at = lines.index(f'  {kind}:') + 1
    return '\n'.join([*lines[:at], *new, *lines[at:]]) + '\n'


def with_learned(
    found: DetectedWorkflow, top: str, history: History
) -> tuple[DetectedWorkflow, LearnedSteps | None]:
    """Add the steps of this history to a workflow that extends a preset."""
    merged, _ = compile_workflow(FILE, found.text.encode(), read)
    learned = learn_kinds(build(merged, FILE, ''), top, history)
    text = found.text
    for kind, one in learned.items():
        if any(before != NOTHING for before, _ in one.habits):
            text = _with_transitions(text, kind, one.legal)
    joined = LearnedSteps.joined(learned.values())
    # a format says itself which steps are legal
    number = f'{plural(len(joined.steps), "step")} in the history' if learned else ''
    remark = '; '.join(filter(None, [found.remark, number]))
    left_out = (
        [each.left_out for each in learned.values()] if text != found.text else []
    )
    advice = [*found.advice, *filter(None, left_out)]
    found = found._replace(text=text, remark=remark, advice=advice)
    return found, joined if learned else None
