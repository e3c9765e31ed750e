"""Migrate handoffs of an older format: add what they lack, if it is known."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.model.change import Snapshot
from interlock.model.errors import Denied
from interlock.model.fixes import make_handoff
from interlock.model.state import State
from interlock.operations import contracts
from interlock.operations.handoff.edit import (
    NULL,
    PLACEHOLDER_RE,
    HandoffText,
    handoff_spec,
    nodes,
    refuse_unreadable,
)
from interlock.operations.handoff.update import coming_fields, derived_fields
from interlock.operations.outcome import Outcome, new_path, refusing
from interlock.workflow.language.spec import DONE, HandoffSpec
from interlock.workflow.reading import next_state
from interlock.workflow.reading.records import Records, is_null


def _derived(at: Records) -> dict[str, str]:
    fields = at.current.handoff.fields if at.current else None
    return derived_fields(at, fields.items if fields else {})


def next_as_known(at: Records) -> next_state.Next:
    """What comes next, as far as the workflow can tell."""
    spec, state = handoff_spec(at), at.stage
    if state is None:
        return next_state.Next()
    elif at.current is None or at.current.handoff.fields is None:
        return next_state.after(at, state, {})
    status = at.handoff_field('status')
    ends = {spec.writes.get('done'), spec.writes.get('last')}
    if status is None or status.text not in ends:
        return next_state.Next()
    return next_state.after(at, state, {**_derived(at), **at.handoff_values})


def _corrected(at: Records, spec: HandoffSpec, state: State | None) -> dict[str, str]:
    """Fixes for a stage that is written with its phase, and for a wrong item name."""
    fields = {}
    stage = at.handoff_field('stage')
    if state and stage and at.kind.by_stage(stage.text) is None:
        fields[spec.keys['stage']] = at.kind.states[state.name].stage
        if 'phase' in spec.keys and state.phase is not None:
            fields[spec.keys['phase']] = at.kind.written_stage(state)
    name = at.handoff_field('item')
    if name is not None and not is_null(name) and name.text != at.item:
        fields[spec.keys['item']] = at.item
    return fields


def _missing_fields(at: Records) -> dict[str, str]:
    """The fields that are missing or wrong, with the values that are known."""
    spec, state = handoff_spec(at), at.handoff_state
    assert at.current is not None and at.current.handoff.fields is not None
    found = at.current.handoff.fields.items
    fields = _corrected(at, spec, state)
    if state is None:
        return fields
    # nothing comes after work that is done
    following = next_state.Next() if at.role == DONE else next_as_known(at)
    known = {
        spec.keys['item']: at.item,
        **dict.fromkeys((each.name for each in spec.fields if each.exactly_when), NULL),
        **_derived(at),
        **coming_fields(at, following),
    }
    left_out = {spec.keys.get(role) for role in ('stage', 'status', 'updated')}
    left_out |= {spec.evidence, spec.keys.get('checksums'), *found}
    left_out |= {key for alias, key in spec.aliases.items() if alias in found}
    # the fields of a new handoff; '' where the item decides
    for key, node in nodes(PLACEHOLDER_RE.sub('', spec.template)).items():
        if key not in left_out:
            text = node.text if isinstance(node, yaml.Scalar) else ''
            fields.setdefault(key, known.get(key, text) or NULL)
    return fields


def _missing_seals(at: Records) -> list[str]:
    """The contracts that the handoff does not name among its checksums."""
    key = handoff_spec(at).keys.get('checksums', '')
    node = at.current.handoff.nodes.get(key) if at.current else None
    if not at.kind.contracts or not key:
        return []
    elif not is_null(node) and not isinstance(node, yaml.Mapping):
        return []
    written = node.items if isinstance(node, yaml.Mapping) else {}
    names = [contract.name for contract in at.kind.contracts.files]
    return [name for name in names if name not in written]


def missing(at: Records) -> tuple[str, ...]:
    """What migration would add to a handoff; () if it is complete."""
    if at.current is None or at.current.handoff.fields is None:
        return ()
    fields = tuple(_missing_fields(at))
    if at.current.state is None or not _missing_seals(at):
        return fields
    return (*fields, handoff_spec(at).keys['checksums'])


def migrate(at: Records, contents: Snapshot) -> Outcome:
    """Add what the handoff lacks; no value is invented."""
    spec, placed = handoff_spec(at), at.current
    if placed is None:
        raise Denied(f'{at.item} has no handoff', *make_handoff(at.called).hint)
    refuse_unreadable(placed, at.called)
    # a handoff in the old format, without stages, keeps its path
    stays = placed.state is None or at.role == DONE
    path = placed.path if stays else new_path(spec.file, at.item)
    lacks = missing(at)
    if not lacks and path == placed.path:
        early = placed.state is None
        why = 'in the old format, without stages' if early else 'already migrated'
        return Outcome({}, (f'{path}: {why}',))
    names = _missing_seals(at) if lacks and placed.state else []
    with refusing(placed.path, 'the handoff'):
        text = HandoffText.read(at, placed.path)
        text.set_values(_missing_fields(at))
        if names:
            found = contracts.seals(at, contents, names)
            text.set_below(spec.keys['checksums'], contracts.checksums(found))
    files: dict[str, bytes | None] = {path: text.text.encode()}
    said = [f'{path}: migrated ({", ".join(lacks)})'] if lacks else []
    if path != placed.path:
        files[placed.path] = None
        said.append(f'{placed.path}: moved to {path}')
    return Outcome(files, tuple(said))
