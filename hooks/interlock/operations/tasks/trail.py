"""The entries of the audit trail of a task."""

from __future__ import annotations

from interlock.documents import json
from interlock.documents.tasks import trail as documents
from interlock.documents.tasks.lock import LogStep
from interlock.documents.tasks.trail import (
    COMPLETED,
    INVOCATIONS,
    RUNNING,
    SECTIONS,
    TRANSITIONS,
)
from interlock.documents.text import shown
from interlock.model.change import Blob
from interlock.model.errors import Denied, Refusal
from interlock.model.quick_typing import Any, Mapping, NamedTuple, Sequence

Entry = Mapping[str, Any]


class File(NamedTuple):
    path: str
    # None where there is no file yet
    data: bytes | None


def new_trail(
    task: str, session: str, now: str, steps: Sequence[LogStep] = ()
) -> dict[str, Any]:
    """The trail of a task that begins, or that already made some steps."""
    return {
        'task_name': task,
        'session_id': session,
        'started_at': now,
        **{name: [] for name in SECTIONS},
        TRANSITIONS: [
            {
                'from_state': step.origin,
                'to_state': step.target,
                'timestamp': step.time,
                'verification_passed': True,
            }
            for step in steps
        ],
    }


def _bare(entry: Entry) -> dict[str, Any]:
    """The entry without empty values."""
    return {key: value for key, value in entry.items() if value not in ('', None)}


def transition(
    origin: str,
    target: str,
    now: str,
    reason: str = '',
    evidence: Entry | None = None,
    corrections: Sequence[Entry] = (),
) -> Entry:
    return {
        'from_state': origin,
        'to_state': target,
        'timestamp': now,
        'verification_passed': True,
        'reason': reason,
        'evidence': evidence,
        'corrections': list(corrections) or None,
    }


def started_agent(agent: str, mode: str, directory: str, now: str) -> Entry:
    return {
        'agent_name': agent,
        'agent_mode': mode,
        'working_dir': directory,
        'invocation_timestamp': now,
        'status': RUNNING,
    }


class TrailFile(NamedTuple):
    """The audit trail of a task, to which something is added now."""

    path: str
    # None where there is no file yet
    data: bytes | None
    task: str
    session: str
    now: str

    def _read(self) -> dict[str, Any]:
        if self.data is None:
            return new_trail(self.task, self.session, self.now)
        found = documents.parse(Blob('', len(self.data), self.data))
        if found.problem is not None:
            raise Refusal(
                f'{self.path} {found.problem.message}: nothing can be added',
                f'fix {self.path}, or move it away',
            )
        data: dict[str, Any] = found.json.data
        for name in SECTIONS:
            if not isinstance(data.setdefault(name, []), list):
                raise Refusal(
                    f'{self.path}: `{name}` is not a list: nothing can be added',
                    f'fix {self.path}',
                )
        return data

    def with_entry(self, section: str, entry: Entry) -> bytes:
        data = self._read()
        data[section].append(_bare(entry))
        return json.render(data, self.data)

    def with_end(
        self, agent: str, report: str, status: str, decision: str = ''
    ) -> bytes:
        """Close the entry of an agent's last start."""
        data = self._read()
        ended = {
            'completion_timestamp': self.now,
            'report_location': report,
            'status': status or COMPLETED,
            'decision': decision,
        }
        for entry in reversed(data[INVOCATIONS]):
            if (
                isinstance(entry, dict)
                and entry.get('status') == RUNNING
                and agent in (entry.get('agent_name'), entry.get('agent_type'))
            ):
                entry.update(_bare(ended))
                return json.render(data, self.data)
        raise Denied(
            f'{shown(agent)} is not running, according to the trail',
            f'interlock trail add {self.task} agent-start {agent}',
        )
