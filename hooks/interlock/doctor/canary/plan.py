"""Plans all violations a workflow makes possible, in as few commits as possible."""

from __future__ import annotations

import os
import posixpath
from itertools import chain

from interlock.doctor.canary import governing, tasks
from interlock.doctor.canary.agreements import AgreementPlanter
from interlock.doctor.canary.attempt import Attempt, Plan, Want
from interlock.doctor.canary.governing import GovernedTree
from interlock.doctor.canary.items import Data, Item, Sampler
from interlock.doctor.canary.messages import Findings, Searcher, findings
from interlock.doctor.canary.plantings import CODES, FILES, NOTES, Planting, plant
from interlock.documents import yaml
from interlock.handoff_document.outline import outline
from interlock.model.finding import ERROR, EVERY_ITEM, OFF
from interlock.model.overlay import Files
from interlock.model.quick_typing import Any, Iterable, Iterator, Mapping, NamedTuple
from interlock.rules.index import RULES
from interlock.workflow.language.spec import DocumentsSpec, Workflow

# prefixes of codes -> why git hooks do not judge these rules
REASONS: Mapping[str, str] = {
    'GAT': 'judged when a task changes state (`interlock gate`), not by a git hook',
    'STA': 'about saved state (`interlock state`), not judged by a git hook',
    'CLD': 'judged for clients of agents, not by git hooks',
}
IDLE = 'not used by this workflow'
SWITCHED_OFF = 'the workflow switches it off'


def never(code: str) -> str:
    """Why git hooks do not judge a rule, '' if they do."""
    canary = RULES[code].canary
    return REASONS.get(code[:3], canary if isinstance(canary, str) else '')


def left_out(planted: set[str], workflow: Workflow) -> dict[str, str]:
    """Every rule that is not planted, with the reason."""
    return {
        code: never(code)
        or (SWITCHED_OFF if workflow.severities.get(code) == OFF else IDLE)
        for code in RULES
        if code not in planted
    }


# rules that are errors in every workflow in which they can be planted
ERRORS = ('REG005', 'REG007', 'HND001', 'HND002', 'CON002')
UNREADABLE = b'canary\n'
DOCUMENTS = os.path.join(os.path.dirname(__file__), 'documents.yaml')


class WrongDocument(NamedTuple):
    """A handoff document, or another one, with many mistakes."""

    name: str
    text: str
    # the rules that the document breaks
    codes: tuple[str, ...]


def _wrong_document(data: Mapping[str, Any]) -> WrongDocument:
    bodies = data.get('sections', {})
    parts = [
        f'{"#" * spec.level} {spec.title}\n\n{bodies[spec.id]}\n'
        for spec in outline().sections.values()
        if spec.id in bodies
    ]
    text = data['text'] if 'text' in data else '\n'.join(parts)
    return WrongDocument(data['name'], text, tuple(data['breaks']))


def _document_path(pattern: str, name: str) -> str:
    """A path with this file name that matches the pattern."""
    folder, _, last = pattern.rpartition('/')
    folder = folder.replace('**', 'canary').replace('*', 'canary')
    if '*' in last:
        head, _, tail = last.replace('**', '*').partition('*')
        last = f'{head}{name.partition(".")[0]}{tail.replace("*", "")}'
    return f'{folder}/{last}' if folder else last


def _wrong_documents(spec: DocumentsSpec) -> dict[str, WrongDocument]:
    """path -> a document that breaks rules, at a path from the workflow."""
    data = yaml.of_file(DOCUMENTS)
    markdown, handoffs = (
        [*map(_wrong_document, data[kind])] for kind in ('markdown', 'handoffs')
    )
    made: dict[str, WrongDocument] = {}
    for patterns, pages in (
        (spec.markdown, markdown),
        (spec.handoffs, [*markdown, *handoffs]),
    ):
        # a pattern that names one file has room for one document
        for number, page in enumerate(pages if patterns else ()):
            pattern = patterns[number % len(patterns)]
            made[_document_path(pattern, page.name)] = page
    return made


def _difference(before: Data, after: Data) -> dict[str, bytes | None]:
    gone = {path: None for path in before if path not in after}
    return gone | {p: data for p, data in after.items() if before.get(p) != data}


