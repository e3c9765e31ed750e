"""What an agent says of the work it has done."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from interlock.documents.text import shown
from interlock.model.errors import Refusal
from interlock.workflow.language.json_schema import violations

SCHEMA = 'agent-report.schema.json'
HINT = 'interlock explain --schema agent-report'
MAX_REPORT = 1024 * 1024

SUCCESS = 'success'
# the work itself, where only the state could not be written
COMPLETE = 'complete'


class AgentReport(NamedTuple):
    agent: str
    succeeded: bool
    # '' where it names none
    stage: str
    phase: str
    # whether it says that it has written the state, and why not
    updated: bool
    error: str
    # whether it names state files as written
    written: bool
    # of a failure: what was being done, and whether the work is there
    failed: str
    complete: bool
    files: tuple[str, ...]
    # whether the item may go on, and what stands against it
    ready: bool
    issues: tuple[str, ...]
    completed: str
    steps: tuple[str, ...]
    description: str


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key `{shown(key)}` stands twice')
        found[key] = value
    return found


def _constant(text: str) -> Any:
    raise ValueError(f'`{text}` is no value of JSON')


def _parsed(data: bytes) -> Any:
    if len(data) > MAX_REPORT:
        raise Refusal(
            f'the report is larger than {MAX_REPORT} bytes',
            'give the report alone, without logs',
        )
    try:
        found = json.loads(
            data.decode(), object_pairs_hook=_no_doubles, parse_constant=_constant
        )
        # half a character can be escaped, and never be written
        json.dumps(found, ensure_ascii=False).encode()
        return found
    except UnicodeDecodeError as e:
        line = data.count(b'\n', 0, e.start) + 1
        raise Refusal(f'line {line} of the report is not UTF-8') from None
    except UnicodeEncodeError:
        raise Refusal('the report holds text that is no Unicode') from None
    except json.JSONDecodeError as e:
        raise Refusal(
            f'the report is not JSON: {e.msg} (line {e.lineno})', HINT
        ) from None
    except (ValueError, RecursionError) as e:
        raise Refusal(f'the report is not JSON: {e}', HINT) from None


def _path(parts: tuple[str | int, ...]) -> str:
    return '.'.join(str(part) for part in parts)


def _refuse_invalid(data: Any) -> None:
    found = [
        f'{_path(each.path)}: {each.message}' if each.path else each.message
        for each in violations(data, SCHEMA)
    ]
    if found:
        raise Refusal(f'the report is invalid: {"; ".join(found)}', HINT)


def read(data: bytes) -> AgentReport:
    """The report in any of its forms; Refusal where it is none."""
    report = _parsed(data)
    _refuse_invalid(report)
    outputs = report['outputs']
    error = report.get('stateUpdateError') or outputs.get('error_message')
    written = bool(outputs.get('state_files_updated'))
    succeeded = report['status'] == SUCCESS
    return AgentReport(
        agent=report['agent'],
        succeeded=succeeded,
        stage=str(outputs.get('stage_completed', '')),
        phase=outputs.get('phase_completed') or '',
        # one of its forms has no field for that
        updated=report.get('stateUpdated', written),
        error=error or '',
        written=written,
        failed=outputs.get('failed_operation', ''),
        complete=succeeded or outputs['implementation_status'] == COMPLETE,
        files=tuple(outputs.get('files_modified', ())),
        ready=report['ready_for_next_stage'],
        issues=tuple(report.get('issues', ())),
        completed=report.get('completed', ''),
        steps=tuple(report.get('nextSteps', ())),
        description=report.get('description', ''),
    )
