"""What a hook imports, and that it starts no process to say nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from interlock.agents import launcher
from tests.conftest import Repo

# each takes longer to import than a silent answer may take
HEAVY = {
    'click',
    'yaml',
    'jsonschema',
    'subprocess',
    'dataclasses',
    'pathlib',
    're',
    'typing',
    'json',
    'sqlite3',
    'asyncio',
    'logging',
    'site',
    'tree_sitter',
    'interlock.workflow.language.spec',
    'interlock.commands',
}
SOURCE = f"""
import sys
sys.path.insert(0, {str(Path(launcher.__file__).parents[2])!r})
from interlock.agents.claude import ADAPTER
from interlock.agents.respond import respond
output = respond(ADAPTER, sys.argv[1], sys.stdin.buffer.read())
print(output.code, bool(output.out), *sys.modules)
"""


def imported(name: str, event: dict[str, Any]) -> tuple[str, set[str]]:
    raw = json.dumps({'hook_event_name': name, **event}).encode()
    done = subprocess.run(
        (sys.executable, '-I', '-S', '-c', SOURCE, name),
        input=raw,
        capture_output=True,
        check=True,
    )
    code, spoke, *modules = done.stdout.decode().split()
    return f'{code} {spoke}', set(modules)


def tool(name: str, **given: str) -> dict[str, Any]:
    return {'tool_name': name, 'tool_input': given, 'session_id': 's'}


@pytest.mark.parametrize(
    ('name', 'event'),
    [
        ('PreToolUse', tool('Read', file_path='README.md')),
        ('PreToolUse', tool('Write', file_path='README.md', content='x')),
        ('PreToolUse', tool('Edit', file_path='a', old_string='', new_string='')),
        ('PreToolUse', tool('Bash', command='ls -la && pytest -q')),
        ('PostToolUse', tool('Read', file_path='README.md')),
    ],
)
def test_what_says_nothing_imports_next_to_nothing(
    name: str, event: dict[str, Any], project: Repo
) -> None:
    event = {**event, 'cwd': str(project.path)}
    # the first time the workflow is compiled
    imported(name, event)
    said, modules = imported(name, event)
    assert said == '0 False'
    assert not modules & HEAVY


def test_a_judged_edit_asks_no_git(project: Repo) -> None:
    event = {
        'cwd': str(project.path),
        **tool('Write', file_path='PLUGINS.md', content='x'),
    }
    imported('PreToolUse', event)
    _, modules = imported('PreToolUse', event)
    assert not modules & {'subprocess', 'click', 'jsonschema', 'sqlite3'}
