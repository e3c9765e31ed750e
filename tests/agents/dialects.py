"""Events before a tool runs, as each client sends them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

SESSION = '33333333-3333-4333-8333-333333333333'
Data = dict[str, Any]
# the path, what is replaced, by what
Edit = Callable[[str, str, str], Data]


class Dialect(NamedTuple):
    # its event before a tool runs, and the one after
    before: str
    after: str
    base: Mapping[str, Any]
    shell: Callable[[str], Data]
    # each of the tools that create a file, and that change one
    writes: Mapping[str, Callable[[str, str], Data]]
    edits: Mapping[str, Edit]


def patch(*lines: str) -> str:
    return '\n'.join(('*** Begin Patch', *lines, '*** End Patch', ''))


def added(path: str, text: str) -> str:
    return patch(f'*** Add File: {path}', *(f'+{line}' for line in text.splitlines()))


def updated(path: str, old: str, new: str) -> str:
    before = [f'-{line}' for line in old.splitlines()]
    after = [f'+{line}' for line in new.splitlines()]
    return patch(f'*** Update File: {path}', '@@', *before, *after)


def _nested(event: str, tool: str, **given: Any) -> Data:
    return {'hook_event_name': event, 'tool_name': tool, 'tool_input': given}


def _snake(event: str) -> Mapping[str, Any]:
    return {'session_id': SESSION, 'hook_event_name': event, 'transcript_path': ''}


def _edit_fields(path: str, old: str, new: str) -> Data:
    return {'file_path': path, 'old_string': old, 'new_string': new}


def _use(tool: str, **given: Any) -> Data:
    return {'tool_name': tool, 'tool_input': given}


def _copilot(tool: str, given: Any) -> Data:
    return {'toolName': tool, 'toolArgs': given}


DIALECTS = {
    'claude': Dialect(
        'PreToolUse',
        'PostToolUse',
        _snake('PreToolUse'),
        lambda command: _use('Bash', command=command),
        {'Write': lambda path, text: _use('Write', file_path=path, content=text)},
        {'Edit': lambda *given: _use('Edit', **_edit_fields(*given))},
    ),
    'codex': Dialect(
        'PreToolUse',
        'PostToolUse',
        {**_snake('PreToolUse'), 'turn_id': 't', 'model': 'gpt-5.5'},
        lambda command: _use('Bash', command=command),
        {'apply_patch': lambda *given: _use('apply_patch', command=added(*given))},
        {'apply_patch': lambda *given: _use('apply_patch', command=updated(*given))},
    ),
    'copilot': Dialect(
        'preToolUse',
        'postToolUse',
        {'sessionId': SESSION, 'timestamp': 1794846729126},
        lambda command: _copilot('bash', {'command': command, 'description': 'x'}),
        {
            'create': lambda path, text: _copilot(
                'create', {'path': path, 'file_text': text}
            ),
            'apply_patch': lambda *given: _copilot('apply_patch', added(*given)),
        },
        {
            'edit': lambda path, old, new: _copilot(
                'edit', {'path': path, 'old_str': old, 'new_str': new}
            ),
            'apply_patch': lambda *given: _copilot('apply_patch', updated(*given)),
        },
    ),
    'qwen': Dialect(
        'PreToolUse',
        'PostToolUse',
        {**_snake('PreToolUse'), 'permission_mode': 'yolo'},
        lambda command: _use('run_shell_command', command=command, is_background=False),
        {
            'write_file': lambda path, text: _use(
                'write_file', file_path=path, content=text
            )
        },
        {'edit': lambda *given: _use('edit', **_edit_fields(*given))},
    ),
    'opencode': Dialect(
        'PreToolUse',
        'PostToolUse',
        _snake('PreToolUse'),
        lambda command: _use('bash', command=command, description='x'),
        {
            'write': lambda path, text: _use('write', filePath=path, content=text),
            'apply_patch': lambda *given: _use('apply_patch', patchText=added(*given)),
        },
        {
            'edit': lambda path, old, new: _use(
                'edit', filePath=path, oldString=old, newString=new
            ),
            'apply_patch': lambda *given: _use(
                'apply_patch', patchText=updated(*given)
            ),
        },
    ),
    'gemini': Dialect(
        'BeforeTool',
        'AfterTool',
        {**_snake('BeforeTool'), 'timestamp': '2026-01-02T03:04:05.678Z'},
        lambda command: _use('run_shell_command', command=command, description='x'),
        {
            'write_file': lambda path, text: _use(
                'write_file', file_path=path, content=text
            )
        },
        {
            'replace': lambda *given: _use(
                'replace', **_edit_fields(*given), instruction='x'
            )
        },
    ),
    'cursor': Dialect(
        'preToolUse',
        'postToolUse',
        {'conversation_id': SESSION, 'hook_event_name': 'preToolUse'},
        lambda command: _use('Shell', command=command),
        {'Write': lambda path, text: _use('Write', path=path, contents=text)},
        {
            'Edit': lambda path, old, new: _use(
                'Edit', path=path, old_str=old, new_str=new
            ),
            'Delete': lambda path, old, new: _use('Delete', path=path),
        },
    ),
}
