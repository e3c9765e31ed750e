"""The lines at the end of a message that say whose work a commit is."""
from __future__ import annotations

import re
from typing import NamedTuple

from interlock.model.change import Message

TASK = 'Interlock-Task'
LOCK = 'Interlock-Lock'
# a number that no counter of ours will ever reach is no number
LOCK_RE = re.compile(r'(\S+)@([0-9]{1,12})')


class Generation(NamedTuple):
    task: str
    number: int


def task(message: Message) -> str:
    return message.trailers.get(TASK.lower(), '')


def generation(message: Message) -> Generation | None:
    """Under which generation of which lock a commit was made."""
    match = LOCK_RE.fullmatch(message.trailers.get(LOCK.lower(), ''))
    return Generation(match[1], int(match[2])) if match else None
