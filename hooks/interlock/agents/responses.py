"""Results of commands that several clients give only as text."""

from __future__ import annotations

from interlock.guard.event import Fields

EXIT = 'Exit Code: '


def with_exit_code(data: Fields) -> Fields:
    """The result of a tool, with the exit code taken from the text for the model."""
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
