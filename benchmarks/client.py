"""Answers to a client, in a project with tasks and plugins."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests import samples, spaces
from tests.agents.dialects import DIALECTS, SESSION

from benchmarks.installed import PYTHON, RIVALS, RUNS, launcher
from benchmarks.repositories import make

OTHER = '22222222-2222-4222-8222-222222222222'
# a hook as the documents have it: whose is the lock of the task?
JQ = """\
input=$(cat)
session=$(printf '%s' "$input" | jq -r .session_id)
path=$(printf '%s' "$input" | jq -r .tool_input.file_path)
case "$path" in */tasks/*) task=${path#*/tasks/}; task=${task%%/*};; esac
owner=$(jq -r .session_id "$TASKS/${task:-main}/task.json")
[ "$owner" = "$session" ] || exit 2
"""
# the least that a hook in Python can do with a library for it
CCHOOKS = """\
from cchooks import create_context
create_context().output.exit_success()
"""


class Question(NamedTuple):
    what: str
    command: Sequence[str]
    main: Path
    raw: bytes
    limit: float


class Asked(NamedTuple):
    what: str
    event: str
    fields: Mapping[str, Any]
    limit: float


def project(directory: Path, items: int) -> Path:
    """A main worktree whose lock a session holds, and tasks beside it."""
    main = directory / 'client' / 'main'
    main.parent.mkdir(parents=True)
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


# a step of an item in the registry
STEP = [samples.entry('Plugin00007', f'Stage {stage}') for stage in (2, 3)]
COMMIT = 'git commit -m "fix: x" notes.md'


def asked(main: Path) -> list[Asked]:
    note, registry = str(main / 'notes.md'), str(main / 'PLUGINS.md')
    return [
        Asked(
            'nothing to say: Read',
            'PostToolUse',
            {
                'tool_name': 'Read',
                'tool_input': {'file_path': note},
                'tool_response': {},
            },
            1.2,
        ),
        Asked(
            'nothing to say: Edit of another file',
            'PreToolUse',
            {
                'tool_name': 'Edit',
                'tool_input': {'file_path': note, 'old_string': 'a', 'new_string': 'b'},
            },
            1.2,
        ),
        Asked(
            'Edit of the registry, judged',
            'PreToolUse',
            {
                'tool_name': 'Edit',
                'tool_input': {
                    'file_path': registry,
                    'old_string': STEP[0],
                    'new_string': STEP[1],
                },
            },
            3,
        ),
        Asked(
            'Bash with git in it',
            'PreToolUse',
            {'tool_name': 'Bash', 'tool_input': {'command': COMMIT}},
            2,
        ),
        Asked('SessionStart', 'SessionStart', {'source': 'startup'}, 4),
    ]


def _event(name: str, main: Path, fields: Mapping[str, Any]) -> bytes:
    event = {
        'hook_event_name': name,
        'session_id': SESSION,
        'cwd': str(main),
        'transcript_path': '',
    }
    return json.dumps({**event, **fields}).encode()


def _once(question: Question, environ: Mapping[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(
        question.command,
        cwd=question.main,
        env=environ,
        input=question.raw,
        capture_output=True,
        check=False,
    )
    return time.perf_counter() - start


def _rivals(main: Path, raw: bytes) -> Iterator[Question]:
    """The same, or less, as others answer it."""
    program = str(RIVALS / 'python')
    for what, command in (
        ('the same question, bash and jq', ('bash', '-c', JQ)),
        ('a hook that says nothing, with cchooks', (program, '-c', CCHOOKS)),
        ('check-jsonschema --version', (str(RIVALS / 'check-jsonschema'), '--version')),
    ):
        if shutil.which(command[0]):
            yield Question(what, command, main, raw, float('inf'))


def _of_others(main: Path, called: Sequence[str]) -> Iterator[Question]:
    """The same of every other client, in its own dialect."""
    note, registry = str(main / 'notes.md'), str(main / 'PLUGINS.md')
    for name, dialect in DIALECTS.items():
        if name == called[-1]:
            continue
        edit = next(iter(dialect.edits.values()))
        for what, data, limit in (
            ('nothing to say: edit of another file', edit(note, 'a', 'b'), 1.2),
            ('edit of the registry, judged', edit(registry, *STEP), 3),
            ('a command with git in it', dialect.shell(COMMIT), 2),
        ):
            event = {**dialect.base, 'cwd': str(main), **data}
            command = (*called[:-1], name, dialect.before)
            raw = json.dumps(event).encode()
            yield Question(f'{name}: {what}', command, main, raw, limit)


def _questions(directory: Path) -> Iterator[Question]:
    called = (PYTHON, '-I', '-S', launcher(), 'claude')
    small, large = (project(directory / str(n), n) for n in (10, 1_000))
    for what, event, fields, limit in asked(small):
        raw = _event(event, small, fields)
        yield Question(what, (*called, event), small, raw, limit)
    raw = _event('SessionStart', large, {'source': 'startup'})
    what = 'SessionStart, 1,000 tasks and items'
    yield Question(what, (*called, 'SessionStart'), large, raw, 6)
    yield from _of_others(small, called)
    edit = asked(small)[1]
    yield from _rivals(small, _event(edit.event, small, edit.fields))


def measured(
    directory: Path, environ: Mapping[str, str]
) -> list[tuple[str, float, float, float]]:
    """What, the time of a bare interpreter, ours, and the limit."""
    questions = list(_questions(directory))
    environ = {
        **{k: v for k, v in environ.items() if k != 'INTERLOCK_SESSION'},
        'CLAUDECODE': '1',
        'CLAUDE_CODE_SESSION_ID': SESSION,
        'TASKS': str(questions[0].main.parent / 'tasks'),
    }
    floor = Question('', (PYTHON, '-c', 'pass'), questions[0].main, b'', 1)
    best = dict.fromkeys((each.what for each in (floor, *questions)), float('inf'))
    for _ in range(RUNS + 1):
        for each in (floor, *questions):
            best[each.what] = min(best[each.what], _once(each, environ))
    return [
        (f'{each.what} / python -c pass', best[''], best[each.what], each.limit)
        for each in questions
    ]
