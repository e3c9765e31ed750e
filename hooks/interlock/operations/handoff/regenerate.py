"""A handoff that is lost, rebuilt from what else is known of its item."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interlock.documents import section_edit, yaml
from interlock.documents.frontmatter import CLOSE_RE, FENCE_RE
from interlock.documents.frontmatter_edit import remove, scalar, set_field, set_fields
from interlock.documents.text import decode
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal, Unreadable
from interlock.model.fixes import edit
from interlock.model.state import State
from interlock.operations import contracts
from interlock.operations.handoff import edit as handoff_edit
from interlock.operations.handoff import new
from interlock.operations.handoff.fields import Move, handoff_spec
from interlock.operations.handoff.known_facts import Found, fields_of, is_done, state_of
from interlock.operations.handoff.new import FENCE
from interlock.operations.handoff.repair import refuse_needless
from interlock.operations.next_steps import next_steps, numbered
from interlock.operations.outcome import Outcome
from interlock.operations.progress_text import Words
from interlock.operations.registry.change import timeline_of
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import STAGE, HandoffSpec
from interlock.workflow.reading import next_state
from interlock.workflow.reading import status_words as statuses
from interlock.workflow.reading.records import Records, is_null
from interlock.workflow.reading.status_words import label

# a comment behind the value of a field
NOT_KNOWN = '# not known'
UNSURE = '1. Find out where work stopped: the plan and the last commits tell'
TOLD_RE = re.compile(r'\((?P<about>[^()]+)\)[\s:*]*(?P<text>.*)')


def _seals(
    at: Records, spec: HandoffSpec, found: Found, contents: Snapshot
) -> tuple[dict[tuple[str, ...], str], list[str]]:
    """What was sealed stays sealed; contracts that differ from it."""
    key = spec.keys.get('checksums')
    if at.kind.contracts is None or key is None:
        return {}, []
    node = found.field(key)
    old = node.items if isinstance(node, yaml.Mapping) else {}
    sums: dict[tuple[str, ...], str] = {}
    broken = []
    for each in contracts.seals(at, contents):
        recorded = old.get(each.contract.name)
        text = each.actual or contracts.FREE
        if isinstance(recorded, yaml.Scalar) and not is_null(recorded):
            if recorded.text != each.actual:
                broken.append(each.path)
            text = recorded.text
        sums[key, each.contract.name] = text
    return sums, broken


def _evidence(spec: HandoffSpec, found: Found) -> dict[tuple[str, ...], str]:
    node = found.field(spec.evidence) if spec.evidence else None
    items = node.items if isinstance(node, yaml.Mapping) else {}
    return {
        (spec.evidence, key): scalar(value.text)
        for key, value in items.items()
        if isinstance(value, yaml.Scalar) and not is_null(value)
    }


def _completed(at: Records, found: Found) -> Iterator[tuple[str, str]]:
    """What the timeline and the commits say of the states that are done."""
    told: dict[str, str] = {}
    for line in timeline_of(at):
        match = TOLD_RE.search(line)
        read = statuses.read(match['about'], at.kind) if match else None
        if (
            match
            and read
            and read.state
            and (at.kind.states[read.state.name].role == STAGE)
        ):
            told[str(read.state)] = match['text'].strip()
    for each in found.history:
        text = f'{each.subject} ({each.commit[:10]})'
        told.setdefault(str(each.state), text)
    yield from told.items()


def _body(at: Records) -> str:
    """What can be read of a handoff whose fields cannot."""
    blob = at.snapshot.blob(at.current.path) if at.current else None
    try:
        text = decode(blob).lstrip('\ufeff') if blob else ''
    except Unreadable:
        return ''
    opening = FENCE_RE.match(text)
    if opening is not None:
        closing = CLOSE_RE.search(text, opening.end())
        return text[closing.end() :].lstrip('\r\n') if closing else ''
    return text


def _blank(at: Records, spec: HandoffSpec, state: State) -> str:
    """A new handoff, above what can be read of the old one."""
    text = new.blank(at, spec, {'item': at.item, 'state': label(state, at.kind)})
    kept = _body(at)
    if not kept.strip():
        return text
    front = text[: text.index(FENCE) + len(FENCE)] + '\n'
    if '\r\n' in kept:
        front = front.replace('\n', '\r\n')
    return front + kept


def _sections(
    text: str,
    at: Records,
    spec: HandoffSpec,
    found: Found,
    move: Move,
    coming: next_state.Next,
) -> str:
    current = spec.sections.get('current')
    if current:
        text = section_edit.append(text, current, move.text)
        name = f'{current}: {label(move.state, at.kind)}'
        text = section_edit.retitle(text, current, name)
    for about, said in _completed(at, found):
        text = handoff_edit.add_completed(text, spec, about, said, anew=False)
    title = spec.sections.get('steps')
    if title is None or section_edit.body(text, title):
        return text
    lines = [UNSURE] if move.open else numbered(next_steps(at, move.target, coming))
    return section_edit.replace(text, title, lines)


def _rebuilt(
    at: Records, spec: HandoffSpec, found: Found, contents: Snapshot, day: str
) -> tuple[str, list[str], list[str]]:
    """The text, what is not known, and the contracts that differ."""
    state, target = state_of(at, found)
    done = is_done(at, found, state)
    said = f'Rebuilt on {day} from the registry, the history and the contracts'
    move = Move(state, target, not done, day, said, Words())
    fields, unknown, coming = fields_of(at, spec, found, move, done)
    if done is None and 'status' in spec.keys:
        unknown.append(spec.keys['status'])
    text = handoff_edit.set_values(_blank(at, spec, state), spec, fields)
    for key in unknown:
        value = scalar(fields.get(key, 'null'))
        text = set_field(text, (key,), f'{value} {NOT_KNOWN}')
    if spec.evidence and found.field(spec.evidence) is None:
        if at.role != STAGE:
            # empty, it would say that nothing was tried of work that is done
            text = remove(text, [(spec.evidence,)])
        unknown.append(spec.evidence)
    sums, broken = _seals(at, spec, found, contents)
    text = set_fields(text, {**_evidence(spec, found), **sums})
    text = _sections(text, at, spec, found, move, coming)
    if unknown:
        said = f'Not known when this was rebuilt: {", ".join(unknown)}'
        text = handoff_edit.add_words(text, spec, at.item, Words(context=(said,)))
    return text, unknown, broken


def regenerate(
    at: Records, found: Found, contents: Snapshot, day: str, broken: bool
) -> Outcome:
    """A handoff from the registry, the history and the contracts.

    What could not be known is marked so.
    """
    spec = handoff_spec(at)
    refuse_needless(at, broken)
    path = at.current.path if at.current else expand(spec.file, at.item)
    try:
        text, unknown, differing = _rebuilt(at, spec, found, contents, day)
    except Unreadable as e:
        raise Refusal(
            f'{path}: the handoff {e.message}', *edit(path, e.line).hint
        ) from None
    warnings = [f'not known: {", ".join(unknown)}'] if unknown else []
    warnings.extend(
        f'{each} is not what was sealed; next: interlock contracts verify {at.item}'
        for each in differing
    )
    said = f'{path}: rebuilt'
    return Outcome({path: text.encode()}, (said,), tuple(warnings))
