"""Directories elsewhere that links make a part of a task.

Asked at every write, so it imports next to nothing.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Iterator, Sequence


def is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _links(folder: str, parts: Sequence[str]) -> Iterator[str]:
    """The links on the way from a folder along a pattern."""
    if not parts:
        return
    names, mark = [parts[0]], '{agent}'
    if mark in parts[0]:
        head, _, tail = parts[0].partition(mark)
        names = [
            name
            for name in _listed(folder)
            if name.startswith(head) and name.endswith(tail)
        ]
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            yield path
        elif os.path.isdir(path):
            yield from _links(path, parts[1:])


def _live(top: str, pattern: str) -> list[str]:
    """The tasks with a worktree; thousands of others may be finished."""
    found = []
    try:
        with os.scandir(top) as entries:
            for entry in entries:
                if not entry.is_symlink():
                    try:
                        os.lstat(f'{top}/{pattern.replace("{item}", entry.name)}')
                    except OSError:
                        continue
                found.append(entry.name)
    except OSError:
        return []
    return sorted(found)


def linked_folders(top: str, patterns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The name of a task, and an outside directory that a link makes part of it.

    `top` is the folder of all tasks, without links; it belongs to none of them,
    wherever a link leads. `patterns` are those of worktrees, the task's own
    first.
    """
    for name in _live(top, patterns[0]):
        ways = [pattern.replace('{item}', name) for pattern in patterns]
        found: dict[str, None] = {}
        for way in ways:
            found.update(dict.fromkeys(_links(top, way.split('/'))))
        for path in found:
            real = os.path.realpath(path)
            inside = is_below(real, os.path.join(top, name))
            if not inside and not is_below(top, real):
                yield name, real
