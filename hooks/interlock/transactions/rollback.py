"""State files as they were before a commit that was not made."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from interlock.files import atomic_files
from interlock.transactions import journal as journals
from interlock.transactions.journal import Changes, FileStep, checksum


class Undo(NamedTuple):
    """How a state file was."""

    path: str
    # None: there was no file
    old: bytes | None
    # the checksum of what it got
    new: str
    # what it said of the item, before and after: others share the file
    pieces: tuple[tuple[bytes, bytes], ...]
    # where the old content is written before it takes its place
    back: str


class Undone(NamedTuple):
    # what was put back
    restored: tuple[str, ...] = ()
    # what somebody had changed: left to him, or kept elsewhere
    left: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def undoing(
    changes: Changes, pieces: Mapping[str, Sequence[tuple[bytes, bytes]]]
) -> tuple[Undo, ...]:
    return tuple(
        Undo(
            path,
            old,
            checksum(new),
            tuple(pieces.get(path, ())),
            atomic_files.temporary_name(path),
        )
        for path, (old, new) in changes.items()
    )


def _without(data: bytes, each: Undo) -> bytes | None:
    """The file without what we wrote into it, None if that changed too."""
    for old, new in each.pieces:
        if data.count(new) != 1:
            return None
        data = data.replace(new, old)
    return data if each.pieces else None


def _make_folder(path: str) -> None:
    with contextlib.suppress(OSError):
        # if it cannot be made, nothing can be written in it either
        os.makedirs(path, exist_ok=True)


def _restore(each: Undo, data: bytes | None) -> None:
    if data is None:
        atomic_files.remove(each.path)
        return
    journals.unlink(each.back)
    _make_folder(os.path.dirname(each.path))
    atomic_files.write_new(each.back, data, like=each.path)
    atomic_files.rename(each.back, each.path)


def _keep(folder: str, path: str, data: bytes) -> str:
    """Where something lies that is not ours and could not stay."""
    _make_folder(folder)
    kept = os.path.join(folder, f'{time.time_ns()}-{os.path.basename(path)}')
    atomic_files.write_new(kept, data)
    return kept


def undo(
    entries: Sequence[Undo], steps: Sequence[FileStep], keep_in: str = ''
) -> Undone:
    """Every state file as it was.

    What somebody else has changed is left to him, or, where there is a folder
    to keep that in, put back all the same: while a commit runs it is a hook
    that changes files.
    """
    restored, left, kept = [], [], []
    begun = [step.path for step in steps if step.temporary and step.pending]
    for each in entries:
        current = atomic_files.read(each.path)
        if current == each.old or each.path in begun:
            # not written yet
            continue
        target = each.old
        if checksum(current) != each.new:
            target = _without(current or b'', each)
            if target is None and not keep_in:
                left.append(each.path)
                continue
            elif target is None:
                target = each.old
                kept.append(_keep(keep_in, each.path, current or b''))
        _restore(each, target)
        restored.append(each.path)
    journals.discard(steps)
    for each in entries:
        journals.unlink(each.back)
    return Undone(tuple(restored), tuple(left), tuple(kept))
