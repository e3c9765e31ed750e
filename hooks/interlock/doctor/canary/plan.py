"""Every violation that a workflow allows for, in as few commits as can be."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from interlock.doctor.canary import (
    contracts,
    governing,
    handoff,
    registry,
    tasks,
    transitions,
)
from interlock.doctor.canary.attempt import Attempt, Plan, TaskAttempt, Want
from interlock.doctor.canary.documents import documents
from interlock.doctor.canary.expected_findings import Findings, findings
from interlock.doctor.canary.governing import Governed
from interlock.doctor.canary.item_files import Data, Written, tree
from interlock.doctor.canary.messages import Searcher, spoken
from interlock.doctor.canary.not_planted import left_out
from interlock.doctor.canary.plant import Plant, Planters
from interlock.doctor.canary.sample import Sample
from interlock.model.finding import ERROR, EVERY_ITEM, OFF
from interlock.operations.outcome import Files
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow

PLANTERS: Planters = {
    **registry.PLANTERS,
    **handoff.PLANTERS,
    **contracts.PLANTERS,
    **transitions.PLANTERS,
}
# each is an error wherever it can be planted at all
COMPANIONS = ('REG005', 'REG007', 'HND001', 'HND002', 'CON002')
UNREADABLE = b'canary\n'


class Planted(NamedTuple):
    sample: Sample
    plant: Plant


def plant(samples: Iterable[Sample], code: str) -> Planted | None:
    """A violation of a rule by the first kind that can break it."""
    for sample in samples:
        made = PLANTERS[code](sample, code)
        if made is not None:
            return Planted(sample, made)
    return None


def _companion(sample: Sample, name: str) -> Plant | None:
    """A violation that is refused, whatever it is."""
    for code in COMPANIONS:
        made = PLANTERS[code](sample, name)
        if made is not None:
            return made
    return None


class Board:
    """The items of every kind, as they are at some point."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self.items: dict[Sample, dict[str, Written]] = {
            sample: {} for sample in samples
        }

    def put(self, sample: Sample, item: str, made: Written | None) -> None:
        if made is None:
            self.items[sample].pop(item, None)
        else:
            self.items[sample][item] = made

    def files(self) -> Data:
        made: Data = {}
        for sample, items in self.items.items():
            made.update(tree(sample.kind, items.values()))
        return made


def _difference(before: Data, after: Data) -> dict[str, bytes | None]:
    changed: dict[str, bytes | None] = {
        path: None for path in before if path not in after
    }
    changed.update(
        (path, data) for path, data in after.items() if before.get(path) != data
    )
    return changed


