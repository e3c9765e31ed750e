"""Every violation that a workflow allows for, in as few commits as possible."""

from __future__ import annotations

import posixpath

from interlock.doctor.canary import governing, tasks
from interlock.doctor.canary.agreements import AgreementPlanter
from interlock.doctor.canary.attempt import Attempt, Plan, Want
from interlock.doctor.canary.documents import documents
from interlock.doctor.canary.governing import GovernedTree
from interlock.doctor.canary.items import Data, Item, Sampler
from interlock.doctor.canary.messages import Findings, Searcher, findings
from interlock.doctor.canary.plantings import (
    CODES,
    FILES,
    Planting,
    plant,
    plant_without_notes,
)
from interlock.model.finding import ERROR, EVERY_ITEM, OFF
from interlock.model.quick_typing import Iterator, Mapping
from interlock.operations.outcome import Files
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow

# prefixes of codes -> why no hook of git can be asked about any of them
REASONS: Mapping[str, str] = {
    'GAT': 'judged when a task changes state (`interlock gate`), not by a git hook',
    'STA': 'about saved state (`interlock state`), not judged by a git hook',
    'CLD': 'judged for clients of agents, not by git hooks',
}
IDLE = 'nothing in the workflow uses it'
SWITCHED_OFF = 'the workflow switches it off'


def never(code: str) -> str:
    """Why no hook of git can be asked about a rule, '' if one can."""
    canary = RULES[code].canary
    return REASONS.get(code[:3], canary if isinstance(canary, str) else '')


def left_out(planted: set[str], workflow: Workflow) -> dict[str, str]:
    """Every rule that is not planted, and why."""
    return {
        code: never(code)
        or (SWITCHED_OFF if workflow.severities.get(code) == OFF else IDLE)
        for code in RULES
        if code not in planted
    }


# each is an error wherever it can be planted at all
ERRORS = ('REG005', 'REG007', 'HND001', 'HND002', 'CON002')
UNREADABLE = b'canary\n'


def _difference(before: Data, after: Data) -> dict[str, bytes | None]:
    gone = {path: None for path in before if path not in after}
    return gone | {p: data for p, data in after.items() if before.get(p) != data}


def _want(code: str, item: str, found: Findings) -> Want:
    """As severe as this program says, else as the rule does."""
    severity = found.get((code, item), RULES[code].severity)
    return Want(code, item, severity == ERROR)


