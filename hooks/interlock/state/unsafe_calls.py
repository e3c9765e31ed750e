"""Text that would be run if an agent took it at its word.

A resume command and the path of a document are shown as calls. In them a call
of a tool that changes or fetches something is refused; prose about such tools
passes, since what counts is the form of a call.

A todo is a text inside of a call, and is given back word for word, whatever
commands it mentions. Only a line of it that is nothing but a call of a tool is
refused: that is no todo.
"""

from __future__ import annotations

import re

TOOLS = r'(?:Bash|PowerShell|Write|Edit|NotebookEdit|WebFetch)'
DANGER_RE = re.compile(
    rf'\b{TOOLS}'
    # `Edit(s)` is a plural, `Write (and test)` a sentence
    r'(?:\((?!s\))|\s+\(\s*[\'"{\[])'
    r'|(?<![\w-])(?:curl|wget|rm)'
    # an option, a path or an address follows, and no word of a sentence
    r'\s+(?=\S*[-./:*~$"\'`])'
)
ONLY_A_CALL_RE = re.compile(
    rf'^[\s`]*({TOOLS})\s*\(\s*[\'"{{\[].*\)[\s`;]*$', re.MULTILINE
)


def danger(text: str) -> str:
    """The call that a text holds, or ''."""
    match = DANGER_RE.search(text)
    return match[0].partition('(')[0].strip() if match else ''


def only_a_call(text: str) -> str:
    """The tool that a line of a text calls, and does nothing else, or ''."""
    match = ONLY_A_CALL_RE.search(text)
    return match[1] if match else ''
