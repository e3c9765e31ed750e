"""What several clients say of a command only in a text or in another field."""

from __future__ import annotations

from interlock.guard.event import SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EXIT = 'Exit Code: '


def in_directory(data: dict[str, Any], field: str) -> dict[str, Any]:
    """A command that runs elsewhere; the event happens where the session is."""
    given = data.get('tool_input')
    if data.get('tool_name') != SHELL or not isinstance(given, dict):
        return data
    directory, command = given.get(field), given.get('command')
    if not isinstance(directory, str) or not isinstance(command, str) or not directory:
        return data
    place = "'" + directory.replace("'", "'\\''") + "'"
    return {**data, 'tool_input': {**given, 'command': f'cd {place}\n{command}'}}


def with_exit_code(data: dict[str, Any]) -> dict[str, Any]:
    """What the model is told of a tool: the exit code is a part of the text."""
    response = data.get('tool_response')
    if not isinstance(response, dict):
        return data
    text = response.get('llmContent')
    text = text if isinstance(text, str) else ''
    code = text.rpartition(EXIT)[2].partition('\n')[0].strip() if EXIT in text else ''
    found = {'stdout': text, 'exit': code if code.isdigit() else 'unknown'}
    shown = response.get('returnDisplay')
    if isinstance(shown, dict) and 'originalContent' in shown:
        found['originalFile'] = shown['originalContent']
    return {**data, 'tool_response': found}
