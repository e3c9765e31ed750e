"""The answer of an engine, decided from the record that it has.

Pure: a question and a record in, an answer out, or None if the record is to be
replaced. The engines store and swap. PostgreSQL makes the same decisions beside its
rows, where no client can bypass them; the tests compare the answers.
"""

from __future__ import annotations

from interlock.tasks.engines.engine import (
    ACQUIRED,
    CHANGED,
    DAMAGED,
    FORCED,
    MOVED,
    WITHDRAWN,
    Answer,
    LockRecord,
    Marker,
    Question,
    Refused,
)


def decide(asked: Question, found: LockRecord | None, earlier: str) -> Answer | None:
    """The answer where nothing is to be stored.

    `earlier` is the event that the token caused before, '' for none.
    """
    if earlier == WITHDRAWN:
        raise Refused('the request was withdrawn, so it no longer takes effect')
    elif asked.event != ACQUIRED:
        why = '' if earlier else _obstacle(asked, found)
        return Answer(not why, found, why) if earlier or why else None
    elif found is not None and not found.is_free:
        is_ours = found.token == asked.token
        return Answer(is_ours, found, '' if is_ours else 'it is held')
    return Answer(False, found, 'it was ended since') if earlier else None


def _obstacle(asked: Question, found: LockRecord | None) -> str:
    is_free = found is None or found.is_free
    if asked.event == MOVED:
        return '' if is_free else 'it is held'
    elif found is None or is_free:
        return 'it is not locked'
    elif asked.event != FORCED and found.event == DAMAGED:
        return 'its record is damaged'
    is_theirs = asked.event == FORCED or found.session in (asked.session, asked.before)
    if not is_theirs or found.generation != asked.generation:
        return f'it is held by session {found.session} as generation {found.generation}'
    is_stale = asked.event == CHANGED and found.version != asked.version
    return 'it changed since it was read' if is_stale else ''


def next_generation(asked: Question, found: LockRecord | None) -> int:
    least = max(found.generation if found else 0, asked.generation)
    return least + 1 if asked.event == ACQUIRED else least


def refuse_moved(kind: str, marker: Marker | None) -> None:
    if marker is not None and marker.engine != kind:
        raise Refused(
            f'the locks of this repository are kept by {marker.engine} (epoch '
            f'{marker.epoch}): bring your workflow file up to date'
        )
