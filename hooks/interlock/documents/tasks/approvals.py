"""The approvals in a lock: who approved what, and when."""

from __future__ import annotations

from interlock.model.quick_typing import Any, Iterator, NamedTuple

# what is approved, and the key that names it
PLAN = 'plan'
CHANGES = 'changes'
SCOPE = 'scope'
WHAT = {PLAN: 'sha256', CHANGES: 'commit_sha', SCOPE: 'sha256'}
PROMPT = 'prompt_sha256'


class Approval(NamedTuple):
    of: str
    by: str
    # a terminal, or the prompt of a session
    via: str
    at: str
    # the checksum of the plan or of the scope decision, or the commit
    what: str
    # the checksum of the prompt that said so, '' where none did
    prompt: str = ''


class Presented(NamedTuple):
    at: str
    what: str


class TaskCheckpoint(NamedTuple):
    type: str
    commit: str
    presented: str
    approved: bool


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ''


def approvals(data: Any) -> Iterator[Approval]:
    """The valid records."""
    for each in data if isinstance(data, list) else ():
        of = _text(each, 'of') if isinstance(each, dict) else ''
        if of in WHAT:
            yield Approval(
                of,
                _text(each, 'by'),
                _text(each, 'via'),
                _text(each, 'approved_at'),
                _text(each, WHAT[of]),
                _text(each, PROMPT),
            )


def of_approval(record: Approval) -> dict[str, Any]:
    return {
        'of': record.of,
        'by': record.by,
        'via': record.via,
        'approved_at': record.at,
        WHAT[record.of]: record.what,
        **({PROMPT: record.prompt} if record.prompt else {}),
    }


def presented(data: Any) -> Presented | None:
    if not isinstance(data, dict):
        return None
    return Presented(_text(data, 'presented_at'), _text(data, WHAT[PLAN]))


def of_presented(at: Presented) -> dict[str, Any]:
    return {'presented_at': at.at, WHAT[PLAN]: at.what}


def checkpoint(data: Any) -> TaskCheckpoint | None:
    if not isinstance(data, dict):
        return None
    return TaskCheckpoint(
        _text(data, 'type'),
        _text(data, WHAT[CHANGES]),
        _text(data, 'presented_at'),
        data.get('approved') is True,
    )


def of_checkpoint(at: TaskCheckpoint) -> dict[str, Any]:
    return {
        'type': at.type,
        WHAT[CHANGES]: at.commit,
        'presented_at': at.presented,
        'approved': at.approved,
    }
