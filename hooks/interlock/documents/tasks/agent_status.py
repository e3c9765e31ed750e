"""The status file of an agent, in which it reports its own work."""

from __future__ import annotations

from interlock.documents.json import parse_object, text_of
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, NamedTuple


class Status(NamedTuple):
    status: str
    decision: str
    # the work that it says is left, '' for none
    remaining: str
    error: str
    updated: str
    data: dict[str, Any]
    problem: Unreadable | None = None


def _remaining(value: Any) -> str:
    """The remaining work: a text, a list of texts, or a number."""
    if isinstance(value, str):
        return value.strip()
    elif isinstance(value, list):
        return ', '.join(str(each) for each in value)
    return '' if value is None else str(value)


def parse(blob: Blob) -> Status:
    try:
        data = parse_object(blob).data
    except Unreadable as e:
        return Status('', '', '', '', '', {}, e)
    return Status(
        text_of(data.get('status')).strip(),
        text_of(data.get('decision')).strip(),
        _remaining(data.get('work_remaining')),
        text_of(data.get('error_message')),
        text_of(data.get('updated_at')),
        data,
    )
