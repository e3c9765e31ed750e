"""Which project a directory belongs to, without asking git.

A hook has no time for a process, and in one git's variables may name another
repository. What git would answer stands in files: `.git` is a directory in a
main worktree and a pointer in a linked one.
"""

from __future__ import annotations

import os

from interlock.files.atomic_files import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable

POINTER = b'gitdir:'
# a workflow file
FILE = '.interlock.yaml'


def line_of(path: str) -> str:
    data = read(path)
    return os.fsdecode(data.strip()) if data else ''


def git_dir_of(top: str) -> str:
    """Where the `.git` of a worktree is or leads to, '' if nowhere."""
    git_dir = os.path.join(top, '.git')
    if os.path.isdir(git_dir):
        return git_dir
    data = read(git_dir) or b''
    if not data.startswith(POINTER):
        return ''
    target = os.fsdecode(data[len(POINTER) :].strip())
    return os.path.join(top, target) if target else ''


def _above(git_dir: str) -> str:
    """What a linked worktree shares with the others, '' in the main one."""
    return line_of(os.path.join(git_dir, 'commondir'))


def common_dir(top: str) -> str:
    """The common git directory of a worktree, '' where there is none."""
    git_dir = git_dir_of(top)
    if not git_dir or os.path.basename(git_dir) == '.git':
        return git_dir
    return os.path.realpath(os.path.join(git_dir, _above(git_dir)))


def top_of(directory: str) -> str:
    """The top of the worktree that a directory is in, '' if in none."""
    return os.path.dirname(upwards(directory, '.git', os.path.lexists))


def main_top(common: str) -> str:
    """The top of the main worktree, if there is one."""
    head, tail = os.path.split(common)
    return head if tail == '.git' else ''


def upwards(
    directory: str, name: str, exists: Callable[[str], bool] = os.path.isfile
) -> str:
    """The nearest file of a name from a directory upwards, '' if none."""
    while True:
        file = os.path.join(directory, name)
        if exists(file):
            return file
        above = os.path.dirname(directory)
        if above == directory:
            return ''
        directory = above


def above_main(common: str, name: str) -> str:
    """The nearest file of a name from the main worktree upwards.

    A worktree may have been moved to where no other is found.
    """
    return upwards(main_top(common) or common, name) if common else ''


def workflow_file(directory: str) -> str:
    """The nearest workflow file of a directory without links, else the nearest
    to the main worktree, '' if there is none."""
    file = upwards(directory, FILE)
    if file:
        return file
    top = top_of(directory)
    found = above_main(common_dir(top), FILE) if top else ''
    folder, name = os.path.split(found)
    return os.path.join(os.path.realpath(folder), name) if found else ''


def _is_linked(top: str) -> bool:
    """Whether a worktree is linked to another one, or to a bare repository.

    A submodule has a pointer too, and is a repository of its own; so is one whose
    git directory lies elsewhere.
    """
    git_dir = git_dir_of(top) if top else ''
    return bool(git_dir and _above(git_dir))


def project_of(directory: str) -> str:
    """The top of the repository's main worktree; elsewhere the directory."""
    directory = os.path.realpath(directory)
    top = top_of(directory)
    if not _is_linked(top):
        return top or directory
    common = common_dir(top)
    # worktrees of a bare repository: it stands for all of them
    return main_top(common) or common


def folder_of(file: str) -> str:
    # where the file is found, not where a link leads
    return os.path.realpath(os.path.dirname(os.path.abspath(file)))


def base(file: str) -> str:
    """The directory of a workflow file; of a linked worktree, the main's."""
    directory = folder_of(file)
    top = top_of(directory)
    main = main_top(common_dir(top)) if _is_linked(top) else ''
    if not main:
        return directory
    return os.path.normpath(os.path.join(main, os.path.relpath(directory, top)))