def _want(code: str, item: str, found: Findings) -> Want:
    """With the severity that this program finds, else the default of the rule."""
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
        # the current items of every kind
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

    def _plant(self, plantings: Iterable[Planting]) -> dict[str, bytes | None]:
        """Apply the violations to the items; return the files that change."""
        before = self._files()
        for each in plantings:
            self.items[each.sampler][each.item] = each.after
        return _difference(before, self._files())

    def _counted(self, attempt: Attempt) -> Attempt:
        """The attempt with the workflow's severities, and without rules that it
        switches off."""
        severities = self.workflow.severities
        wants = tuple(
            want._replace(refuses=(severity or (ERROR * want.refuses)) == ERROR)
            for want in attempt.wants
            if (severity := severities.get(want.name, severities.get(want.code))) != OFF
        )
        return attempt._replace(wants=wants)

    def base(self) -> Files:
        made = [commit.plantings for commit in self.wrong_messages]
        for each in chain(*(each.values() for each in (self.planted, *made))):
            if each.before is not None:
                self.items[each.sampler][each.item] = each.before
        files: dict[str, bytes | None] = {
            **self._files(),
            **governing.BASE,
            **self.agreements.before(),
        }
        for _, protocol in self.protocols:
            files[protocol.todo] = tasks.todo(protocol, tasks.DONE, tasks.ALSO_DONE)
        return files

    def _trees(self) -> Attempt:
        """All violations that need no message, in one commit."""
        before = {**self._files(), **self.agreements.before()}
        self._plant(self.planted.values())
        pages = _wrong_documents(self.workflow.documents)
        recorded, agreements = self.agreements.trees()
        after = {
            **self._files(),
            **{path: text for files in FILES.values() for path, text in files.items()},
            **recorded,
            **{path: page.text.encode() for path, page in pages.items()},
        }
        found = findings(self.workflow, before, after, None)
        # one planting per rule, even if several documents break it
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

    def _refused_too(self, name: str, entries: bool = True) -> list[Planting]:
        """A violation that is refused, to go with one that is only a warning.

        Some frameworks do not show the output of a hook that passes.
        """
        for sampler in self.samplers:
            for code in ERRORS:
                planting = plant([sampler], code, f'{name}b')
                if planting is not None:
                    entry = planting.after.entry if entries else None
                    return [
                        planting._replace(after=planting.after._replace(entry=entry))
                    ]
        return []

    def _messages(self) -> Iterator[Attempt]:
        for commit in self.wrong_messages:
            wants = tuple(
                _want(code, planting.item, {})
                for code, planting in commit.plantings.items()
                if code in RULES
            )
            yield Attempt(self._plant(commit.plantings.values()), commit.subject, wants)
        recorded, agreements = self.agreements.messages()
        if agreements:
            change = _difference(self.agreements.trees()[0], recorded)
            yield Attempt(change, 'canary: no reason', agreements)

    def _notes(self) -> Iterator[Attempt]:
        """Notes need a registry without entries, so they get a commit of their own."""
        for sampler in self.samplers:
            planting = plant([sampler], NOTES)
            if planting is not None:
                before = self._files()
                self.items[sampler].clear()
                base = _difference(before, self._files())
                change = self._plant([planting, *self._refused_too(NOTES, False)])
                wants = (_want(NOTES, planting.item, {}),)
                yield Attempt(change, 'canary: notes', wants, base)
                return

    def _fixed(self) -> Iterator[Attempt]:
        """The next commit fixes the broken workflow."""
        for attempt in governing.fixed(self.governed):
            change = self._plant(self._refused_too('CFG005'))
            yield attempt._replace(change={**change, **attempt.change})

    def _end(self) -> Iterator[Attempt]:
        """Remove what everything else is judged by: first the registry, then the
        workflow, which is judged with the message."""
        torn, wants = self.agreements.torn()
        change: dict[str, bytes | None] = {**torn}
        for sampler in self.samplers[:1]:
            if sampler.kind.registry:
                change[sampler.kind.registry.file] = UNREADABLE
                wants = (_want('REG008', EVERY_ITEM, {}), *wants)
        if change:
            yield Attempt(change, 'canary: the end', wants)
        yield from governing.removed(self.governed)

    def attempts(self) -> Iterator[Attempt]:
        yield self._trees()
        yield from self._fixed()
        yield from self._messages()
        for _, protocol in self.protocols[:1]:
            yield from tasks.in_main(protocol)
        yield from self._notes()
        yield governing.loosened(self.governed)
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
