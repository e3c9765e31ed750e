"""What happened to an item, written into its handoff."""

from __future__ import annotations

from interlock.documents import markdown, section_edit
from interlock.documents.frontmatter_edit import set_field
from interlock.documents.text import decode
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import ours
from interlock.operations.outcome import Outcome
from interlock.workflow.language.spec import HandoffSpec
from interlock.workflow.reading.records import Records

# a build prints more than a handoff should hold
MAX_TEXT = 500


def line(day: str, text: str) -> str:
    text = ' '.join(text.split())
    if len(text) > MAX_TEXT:
        text = f'{text[: MAX_TEXT - 3]}...'
    return f'- **{day}:** {text}'


def _edited(text: str, new: str, day: str, spec: HandoffSpec) -> str:
    written = {content for _, content in markdown.visible_lines(text)}
    if new not in written:
        text = section_edit.append(text, spec.sections['current'], new)
    if 'updated' in spec.keys:
        text = set_field(text, (spec.keys['updated'],), day)
    return text


def note(at: Records, text: str, day: str) -> Outcome:
    """The handoff with one more line about its current state, and a date."""
    spec = at.kind.handoff
    if at.current is None or spec is None:
        raise Denied(
            f'{at.item} has no handoff that could say: {text}',
            ours('handoff', 'create', at.item),
        )
    elif 'current' not in spec.sections:
        raise Refusal(
            'the workflow names no section of the handoff for the situation',
            'give it as `handoff.sections.roles.current`',
        )
    path = at.current.path
    blob = at.snapshot.blob(path)
    assert blob is not None, 'it has been read'
    try:
        edited = _edited(decode(blob), line(day, text), day, spec)
    except Unreadable as e:
        raise Refusal(
            f'{path}: the handoff {e.message}', ours('handoff', 'restore', at.item)
        ) from None
    return Outcome({path: edited.encode()}, (f'{path}: the situation noted',))
