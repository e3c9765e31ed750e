"""Handoffs of an older format: what they lack is added, if it is known."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.frontmatter_edit import set_fields
from interlock.documents.text import decode
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import edit, ours
from interlock.model.state import State
from interlock.operations import contracts
from interlock.operations.handoff import edit as handoff_edit
from interlock.operations.handoff.fields import handoff_spec, phase_of
from interlock.operations.handoff.move import readable
from interlock.operations.handoff.new import PLACEHOLDER_RE
from interlock.operations.outcome import Outcome
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import DONE, HandoffSpec
from interlock.workflow.reading import next_state
from interlock.workflow.reading.handoff_fields import follows
from interlock.workflow.reading.records import (
    Records,
    handoff_state,
    is_null,
    scalar,
    stage_of,
    values_of,
)

NULL = 'null'


def _template(spec: HandoffSpec) -> dict[str, str]:
    """The fields that a new handoff has; '' where the item decides."""
    found = {}
    bare = PLACEHOLDER_RE.sub('', spec.template)
    for key, node in handoff_edit.nodes(bare).items():
        found[key] = node.text if isinstance(node, yaml.Scalar) else ''
    return found


def _is_done(at: Records, spec: HandoffSpec) -> bool:
    status = scalar(at.current, at.kind, 'status')
    ends = {spec.writes.get('done'), spec.writes.get('last')}
    return status is not None and status.text in ends


def _derived(at: Records, spec: HandoffSpec) -> dict[str, str]:
    """Fields that follow from others, whether they are written or not."""
    fields = at.current.handoff.fields if at.current else None
    found, known = fields.items if fields else {}, {}
    for field in spec.fields:
        if field.exactly_when is not None:
            must = follows(field, found.get(field.exactly_when[0]))
            known[field.name] = NULL if must is None else str(must).lower()
    return known


def coming(at: Records) -> next_state.Next:
    """What comes next, as far as the workflow can tell.

    One answer for whoever reads a handoff and for whoever completes it.
    """
    spec, state = handoff_spec(at), stage_of(at)
    if state is None:
        return next_state.Next()
    elif at.current is None or at.current.handoff.fields is None:
        return next_state.after(at, state, {})
    elif not _is_done(at, spec):
        return next_state.Next()
    fields = {**_derived(at, spec), **values_of(at.current)}
    return next_state.after(at, state, fields)


def _following(at: Records, spec: HandoffSpec) -> dict[str, str]:
    # nothing comes after work that is done
    found = next_state.Next() if at.role == DONE else coming(at)
    fields = {spec.action: found.action}
    if spec.phases is not None:
        fields[spec.phases.field] = found.phase or NULL
    return fields


def _split(at: Records, spec: HandoffSpec, state: State) -> dict[str, str]:
    """Stage and phase of a handoff that wrote both as its stage."""
    stage = scalar(at.current, at.kind, 'stage')
    if stage is None or at.kind.by_stage(stage.text) is not None:
        return {}
    fields = {spec.keys['stage']: at.kind.states[state.name].stage}
    if 'phase' in spec.keys and state.phase is not None:
        fields[spec.keys['phase']] = phase_of(state, at)
    return fields


def _fields(at: Records) -> dict[str, str]:
    """The fields that are missing, with what is known of them."""
    spec = handoff_spec(at)
    assert at.current is not None and at.current.handoff.fields is not None
    found = at.current.handoff.fields.items
    state = handoff_state(at.current)
    if state is None:
        return _named(at, spec)
    known = {
        spec.keys['item']: at.item,
        spec.keys.get('phase', ''): NULL,
        **_derived(at, spec),
        **_following(at, spec),
    }
    unknown = {spec.keys.get(role) for role in ('stage', 'status', 'updated')}
    fields = {**_split(at, spec, state), **_named(at, spec)}
    for key, text in _template(spec).items():
        older = [name for name, to in spec.aliases.items() if to == key]
        if (
            key in unknown
            or key in {spec.evidence, spec.keys.get('checksums')}
            or {key, *older} & set(found)
        ):
            continue
        fields.setdefault(key, known.get(key, text or NULL))
    return fields


def _seals(at: Records) -> list[str]:
    """The contracts of which nothing is written, not even that it is free."""
    spec = handoff_spec(at)
    assert at.current is not None
    key = spec.keys.get('checksums', '')
    node = at.current.handoff.get(key)
    if (
        at.kind.contracts is None
        or not key
        or (
            node is not None
            and not is_null(node)
            and not isinstance(node, yaml.Mapping)
        )
    ):
        return []
    written = node.items if isinstance(node, yaml.Mapping) else {}
    return [
        contract.name
        for contract in at.kind.contracts.files
        if contract.name not in written
    ]


def missing(at: Records) -> tuple[str, ...]:
    """What a handoff lacks and would be given; () where it is complete."""
    if at.current is None or at.current.handoff.fields is None:
        return ()
    elif handoff_state(at.current) is None:
        return tuple(_fields(at))
    checksums = handoff_spec(at).keys.get('checksums', '')
    return (*_fields(at), *([checksums] if _seals(at) else []))


def _place(at: Records, spec: HandoffSpec) -> str:
    """Where the handoff belongs; one from before the stages stays."""
    assert at.current is not None
    if handoff_state(at.current) is None or at.role == DONE:
        return at.current.path
    return expand(spec.file, at.item)


def _named(at: Records, spec: HandoffSpec) -> dict[str, str]:
    """The item of the directory, for a handoff that names another one."""
    key, name = spec.keys['item'], scalar(at.current, at.kind, 'item')
    wrong = name is not None and not is_null(name) and name.text != at.item
    return {key: at.item} if wrong else {}


def migrate(at: Records, contents: Snapshot) -> Outcome:
    """The handoff with what it lacks; nothing of it is invented."""
    spec = handoff_spec(at)
    placed = at.current
    if placed is None:
        raise Denied(f'{at.item} has no handoff', ours('handoff', 'create', at.item))
    readable(placed, at.item)
    path, lacks = _place(at, spec), missing(at)
    if not lacks and path == placed.path:
        early = handoff_state(placed) is None
        why = 'from before the stages' if early else 'already migrated'
        return Outcome({}, (f'{path}: {why}',))
    blob = at.snapshot.blob(placed.path)
    assert blob is not None
    names = _seals(at) if lacks and handoff_state(placed) else []
    found = contracts.seals(at, contents, names) if names else []
    key = spec.keys.get('checksums', '')
    try:
        text = handoff_edit.set_values(decode(blob), spec, _fields(at))
        text = set_fields(
            text,
            {
                (key, each.contract.name): each.actual or contracts.FREE
                for each in found
            },
        )
    except Unreadable as e:
        raise Refusal(
            f'{placed.path}: the handoff {e.message}', *edit(placed.path, e.line).hint
        ) from None
    files: dict[str, bytes | None] = {path: text.encode()}
    said = [f'{path}: migrated ({", ".join(lacks)})'] if lacks else []
    if path != placed.path:
        files[placed.path] = None
        said.append(f'{placed.path}: moved to {path}')
    return Outcome(files, tuple(said))
