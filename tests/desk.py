"""A task that is worked on: its worktrees, agents, plan and trail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests import spaces
from tests.conftest import Repo
from tests.spaces import SESSION, TASK, TODO, Space

REPORT = 'X must be immutable — et documenté.\n' * 4
PLAN = """\
# Task Context: bake-bread

## Task Objective
Add X — très vite.

## Scope Definition
- src/X.java

## Stakeholder Agent Reports
- pending
"""
PARTS = """
## Implementation Plan
architect agent implements X in agents/architect/code

### Conflict Resolution
none
### Architecture Plan
one class
### Requirement Mapping
architect: X
### Trade-offs
none
### Success Criteria
it works
### File Manifest
src/X.java
### API Specifications
X()
### Behavioral Specifications
yes
### Test Specifications
one
### Implementation Sequence
1. X
### Decision Log
no interface
"""
# the list of tasks without the one that is worked on
DONE = TODO.replace(f'`{TASK}`', '`x`')
# the audit trail of a task that may end
TRAIL = {
    'task_name': TASK,
    'session_id': SESSION,
    'started_at': '2026-01-02T03:00:00Z',
    'state_transitions': [
        {
            'from_state': 'INIT',
            'to_state': 'CLASSIFIED',
            'timestamp': '2026-01-02T03:01:00Z',
        }
    ],
    'agent_invocations': [
        {
            'agent_name': 'architect',
            'status': 'completed',
            'invocation_timestamp': '2026-01-02T03:01:00Z',
        }
    ],
    'commits': [{'sha': 'abc123def', 'timestamp': '2026-01-02T03:01:00Z'}],
}
FORWARD = (
    'CLASSIFIED',
    'REQUIREMENTS',
    'SYNTHESIS',
    'IMPLEMENTATION',
    'VALIDATION',
    'REVIEW',
    'AWAITING_USER_APPROVAL',
    'COMPLETE',
    'CLEANUP',
)


class Desk(Space):
    @property
    def task(self) -> Path:
        return self.tasks / TASK

    @property
    def code(self) -> Repo:
        return Repo(self.task / 'code')

    def configure(self, text: str) -> None:
        (self.path / '.interlock.yaml').write_text(spaces.WORKFLOW + text)

    def change(self, **values: Any) -> None:
        """Other values in the lock."""
        self.put({**self.read(), **values})

    def at(self, state: str, **values: Any) -> None:
        """Puts the task into a state, as if it had come there."""
        steps = spaces.log('INIT', *FORWARD[: FORWARD.index(state) + 1])
        self.change(state=state, transition_log=steps, **values)

    @property
    def trail(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            self.file('audit-trail.json').read_text(encoding='UTF-8')
        )
        return found

    def status(self, agent: str, **values: Any) -> None:
        data = {'agent': agent, 'status': 'COMPLETE', **values}
        self.write(f'agents/{agent}/status.json', json.dumps(data))

    def report(self, agent: str, text: str = REPORT) -> None:
        self.write(f'{TASK}-{agent}-requirements.md', text)

    def bytes(self) -> dict[str, bytes]:
        """Every file of the task that is not in a worktree."""
        return {
            str(path.relative_to(self.task)): path.read_bytes()
            for path in sorted(self.task.rglob('*'))
            if path.is_file() and 'code' not in path.parts
        }
