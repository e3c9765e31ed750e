"""The wiring of a project, in the one place that knows its form."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SETTINGS = '.claude/settings.json'
GUARDED = 'Edit|Write|NotebookEdit|Bash|PowerShell|Agent|Task'
# event -> its matcher
EVENTS = {
    'SessionStart': '', 'UserPromptSubmit': '', 'PreToolUse': GUARDED,
    'PostToolUse': '', 'SubagentStop': '', 'Stop': '', 'PreCompact': '',
    'SessionEnd': '', 'ConfigChange': '',
}


def _entry(event: str, python: Path, launcher: Path) -> dict[str, Any]:
    hook = {
        'type': 'command', 'command': str(python),
        'args': ['-I', '-S', str(launcher), event], 'timeout': 10,
    }
    if event == 'PreToolUse':
        hook['onFailure'] = 'block'
    matcher = {'matcher': EVENTS[event]} if EVENTS[event] else {}
    return {**matcher, 'hooks': [hook]}


def hooks(python: Path, launcher: Path) -> dict[str, Any]:
    return {'hooks': {
        event: [_entry(event, python, launcher)] for event in EVENTS
    }}


def wire(project: Path, python: Path, launcher: Path) -> Path:
    file = project / SETTINGS
    file.parent.mkdir(exist_ok=True)
    text = json.dumps(hooks(python, launcher), indent=2)
    file.write_text(text + '\n', encoding='UTF-8')
    return file
