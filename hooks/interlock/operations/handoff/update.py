"""A handoff that is created, or brought to a state."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import make_handoff, ours
from interlock.model.quick_typing import Mapping
from interlock.model.state import State
from interlock.operations import contracts
from interlock.operations.handoff.edit import (
    NULL,
    HandoffText,
    handoff_spec,
    refuse_unreadable,
    refusing,
)
from interlock.operations.handoff.fields import (
    Progress,
    following_fields,
    given_fields,
    progress_fields,
)
from interlock.operations.handoff.new import new_handoff
from interlock.operations.outcome import Outcome, data_of, new_path
from interlock.operations.progress_text import Words, next_steps, numbered
from interlock.workflow.reading import evidence, gates, next_state
from interlock.workflow.reading.fix_command import rebuild
from interlock.workflow.reading.records import (
    Placed,
    Records,
    handoff_state,
    is_open,
    scalar,
)


def require_handoff(at: Records) -> Placed:
    placed = at.active_handoff
    if placed is None:
        raise Denied(f'{at.item} has no handoff', *make_handoff(at.item).hint)
    return placed


def updated(
    at: Records, progress: Progress, contents: Snapshot, amend: str
) -> dict[str, bytes | None]:
    """The handoff at a state; a new one where there is none."""
    placed = at.active_handoff
    path = placed.path if placed else new_path(handoff_spec(at).file, at.item)
    with refusing(path):
        if placed is None:
            text = new_handoff(at, progress.state)
        else:
            refuse_unreadable(placed, at.item)
            text = HandoffText.read(at, path)
        _edit(text, at, progress, contents, amend)
        return {path: text.text.encode()}


def _edit(
    text: HandoffText, at: Records, progress: Progress, contents: Snapshot, amend: str
) -> None:
    old = text.values
    rerouted = not _opens(at, progress) and _is_rerouted(at, progress, old)
    settled = _is_settled(at, progress)
    fields = progress_fields(at, progress, old)
    coming = next_state.Next(state=progress.state)
    if not progress.goes_on or rerouted:
        more, coming = following_fields(at, progress, old, settled and not rerouted)
        fields.update(more)
    text.set_values(fields)
    _void_evidence(text, at, progress)
    words = progress.words
    if words.current or not settled:
        text.name_state(at.kind.label(progress.state))
        text.set_lines('current', (words.current or progress.text).splitlines())
    if words.completed or not progress.goes_on:
        said = words.completed or progress.text
        text.add_completed(str(progress.state), said, bool(words.completed))
    if (
        words.steps
        or rerouted
        or not (settled or (progress.goes_on and at.active_handoff))
    ):
        steps = words.steps or next_steps(at, progress.target, coming)
        text.set_lines('steps', numbered(steps))
    text.add_words(words)
    if not progress.goes_on and progress.state.name in text.spec.filled_after:
        text.fill()
    _seal(text, at, contents, amend)


def _is_rerouted(at: Records, progress: Progress, old: Mapping[str, str]) -> bool:
    """Whether other work comes than the handoff says, by what is given."""
    given = {**old, **given_fields(at, progress.words)}
    return next_state.after(at, progress.state, old) != (
        next_state.after(at, progress.state, given)
    )


def _is_settled(at: Records, progress: Progress) -> bool:
    """Whether the handoff says already that the work is done."""
    placed, spec = at.active_handoff, handoff_spec(at)
    if placed is None or handoff_state(placed) != progress.state:
        return False
    node = placed.handoff.get(spec.keys.get('status', ''))
    ends = {spec.writes.get('done'), spec.writes.get('last')}
    return progress.goes_on or (isinstance(node, yaml.Scalar) and node.text in ends)


def _seal(text: HandoffText, at: Records, contents: Snapshot, amend: str) -> None:
    key = text.spec.keys.get('checksums')
    if not at.kind.contracts or key is None:
        return
    found = contracts.seals(at, contents)
    contracts.refuse_silent_change(at, found, amend)
    is_new = at.active_handoff is None
    text.set_below(
        key, contracts.checksums(found) if is_new else contracts.unsealed(found)
    )


def _opens(at: Records, progress: Progress) -> bool:
    """Whether the handoff then says that work is in progress."""
    spec = handoff_spec(at)
    opened = spec.writes.get('open')
    status = progress.words.fields.get(spec.keys.get('status', ''), opened)
    return progress.goes_on and status == opened


def _undone_states(at: Records, progress: Progress) -> list[str]:
    """The states whose work a step back undoes."""
    placed, kind, state = at.active_handoff, at.kind, progress.state
    old = handoff_state(placed)
    if old is None:
        return []
    start, end = kind.position(state.name), kind.position(old.name)
    later = [
        name
        for name, spec in kind.states.items()
        if spec.stage and start < kind.position(name) and start < end
    ]
    if start > end:
        return []
    after = gates.OPEN if _opens(at, progress) and not state.phase else state.phase
    before = old.phase
    if before is None and is_open(placed, kind):
        before = gates.OPEN
    if after is not None and (start < end or before is None or after < before):
        return [state.name, *later]
    return later


def _void_evidence(text: HandoffText, at: Records, progress: Progress) -> None:
    """What passed of work that is undone has to be tried again.

    What failed is recorded until it passes.
    """
    placed = at.active_handoff
    found = [
        evidence.recorded(placed, at.kind, state, what)
        for state in _undone_states(at, progress)
        for what in evidence.kinds_of(placed, at.kind, state)
    ]
    void = [each.key for each in found if each.result != evidence.FAILED]
    text.set_below(text.spec.evidence, dict.fromkeys(void, NULL))


def with_status(at: Records, words: Words, status: str) -> Words:
    key = handoff_spec(at).keys.get('status')
    if key is None or not status:
        return words
    return words._replace(fields={key: status, **words.fields})


def require_stage(at: Records) -> State:
    placed = require_handoff(at)
    if placed.state is None:
        raise Refusal(f'{placed.path} is at no stage', rebuild(at).command)
    return placed.state


def say_more(
    at: Records, contents: Snapshot, day: str, words: Words, amend: str
) -> Outcome:
    """The handoff where it is, with more in it; the registry stays."""
    state = require_stage(at)
    status = scalar(at.active_handoff, at.kind, 'status')
    words = with_status(at, words, status.text if status else '')
    text = f'{at.kind.label(state)} goes on'
    progress = Progress(state, state, True, day, text, words)
    files = {
        path: data
        for path, data in updated(at, progress, contents, amend).items()
        if data != data_of(at.snapshot, path)
    }
    said = tuple(f'{path}: written' for path in files)
    return Outcome(files, said or (f'{at.item}: nothing to change',))


def refuse_elsewhere(at: Records, expected: State) -> None:
    found = handoff_state(at.active_handoff)
    if (
        found is None
        or found.name != expected.name
        or expected.phase not in {None, found.phase}
    ):
        where = at.kind.label(found) if found else 'no stage'
        raise Denied(
            f'the handoff of {at.item} is at {where}, not at {at.kind.label(expected)}',
            ours('verify-state', at.item),
        )
