"""The user's word to go on after a stage, as it was given.

Beside the locks, under the common git directory, so it is no part of any
commit; the next stage commit repeats it as a trailer. A file like any other:
our hooks refuse agents to write it, and a program that they do not see can.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from interlock.files import atomic_files

FILE = 'confirmations.jsonl'


class Confirmation(NamedTuple):
    item: str
    # as the workflow writes it: `3`, and of a phase `3.1`
    stage: str
    # the stage commit that was confirmed
    commit: str
    at: str
    session: str
    # the checksum of the prompt
    prompt: str


def path_of(state: str) -> str:
    """`state` is the common git directory."""
    return os.path.join(state, 'interlock', FILE)


def record(state: str, confirmation: Confirmation) -> None:
    line = json.dumps(confirmation._asdict(), ensure_ascii=True) + '\n'
    atomic_files.append(path_of(state), line.encode())


def _read(line: bytes) -> Confirmation | None:
    """None for what is no confirmation, half of a line for instance."""
    try:
        data = json.loads(line)
        values = [data[name] for name in Confirmation._fields]
    except (ValueError, KeyError, TypeError):
        return None
    return (
        Confirmation(*values)
        if all(isinstance(value, str) for value in values)
        else None
    )


def of(state: str, item: str) -> list[Confirmation]:
    """Those of an item, oldest first."""
    lines = (atomic_files.read(path_of(state)) or b'').splitlines()
    found = [_read(line) for line in lines if line.strip()]
    return [each for each in found if each is not None and each.item == item]
