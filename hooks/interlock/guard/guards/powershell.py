"""Commands of PowerShell: not read, but asked about.

Words and quotes mean the same in both shells, so a command that consists of
nothing else is read as one of a shell. Any other is asked about where it
names git, Interlock, or a file that is protected.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from interlock.documents.text import shown
from interlock.guard import protected_files, relevance
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.glob_targets import unreadable
from interlock.model.errors import Refusal

PLAIN = re.compile(r'[\w\s./:=,+;&|<>-]*')
QUOTED = re.compile(r"""'[^'`$]*'|"[^"`$]*\"""")
# cmdlets, and their short names
OWN = re.compile(
    r'\b[A-Za-z]+-[A-Z][A-Za-z]+\b|'
    r'\b(?:del|erase|ri|sc|ac|ni|iex|copy|move|ren|type|gc|cmd)\b'
)
ACTS = re.compile(r'\b(?:git|interlock)\b|\bINTERLOCK_|\bCLAUDE', re.I)
HIDDEN = re.compile(
    r'\b(?:pwsh|powershell)\b.*\s-e\w*\s|\biex\b|\bInvoke-Expression\b', re.I | re.S
)


def _named(scene: Scene, command: str) -> str:
    text = command.replace('\\', '/').lower()
    found = list(protected_files.WORDS)
    try:
        found.extend(relevance.names(scene))
        found.extend(map(os.path.basename, protected_files.wiring(scene)))
    except Refusal:
        # judge_write says that nothing can be judged
        pass
    return next(
        (
            name
            for name in found
            if re.search(rf'(?<![\w-]){re.escape(name.lower())}(?![\w-])', text)
        ),
        '',
    )


def is_plain(command: str) -> bool:
    """Whether it means the same in a shell."""
    bare = QUOTED.sub('x', command)
    return PLAIN.fullmatch(bare) is not None and (
        not OWN.search(bare) and not HIDDEN.search(bare)
    )


def asked(scene: Scene, command: str) -> Iterator[Objection]:
    name = _named(scene, command)
    if HIDDEN.search(command):
        yield unreadable('PowerShell runs what does not stand in the command')
    elif name or ACTS.search(command):
        yield unreadable(
            f'a command of PowerShell names {shown(name) or "git or Interlock"}'
        )
