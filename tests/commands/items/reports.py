"""What an agent leaves and what it reports, in a real repository."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interlock.project import project
from tests import samples
from tests.conftest import Interlock, Repo, Result

DAY = '2026-03-04'
HANDOFF = samples.handoff_path('Bravo')
CODE = 'plugins/Bravo/Source/Main.cpp'
IDEAS = 'plugins/Bravo/.ideas'
Files = Mapping[str, str | bytes | None]


def on_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, 'today', lambda: DAY)


def registry(
    status: str = 'Stage 3', row: str = '', about: str = 'Stage 3', day: str = DAY
) -> str:
    """Bravo at a status, with a line in its timeline about it."""
    text = samples.registry(
        {'Alpha': 'Ideated', 'Bravo': status, 'Charlie': 'Installed'},
        {'Bravo': row} if row else None,
    )
    line = f'- **2026-01-01:** Brief\n- **{day} ({about}):** moteur\n'
    head, middle, tail = text.partition('### Bravo')
    return head + middle + tail.replace('- **2026-01-01:** Brief\n', line, 1)


def handoff(
    stage: str = '3',
    phase: str = 'null',
    status: str = 'complete',
    completed: str = '**Stage 3:** moteur',
    **fields: Any,
) -> str:
    fields = {'last_updated': DAY, **fields}
    text = samples.handoff('Bravo', stage, phase, status, **fields)
    return text.replace('**Stage 0:** yes', completed)


def done(**files: str) -> dict[str, str | bytes | None]:
    """What an agent leaves that has done everything it was to do."""
    return {
        'PLUGINS.md': files.get('registry', registry()),
        HANDOFF: files.get('handoff', handoff()),
        CODE: '// moteur\n',
    }


def report(**changes: Any) -> dict[str, Any]:
    """A report that is right; `outputs__X` changes one of its outputs."""
    made: dict[str, Any] = {
        'agent': 'dsp-agent',
        'status': 'success',
        'outputs': {
            'stage_completed': 3,
            'phase_completed': None,
            'files_modified': [CODE],
            'state_files_updated': [HANDOFF, 'PLUGINS.md'],
        },
        'stateUpdated': True,
        'stateUpdateError': None,
        'issues': [],
        'ready_for_next_stage': True,
    }
    for key, value in changes.items():
        target = made
        if key.startswith('outputs__'):
            target, key = made['outputs'], key.removeprefix('outputs__')
        if value is ...:
            del target[key]
        else:
            target[key] = value
    return made


def failure(**changes: Any) -> dict[str, Any]:
    """The work is there, and the state could not be written."""
    return {
        'agent': 'dsp-agent',
        'status': 'failure',
        'outputs': {
            'error_type': 'state_update_failure',
            'error_message': 'Zugriff verweigert',
            'failed_operation': 'write_continue_here',
            'implementation_status': 'complete',
            'state_status': 'not_updated',
            **changes,
        },
        'issues': ['state not written'],
        'ready_for_next_stage': False,
    }


class Verify:
    def __init__(self, repo: Repo, interlock: Interlock, file: Path) -> None:
        self.repo = repo
        self.interlock = interlock
        self.file = file

    def run(self, said: object, *args: str, stage: str = '3') -> Result:
        self.file.write_text(json.dumps(said), encoding='UTF-8')
        return self.interlock(
            'verify-update',
            'Bravo',
            '--stage',
            stage,
            '--report',
            str(self.file),
            *args,
        )

    def __call__(self, said: object, *args: str, stage: str = '3') -> dict[str, Any]:
        result = self.run(said, *args, stage=stage)
        answer: dict[str, Any] = json.loads(result.out)
        ok = answer.get('verified', answer.get('success'))
        assert result.code == (0 if ok else 1), result.err
        return answer

    def names(self, said: object, stage: str = '3') -> list[str]:
        """The names of the failures; the first one is the reason."""
        answer = self(said, stage=stage)
        names = [each['name'] for each in answer['failures']]
        assert answer['reason'] == (names[0] if names else None)
        assert bool(answer['error']) == bool(names)
        assert all(each['message'] for each in answer['failures'])
        return names
