"""Hooks of the client in a project of 1,000 tasks and 1,000 plugins."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests import samples, spaces

from benchmarks.repositories import make
from interlock.claude import launcher

SESSION = '11111111-1111-4111-8111-111111111111'
OTHER = '22222222-2222-4222-8222-222222222222'
LAUNCHER = str(Path(launcher.__file__).resolve())
# a hook as the documents have it: whose is the lock of the task?
JQ = """\
input=$(cat)
session=$(printf '%s' "$input" | jq -r .session_id)
path=$(printf '%s' "$input" | jq -r .tool_input.file_path)
case "$path" in */tasks/*) task=${path#*/tasks/}; task=${task%%/*};; esac
owner=$(jq -r .session_id "$TASKS/${task:-main}/task.json")
[ "$owner" = "$session" ] || exit 2
"""
RUNS = 30


class Asked(NamedTuple):
    what: str
    event: str
    fields: Mapping[str, Any]
    limit: float


def project(directory: Path, items: int) -> Path:
    """A main worktree whose lock a session holds, and tasks beside it."""
    main = directory / 'client' / 'main'
    main.parent.mkdir()
    make(main, items)
    (main / '.interlock.yaml').write_text(
        'version: 1\nextends: [plugin-workflow, task-protocol]\n', encoding='UTF-8'
    )
    space = spaces.Space(main.parent)
    for number in range(items):
        name = f'task-{number}'
        space.put(spaces.lock(task_name=name, session_id=OTHER), name)
    space.put(
        {
            'session_id': SESSION,
            'task_name': 'main-worktree-operation',
            'state': 'IN_PROGRESS',
            'created_at': '2026-01-02T03:00:00Z',
            'operation_type': 'file-modification',
        },
        'main',
    )
    (main / 'notes.md').write_text('a\n', encoding='UTF-8')
    return main


def asked(main: Path) -> list[Asked]:
    note, registry = str(main / 'notes.md'), str(main / 'PLUGINS.md')
    step = [samples.entry('Plugin00007', f'Stage {stage}') for stage in (2, 3)]
    return [
        Asked(
            'nothing to say: Read',
            'PostToolUse',
            {
                'tool_name': 'Read',
                'tool_input': {'file_path': note},
                'tool_response': {},
            },
            1.6,
        ),
        Asked(
            'nothing to say: Edit of another file',
            'PreToolUse',
            {
                'tool_name': 'Edit',
                'tool_input': {'file_path': note, 'old_string': 'a', 'new_string': 'b'},
            },
            1.6,
        ),
        Asked(
            'Edit of the registry, judged',
            'PreToolUse',
            {
                'tool_name': 'Edit',
                'tool_input': {
                    'file_path': registry,
                    'old_string': step[0],
                    'new_string': step[1],
                },
            },
            3.5,
        ),
        Asked(
            'Bash with git in it',
            'PreToolUse',
            {
                'tool_name': 'Bash',
                'tool_input': {'command': 'git commit -m "fix: x" notes.md'},
            },
            5,
        ),
        Asked('SessionStart', 'SessionStart', {'source': 'startup'}, 8),
    ]


def _once(
    command: Sequence[str], main: Path, raw: bytes, environ: Mapping[str, str]
) -> float:
    start = time.perf_counter()
    subprocess.run(
        command, cwd=main, env=environ, input=raw, capture_output=True, check=False
    )
    return time.perf_counter() - start


def measured(
    directory: Path, items: int, environ: Mapping[str, str]
) -> list[tuple[str, float, float, float]]:
    """What, the time of a bare interpreter, ours, and the limit."""
    main = project(directory, items)
    environ = {
        **{k: v for k, v in environ.items() if k != 'INTERLOCK_SESSION'},
        'CLAUDECODE': '1',
        'CLAUDE_CODE_SESSION_ID': SESSION,
        'TASKS': str(main.parent / 'tasks'),
    }
    commands: dict[str, tuple[Sequence[str], bytes, float]] = {}
    for what, event, fields, limit in asked(main):
        raw = json.dumps(
            {
                'hook_event_name': event,
                'session_id': SESSION,
                'cwd': str(main),
                'transcript_path': '',
                **fields,
            }
        ).encode()
        commands[what] = ((sys.executable, '-I', '-S', LAUNCHER, event), raw, limit)
    _, raw, _ = commands['nothing to say: Edit of another file']
    # for comparison: no limit
    commands['the same question, bash and jq'] = (('bash', '-c', JQ), raw, float('inf'))
    floor = (sys.executable, '-c', 'pass')
    best = dict.fromkeys(('', *commands), float('inf'))
    for _ in range(RUNS + 1):
        best[''] = min(best[''], _once(floor, main, b'', environ))
        for what, (command, raw, _) in commands.items():
            took = _once(command, main, raw, environ)
            best[what] = min(best[what], took)
    return [
        (f'{what} / python -c pass', best[''], best[what], limit)
        for what, (_, _, limit) in commands.items()
    ]
