"""What is written into the audit trail of a task."""

from __future__ import annotations

from interlock.documents import json
from interlock.documents.tasks import trail as documents
from interlock.documents.tasks.trail import COMPLETED, INVOCATIONS, RUNNING, SECTIONS
from interlock.documents.text import shown
from interlock.model.change import Blob
from interlock.model.errors import Denied, Refusal
from interlock.model.quick_typing import Any, Mapping, NamedTuple, Sequence

Entry = Mapping[str, Any]


class File(NamedTuple):
    path: str
    # None where there is no file yet
    data: bytes | None


def begun(task: str, session: str, now: str) -> dict[str, Any]:
    """The trail of a task that begins."""
    return {
        'task_name': task,
        'session_id': session,
        'started_at': now,
        **{name: [] for name in SECTIONS},
    }


def _read(file: File, task: str, session: str, now: str) -> dict[str, Any]:
    if file.data is None:
        return begun(task, session, now)
    found = documents.parse(Blob('', len(file.data), file.data))
    if found.problem is not None:
        raise Refusal(
            f'{file.path} {found.problem.message}: nothing can be added',
            f'fix {file.path}, or move it away',
        )
    data: dict[str, Any] = found.json.data
    for name in SECTIONS:
        if not isinstance(data.setdefault(name, []), list):
            raise Refusal(
                f'{file.path}: `{name}` is not a list: nothing can be added',
                f'fix {file.path}',
            )
    return data


def _bare(entry: Entry) -> dict[str, Any]:
    """Without empty values."""
    return {key: value for key, value in entry.items() if value not in ('', None)}


def with_entry(
    file: File, section: str, entry: Entry, task: str, session: str, now: str
) -> bytes:
    data = _read(file, task, session, now)
    data[section].append(_bare(entry))
    return json.render(data, file.data)


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


def started(agent: str, mode: str, directory: str, now: str) -> Entry:
    return {
        'agent_name': agent,
        'agent_mode': mode,
        'working_dir': directory,
        'invocation_timestamp': now,
        'status': RUNNING,
    }


def with_end(
    file: File,
    agent: str,
    report: str,
    status: str,
    task: str,
    session: str,
    now: str,
    decision: str = '',
) -> bytes:
    """Closes what an agent was started for last."""
    data = _read(file, task, session, now)
    for entry in reversed(data[INVOCATIONS]):
        if (
            isinstance(entry, dict)
            and entry.get('status') == RUNNING
            and (agent in (entry.get('agent_name'), entry.get('agent_type')))
        ):
            entry.update(
                _bare(
                    {
                        'completion_timestamp': now,
                        'report_location': report,
                        'status': status or COMPLETED,
                        'decision': decision,
                    }
                )
            )
            return json.render(data, file.data)
    raise Denied(
        f'{shown(agent)} is not running, according to the trail',
        f'interlock trail add {task} agent-start {agent}',
    )
