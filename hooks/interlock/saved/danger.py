"""Text that would be run if an agent took it at its word.

Three fields of a saved state are shown as calls: how a skill is resumed,
which documents to read, the todos. In them, and only in them, a call of a
tool that changes or fetches something is refused. Prose about such tools
passes: what counts is the form of a call.
"""
from __future__ import annotations

import re

DANGER_RE = re.compile(
    r'\b(?:Bash|PowerShell|Write|Edit|NotebookEdit|WebFetch)'
    # `Edit(s)` is a plural, `Write (and test)` a sentence
    r'(?:\((?!s\))|\s+\(\s*[\'"{\[])'
    r'|(?<![\w-])(?:curl|wget|rm)'
    # an option, a path or an address follows, and no word of a sentence
    r'\s+(?=\S*[-./:*~$"\'`])',
)


def danger(text: str) -> str:
    """The call that a text holds, or ''."""
    match = DANGER_RE.search(text)
    return match[0].partition('(')[0].strip() if match else ''
