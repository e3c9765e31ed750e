"""Plants violations of the agreements that a workflow defines.

Each violation is made up from the records of the agreement: the first
combination of values that this program itself finds wrong. The installed hooks
show whether they refuse it.
"""

from __future__ import annotations

from interlock.doctor.canary.attempt import COMMIT, PUSH, Want
from interlock.doctor.canary.items import Data
from interlock.doctor.canary.messages import findings, is_clean
from interlock.doctor.canary.record_files import (
    WORD,
    FrozenText,
    RecordValue,
    files_of,
    filled,
    path_of,
)
from interlock.model.finding import ERROR
from interlock.model.quick_typing import Callable, Iterator, Mapping, NamedTuple
from interlock.workflow.agreements import spec
from interlock.workflow.agreements.names import Names
from interlock.workflow.agreements.spec import (
    ABSENT,
    CHILDREN,
    DEPENDS,
    PRESENT,
    Agreement,
    Allowed,
    Freeze,
    Record,
    RecordedKind,
)
from interlock.workflow.language.spec import Workflow

# no project has this many items
FIRST = 9100
BOXES = (spec.OPEN, spec.BEGUN, spec.ALL, spec.NONE)
NOT_WRITTEN = (ABSENT, spec.UNKNOWN, spec.UNREADABLE)
AGREEMENT, TWICE, UNREADABLE, FROZEN = 'REG016', 'REG017', 'REG018', 'CON007'
NOT_MADE_UP = 'no violation can be planted in its records'
# content that no reader can parse
TORN = b'---\n<<<<<<< canary: [\n'
Contents = tuple[RecordValue | FrozenText, ...]
Rule = Agreement | Record | Freeze
Candidates = Iterator[tuple[Contents, Contents]]


class PlantedAgreement(NamedTuple):
    before: Contents
    after: Contents
    wants: tuple[Want, ...]
    # a trailer would excuse it, so it is reported only once the message is known
    needs_message: bool


def values(kind: RecordedKind, record: Record) -> tuple[str, ...]:
    """The values that a record can be given."""
    if record.read in (PRESENT, 'heading'):
        return (PRESENT,)
    elif record.read == 'boxes':
        return (record.unticked, record.ticked) if record.line else BOXES
    return tuple(dict.fromkeys(kind.words.values()))


class RecordSampler:
    """Makes up items of one kind whose records disagree."""

    def __init__(self, kinds: Mapping[str, RecordedKind], kind: RecordedKind) -> None:
        self.kinds, self.kind = kinds, kind

    def _says(self, name: str, value: str, number: int) -> RecordValue:
        item = filled(self.kind.item, self.kind, number)
        return RecordValue(self.kind, self.kind.records[name], item, number, value)

    def _held(
        self, side: Mapping[str, Allowed], number: int
    ) -> tuple[RecordValue, ...]:
        """The records of a condition, each with a value that fulfils it."""
        return tuple(
            self._says(
                name,
                next((each for each in allowed if each not in NOT_WRITTEN), ABSENT),
                number,
            )
            for name, allowed in side.items()
        )

    def _wrong(
        self, name: str, allowed: Allowed, number: int
    ) -> Iterator[tuple[RecordValue, ...]]:
        if ABSENT not in allowed:
            yield ()
        for value in values(self.kind, self.kind.records[name]):
            if value not in allowed:
                yield (self._says(name, value, number),)

    def _below(
        self, kind: RecordedKind, above: RecordValue, name: str
    ) -> Iterator[str]:
        """Names of items below another item."""
        for last in ('1', f'1-{WORD}', WORD):
            item = f'{above.item}{self.kind.join}{last}'
            if self.kind.join and Names(kind.item).line(('{item}',), item):
                yield item

    def _related(
        self, held: tuple[RecordValue, ...], side: str, allowed: Allowed, number: int
    ) -> Iterator[tuple[RecordValue, ...]]:
        """An item whose records constrain another item, which has a wrong value."""
        head, _, name = side.rpartition('.')
        kind = self.kind if head in (DEPENDS, CHILDREN) else self.kinds[head]
        name = kind.derive[name].has if name in kind.derive else name
        record, first = kind.records[name], held[0]
        other = filled(kind.item, kind, number + 1)
        for value in values(kind, record):
            if value in allowed:
                continue
            made = RecordValue(kind, record, other, number, value)
            if head == DEPENDS:
                linked = (
                    each._replace(depends=_ref(made)) if each.record == record else each
                    for each in held
                )
                yield (*linked, made)
                continue
            for item in self._below(kind, first, name):
                yield (*held, made._replace(item=item))
            if head == CHILDREN and record.parent:
                yield (*held, made._replace(parent=_ref(first)))
            elif head == CHILDREN and record.children:
                yield tuple(
                    each._replace(child=value) if each.record == record else each
                    for each in held
                )

    def disagreeing(self, agreement: Agreement, number: int) -> Candidates:
        for one, two in zip(agreement.same, agreement.same[1:], strict=False):
            for value in values(self.kind, self.kind.records[one]):
                for other in self._wrong(two, (value, ABSENT), number):
                    yield (), (self._says(one, value, number), *other)
        for side in agreement.when:
            held = self._held(side, number)
            for name, allowed in agreement.then.items():
                if '.' in name:
                    ways = self._related(held, name, allowed, number)
                    yield from (((), way) for way in ways)
                    continue
                for wrong in self._wrong(name, allowed, number):
                    yield (), (*held, *wrong)
                    for was in self._unheld(agreement, side, number):
                        yield (*was, *wrong), (*held, *wrong)
                        yield was, (*held, *wrong)

    def _unheld(
        self, agreement: Agreement, side: Mapping[str, Allowed], number: int
    ) -> Iterator[tuple[RecordValue, ...]]:
        """What may be before the change that makes a condition true."""
        for name, allowed in side.items() if agreement.upon else ():
            yield from filter(None, self._wrong(name, allowed, number))

    def repeated(self, record: Record, number: int) -> Candidates:
        said = self._says(record.name, values(self.kind, record)[0], number)
        yield (), (said, said._replace(again=True))

    def rewritten(self, freeze: Freeze, number: int) -> Candidates:
        for side in freeze.when:
            held = self._held(side, number)
            yield from self._changed(freeze, number, (*held, *self._present(number)))
            yield from self._changed(freeze, number, held)

    def _present(self, number: int) -> Iterator[RecordValue]:
        """Every file that an item may have."""
        for record in self.kind.records.values():
            if record.read == PRESENT:
                yield self._says(record.name, PRESENT, number)

    def _changed(
        self, freeze: Freeze, number: int, held: tuple[RecordValue, ...]
    ) -> Candidates:
        for pattern in freeze.files:
            path = path_of(held[0], pattern)
            texts = (
                FrozenText(path, _frozen_lines(freeze, self.kind, text))
                for text in (WORD, f'{WORD} changed')
            )
            old, new = texts
            yield (*held, old), (*held, new)

    def torn(self) -> Iterator[tuple[Record, str]]:
        """Records that cannot be parsed, each in a separate file."""
        for record in self.kind.records.values():
            if record.read != PRESENT and '{item}' in record.files[0]:
                yield record, path_of(self._says(record.name, '', FIRST - 1))