class Planner:
    def __init__(self, governed: GovernedTree) -> None:
        self.governed = governed
        self.workflow = governed.workflow
        self.samplers = [
            Sampler(kind)
            for kind in self.workflow.kinds
            if kind.protocol is None and (kind.registry or kind.handoff)
        ]
        # the items of every kind, as they are at some point
        self.items: dict[Sampler, dict[str, Item]] = {s: {} for s in self.samplers}
        self.planted = {
            code: made
            for code in CODES
            if (made := plant(self.samplers, code)) is not None
        }
        self.agreements = AgreementPlanter(self.workflow)
        searcher = Searcher(self.workflow, self.samplers)
        self.wrong_messages = list(searcher.wrong_messages())
        self.protocols = [
            (kind, kind.protocol) for kind in self.workflow.kinds if kind.protocol
        ]

    def _files(self) -> Data:
        made: Data = {}
        for sampler, items in self.items.items():
            made.update(sampler.files(items.values()))
        return made

    def _before(self, planting: Planting) -> None:
        if planting.before is not None:
            self.items[planting.sampler][planting.item] = planting.before

    def _after(self, planting: Planting) -> None:
        self.items[planting.sampler][planting.item] = planting.after

    def _counted(self, attempt: Attempt) -> Attempt:
        """Without the rules that the workflow switches off, and as severe as
        the workflow wants them."""
        severities = self.workflow.severities
        wants = tuple(
            want._replace(refuses=(severity or (ERROR * want.refuses)) == ERROR)
            for want in attempt.wants
            if (severity := severities.get(want.name, severities.get(want.code))) != OFF
        )
        return attempt._replace(wants=wants)

    def base(self) -> Files:
        for planting in self.planted.values():
            self._before(planting)
        for commit in self.wrong_messages:
            for planting in commit.plantings.values():
                self._before(planting)
        files: dict[str, bytes | None] = {
            **self._files(),
            **governing.BASE,
            **self.agreements.before(),
        }
        for _, protocol in self.protocols:
            files[protocol.todo] = tasks.todo(protocol, tasks.DONE, tasks.ALSO_DONE)
        return files

    def _trees(self) -> Attempt:
        """All that shows without a message, in one commit."""
        before = {**self._files(), **self.agreements.before()}
        for planting in self.planted.values():
            self._after(planting)
        pages = documents(self.workflow.documents)
        recorded, agreements = self.agreements.trees()
        after = {
            **self._files(),
            **{path: text for files in FILES.values() for path, text in files.items()},
            **recorded,
            **{path: page.text.encode() for path, page in pages.items()},
        }
        found = findings(self.workflow, before, after, None)
        # a rule is planted once, however many documents break it
        items = {
            code: posixpath.basename(path)
            for path, page in pages.items()
            for code in page.codes
        } | {code: planting.item for code, planting in self.planted.items()}
        items |= dict.fromkeys(FILES, EVERY_ITEM)
        files, wants = governing.beside(self.governed, bool(self.planted))
        return Attempt(
            {**_difference(before, after), **files},
            'canary: trees',
            (
                *(_want(code, item, found) for code, item in items.items()),
                *agreements,
                *wants,
            ),
        )

    def _refused_too(self, name: str, entries: bool = True) -> None:
        """Something that is refused, beside what is only a warning.

        Not every framework shows what a hook says that passes.
        """
        for sampler in self.samplers:
            for code in ERRORS:
                planting = plant([sampler], code, f'{name}b')
                if planting is not None:
                    item = planting.after
                    entry = item.entry if entries else None
                    self._after(planting._replace(after=item._replace(entry=entry)))
                    return

    def _messages(self) -> Iterator[Attempt]:
        for commit in self.wrong_messages:
            before = self._files()
            for planting in commit.plantings.values():
                self._after(planting)
            wants = tuple(
                _want(code, planting.item, {})
                for code, planting in commit.plantings.items()
                if code in RULES
            )
            yield Attempt(_difference(before, self._files()), commit.subject, wants)
        recorded, agreements = self.agreements.messages()
        if agreements:
            change = _difference(self.agreements.trees()[0], recorded)
            yield Attempt(change, 'canary: no reason', agreements)

    def _notes(self) -> Iterator[Attempt]:
        """A registry without entries is another registry."""
        code = 'REG013'
        for sampler in self.samplers:
            planting = plant_without_notes(sampler, code)
            if planting is None:
                continue
            old = self._files()
            self.items[sampler].clear()
            before = self._files()
            self._after(planting)
            self._refused_too(code, entries=False)
            yield Attempt(
                _difference(before, self._files()),
                'canary: notes',
                (_want(code, planting.item, {}),),
                _difference(old, before),
            )
            return

    def _fixed(self) -> Iterator[Attempt]:
        """A broken workflow is fixed by the very next commit."""
        files, wants = governing.fixed(self.governed)
        if files:
            before = self._files()
            self._refused_too('CFG005')
            change = {**_difference(before, self._files()), **files}
            yield Attempt(change, 'canary: fixed', tuple(wants))

    def _loosened(self) -> Iterator[Attempt]:
        files, wants = governing.loosened(self.governed)
        yield Attempt(files, 'canary: loosened', tuple(wants))

    def _end(self) -> Iterator[Attempt]:
        """What leaves nothing to judge: no registry, and then no workflow, which
        is judged with the message."""
        change: dict[str, bytes | None] = {}
        wants = []
        for sampler in self.samplers[:1]:
            if sampler.kind.registry:
                change[sampler.kind.registry.file] = UNREADABLE
                wants = [_want('REG008', EVERY_ITEM, {})]
        torn, unreadable = self.agreements.torn()
        change.update(torn)
        if change:
            yield Attempt(change, 'canary: the end', (*wants, *unreadable))
        files, removed = governing.removed(self.governed)
        if files:
            yield Attempt(files, 'canary: no workflow', tuple(removed))

    def attempts(self) -> Iterator[Attempt]:
        yield self._trees()
        yield from self._fixed()
        yield from self._messages()
        for _, protocol in self.protocols[:1]:
            yield from tasks.in_main(protocol)
        yield from self._notes()
        yield from self._loosened()
        yield from self._end()

    def plan(self) -> Plan:
        base = self.base()
        attempts = [self._counted(each) for each in self.attempts()]
        in_task = [
            self._counted(each)
            for kind, protocol in self.protocols[:1]
            for each in tasks.in_task(kind, protocol)
        ]
        sound = [tasks.sound(kind, protocol) for kind, protocol in self.protocols]
        codes = {want.code for each in (*attempts, *in_task) for want in each.wants}
        return Plan(
            base,
            tuple(attempts),
            tasks.TASK,
            tuple(in_task),
            sound[0] if sound else None,
            {**left_out(codes, self.workflow), **self.agreements.left_out},
        )


def plan(governed: GovernedTree) -> Plan:
    return Planner(governed).plan()
