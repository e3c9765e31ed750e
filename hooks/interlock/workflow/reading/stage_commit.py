from __future__ import annotations

from interlock.model.change import Change, Snapshot
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading import commit_subject
from interlock.workflow.reading.commit_subject import Subject
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import records, registry
from interlock.workflow.reading.touched_items import touched_items


def exists(snapshot: Snapshot, kind: Kind, item: str) -> bool:
    """Most words of a subject are no items: the registry tells cheaply."""
    read = registry(snapshot, kind)
    if read is not None and kind.registry and not kind.registry.entry_file:
        place = read.place(item)
        return bool(place.rows or place.entries)
    at = records(snapshot, kind, item)
    return at.registered or at.current is not None


def _is_touched(change: Change, kind: Kind, item: str) -> bool:
    below = expand(kind.path, item) + '/'
    return any(path.startswith(below) for path in change.contents)


def stage_commit(change: Change, kind: Kind) -> Subject | None:
    """What the subject says about an item that exists, None if nothing."""
    if change.message is None:
        return None
    text = change.message.subject
    return change.after.cached(
        ('subject', kind.name, id(change.before), text),
        lambda: _read(text, change, kind),
    )


def amends_itself(change: Change, kind: Kind, named: Subject) -> bool:
    """HEAD ends the same stage: what it holds need not be staged again."""
    if change.amended is None:
        return False
    return _read(change.amended.subject, change, kind) == named


def _read(text: str, change: Change, kind: Kind) -> Subject | None:
    if kind.commit is None:
        return None
    candidates = commit_subject.candidates(text, kind)
    known = {
        item
        for item in candidates
        if is_name(item)
        and (
            exists(change.after, kind, item)
            or exists(change.before, kind, item)
            or _is_touched(change, kind, item)
        )
    }
    # names in the wrong case, of what the change is about
    folded = {candidate.lower() for candidate in candidates}
    known.update(item for item in touched_items(change, kind) if item.lower() in folded)
    return commit_subject.read(text, kind, known) if known else None