def _ref(said: RecordValue) -> str:
    """How other items refer to this one."""
    pattern = (*said.record.refs[-1:], '{item}')[0]
    return filled(pattern, said.kind, said.number, said.item)


def _frozen_lines(freeze: Freeze, kind: RecordedKind, text: str) -> tuple[str, ...]:
    if freeze.section:
        return '', f'## {filled(freeze.section[0], kind, FIRST)}', '', text
    elif freeze.between:
        return '', freeze.between[0], text, freeze.between[1]
    return '', text


class AgreementPlanter:
    def __init__(self, workflow: Workflow) -> None:
        self.workflow = workflow
        kinds = {kind.name: kind for kind in workflow.recorded}
        self.samplers = [RecordSampler(kinds, kind) for kind in workflow.recorded]
        # keyed by rule and kind, because several kinds may have rules of the same name
        self.planted: dict[tuple[str, str], PlantedAgreement] = {}
        self.left_out: dict[str, str] = {}
        for sampler in self.samplers:
            self._plant_kind(sampler)

    def _plant_kind(self, sampler: RecordSampler) -> None:
        kind = sampler.kind
        for agreement in kind.agree:
            self._plant(
                sampler, AGREEMENT, agreement.name, agreement, sampler.disagreeing
            )
        for record in kind.records.values():
            if record.once:
                self._plant(sampler, TWICE, record.once.name, record, sampler.repeated)
        for freeze in kind.frozen:
            self._plant(sampler, FROZEN, freeze.name, freeze, sampler.rewritten)

    def _plant(
        self,
        sampler: RecordSampler,
        code: str,
        rule: str,
        of: Rule,
        candidates: Callable[..., Candidates],
    ) -> None:
        if (rule, sampler.kind.name) in self.planted:
            return
        number = FIRST + 10 * len(self.planted)
        found = [*candidates(of, number)]
        # the files before the change should break no other rule
        sound = [
            each for each in found if is_clean(self.workflow, {}, files_of(each[0]))
        ]
        for before, after in (*sound, *found):
            told = findings(self.workflow, files_of(before), files_of(after), None)
            for (name, item), severity in told.items():
                if name == rule:
                    wants = _wants(code, rule, item, severity, of)
                    self.planted[rule, sampler.kind.name] = PlantedAgreement(
                        before, after, wants, _trailer(of)
                    )
                    return
        self.left_out[rule] = NOT_MADE_UP

    def _files(self, *done: bool) -> Data:
        """The files with violations planted, for these values of `needs_message`."""
        return files_of(
            each
            for planted in self.planted.values()
            for each in (
                planted.after if planted.needs_message in done else planted.before
            )
        )

    def _wants(self, needs_message: bool) -> tuple[Want, ...]:
        return tuple(
            want
            for planted in self.planted.values()
            for want in planted.wants
            if planted.needs_message == needs_message
        )

    def before(self) -> Data:
        return self._files()

    def trees(self) -> tuple[Data, tuple[Want, ...]]:
        """The violations that no message excuses."""
        return self._files(False), self._wants(False)

    def messages(self) -> tuple[Data, tuple[Want, ...]]:
        """Those, and the violations that a reason in the message would excuse."""
        return self._files(False, True), self._wants(True)

    def torn(self) -> tuple[Data, tuple[Want, ...]]:
        """A record that cannot be parsed."""
        for sampler in self.samplers:
            for record, path in sampler.torn():
                refuses = record.severity == ERROR
                return {path: TORN}, (Want(UNREADABLE, path, refuses, path=path),)
        return {}, ()


def _trailer(of: Rule) -> bool:
    if isinstance(of, Agreement):
        return bool(of.unless)
    return isinstance(of, Freeze) and bool(of.amendment)


def _wants(
    code: str, rule: str, item: str, severity: str, of: Rule
) -> tuple[Want, ...]:
    want = Want(code, item, severity == ERROR, rule=rule)
    if isinstance(of, Agreement) and of.at == spec.PUSH:
        at_push = want._replace(refuses=of.severity == ERROR, gates=(PUSH,))
        return want._replace(gates=(COMMIT,)), at_push
    return (want,)
