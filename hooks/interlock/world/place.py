"""Which project a directory belongs to, without asking git.

A hook has no time for a process. What git would answer stands in files:
`.git` is a directory in a main worktree and a pointer in a linked one.
"""
from __future__ import annotations

import os

from interlock.world.files import read

POINTER = b'gitdir:'


def _line(path: str) -> str:
    data = read(path)
    return os.fsdecode(data.strip()) if data else ''


def _common_dir(pointer: str) -> str:
    """The directory of the repository that a `.git` file leads to."""
    data = read(pointer) or b''
    if not data.startswith(POINTER):
        return ''
    target = os.fsdecode(data[len(POINTER):].strip())
    git_dir = os.path.join(os.path.dirname(pointer), target)
    shared = _line(os.path.join(git_dir, 'commondir'))
    # a submodule has a pointer too, and is a repository of its own
    return os.path.realpath(os.path.join(git_dir, shared)) if shared else ''


def _main_top(top: str) -> str:
    """The top of the main worktree, seen from the top of any."""
    common = _common_dir(os.path.join(top, '.git'))
    if not common:
        return top
    head, tail = os.path.split(common)
    # worktrees of a bare repository: it stands for all of them
    return head if tail == '.git' else common


def project_of(directory: str) -> str:
    """The top of the repository's main worktree; elsewhere the directory."""
    start = here = os.path.realpath(directory)
    while True:
        if os.path.exists(os.path.join(here, '.git')):
            return _main_top(here)
        parent = os.path.dirname(here)
        if parent == here:
            return start
        here = parent
