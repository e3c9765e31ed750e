"""Handoffs that are lost, unreadable, or no longer needed."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.frontmatter import CLOSE_RE, FENCE_RE
from interlock.documents.frontmatter_edit import remove
from interlock.documents.frontmatter_edit import scalar as as_yaml
from interlock.documents.text import decode
from interlock.model import quick_re as re
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Unreadable
from interlock.model.fixes import make_handoff, ours
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence
from interlock.model.state import State
from interlock.operations import contracts
from interlock.operations.handoff.edit import (
    CLOSING,
    NULL,
    HandoffText,
    handoff_spec,
    new_handoff,
)
from interlock.operations.handoff.update import (
    Progress,
    coming_fields,
    derived_fields,
    stage_fields,
)
from interlock.operations.outcome import Outcome, new_path, refusing
from interlock.operations.progress_text import Words, next_steps, numbered
from interlock.operations.registry.change import add_timeline, timeline_of
from interlock.operations.registry.status import (
    refuse_unknown_status,
    require_readable,
    require_registered,
)
from interlock.workflow.language.spec import BEFORE, STAGE, STALE
from interlock.workflow.reading import next_state
from interlock.workflow.reading import status_words as statuses
from interlock.workflow.reading.fix_command import align, rebuild
from interlock.workflow.reading.records import Placed, Records, is_null, scalar
from interlock.workflow.reading.transitions import stage_beside, stages_beside

DELETED = 'Handoff deleted'
# a comment after the value of a field
NOT_KNOWN = '# not known'
UNSURE = '1. Find out where work stopped: see the plan and the last commits'
TOLD_RE = re.compile(r'\((?P<about>[^()]+)\)[\s:*]*(?P<text>.*)')


class Version(NamedTuple):
    """A handoff as a commit has it."""

    commit: str
    placed: Placed
    data: bytes


class EndedState(NamedTuple):
    """A commit that ends a state."""

    state: State
    subject: str
    commit: str


class KnownFacts(NamedTuple):
    """What is known about an item, besides its registry."""

    # oldest first
    history: Sequence[EndedState]
    # the last sound handoff in the history
    version: Version | None
    # the present handoff, as far as it can be read
    current: Placed | None = None

    @property
    def handoffs(self) -> list[Placed]:
        """Newest first: the file on disk is newer than the committed version."""
        both = (self.current, self.version and self.version.placed)
        return [placed for placed in both if placed]

    def field(self, key: str) -> yaml.Node | None:
        found = [placed.handoff.nodes.get(key) for placed in self.handoffs]
        return next((node for node in found if node is not None), None)

    def below(self, key: str) -> dict[str, str]:
        """The single values of a field that is a mapping."""
        node = self.field(key) if key else None
        return {
            name: value.text
            for name, value in (
                node.items.items() if isinstance(node, yaml.Mapping) else ()
            )
            if isinstance(value, yaml.Scalar) and not is_null(value)
        }


def delete_older(at: Records) -> Outcome:
    """Delete a handoff that was left at a path of an older layout."""
    if at.older is None:
        raise Denied(
            f'{at.item} has no handoff at an older place',
            ours('verify-state', at.called),
        )
    path = at.older.path
    return Outcome({path: None}, (f'{path}: deleted',))


def delete(at: Records, day: str) -> Outcome:
    """Delete the handoff at every path, and add a line to the timeline."""
    paths = [placed.path for placed in (at.handoff, at.older) if placed]
    if not paths:
        raise Denied(f'{at.item} has no handoff', ours('resume', at.called))
    files: dict[str, bytes | None] = dict.fromkeys(paths)
    if at.registered and at.entry is not None:
        require_readable(at)
        files = {**add_timeline(at, day, '', DELETED).files, **files}
    return Outcome(files, tuple(f'{path}: deleted' for path in paths))


def _refuse_needless(at: Records, broken: bool) -> None:
    """Refuse to rebuild a sound handoff, or one that should be gone."""
    if at.handoff_policy == STALE:
        raise Denied(f'{at.item} is {at.label} and needs no handoff')
    elif at.current is not None and not broken:
        raise Denied(f'{at.current.path} is valid', ours('verify-state', at.called))


def restore(at: Records, version: Version | None, broken: bool) -> Outcome:
    """Restore the last sound handoff."""
    _refuse_needless(at, broken)
    if version is None:
        raise Denied(
            f'no commit holds a valid handoff of {at.item}', rebuild(at).command
        )
    placed, warnings = version.placed, []
    if (
        placed.state is not None
        and at.state is not None
        and placed.state.name not in stages_beside(at.state, at.kind)
    ):
        following = align(at._replace(current=placed)).command
        warnings.append(
            f'the handoff is at {at.kind.label(placed.state)}, {at.canonical_path} '
            f'says {at.kind.label(at.state)}; next: {following}'
        )
    said = f'{placed.path}: restored from {version.commit[:10]}'
    return Outcome({placed.path: version.data}, (said,), tuple(warnings))


def _known_state(at: Records, facts: KnownFacts) -> tuple[State, State]:
    """The state of the handoff, and that of the registry."""
    require_registered(at)
    refuse_unknown_status(at)
    target = at.state
    assert target is not None, 'its status is known'
    role = at.kind.states[target.name].role
    stage = stage_beside(target, at.kind)
    if stage is None:
        raise Denied(
            f'{at.item} is {at.kind.label(target)}: there is nothing to hand over',
            *(make_handoff(at.called).hint if role == BEFORE else ('',)),
        )
    elif role != STAGE:
        return stage, target
    last = [each.state for each in facts.history][-1:]
    if target.phase is None and last and last[0].name == target.name:
        # the registry need not name the phase
        return last[0], last[0]
    return target, target


def _is_done(at: Records, facts: KnownFacts, state: State) -> bool | None:
    """Whether the work at a state is done, None if unknown."""
    if at.role != STAGE or any(each.state == state for each in facts.history):
        return True
    spec = handoff_spec(at)
    for placed in facts.handoffs:
        status = scalar(placed, at.kind, 'status')
        if placed.state == state and status and status.text in spec.statuses:
            return status.text != spec.writes.get('open')
    return None


def _lasting_fields(at: Records, facts: KnownFacts) -> dict[str, str]:
    """The last known values of the fields that do not depend on the state."""
    spec = handoff_spec(at)
    changing = {spec.action, spec.phases.field if spec.phases else ''}
    found: dict[str, yaml.Scalar] = {}
    for field in spec.fields:
        node = facts.field(field.name)
        if (
            field.name not in changing
            and isinstance(node, yaml.Scalar)
            and not is_null(node)
        ):
            found[field.name] = node
    return {
        **derived_fields(at, found),
        **{key: node.text for key, node in found.items()},
    }


def _completed(at: Records, facts: KnownFacts) -> Iterator[tuple[str, str]]:
    """What the timeline and the commits say about the states that are done."""
    told: dict[str, str] = {}
    for line in timeline_of(at):
        match = TOLD_RE.search(line)
        state = statuses.read(match['about'], at.kind).state if match else None
        if match and state and at.kind.states[state.name].role == STAGE:
            told[str(state)] = match['text'].strip()
    for each in facts.history:
        told.setdefault(str(each.state), f'{each.subject} ({each.commit[:10]})')
    yield from told.items()


def _kept_body(at: Records) -> str:
    """The text below the frontmatter of a handoff whose fields cannot be read."""
    blob = at.snapshot.blob(at.current.path) if at.current else None
    try:
        text = decode(blob).lstrip('\ufeff') if blob else ''
    except Unreadable:
        return ''
    opening = FENCE_RE.match(text)
    if opening is None:
        return text
    closing = CLOSE_RE.search(text, opening.end())
    return text[closing.end() :].lstrip('\r\n') if closing else ''


def _blank(at: Records, state: State) -> HandoffText:
    """A new handoff on top of the readable text of the old one."""
    new, kept = new_handoff(at, state), _kept_body(at)
    if kept.strip():
        front = new.text[: new.text.index(CLOSING) + len(CLOSING)] + '\n'
        if '\r\n' in kept:
            front = front.replace('\n', '\r\n')
        new.text = front + kept
    return new


def _rebuild(
    at: Records, facts: KnownFacts, contents: Snapshot, day: str
) -> tuple[str, list[str], list[str]]:
    """The text, with the fields whose value is unknown and the contracts that differ
    from their seal."""
    spec = handoff_spec(at)
    state, target = _known_state(at, facts)
    done = _is_done(at, facts, state)
    said = f'Rebuilt on {day} from the registry, the history and the contracts'
    progress = Progress(state, target, not done, said, Words(day=day), {})
    known = _lasting_fields(at, facts)
    fields = {spec.keys['item']: at.item, **stage_fields(at, progress), **known}
    if 'updated' in spec.keys:
        fields[spec.keys['updated']] = day
    unknown = [
        field.name for field in spec.fields if field.planned and field.name not in known
    ]
    coming = next_state.after(at, state, known) if done else next_state.Next()
    for key, value in coming_fields(at, coming).items() if done else ():
        if value:
            fields[key] = value
        else:
            unknown.append(key)
    if done is None and 'status' in spec.keys:
        unknown.append(spec.keys['status'])
    text = _blank(at, state)
    text.set_values(fields)
    for key in unknown:
        text.set_yaml(key, f'{as_yaml(fields.get(key, NULL))} {NOT_KNOWN}')
    if spec.evidence and facts.field(spec.evidence) is None:
        if at.role != STAGE:
            # an empty field would say that finished work was never tried
            text.text = remove(text.text, (spec.evidence,))
        unknown.append(spec.evidence)
    tried = facts.below(spec.evidence).items()
    text.set_below(spec.evidence, {key: as_yaml(value) for key, value in tried})
    broken = _keep_seals(text, at, facts, contents)
    _rebuild_sections(text, at, facts, progress, coming)
    if unknown:
        said = f'Not known when this was rebuilt: {", ".join(unknown)}'
        text.add_words(Words(context=(said,)))
    return text.text, unknown, broken


def _keep_seals(
    text: HandoffText, at: Records, facts: KnownFacts, contents: Snapshot
) -> list[str]:
    """Keep the old seals; return the contracts that differ from them."""
    key = text.spec.keys.get('checksums')
    if not at.kind.contracts or key is None:
        return []
    old, found = facts.below(key), contracts.seals(at, contents)
    text.set_below(key, {**contracts.checksums(found), **old})
    return [
        each.path
        for each in found
        if old.get(each.contract.name, each.actual) != each.actual
    ]


def _rebuild_sections(
    text: HandoffText,
    at: Records,
    facts: KnownFacts,
    progress: Progress,
    coming: next_state.Next,
) -> None:
    text.add_line('current', progress.text)
    text.name_state(at.kind.label(progress.state))
    for about, said in _completed(at, facts):
        text.add_completed(about, said)
    if not text.lines('steps'):
        steps = numbered(next_steps(at, progress.target, coming))
        text.set_lines('steps', [UNSURE] if progress.goes_on else steps)


def regenerate(
    at: Records, facts: KnownFacts, contents: Snapshot, day: str, broken: bool
) -> Outcome:
    """A handoff from the registry, the history and the contracts.

    Unknown values are marked.
    """
    _refuse_needless(at, broken)
    path = at.current.path if at.current else new_path(handoff_spec(at).file, at.item)
    with refusing(path, 'the handoff'):
        text, unknown, differing = _rebuild(at, facts, contents, day)
    warnings = [f'not known: {", ".join(unknown)}'] if unknown else []
    warnings.extend(
        f'{each} differs from its seal; next: {ours("contracts", "verify", at.called)}'
        for each in differing
    )
    return Outcome({path: text.encode()}, (f'{path}: rebuilt',), tuple(warnings))
