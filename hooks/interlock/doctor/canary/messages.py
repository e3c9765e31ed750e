"""Violations that show only once the commit message is known.

Each of these commits must be clean without its message, or it would be refused
before the message is read. So each one is searched for: it is the first
candidate that this program finds fit, or else the first of all. The installed
hooks show whether they refuse it.
"""

from __future__ import annotations

from interlock.checks.run import judge
from interlock.doctor.canary.items import Data, Item, Sampler
from interlock.doctor.canary.plantings import Planting
from interlock.documents import message as messages
from interlock.model.change import Change, Nothing
from interlock.model.finding import ERROR
from interlock.model.overlay import Overlay
from interlock.model.quick_typing import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
)
from interlock.model.state import State
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import STAGE, Workflow
from interlock.workflow.reading import commit_subject as subjects

PLAIN = 'canary: nothing of note'
NOTE = '\ncanary\n'
CHANGED = b'Changed.\n'
# no workflow has this many stages
NO_STAGE = 98765
# rule, item -> severity
Findings = Mapping[tuple[str, str], str]


class WrongMessage(NamedTuple):
    """A commit whose message is wrong."""

    subject: str
    # code -> the violation planted for it
    plantings: dict[str, Planting]


Search = Callable[[Sampler, str], Iterator[Planting]]


def findings(
    workflow: Workflow, before: Data, after: Data, message: str | None
) -> Findings:
    """The findings of this program in a change."""
    touched = {path: 'D' for path in before if path not in after}
    for path, data in after.items():
        if before.get(path) != data:
            touched[path] = 'M' if path in before else 'A'
    change = Change(
        Overlay(Nothing(), before),
        Overlay(Nothing(), after),
        touched,
        messages.parse(message) if message is not None else None,
    )
    return {
        (found.rule or found.code, found.item): found.severity
        for found in judge([change], workflow)
        if found.introduced
    }


def is_clean(workflow: Workflow, before: Data, after: Data) -> bool:
    """Whether nothing refuses a change before its message is known."""
    return ERROR not in findings(workflow, before, after, None).values()


def _subjects(sampler: Sampler, item: str) -> Iterator[tuple[str, State]]:
    """Subjects that end a stage of an item, with the stage."""
    kind, spec = sampler.kind, sampler.kind.commit
    for prefix in spec.prefixes:
        for form in spec.subjects:
            for state in sampler.stages:
                stage = kind.states[state.name].stage
                text = form.text.replace('{stage}', stage)
                said = f'{expand(prefix, item)}{text.replace("{phase}", f"{stage}.1")}'
                read = subjects.read(said, kind, {item})
                named = read.state if read is not None else None
                if named and (named.phase is None or kind.states[named.name].phased):
                    yield said, named


def _with_work(sampler: Sampler, item: Item) -> Item:
    return item.with_file(
        f'{expand(sampler.kind.path, item.name)}/canary.txt', b'canary\n'
    )


def _without_records(sampler: Sampler, item: str) -> Iterator[Planting]:
    """The subject ends a stage, but the commit contains no record of it."""
    for said, state in _subjects(sampler, item):
        before = sampler.sound(item, state)
        yield Planting(sampler, before, _with_work(sampler, before), said)


def _behind(sampler: Sampler, item: str) -> Iterator[Planting]:
    """The handoff in the commit is at another stage than the subject says."""
    for said, named in _subjects(sampler, item) if sampler.kind.handoff else ():
        for state in sampler.stages:
            if state.name != named.name:
                before = sampler.sound(item, state)
                data = sampler.handoff(sampler.fields(item, state), NOTE)
                after = before._replace(fields=None)
                after = after.with_file(sampler.handoff_path(item), data)
                yield Planting(sampler, before, after, said)


def _moves(sampler: Sampler, item: str) -> Iterator[Planting]:
    """A legal move that the message does not mention."""
    for old, state in sampler.pairs(sampler.states):
        if sampler.kind.commit and not sampler.severity(old, state):
            for handoff in (True, False):
                before = sampler.sound(item, old, handoff)
                after = sampler.sound(item, state, handoff)
                yield Planting(sampler, before, after, PLAIN)


