"""Violations of the check `contracts`, those of messages apart."""

from __future__ import annotations

from collections.abc import Callable

from interlock.doctor.canary.plant import Plant, Planter, Planters, new
from interlock.doctor.canary.sample import Sample
from interlock.model.state import State
from interlock.workflow.language.spec import ContractSpec

BOM = b'\xef\xbb\xbf'


def frozen(sample: Sample) -> State | None:
    """A stage in which contracts must not change."""
    spec = sample.kind.contracts
    if (
        spec is None
        or sample.kind.handoff is None
        or ('checksums' not in sample.handoff_spec.keys)
    ):
        return None
    states = [
        state for state in sample.states(in_handoff=True) if state.name in spec.frozen
    ]
    # behind the end of planning, if there is one
    return states[-1] if states else None


def _file(change: Callable[[bytes], bytes | None]) -> Planter:
    """A contract that is not what was sealed."""

    def planter(sample: Sample, code: str) -> Plant | None:
        state, spec = frozen(sample), sample.kind.contracts
        if state is None or spec is None:
            return None
        made = sample.good(sample.name(code), state)
        contract = spec.files[0]
        path = sample.contract_path(made.item, contract)
        return new(made.file(path, change(made.files[path])))

    return planter


def _seals(change: Callable[[ContractSpec], dict[str, str]]) -> Planter:
    """A handoff with other checksums."""

    def planter(sample: Sample, code: str) -> Plant | None:
        state, spec = frozen(sample), sample.kind.contracts
        if state is None or spec is None:
            return None
        made = sample.good(sample.name(code), state)
        fields = sample.fields(made.item, state)
        key = sample.handoff_spec.keys['checksums']
        fields[key] = change(spec.files[0])
        return new(sample.with_fields(made, fields))

    return planter


def _no_seal(sample: Sample, code: str) -> Plant | None:
    if sample.kind.handoff is None or sample.handoff_spec.planned is None:
        return None
    return _seals(lambda _: {})(sample, code)


PLANTERS: Planters = {
    'CON001': _file(lambda data: data + b'Changed.\n'),
    'CON002': _file(lambda _: None),
    'CON003': _seals(lambda contract: {contract.name: 'canary'}),
    'CON004': _no_seal,
    # line endings may be rewritten on their way into the index
    'CON005': _file(lambda data: BOM + data),
}
