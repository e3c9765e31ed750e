"""The audit trail of a task: lists of what was done."""

from __future__ import annotations

from interlock.documents.json import Json, parse_object
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, NamedTuple, Sequence

TRANSITIONS = 'state_transitions'
INVOCATIONS = 'agent_invocations'
TOOLS = 'tool_usage'
COMMITS = 'commits'
BUILDS = 'build_verifications'
SECTIONS = (TRANSITIONS, INVOCATIONS, TOOLS, COMMITS, BUILDS)

RUNNING = 'running'
COMPLETED = 'completed'
FAILED = 'failed'


class Trail(NamedTuple):
    json: Json
    problem: Unreadable | None = None

    def section(self, name: str) -> Sequence[dict[str, Any]]:
        """The entries of a list; other values are left out."""
        value = self.json.data.get(name)
        if not isinstance(value, list):
            return ()
        return [entry for entry in value if isinstance(entry, dict)]

    def line(self, name: str, number: int = 0) -> int:
        return self.json.line(name, number)


def parse(blob: Blob) -> Trail:
    try:
        return Trail(parse_object(blob))
    except Unreadable as e:
        return Trail(Json({}, ''), e)
