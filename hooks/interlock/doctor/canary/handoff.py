"""Violations of the check `handoff`."""

from __future__ import annotations

from interlock.doctor.canary.item_files import Written
from interlock.doctor.canary.plant import Plant, Planter, Planters, new
from interlock.doctor.canary.sample import Fields, Sample
from interlock.model.state import State
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import FieldSpec

WORD = 'canary'


def _made(sample: Sample, code: str) -> tuple[Written, Fields] | None:
    """An item at the last stage of a handoff, with the fields of that."""
    if sample.kind.handoff is None or not sample.states(in_handoff=True):
        return None
    item, state = sample.name(code), sample.states(in_handoff=True)[-1]
    return sample.good(item, state), sample.fields(item, state)


def _instead(data: bytes) -> Planter:
    """A handoff that is nothing but this."""

    def planter(sample: Sample, code: str) -> Plant | None:
        made = _made(sample, code)
        if made is None:
            return None
        path = sample.handoff_path(made[0].item)
        return new(made[0].file(path, data))

    return planter


def _other(role: str, text: str | None) -> Planter:
    """A handoff with another value, or without it."""

    def planter(sample: Sample, code: str) -> Plant | None:
        made = _made(sample, code)
        key = sample.handoff_spec.keys.get(role, '') if made else ''
        if made is None or not key:
            return None
        written, fields = made
        if text is None:
            del fields[key]
        else:
            fields[key] = text
        return new(sample.with_fields(written, fields))

    return planter


def _in_state(policy: str) -> Planter:
    """A handoff in a state whose items should have none."""

    def planter(sample: Sample, code: str) -> Plant | None:
        made = _made(sample, code)
        states = [
            State(name)
            for name, spec in sample.kind.states.items()
            if spec.handoff == policy
        ]
        if made is None or sample.kind.registry is None or not states:
            return None
        done = sample.good(made[0].item, states[0])
        return new(sample.with_fields(done, made[1]))

    return planter


def _no_section(sample: Sample, code: str) -> Plant | None:
    made = _made(sample, code)
    if made is None or not sample.handoff_spec.expected_sections:
        return None
    written, fields = made
    data = sample.handoff(fields).partition(b'\n## ')[0]
    return new(written.file(sample.handoff_path(written.item), data))


def _old_place(sample: Sample, code: str) -> Plant | None:
    made = _made(sample, code)
    if made is None or not sample.handoff_spec.older:
        return None
    written, fields = made
    path = expand(sample.handoff_spec.older[0], written.item)
    moved = written.file(sample.handoff_path(written.item), None)
    return new(moved.file(path, sample.handoff(fields)))


def _wrong(field: FieldSpec) -> str:
    """A value that a field cannot have, '' if it can have any."""
    if field.type == 'number' and field.maximum is not None:
        return str(field.maximum + 1)
    return WORD if field.type != 'text' or field.values else ''


def _out_of_range(sample: Sample, code: str) -> Plant | None:
    made = _made(sample, code)
    if made is None:
        return None
    written, fields = made
    for field in sample.handoff_spec.fields:
        if _wrong(field):
            fields[field.name] = _wrong(field)
            return new(sample.with_fields(written, fields))
    for alias in sample.handoff_spec.aliases:
        fields[alias] = WORD
        return new(sample.with_fields(written, fields))
    return None


def _lost(sample: Sample, code: str) -> Plant | None:
    """The handoff is gone, and the item is still in its stage."""
    made = _made(sample, code)
    if made is None or sample.kind.registry is None:
        return None
    written, _ = made
    path = sample.handoff_path(written.item)
    return Plant(written.item, written, written.file(path, None))


PLANTERS: Planters = {
    'HND001': _instead(b'no frontmatter\n'),
    'HND002': _instead(b'---\nnot: closed\n'),
    'HND003': _other('stage', None),
    'HND004': _other('item', WORD),
    'HND005': _in_state('stale'),
    'HND006': _no_section,
    'HND007': _old_place,
    'HND008': _other('stage', WORD),
    'HND009': _in_state('kept'),
    'HND010': _out_of_range,
    'HND011': _lost,
}
