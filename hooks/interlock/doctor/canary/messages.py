"""Violations that show only where the message is known.

Each commit of them must be clean without its message, else it would be
refused before anybody reads that. So they are searched for: the first
candidate that this program finds fit, else the first of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from interlock.doctor.canary.contracts import frozen
from interlock.doctor.canary.expected_findings import findings, is_clean
from interlock.doctor.canary.item_files import tree
from interlock.doctor.canary.plant import Plant
from interlock.doctor.canary.sample import Sample
from interlock.model.state import State
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import STAGE, Workflow
from interlock.workflow.reading import commit_subject as subjects

PLAIN = 'canary: nothing of note'
NOTE = '\ncanary\n'
# no workflow has so many stages
NO_STAGE = 98765


class Candidate(NamedTuple):
    sample: Sample
    plant: Plant
    subject: str


class Spoken(NamedTuple):
    """A commit whose message is wrong."""

    subject: str
    # code -> what is planted for it
    plants: dict[str, Candidate]


Search = Callable[[Sample, str], Iterator[Candidate]]


def _forms(sample: Sample, item: str) -> Iterator[tuple[str, State]]:
    """Subjects that end a stage of an item, and the stage."""
    spec = sample.kind.commit
    for prefix in spec.prefixes if spec else ():
        for form in spec.subjects if spec else ():
            for state in sample.states(in_handoff=True):
                stage = sample.kind.states[state.name].stage
                text = form.text.replace('{stage}', stage).replace(
                    '{phase}', f'{stage}.1'
                )
                said = f'{expand(prefix, item)}{text}'
                read = subjects.read(said, sample.kind, {item})
                named = read.state if read is not None else None
                if named is not None and (
                    named.phase is None or sample.kind.states[named.name].phased
                ):
                    yield said, named


def _without_records(sample: Sample, item: str) -> Iterator[Candidate]:
    """The subject ends a stage, and nothing of it is in the commit."""
    path = f'{expand(sample.kind.path, item)}/canary.txt'
    for said, state in _forms(sample, item):
        before = sample.good(item, state)
        plant = Plant(item, before, before.file(path, b'canary\n'))
        yield Candidate(sample, plant, said)


def _behind(sample: Sample, item: str) -> Iterator[Candidate]:
    """The handoff in the commit is at another stage than the subject."""
    if sample.kind.handoff is None:
        return
    for said, named in _forms(sample, item):
        for state in sample.states(in_handoff=True):
            if state.name != named.name:
                before = sample.good(item, state)
                data = sample.handoff(sample.fields(item, state), NOTE)
                after = before.file(sample.handoff_path(item), data)
                yield Candidate(sample, Plant(item, before, after), said)


def _moves(sample: Sample, item: str) -> Iterator[Candidate]:
    """An item that moves as it may."""
    for old, state in sample.pairs():
        if sample.kind.commit is not None and not sample.step(old, state):
            for handoff in (True, False):
                plant = Plant(
                    item,
                    sample.good(item, old, handoff),
                    sample.good(item, state, handoff),
                )
                yield Candidate(sample, plant, PLAIN)


def _amends(sample: Sample, item: str) -> Iterator[Candidate]:
    """A frozen contract that is changed and sealed anew."""
    state, spec = frozen(sample), sample.kind.contracts
    for contract in spec.files if spec else ():
        if state is None or contract.free:
            continue
        before, fields = sample.good(item, state), sample.fields(item, state)
        path = sample.contract_path(item, contract)
        data = before.files[path] + b'Changed.\n'
        seals = fields[sample.handoff_spec.keys['checksums']]
        assert isinstance(seals, dict), 'it is made of contracts'
        seals[contract.name] = sample.sealed(data)
        after = sample.with_fields(before, fields).file(path, data)
        yield Candidate(sample, Plant(item, before, after), PLAIN)


def _changes(sample: Sample, item: str) -> Iterator[Candidate]:
    """A frozen contract that is changed, and that no seal covers."""
    spec = sample.kind.contracts
    if spec is None or sample.kind.registry is None:
        return
    for name in spec.frozen:
        before = sample.good(item, State(name), handoff=False)
        for contract in spec.files:
            path = sample.contract_path(item, contract)
            if not contract.free:
                after = before.file(path, before.files[path] + b'Changed.\n')
                yield Candidate(sample, Plant(item, before, after), PLAIN)


def _drops(sample: Sample, item: str) -> Iterator[Candidate]:
    """An item in work whose row and entry are taken away."""
    if sample.kind.registry is None:
        return
    for state in sample.states():
        if sample.kind.states[state.name].role == STAGE:
            before = sample.good(item, state)
            after = before._replace(rows=(), entries=())
            yield Candidate(sample, Plant(item, before, after), PLAIN)


def _speaks(sample: Sample, item: str) -> Iterator[Candidate]:
    """The subject speaks of a stage in no form of the workflow."""
    spec = sample.kind.commit
    said = (
        [
            f'{expand(prefix, item)}{word} {NO_STAGE}'
            for prefix in spec.prefixes
            for word in spec.words
        ]
        if spec
        else []
    )
    said.extend(
        f'canary({item}): {text.partition(item)[2].lstrip(": -)")}'
        for text, _ in _forms(sample, item)
    )
    for text in said:
        read = subjects.read(text, sample.kind, {item})
        if read is not None and read.state is None and read.speaks:
            before = sample.good(item, sample.states()[0], handoff=False)
            path = f'{expand(sample.kind.path, item)}/canary.txt'
            plant = Plant(item, before, before.file(path, b'canary\n'))
            yield Candidate(sample, plant, text)


COMPANIONS: tuple[tuple[str, Search], ...] = (
    ('COM005', _moves),
    ('CON006', _amends),
    ('CON007', _changes),
    ('REG019', _drops),
)


class Searcher:
    def __init__(self, workflow: Workflow, samples: Iterable[Sample]) -> None:
        self.workflow = workflow
        self.samples = list(samples)

    def _is_fit(self, one: Candidate, codes: Iterable[str]) -> bool:
        kind, plant = one.sample.kind, one.plant
        before = tree(kind, filter(None, [plant.before]))
        after = tree(kind, filter(None, [plant.after]))
        found = findings(self.workflow, before, after, one.subject)
        return all((code, plant.item) in found for code in codes) and (
            is_clean(self.workflow, before, after)
        )

    def find(
        self,
        search: Search,
        code: str,
        others: tuple[str, ...] = (),
        subject: str = '',
        name: str = '',
    ) -> Candidate | None:
        """A candidate for a code, and for `others` too if there is one."""
        first: Candidate | None = None
        fit: Candidate | None = None
        for sample in self.samples:
            for each in search(sample, sample.name(name or code)):
                each = each._replace(subject=subject or each.subject)
                first = first or each
                if self._is_fit(each, (code, *others)):
                    return each
                elif others and not fit and self._is_fit(each, (code,)):
                    fit = each
        return fit or first


def _with_companions(
    search: Searcher, subject: str, plants: dict[str, Candidate], name: str = ''
) -> Spoken:
    """Besides, what is wrong with any message that does not say it."""
    for code, by in COMPANIONS:
        own = f'{name}{code}' if name else ''
        found = search.find(by, code, (), subject, own)
        if found is not None:
            plants[own or code] = found
    return Spoken(subject, plants)


def spoken(search: Searcher) -> Iterator[Spoken]:
    """As few commits as there must be: a commit has one subject."""
    found = search.find(_without_records, 'COM002', ('COM003',))
    if found is not None:
        yield Spoken(found.subject, {'COM002': found, 'COM003': found})
    found = search.find(_behind, 'COM004')
    plants = {'COM004': found} if found else {}
    made = _with_companions(search, found.subject if found else PLAIN, plants)
    if made.plants:
        yield made
    found = search.find(_speaks, 'COM006')
    if found is not None:
        # a warning alone would not be shown by every framework
        yield _with_companions(search, found.subject, {'COM006': found}, 'COM006')
