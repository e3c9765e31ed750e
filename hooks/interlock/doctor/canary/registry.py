"""Violations of the check `registry`."""

from __future__ import annotations

from interlock.doctor.canary.item_files import Written
from interlock.doctor.canary.plant import Plant, Planters, new
from interlock.doctor.canary.sample import DAY, Sample
from interlock.documents.text import emoji
from interlock.model.state import State

OTHER_DAY = '2026-01-03'
EARLIER = '2025-12-31'
# no workflow has it
EMOJI = '🐤'
# a path to somewhere else
BAD_NAME = 'canary/REG009'


def _registered(sample: Sample, code: str, entries: bool = True) -> Written | None:
    """An item that only the registry knows, None if there is none."""
    if sample.kind.registry is None or (entries and not sample.has_entries):
        return None
    return sample.good(sample.name(code), sample.states()[0], handoff=False)


def _has(sample: Sample, role: str) -> bool:
    spec = sample.kind.registry
    return (
        spec is not None
        and role in dict(spec.shape.columns)
        and (role in dict(spec.shape.fields))
    )


def _other_status(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code)
    if made is None or len(sample.states()) < 2:
        return None
    return new(made.row(status=sample.status(sample.states()[1])))


def _no_entry(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code)
    return new(made._replace(entries=())) if made else None


def _no_row(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code)
    return new(made._replace(rows=())) if made else None


def _other_day(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code)
    if made is None or not _has(sample, 'updated'):
        return None
    return new(made.row(updated=OTHER_DAY))


def _unknown_status(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code, entries=False)
    if made is None:
        return None
    made = made.row(status='Canary?')
    return new(made.entry(status='Canary?') if made.entries else made)


def _other_emoji(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code)
    if made is None:
        return None
    word = made.rows[0]['status']
    bare = word.replace(emoji(word), '').strip() if emoji(word) else word
    return new(made.row(status=f'{EMOJI} {bare}'))


def _twice(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code, entries=False)
    return new(made._replace(rows=made.rows * 2)) if made else None


def _bad_name(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code, entries=False)
    if made is None:
        return None
    row = {**made.rows[0], 'item': BAD_NAME}
    return new(Written(BAD_NAME, (row,)))


def _other_stage(sample: Sample, code: str) -> Plant | None:
    if sample.kind.registry is None or sample.kind.handoff is None:
        return None
    item = sample.name(code)
    for one, other in sample.pairs(in_handoff=True):
        made = sample.good(item, one)
        return new(sample.with_fields(made, sample.fields(item, other)))
    return None


def _backwards(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code)
    spec = sample.kind.registry
    if made is None or spec is None or not spec.shape.timelines:
        return None
    entry = made.entries[0]._replace(days=(DAY, EARLIER))
    return new(made._replace(entries=(entry,)))


def _other_version(sample: Sample, code: str) -> Plant | None:
    made = _registered(sample, code)
    if made is None or not _has(sample, 'version'):
        return None
    return new(made.row(version='9.9.9'))


def _unregistered(sample: Sample, code: str) -> Plant | None:
    states = sample.states(in_handoff=True)
    if sample.kind.registry is None or sample.kind.handoff is None or (not states):
        return None
    made = sample.good(sample.name(code), states[0])
    return new(made._replace(rows=(), entries=()))


def _other_phase(sample: Sample, code: str) -> Plant | None:
    kind = sample.kind
    if (
        kind.registry is None
        or kind.handoff is None
        or ('phase' not in kind.handoff.keys)
    ):
        return None
    item = sample.name(code)
    for state in sample.states(in_handoff=True):
        if kind.states[state.name].phased:
            made = sample.good(item, State(state.name, 1))
            fields = sample.fields(item, State(state.name, 2))
            return new(sample.with_fields(made, fields))
    return None


def without_notes(sample: Sample, code: str) -> Plant | None:
    """Only a registry without entries keeps notes."""
    spec = sample.kind.registry
    if (
        spec is None
        or not spec.notes
        or spec.entry_file
        or (spec.layout == 'monolithic')
    ):
        return None
    made = _registered(sample, code, entries=False)
    return new(made._replace(entries=())) if made else None


PLANTERS: Planters = {
    'REG001': _other_status,
    'REG002': _no_entry,
    'REG003': _no_row,
    'REG004': _other_day,
    'REG005': _unknown_status,
    'REG006': _other_emoji,
    'REG007': _twice,
    'REG009': _bad_name,
    'REG010': _other_stage,
    'REG011': _backwards,
    'REG012': _other_version,
    'REG014': _unregistered,
    'REG015': _other_phase,
}