class Planner:
    def __init__(self, governed: Governed) -> None:
        self.governed = governed
        self.workflow: Workflow = governed.workflow
        self.samples = [
            Sample(kind)
            for kind in self.workflow.kinds
            if kind.protocol is None and (kind.registry or kind.handoff)
        ]
        self.board = Board(self.samples)
        self.planted = {
            code: made
            for code in PLANTERS
            if (made := plant(self.samples, code)) is not None
        }
        self.spoken = list(spoken(Searcher(self.workflow, self.samples)))

    def _want(self, code: str, item: str, found: Findings) -> Want:
        """As severe as this program says, else as the rule does."""
        severity = found.get((code, item), RULES[code].severity)
        return Want(code, item, severity == ERROR)

    def _counted(self, wants: Iterable[Want]) -> tuple[Want, ...]:
        """Those that the workflow wants, as severe as it wants them."""
        severities = self.workflow.severities
        return tuple(
            want._replace(refuses=severities[want.code] == ERROR)
            if want.code in severities
            else want
            for want in wants
            if severities.get(want.code) != OFF
        )

    def _attempt(
        self,
        change: Mapping[str, bytes | None],
        message: str,
        wants: Iterable[Want],
        base: Files | None = None,
    ) -> Attempt:
        return Attempt(change, message, self._counted(wants), base or {})

    def base(self) -> Files:
        for made in self.planted.values():
            self.board.put(made.sample, made.plant.item, made.plant.before)
        for commit in self.spoken:
            for one in commit.plants.values():
                self.board.put(one.sample, one.plant.item, one.plant.before)
        files: dict[str, bytes | None] = {**self.board.files(), **governing.base()}
        for kind in self.workflow.kinds:
            if kind.protocol is not None:
                files[kind.protocol.todo] = tasks.todo(
                    kind.protocol, tasks.DONE, tasks.ALSO_DONE
                )
        return files

    def trees(self) -> Attempt:
        """Whatever shows without a message, in one commit."""
        before = self.board.files()
        for made in self.planted.values():
            self.board.put(made.sample, made.plant.item, made.plant.after)
        pages = documents(self.workflow.documents)
        after = {
            **self.board.files(),
            **{path: page.text.encode() for path, page in pages.items()},
        }
        found = findings(self.workflow, before, after, None)
        # a rule is planted once, however many documents break it
        named = {
            **{
                code: posixpath.basename(path)
                for path, page in pages.items()
                for code in page.codes
            },
            **{code: made.plant.item for code, made in self.planted.items()},
        }
        files, wants = governing.beside(self.governed, bool(self.planted))
        return self._attempt(
            {**_difference(before, after), **files},
            'canary: trees',
            [*(self._want(code, item, found) for code, item in named.items()), *wants],
        )

    def mended(self) -> Iterator[Attempt]:
        files, wants = governing.mended(self.governed)
        if files:
            before = self.board.files()
            self._refused_too('CFG005')
            change = {**_difference(before, self.board.files()), **files}
            yield self._attempt(change, 'canary: mended', wants)

    def _refused_too(self, code: str, entries: bool = True) -> None:
        """Something that is refused, beside what is only warned of.

        Not every framework shows what a hook says that passes.
        """
        for sample in self.samples:
            made = _companion(sample, f'{code}b')
            after = made.after if made else None
            if after is not None:
                entry = after.entries if entries else ()
                self.board.put(sample, after.item, after._replace(entries=entry))
                return

    def messages(self) -> Iterator[Attempt]:
        for commit in self.spoken:
            before = self.board.files()
            for one in commit.plants.values():
                self.board.put(one.sample, one.plant.item, one.plant.after)
            yield self._attempt(
                _difference(before, self.board.files()),
                commit.subject,
                [
                    self._want(code, one.plant.item, {})
                    for code, one in commit.plants.items()
                    if code in RULES
                ],
            )

    def notes(self) -> Iterator[Attempt]:
        """A registry without entries is another registry."""
        code = 'REG013'
        for sample in self.samples:
            made = registry.without_notes(sample, code)
            if made is None:
                continue
            old = self.board.files()
            self.board.items[sample].clear()
            before = self.board.files()
            self.board.put(sample, made.item, made.after)
            self._refused_too(code, entries=False)
            yield self._attempt(
                _difference(before, self.board.files()),
                'canary: notes',
                [self._want(code, made.item, {})],
                _difference(old, before),
            )
            return

    def loosened(self) -> Iterator[Attempt]:
        files, wants = governing.loosened(self.governed)
        if files:
            yield self._attempt(files, 'canary: loosened', wants)

    def ends(self) -> Iterator[Attempt]:
        """What leaves nothing to judge: no registry, no workflow."""
        files, wants = governing.removed(self.governed)
        change: dict[str, bytes | None] = {**files}
        for sample in self.samples[:1]:
            if sample.kind.registry is not None:
                change[sample.kind.registry.file] = UNREADABLE
                wants = [*wants, self._want('REG008', EVERY_ITEM, {})]
        if change:
            yield self._attempt(change, 'canary: the end', wants)

    def sound(self) -> TaskAttempt | None:
        for kind in self.workflow.kinds:
            if kind.protocol is not None:
                return tasks.sound(kind, kind.protocol)
        return None

    def of_tasks(self) -> tuple[list[Attempt], list[TaskAttempt]]:
        for kind in self.workflow.kinds:
            if kind.protocol is not None:
                in_main = tasks.in_main(kind.protocol)
                in_task = tasks.in_task(kind, kind.protocol)
                return [
                    each._replace(wants=self._counted(each.wants)) for each in in_main
                ], [each._replace(wants=self._counted(each.wants)) for each in in_task]
        return [], []


def plan(governed: Governed) -> Plan:
    planner = Planner(governed)
    base = planner.base()
    in_main, in_task = planner.of_tasks()
    # a workflow that is broken is mended by the very next commit
    attempts = (
        planner.trees(),
        *planner.mended(),
        *planner.messages(),
        *in_main,
        *planner.notes(),
        *planner.loosened(),
        *planner.ends(),
    )
    wants = [one.wants for one in attempts] + [one.wants for one in in_task]
    codes = {want.code for each in wants for want in each}
    return Plan(
        base,
        attempts,
        tasks.TASK,
        tuple(in_task),
        planner.sound(),
        left_out(codes, governed.workflow),
    )
