"""The approvals in a lock: who approved what, and when."""

from __future__ import annotations

from interlock.documents.json import text_of
from interlock.model.quick_typing import Any, Iterable, Iterator, NamedTuple

# the objects of approvals, each with the key that names it
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
    # the checksum of the prompt that approved it, '' for none
    prompt: str = ''


class Presented(NamedTuple):
    at: str
    what: str


class TaskCheckpoint(NamedTuple):
    type: str
    commit: str
    presented: str
    approved: bool


PRESENTED_KEYS = ('presented_at', WHAT[PLAN])
CHECKPOINT_KEYS = ('type', WHAT[CHANGES], 'presented_at', 'approved')


def _keys(of: str) -> tuple[str, ...]:
    """The keys of an approval, in the order of its fields."""
    return ('of', 'by', 'via', 'approved_at', WHAT[of], PROMPT)


def _texts(data: dict[str, Any], keys: Iterable[str]) -> Iterator[str]:
    """The values of some keys, '' for anything but a text."""
    yield from (text_of(data.get(key)) for key in keys)


def approvals(data: Any) -> Iterator[Approval]:
    """The valid approvals."""
    for each in data if isinstance(data, list) else ():
        of = each.get('of') if isinstance(each, dict) else ''
        if isinstance(of, str) and of in WHAT:
            yield Approval(*_texts(each, _keys(of)))


def of_approval(record: Approval) -> dict[str, Any]:
    pairs = zip(_keys(record.of), record, strict=True)
    return {key: text for key, text in pairs if text or key != PROMPT}


def presented(data: Any) -> Presented | None:
    return Presented(*_texts(data, PRESENTED_KEYS)) if isinstance(data, dict) else None


def of_presented(at: Presented) -> dict[str, Any]:
    return dict(zip(PRESENTED_KEYS, at, strict=True))


def checkpoint(data: Any) -> TaskCheckpoint | None:
    if not isinstance(data, dict):
        return None
    *keys, last = CHECKPOINT_KEYS
    kind, commit, at = _texts(data, keys)
    return TaskCheckpoint(kind, commit, at, data.get(last) is True)


def of_checkpoint(at: TaskCheckpoint) -> dict[str, Any]:
    return dict(zip(CHECKPOINT_KEYS, at, strict=True))
