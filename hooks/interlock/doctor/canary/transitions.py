"""Violations of the checks `stages` and `commit`, messages apart."""

from __future__ import annotations

from interlock.doctor.canary.plant import Plant, Planters, new
from interlock.doctor.canary.sample import Sample
from interlock.model.finding import ERROR
from interlock.model.state import State
from interlock.workflow.language.spec import GateSpec


def _illegal(sample: Sample, code: str) -> Plant | None:
    if sample.kind.registry is None:
        return None
    item = sample.name(code)
    for state in sample.states():
        if sample.step(None, state) == ERROR:
            return new(sample.good(item, state))
    for old, state in sample.pairs():
        if sample.step(old, state) == ERROR:
            return Plant(item, sample.good(item, old), sample.good(item, state))
    return None


def _illegal_handoff(sample: Sample, code: str) -> Plant | None:
    if sample.kind.handoff is None:
        return None
    item = sample.name(code)
    for old, state in sample.pairs(in_handoff=True):
        if sample.step(old, state) == ERROR:
            return Plant(item, sample.good(item, old), sample.good(item, state))
    return None


def _untried(sample: Sample, item: str, state: State) -> Plant:
    """A stage that is done, and of which nothing was tried."""
    fields = sample.fields(item, state)
    fields[sample.handoff_spec.evidence] = {}
    return new(sample.with_fields(sample.good(item, state), fields))


def _closed_gate(sample: Sample, code: str) -> Plant | None:
    item, kind = sample.name(code), sample.kind
    for state in sample.states():
        gate = kind.gates.get(state.name, GateSpec())
        if gate.contracts and (kind.registry or kind.handoff):
            made = sample.good(item, state)
            for path in sample.contracts(item):
                made = made.file(path, None)
            return new(made)
        elif (
            gate.evidence
            and kind.handoff
            and kind.handoff.evidence
            and (state in sample.states(in_handoff=True))
        ):
            return _untried(sample, item, state)
    return None


def _registry_alone(sample: Sample, code: str) -> Plant | None:
    """The registry moves on, and the handoff stays."""
    kind = sample.kind
    if kind.registry is None or kind.handoff is None:
        return None
    item = sample.name(code)
    for old, state in sample.pairs(in_handoff=True):
        if old.name not in kind.states[state.name].agrees:
            before, after = sample.good(item, old), sample.good(item, state)
            return Plant(item, before, after._replace(files=before.files))
    return None


PLANTERS: Planters = {
    'STG001': _illegal,
    'STG002': _illegal_handoff,
    'STG005': _closed_gate,
    'COM001': _registry_alone,
}
