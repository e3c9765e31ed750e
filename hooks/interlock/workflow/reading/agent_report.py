"""The report of an agent about its work."""

from __future__ import annotations

from json import dumps

from interlock.documents import json
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import Any, NamedTuple
from interlock.workflow.language.json_schema import violations

SCHEMA = 'agent-report.schema.json'
HINT = 'interlock explain --schema agent-report'
MAX_REPORT = 1024 * 1024

SUCCESS = 'success'
# the work itself is complete; only the state could not be written
COMPLETE = 'complete'


class AgentReport(NamedTuple):
    agent: str
    succeeded: bool
    # '' if it names none
    stage: str
    phase: str
    # whether it says that it wrote the state, and why not
    updated: bool
    error: str
    # whether it lists state files as written
    written: bool
    # for a failure: what was being done, and whether the work is complete
    failed: str
    complete: bool
    files: tuple[str, ...]
    # whether work may continue, and what prevents it
    ready: bool
    issues: tuple[str, ...]
    completed: str
    steps: tuple[str, ...]
    description: str


def _parsed(data: bytes) -> Any:
    if len(data) > MAX_REPORT:
        raise Refusal(
            f'the report is larger than {MAX_REPORT} bytes',
            'give the report alone, without logs',
        )
    try:
        found = json.parse(Blob('', len(data), data)).data
        # half a character can be escaped, but not encoded
        dumps(found, ensure_ascii=False).encode()
    except Unreadable as e:
        said = f'the report is invalid: it {e.message} (line {e.line})'
        raise Refusal(said, HINT) from None
    except UnicodeEncodeError:
        raise Refusal(
            'the report is invalid: it holds text that is not Unicode', HINT
        ) from None
    wrong = [
        f'{".".join(map(str, each.path))}: {each.message}'.removeprefix(': ')
        for each in violations(found, SCHEMA)
    ]
    if wrong:
        raise Refusal(f'the report is invalid: {"; ".join(wrong)}', HINT)
    return found


def read(data: bytes) -> AgentReport:
    """The report in any of its formats; raises a Refusal if it is not one."""
    report = _parsed(data)
    outputs = report['outputs']
    error = report.get('stateUpdateError') or outputs.get('error_message')
    written = bool(outputs.get('state_files_updated'))
    succeeded = report['status'] == SUCCESS
    return AgentReport(
        agent=report['agent'],
        succeeded=succeeded,
        stage=str(outputs.get('stage_completed', '')),
        phase=outputs.get('phase_completed') or '',
        # one of the formats has no field for this
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
