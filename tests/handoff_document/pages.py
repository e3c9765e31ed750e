"""A handoff document of which every part can be changed."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interlock.documents import yaml
from interlock.handoff_document.case import Environment, ProjectFacts
from interlock.handoff_document.check import check
from interlock.handoff_document.facts import is_plan
from interlock.model.change import Blob
from interlock.model.finding import ERROR, Finding
from interlock.state.transcript import Transcript

TOP = '/srv/café'
PLAN = f'{TOP}/caf-impl.md'
DESIGN = f'{TOP}/caf-design.md'
CODE = f'{TOP}/café.py'
CALL = 'Skill("bâtir", "--resume Phase3.Task7")'
WRITTEN = datetime.datetime(2026, 2, 19, 10, tzinfo=datetime.timezone.utc)

STATE: dict[str, Any] = {
    'format_version': '3.0',
    'mode': 'manual',
    'project_path': TOP,
    'project_encoded': 'srv-café',
    'session_id': '11111111-1111-4111-8111-111111111111',
    'timestamp': '2026-02-19T10:00:00Z',
    'compaction_count': 0,
    'identity': {'persona': None, 'mode': 'none', 'role': 'orchestrator'},
    'skill_stack': [
        {
            'name': 'bâtir',
            'parent': None,
            'phase': 'Phase 3',
            'step': 'Task 7',
            'iteration': 1,
            'resume_command': "Skill('bâtir', '--resume Phase3.Task7')",
            'constraints': {'forbidden': ['edits'], 'required': []},
        }
    ],
    'subagents': [
        {
            'id': 'agent-1',
            'persona': 'essayeuse',
            'prompt_summary': 'écrire',
            'task': 'tests',
            'status': 'running',
            'worktree': None,
            'output_summary': None,
            'blockers': [],
            'skill_stack': [],
        }
    ],
    'workflow': {
        'pattern': 'sequential-delegation',
        'details': 'un par un',
        'waiting_for': ['agent-1'],
    },
    'goals': {
        'ultimate': 'livrer',
        'current_phase': 'Phase 3',
        'main_task': 'relire',
        'delegated_summary': 'tests',
    },
    'todos': {
        'explicit': [
            {
                'id': '1',
                'content': 'Écrire les tests',
                'status': 'in_progress',
                'priority': 'high',
                'verification': 'pytest -q',
                'delegated_to': 'agent-1',
            }
        ],
        'implicit': [],
        'blockers': [],
    },
    'documents': {
        'design': [],
        'impl': [
            {
                'path': PLAN,
                'status': 'APPROVED',
                'current_position': 'Phase 3, Task 7',
                'focus_sections': ['3'],
            }
        ],
        'must_read': [{'path': PLAN, 'why': 'la suite', 'priority': 1}],
    },
    'decisions': {
        'binding': [
            {'decision': 'sqlite', 'rationale': 'sans serveur', 'binding': 'ABSOLUTE'}
        ],
        'technical': [],
    },
    'conversation': {
        'user_messages': [
            {
                'content': 'bâtis le café',
                'type': 'request',
                'timestamp': '2026-02-19T09:00:00Z',
            }
        ],
        'corrections': [
            {'original': 'mocks', 'correction': 'vraie base', 'lesson': 'pas de mocks'}
        ],
        'errors': [],
    },
    'artifacts': {
        'files': [
            {'path': CODE, 'expected': 'there', 'actual': 'there', 'status': 'match'}
        ],
        'verification_results': [],
    },
    'quality_gates': [
        {'name': 'review', 'status': 'PASSED', 'evidence': 'rapport', 'can_skip': False}
    ],
    'environment': {'git_branch': 'main', 'git_status': 'clean', 'worktrees': []},
    'recovery': {'checkpoints': []},
}
SECTIONS: dict[str, str] = {
    'SECTION 0: FIRST': '',
    '0.1 Workflow': f'```\n{CALL}\n```',
    '0.2 Reads': f'```\nRead("{PLAN}")  # le plan\n```',
    '0.3 Todos': (
        '```\nTodoWrite([{"content": "Écrire les tests", "status": '
        '"in_progress", "activeForm": "Écrit"}])\n```'
    ),
    'SECTION 1: CONTEXT': '',
    '1.9 Plans': (
        '| Path | From | Phase/Task | Tracking? |\n|---|---|---|---|\n'
        f'| {PLAN} | idée | Phase 3, Task 7 | Yes |'
    ),
    '1.10 Again': f'```\nRead("{PLAN}")\n```',
    '1.20 State': '',
    'SECTION 2: CONTINUE': 'Section 0 first.',
}
LEVELS = {'SECTION': 2, 'Main': 4, '1.1.1': 4, 'Active': 4, 'Workflow': 4}


def state(**changes: Any) -> dict[str, Any]:
    """The state with values changed; `a__0__b` is a path, ... removes."""
    made = copy.deepcopy(STATE)
    for path, value in changes.items():
        holder: Any = made
        *parts, last = [
            int(part) if part.isdigit() else part for part in path.split('__')
        ]
        for part in parts:
            holder = holder[part]
        if value is ...:
            del holder[last]
        else:
            holder[last] = value
    return made


ORDER = (
    'SECTION 0',
    '0.1',
    '0.2',
    '0.3',
    '0.4',
    '0.5',
    'SECTION 1',
    '1.1',
    'Main',
    '1.1.1',
    '1.1.2',
    'Active',
    'Workflow',
    *(f'1.{n}' for n in range(2, 24)),
    '1.25',
    '1.24',
    'SECTION 2',
    'Step',
)


def _key(title: str) -> str:
    """`0.1`, `SECTION 0`: what a section is known by."""
    word = title.split(' ')[0]
    return title.split(':')[0] if word == 'SECTION' else word


def _section(title: str, body: str) -> str:
    level = LEVELS.get(title.split(' ')[0], 3)
    return f'{"#" * level} {title}\n\n{body}\n'


def page(changes: Mapping[str, str | None] | None = None, data: Any = None) -> str:
    """A document; a section is changed by its title, None removes it.

    What is new is put where the order of the outline has it.
    """
    dumped = yaml.dump(STATE if data is None else data)
    made = {_key(title): (title, body) for title, body in SECTIONS.items()}
    made['1.20'] = ('1.20 State', f'```yaml\n{dumped}```')
    for title, body in (changes or {}).items():
        if body is None:
            del made[_key(title)]
        else:
            made[_key(title)] = (title, body)
    ordered = sorted(made, key=ORDER.index)
    return '\n'.join(_section(*made[key]) for key in ordered)


def about(top: Path, text: str) -> str:
    """A document that speaks of another directory."""
    name = str(top)[1:].replace('/', '-')
    return text.replace('srv-café', name).replace(TOP, str(top))


def files(top: Path, text: str = '') -> dict[str, str]:
    """A document, and the files that it names."""
    return {
        'caf-impl.md': '# plan\n',
        'café.py': 'x = 1\n',
        'handoff.md': about(top, text or page()),
    }


def facts(there: tuple[str, ...] = (PLAN, CODE), **changes: Any) -> ProjectFacts:
    values: dict[str, Any] = {
        'top': TOP,
        'cwd': TOP,
        'plans': (PLAN,),
        'is_plan': is_plan,
        'environment': Environment('main', 0, {}),
        'saved': lambda session: None,
        'exists': there.__contains__,
        'read': lambda path: None,
        'resolves': lambda name: name == 'abc123',
        'changed_since': lambda path, when: False,
    }
    return ProjectFacts(**{**values, **changes})


def judged(
    text: str,
    world: ProjectFacts | None = None,
    transcript: Transcript | None = None,
    before: str | None = None,
) -> list[Finding]:
    data = text.encode()
    return check(
        'handoff.md',
        Blob('', len(data), data),
        facts() if world is None else world,
        transcript,
        before,
    )


def errors(text: str, world: ProjectFacts | None = None) -> list[str]:
    return [f.code for f in judged(text, world) if f.severity == ERROR]


def found(code: str, text: str, *rest: Any, **more: Any) -> list[Finding]:
    return [f for f in judged(text, *rest, **more) if f.code == code]


def line_of(text: str, start: str) -> int:
    """The number of the first line that holds something."""
    for number, line in enumerate(text.split('\n'), 1):
        if start in line:
            return number
    raise AssertionError(f'no line holds {start!r}')
