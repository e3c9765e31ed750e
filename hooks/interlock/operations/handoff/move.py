"""The handoff of an item whose work at a state is done, or goes on."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.documents import section_edit, yaml
from interlock.documents.frontmatter_edit import set_fields
from interlock.documents.text import decode
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal, Unreadable
from interlock.model.fixes import edit, ours
from interlock.operations import contracts
from interlock.operations.handoff import edit as handoff_edit
from interlock.operations.handoff import new as handoff_new
from interlock.operations.handoff.fields import (
    Move,
    fields_of,
    following_fields,
    given_fields,
    handoff_spec,
)
from interlock.operations.next_steps import next_steps, numbered
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import HandoffSpec
from interlock.workflow.reading import evidence, gates, next_state
from interlock.workflow.reading.records import (
    Placed,
    Records,
    counting,
    handoff_state,
    is_open,
)
from interlock.workflow.reading.status_words import label

NULL = 'null'


def readable(placed: Placed, item: str) -> None:
    """Refuses what has no fields that could be changed."""
    if placed.handoff.fields is None:
        problem = placed.handoff.problem
        why = (
            f'{placed.path}:{problem.line}: the frontmatter {problem.message}'
            if problem
            else f'{placed.path} has no frontmatter'
        )
        raise Refusal(why, ours('handoff', 'restore', item))


def _is_rerouted(at: Records, move: Move, old: Mapping[str, str]) -> bool:
    """Whether other work comes than the handoff says, by what is given."""
    given = {**old, **given_fields(at, move.words)}
    return next_state.after(at, move.state, old) != (
        next_state.after(at, move.state, given)
    )


def _sections(
    text: str,
    at: Records,
    spec: HandoffSpec,
    move: Move,
    coming: next_state.Next,
    settled: bool,
    rerouted: bool,
) -> str:
    words = move.words
    current = spec.sections.get('current')
    if current and (words.current or not settled):
        name = f'{current}: {label(move.state, at.kind)}'
        text = section_edit.retitle(text, current, name)
        lines = (words.current or move.text).splitlines()
        text = handoff_edit.set_lines(text, spec, 'current', lines)
    if words.completed or not move.open:
        said = words.completed or move.text
        text = handoff_edit.add_completed(
            text, spec, str(move.state), said, bool(words.completed)
        )
    if words.steps or rerouted or not (settled or (move.open and counting(at))):
        lines = numbered(words.steps or next_steps(at, move.target, coming))
        text = handoff_edit.set_lines(text, spec, 'steps', lines)
    text = handoff_edit.add_words(text, spec, at.item, words)
    if not move.open and move.state.name in spec.filled_after:
        known = {
            key: value
            for key, value in handoff_edit.values(text).items()
            if value not in {NULL, ''}
        }
        text = handoff_edit.fill(text, spec, at.item, known)
    return text


def _is_settled(at: Records, spec: HandoffSpec, move: Move) -> bool:
    """Whoever did the work has written it into the handoff already."""
    placed = counting(at)
    if placed is None or handoff_state(placed) != move.state:
        return False
    node = placed.handoff.get(spec.keys.get('status', ''))
    ends = {spec.writes.get('done'), spec.writes.get('last')}
    return move.open or (isinstance(node, yaml.Scalar) and node.text in ends)


def _sealed(text: str, at: Records, contents: Snapshot, amend: str) -> str:
    key = handoff_spec(at).keys.get('checksums')
    if at.kind.contracts is None or key is None:
        return text
    found = contracts.seals(at, contents)
    contracts.refuse_silent_change(at, found, amend)
    sums = contracts.unsealed(found)
    if counting(at) is None:
        sums = {each.contract.name: each.actual or contracts.FREE for each in found}
    return set_fields(text, {(key, name): checksum for name, checksum in sums.items()})


def _opens(spec: HandoffSpec, move: Move) -> bool:
    """Whether the handoff says then that work goes on."""
    opened = spec.writes.get('open')
    status = move.words.fields.get(spec.keys.get('status', ''), opened)
    return move.open and status == opened


def _is_undone(at: Records, placed: Placed, move: Move) -> bool:
    """Whether work that was done at the state is taken up again."""
    old, new = handoff_state(placed), move.state
    if old is None or old.name != new.name:
        return True
    before = old.phase
    if before is None and is_open(placed, at.kind):
        before = gates.OPEN
    opens = _opens(handoff_spec(at), move)
    after = gates.OPEN if opens and new.phase is None else new.phase
    return after is not None and (before is None or after < before)


def _left(at: Records, move: Move) -> list[str]:
    """The states whose work a step back undoes."""
    placed = counting(at)
    old = handoff_state(placed)
    if placed is None or old is None:
        return []
    start = at.kind.position(move.state.name)
    if start > at.kind.position(old.name):
        return []
    later = (
        [
            name
            for name, spec in at.kind.states.items()
            if spec.stage and at.kind.position(name) > start
        ]
        if start < at.kind.position(old.name)
        else []
    )
    inside = _opens(handoff_spec(at), move) or move.state.phase is not None
    if inside and _is_undone(at, placed, move):
        return [move.state.name, *later]
    return later


def _void(text: str, at: Records, spec: HandoffSpec, move: Move) -> str:
    """What passed of work that is undone has to be tried again.

    What failed is recorded until it passes.
    """
    placed = counting(at)
    found = [
        evidence.recorded(placed, at.kind, state, what)
        for state in _left(at, move)
        for what in evidence.kinds_of(placed, at.kind, state)
    ]
    return set_fields(
        text,
        {
            (spec.evidence, each.key): NULL
            for each in found
            if each.result != evidence.FAILED
        },
    )


def moved(
    at: Records, move: Move, contents: Snapshot, amend: str
) -> dict[str, bytes | None]:
    """The handoff at a state; a new one where there is none."""
    spec = handoff_spec(at)
    placed = counting(at)
    path = placed.path if placed else expand(spec.file, at.item)
    try:
        if placed is None:
            text = handoff_new.blank(
                at, spec, {'item': at.item, 'state': label(move.state, at.kind)}
            )
        else:
            readable(placed, at.item)
            blob = at.snapshot.blob(placed.path)
            assert blob is not None
            text = decode(blob)
        return {path: _moved(text, at, spec, move, contents, amend).encode()}
    except Unreadable as e:
        raise Refusal(
            f'{path}: the handoff {e.message}', *edit(path, e.line).hint
        ) from None


def _moved(
    text: str,
    at: Records,
    spec: HandoffSpec,
    move: Move,
    contents: Snapshot,
    amend: str,
) -> str:
    old = handoff_edit.values(text)
    rerouted = not _opens(spec, move) and _is_rerouted(at, move, old)
    settled = _is_settled(at, spec, move)
    fields = fields_of(at, spec, move, old)
    coming = next_state.Next(state=move.state)
    if not move.open or rerouted:
        more, coming = following_fields(at, spec, move, old, settled and not rerouted)
        fields.update(more)
    text = handoff_edit.set_values(text, spec, fields)
    text = _void(text, at, spec, move)
    text = _sections(text, at, spec, move, coming, settled, rerouted)
    return _sealed(text, at, contents, amend)
