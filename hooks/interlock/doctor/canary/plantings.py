"""Makes an item break each rule.

The file of a rule describes how (`canary`). Rules that need code are in the
tables below. Rules about a commit message are in `messages.py`.
"""

from __future__ import annotations

from interlock.doctor.canary.items import Item, Sampler
from interlock.documents.text import emoji
from interlock.model.finding import ERROR
from interlock.model.quick_typing import (
    Any,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.model.state import State
from interlock.rules.index import RULES
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import FieldSpec, GateSpec

WORD = 'canary'
# no workflow uses it
EMOJI = '🐤'
# contains a path separator and markup, so it is invalid for every item
BAD_NAME = 'canary/{REG009}'
# the valid items that are made wrong, by what their kind must have
REGISTERED, STAGED, FROZEN = 'registry', 'stages', 'frozen'
NOTHING: Mapping[str, str] = {}


class Planting(NamedTuple):
    """A violation of one rule by one item."""

    sampler: Sampler
    # the item before and after the change; None: the item is new
    before: Item | None
    after: Item
    # the subject of the commit, if the violation shows only with it
    subject: str = ''

    @property
    def item(self) -> str:
        """The item by the name that the finding uses."""
        return self.after.name


# an item before and after a change
Change = tuple['Item | None', Item]
# None if the kind lacks what the rule is about
Spoil = Callable[[Sampler, Item], 'Item | None']
MakeChanges = Callable[[Sampler, str], Iterator[Change]]


def _other_emoji(sampler: Sampler, item: Item) -> Item:
    word = item.rows[0]['status']
    bare = word.replace(emoji(word), '').strip() if emoji(word) else word
    return item.with_row(status=f'{EMOJI} {bare}')


def _other_status(sampler: Sampler, item: Item) -> Item | None:
    if len(sampler.states) < 2:
        return None
    other = sampler.sound(item.name, sampler.states[1])
    return item._replace(rows=other.rows)


def _bad_name(sampler: Sampler, item: Item) -> Item:
    return Item(BAD_NAME, ({**item.rows[0], 'item': BAD_NAME},))


def _no_section(sampler: Sampler, item: Item) -> Item:
    data = sampler.handoff(item.fields or {}).partition(b'\n## ')[0]
    return item._replace(fields=None).with_file(sampler.handoff_path(item.name), data)


def _older_path(sampler: Sampler, item: Item) -> Item:
    path = expand(sampler.handoff_spec.older[0], item.name)
    data = sampler.handoff(item.fields or {})
    return item._replace(fields=None).with_file(path, data)


def _in_state(policy: str) -> Spoil:
    """A handoff in a state whose items should have none."""

    def spoil(sampler: Sampler, item: Item) -> Item | None:
        for name, spec in sampler.kind.states.items():
            if spec.handoff == policy and sampler.kind.registry:
                made = sampler.sound(item.name, State(name))
                return made._replace(fields=item.fields)
        return None

    return spoil


def _invalid(field: FieldSpec) -> str:
    """An invalid value for a field, '' if every value is valid."""
    if field.type == 'number' and field.maximum is not None:
        return str(field.maximum + 1)
    return WORD if field.type != 'text' or field.values else ''


def _bad_field(sampler: Sampler, item: Item) -> Item | None:
    spec = sampler.handoff_spec
    for field in spec.fields:
        if _invalid(field):
            return item.with_field(field.name, _invalid(field))
    return next((item.with_field(alias, WORD) for alias in spec.aliases), None)


def _spoiled(sampler: Sampler, item: Item, canary: Mapping[str, Any]) -> Item:
    """Apply the `canary` of a rule to an item.

    It may give other cells of the row and of the entry or remove the entry,
    other values of handoff keys, the whole text of a handoff or a contract,
    other dates, or another seal.
    """
    keys = sampler.handoff_spec.keys
    if 'row' in canary:
        item = item.with_row(**canary['row'])
    item = item._replace(rows=item.rows * canary.get('rows', 1))
    if 'entry' in canary or item.entry:
        entry = canary.get('entry', NOTHING)
        item = item._replace(
            entry=None if entry is None else {**(item.entry or {}), **entry}
        )
    item = item._replace(days=tuple(canary.get('days', item.days)))
    for role, value in canary.get('key', NOTHING).items():
        item = item.with_field(keys[role], value)
    if 'handoff' in canary:
        path = sampler.handoff_path(item.name)
        before = sampler.handoff(item.fields or {}).decode()
        text = canary['handoff'].replace('{text}', before)
        item = item._replace(fields=None).with_file(path, text.encode())
    if 'contract' in canary:
        path = sampler.contract_path(item.name, sampler.contracts[0])
        before, text = item.files[path].decode(), canary['contract']
        new = text.replace('{text}', before).encode() if text is not None else None
        item = item.without_file(path) if new is None else item.with_file(path, new)
    if 'seal' in canary:
        seal = canary['seal']
        seals = {sampler.contracts[0].name: seal} if seal is not None else {}
        item = item.with_field(keys['checksums'], seals)
    return item


def _as_written(canary: Mapping[str, Any]) -> tuple[str, tuple[str, ...], Spoil]:
    """The `canary` of a rule as a row of the table below."""
    row, key = canary.get('row', NOTHING), canary.get('key', NOTHING)
    needs = canary.get('needs', ())
    roles = (*(f'column {role}' for role in row), *(f'key {role}' for role in key))
    base = STAGED if key or 'handoff' in canary else REGISTERED
    if 'contract' in canary or 'seal' in canary:
        base = FROZEN
    return base, (*needs, *roles), lambda s, item: _spoiled(s, item, canary)


WRITTEN = {code: r.canary for code, r in RULES.items() if not isinstance(r.canary, str)}
# code -> files that break a rule that is not about an item
FILES = {
    code: {path: text.encode() for path, text in canary['file'].items()}
    for code, canary in WRITTEN.items()
    if 'file' in canary
}
# code -> the valid item, what else its kind must have, and how it is made wrong
SPOILED: Mapping[str, tuple[str, tuple[str, ...], Spoil]] = {
    'REG001': (REGISTERED, ('entries',), _other_status),
    'REG006': (REGISTERED, ('entries',), _other_emoji),
    'REG009': (REGISTERED, (), _bad_name),
    'HND005': (STAGED, (), _in_state('stale')),
    'HND006': (STAGED, ('sections',), _no_section),
    'HND007': (STAGED, ('older',), _older_path),
    'HND009': (STAGED, (), _in_state('kept')),
    'HND010': (STAGED, (), _bad_field),
    **{code: _as_written(WRITTEN[code]) for code in WRITTEN if code not in FILES},
}


def _other_stage(sampler: Sampler, item: str) -> Iterator[Change]:
    """The registry and the handoff are at different stages."""
    for one, other in sampler.pairs(sampler.stages):
        made = sampler.sound(item, one)
        yield None, made._replace(fields=sampler.fields(item, other))


def _unregistered(sampler: Sampler, item: str) -> Iterator[Change]:
    for state in sampler.stages:
        yield None, sampler.sound(item, state).unregistered()


def _other_phase(sampler: Sampler, item: str) -> Iterator[Change]:
    for state in sampler.stages:
        if sampler.kind.states[state.name].phased:
            made = sampler.sound(item, State(state.name, 1))
            fields = sampler.fields(item, State(state.name, 2))
            yield None, made._replace(fields=fields)


def _lost_handoff(sampler: Sampler, item: str) -> Iterator[Change]:
    """The handoff is gone, but the item is still at its stage."""
    for state in sampler.stages[-1:]:
        made = sampler.sound(item, state)
        yield made, made._replace(fields=None)


def _illegal(sampler: Sampler, item: str) -> Iterator[Change]:
    for state in sampler.states:
        if sampler.severity(None, state) == ERROR:
            yield None, sampler.sound(item, state)
    yield from _illegal_step(sampler, item, sampler.states)


def _illegal_step(
    sampler: Sampler, item: str, states: Sequence[State]
) -> Iterator[Change]:
    for old, state in sampler.pairs(states):
        if sampler.severity(old, state) == ERROR:
            yield sampler.sound(item, old), sampler.sound(item, state)


def _closed_gate(sampler: Sampler, item: str) -> Iterator[Change]:
    kind = sampler.kind
    for state in sampler.states:
        gate, made = kind.gates.get(state.name, GateSpec()), sampler.sound(item, state)
        if gate.contracts and (kind.registry or kind.handoff):
            yield None, made._replace(files={})
        elif gate.evidence and kind.handoff and kind.handoff.evidence and made.fields:
            yield None, made.with_field(kind.handoff.evidence, {})


def _registry_alone(sampler: Sampler, item: str) -> Iterator[Change]:
    """The registry moves on, but the handoff stays."""
    for old, state in sampler.pairs(sampler.stages):
        if old.name not in sampler.kind.states[state.name].agrees:
            before, after = sampler.sound(item, old), sampler.sound(item, state)
            yield before, after._replace(fields=before.fields)


# code -> what the kind must have, and the item before and after the change
MOVED: Mapping[str, tuple[tuple[str, ...], MakeChanges]] = {
    'REG010': (('registry', 'handoff'), _other_stage),
    'REG014': (('registry', 'handoff'), _unregistered),
    'REG015': (('registry', 'handoff', 'key phase'), _other_phase),
    'HND011': (('registry', 'handoff'), _lost_handoff),
    'STG001': (('registry',), _illegal),
    'STG002': (('handoff',), lambda s, item: _illegal_step(s, item, s.stages)),
    'STG005': ((), _closed_gate),
    'COM001': (('registry', 'handoff'), _registry_alone),
}
# only a registry without entries has notes, so they are planted separately
NOTES = 'REG013'
CODES = tuple(code for code in (*SPOILED, *MOVED) if code != NOTES)


def _base(sampler: Sampler, base: str, item: str) -> Item:
    if base == REGISTERED:
        return sampler.sound(item, sampler.states[0], handoff=False)
    state = sampler.frozen if base == FROZEN else sampler.stages[-1]
    assert state is not None, 'the kind has one'
    return sampler.sound(item, state)


def plant(samplers: Iterable[Sampler], code: str, name: str = '') -> Planting | None:
    """A violation of a rule by the first kind that can break it."""
    for sampler in samplers:
        item = sampler.name(name or code)
        if code in MOVED:
            needs, changes = MOVED[code]
            fits = {*needs} <= sampler.features
            found = next(changes(sampler, item), None) if fits else None
        else:
            base, needs, spoil = SPOILED[code]
            fits = {base, *needs} <= sampler.features
            after = spoil(sampler, _base(sampler, base, item)) if fits else None
            found = (None, after) if after else None
        if found:
            return Planting(sampler, *found)
    return None