def _amends(sampler: Sampler, item: str) -> Iterator[Planting]:
    """A frozen contract that is changed and sealed again."""
    for contract in sampler.contracts if sampler.frozen else ():
        assert sampler.frozen is not None
        if contract.free:
            continue
        before = sampler.sound(item, sampler.frozen)
        path = sampler.contract_path(item, contract)
        data, key = before.files[path] + CHANGED, sampler.handoff_spec.keys['checksums']
        seals = (before.fields or {})[key]
        assert isinstance(seals, dict), 'the seals of contracts'
        after = before.with_file(path, data).with_field(
            key, {**seals, contract.name: sampler.seal(data)}
        )
        yield Planting(sampler, before, after, PLAIN)


def _changes(sampler: Sampler, item: str) -> Iterator[Planting]:
    """A frozen contract that is changed, and that no seal covers."""
    spec = sampler.kind.contracts
    for name in spec.frozen if sampler.kind.registry else ():
        before = sampler.sound(item, State(name), handoff=False)
        for contract in sampler.contracts:
            path = sampler.contract_path(item, contract)
            if not contract.free:
                after = before.with_file(path, before.files[path] + CHANGED)
                yield Planting(sampler, before, after, PLAIN)


def _drops(sampler: Sampler, item: str) -> Iterator[Planting]:
    """An item in progress whose row and entry are removed."""
    for state in sampler.states if sampler.kind.registry else ():
        if sampler.kind.states[state.name].role == STAGE:
            before = sampler.sound(item, state)
            yield Planting(sampler, before, before.unregistered(), PLAIN)


def _speaks(sampler: Sampler, item: str) -> Iterator[Planting]:
    """The subject names a stage, but not in the workflow's form."""
    spec = sampler.kind.commit
    said = [
        f'{expand(prefix, item)}{word} {NO_STAGE}'
        for prefix in spec.prefixes
        for word in spec.words
    ]
    said.extend(
        f'canary({item}): {text.partition(item)[2].lstrip(": -)")}'
        for text, _ in _subjects(sampler, item)
    )
    for text in said:
        read = subjects.read(text, sampler.kind, {item})
        if read is not None and read.state is None and read.speaks:
            before = sampler.sound(item, sampler.states[0], handoff=False)
            yield Planting(sampler, before, _with_work(sampler, before), text)


# violations of every message that does not mention the change
UNMENTIONED: Mapping[str, Search] = {
    'COM005': _moves,
    'CON006': _amends,
    'CON007': _changes,
    'REG019': _drops,
}


class Searcher:
    def __init__(self, workflow: Workflow, samplers: Iterable[Sampler]) -> None:
        self.workflow = workflow
        self.samplers = list(samplers)

    def _is_fit(self, one: Planting, codes: Iterable[str]) -> bool:
        before = one.sampler.files([one.before] if one.before else [])
        after = one.sampler.files([one.after])
        found = findings(self.workflow, before, after, one.subject)
        return all((code, one.item) in found for code in codes) and (
            is_clean(self.workflow, before, after)
        )

    def _find(
        self,
        search: Search,
        code: str,
        also: str = '',
        subject: str = '',
        name: str = '',
    ) -> Planting | None:
        """A candidate that breaks a rule, and the rule `also` too if possible."""
        first: Planting | None = None
        fit: Planting | None = None
        for sampler in self.samplers:
            for each in search(sampler, sampler.name(name or code)):
                each = each._replace(subject=subject or each.subject)
                first = first or each
                if self._is_fit(each, filter(None, (code, also))):
                    return each
                elif also and not fit and self._is_fit(each, (code,)):
                    fit = each
        return fit or first

    def _with_unmentioned(
        self, subject: str, plantings: dict[str, Planting], name: str = ''
    ) -> WrongMessage:
        for code, search in UNMENTIONED.items():
            own = f'{name}{code}' if name else ''
            found = self._find(search, code, '', subject, own)
            if found is not None:
                plantings[own or code] = found
        return WrongMessage(subject, plantings)

    def wrong_messages(self) -> Iterator[WrongMessage]:
        """As few commits as possible, but each commit has only one subject."""
        found = self._find(_without_records, 'COM002', 'COM003')
        if found is not None:
            yield WrongMessage(found.subject, {'COM002': found, 'COM003': found})
        found = self._find(_behind, 'COM004')
        plantings = {'COM004': found} if found else {}
        made = self._with_unmentioned(found.subject if found else PLAIN, plantings)
        if made.plantings:
            yield made
        found = self._find(_speaks, 'COM006')
        if found is not None:
            # some frameworks do not show a warning that comes alone
            yield self._with_unmentioned(found.subject, {'COM006': found}, 'COM006')
