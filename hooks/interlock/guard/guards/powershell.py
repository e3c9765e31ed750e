"""PowerShell commands: the user is asked, because they are not parsed.

A command of plain words and quotes means the same in both shells, and is read
as a shell command. The user is asked about any other command that names git,
Interlock or a protected file.
"""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.guard import protected_files, relevance
from interlock.guard.context import Context
from interlock.guard.decision import Decision, unsure
from interlock.model import clients
from interlock.model import quick_re as re
from interlock.model.errors import Refusal

PLAIN = re.compile(r'[\w\s./:=,+;&|<>-]*')
QUOTED = re.compile(r"""'[^'`$]*'|"[^"`$]*\"""")
# cmdlets and their aliases
OWN = re.compile(
    r'\b[A-Za-z]+-[A-Z][A-Za-z]+\b|'
    r'\b(?:del|erase|ri|sc|ac|ni|iex|copy|move|ren|type|gc|cmd)\b'
)
STARTS = '|'.join(('INTERLOCK_', *clients.PREFIXES))
ACTS = re.compile(rf'\b(?:git|interlock)\b|\b(?:{STARTS})', re.I)
HIDDEN = re.compile(
    r'\b(?:pwsh|powershell)\b.*\s-e\w*\s|\biex\b|\bInvoke-Expression\b', re.I | re.S
)


def _protected_name(context: Context, command: str) -> str:
    text = command.replace('\\', '/').lower()
    found = list(protected_files.WORDS)
    try:
        found.extend(relevance.names(context))
        found.extend(map(os.path.basename, protected_files.wiring(context)))
    except Refusal:
        # judge_write reports that nothing can be judged
        pass
    for name in found:
        if re.search(rf'(?<![\w-]){re.escape(name.lower())}(?![\w-])', text):
            return name
    return ''


def is_plain(command: str) -> bool:
    """Whether a command means the same in PowerShell and in a shell."""
    bare = QUOTED.sub('x', command)
    own = OWN.search(bare) or HIDDEN.search(bare)
    return not own and PLAIN.fullmatch(bare) is not None


def judge(context: Context, command: str) -> Decision | None:
    if HIDDEN.search(command):
        return unsure('PowerShell runs code that is not part of the command')
    name = _protected_name(context, command)
    if name or ACTS.search(command):
        return unsure(f'PowerShell is given {shown(name) or "git or Interlock"}')
    return None
