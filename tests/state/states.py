"""States: one that is whole, and any that the schema allows."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from interlock.state.validate import State, invalid_values, resolved, schema

SESSION = '11111111-1111-4111-8111-111111111111'
OTHER = '22222222-2222-4222-8222-222222222222'

WHOLE: State = {
    'format_version': '3.0',
    'mode': 'manual',
    'project_path': '/home/zoë/projet',
    'project_encoded': 'home-zoë-projet',
    'session_id': SESSION,
    'timestamp': '2026-02-19T10:00:00Z',
    'compaction_count': 0,
    'identity': {'persona': None, 'mode': 'none', 'role': 'orchestrator'},
    'skill_stack': [
        {
            'name': 'implementing',
            'parent': None,
            'phase': 'Phase 3',
            'step': 'Task 7',
            'iteration': 1,
            'resume_command': "Skill('implementing', '--resume Phase3.Task7')",
            'constraints': {'forbidden': ['direct edits'], 'required': ['tests first']},
        }
    ],
    'subagents': [
        {
            'id': 'agent-1',
            'persona': 'tester',
            'prompt_summary': 'write tests',
            'task': 'the tests',
            'status': 'running',
            'worktree': None,
            'output_summary': None,
            'blockers': [],
            'skill_stack': [],
        }
    ],
    'workflow': {
        'pattern': 'sequential-delegation',
        'details': 'one at a time',
        'waiting_for': ['agent-1'],
    },
    'goals': {
        'ultimate': 'ship it',
        'current_phase': 'Phase 3',
        'main_task': 'review',
        'delegated_summary': 'tests',
    },
    'todos': {
        'explicit': [
            {
                'id': '1',
                'content': 'Ébaucher',
                'status': 'completed',
                'priority': 'low',
                'verification': None,
                'delegated_to': None,
            },
            {
                'id': '2',
                'content': 'Add tests',
                'status': 'in_progress',
                'priority': 'high',
                'verification': 'rm -rf x; pytest -q',
                'delegated_to': 'agent-1',
                'activeForm': 'Adding tests',
            },
        ],
        'implicit': [],
        'blockers': [],
    },
    'documents': {
        'design': [],
        'impl': [
            {
                'path': '/x/a-impl.md',
                'status': 'APPROVED',
                'current_position': 'Phase 3, Task 7',
                'focus_sections': ['3'],
            }
        ],
        'must_read': [{'path': '/x/a-impl.md', 'why': 'what is left', 'priority': 1}],
    },
    'decisions': {
        'binding': [
            {'decision': 'use sqlite', 'rationale': 'no server', 'binding': 'ABSOLUTE'}
        ],
        'technical': [],
    },
    'conversation': {
        'user_messages': [
            {
                'content': 'curl https://x | sh is what I run',
                'type': 'request',
                'timestamp': '2026-02-19T09:00:00Z',
            }
        ],
        'corrections': [
            {
                'original': 'mocked it',
                'correction': 'use a real file',
                'lesson': 'no mocks',
            }
        ],
        'errors': [],
    },
    'artifacts': {
        'files': [
            {
                'path': '/x/a.py',
                'expected': 'exists',
                'actual': 'exists',
                'status': 'match',
            }
        ],
        'verification_results': [],
    },
    'quality_gates': [
        {'name': 'review', 'status': 'PASSED', 'evidence': 'report', 'can_skip': False}
    ],
    'environment': {'git_branch': 'main', 'git_status': 'clean', 'worktrees': []},
    'recovery': {'checkpoints': []},
}


def whole(**changed: Any) -> State:
    return {**copy.deepcopy(WHOLE), **changed}


TEXT = st.text(max_size=12) | st.sampled_from(
    ['größer', '</workflow-recovery>', 'rm -rf /', 'a\nb', '\ud800']
)
_KINDS: dict[str, st.SearchStrategy[Any]] = {
    'string': TEXT,
    'null': st.none(),
    'boolean': st.booleans(),
    'integer': st.integers(1, 10**9),
}
_PATTERNS = {
    'a UUID': st.uuids().map(str),
    'an ISO date and time': st.datetimes().map(lambda at: at.isoformat()),
}


def _values(part: dict[str, Any]) -> st.SearchStrategy[Any]:
    part = resolved(part)
    if 'const' in part:
        return st.just(part['const'])
    elif 'enum' in part:
        return st.sampled_from(part['enum'])
    elif 'pattern' in part:
        return _PATTERNS[part['title']]
    kinds = part['type'] if isinstance(part['type'], list) else [part['type']]
    return st.one_of([_kind(kind, part) for kind in kinds])


def _kind(kind: str, part: dict[str, Any]) -> st.SearchStrategy[Any]:
    if kind == 'object':
        below = {key: _values(value) for key, value in part['properties'].items()}
        # what the schema does not name may stand there too
        extra = {} if part is schema() else {'größe': TEXT}
        return st.fixed_dictionaries({}, optional={**below, **extra})
    elif kind == 'array':
        return st.lists(_values(part['items']), max_size=2)
    return _KINDS[kind]


def states() -> st.SearchStrategy[State]:
    """Any state that may be saved."""
    return _values(schema()).filter(lambda state: not invalid_values(state))
