"""Which project a directory belongs to, without asking git.

Starting a process takes too long for a hook, and in a hook git's variables may
name another repository. The files of git hold the answer: `.git` is a
directory in a main worktree and a pointer in a linked one.
"""

from __future__ import annotations

import os

from interlock.files.atomic_files import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable

POINTER = b'gitdir:'
# set for git and its hooks: the journal entry of our own commit
COMMITTING = 'INTERLOCK_COMMITTING'
# the name of a workflow file
FILE = '.interlock.yaml'


def line_of(path: str) -> str:
    data = read(path)
    return os.fsdecode(data.strip()) if data else ''


def git_dir_of(top: str) -> str:
    """The git directory that the `.git` of a worktree is or points to, '' if none."""
    git_dir = os.path.join(top, '.git')
    if os.path.isdir(git_dir):
        return git_dir
    data = read(git_dir) or b''
    if not data.startswith(POINTER):
        return ''
    target = os.fsdecode(data[len(POINTER) :].strip())
    return os.path.join(top, target) if target else ''


def _above(git_dir: str) -> str:
    """The directory that linked worktrees share, '' in the main worktree."""
    return line_of(os.path.join(git_dir, 'commondir'))


def common_dir(top: str) -> str:
    """The common git directory of a worktree, '' if it is not one."""
    git_dir = git_dir_of(top)
    if not git_dir or os.path.basename(git_dir) == '.git':
        return git_dir
    return os.path.realpath(os.path.join(git_dir, _above(git_dir)))


def top_of(directory: str) -> str:
    """The top of the worktree that holds a directory, '' if there is none."""
    return os.path.dirname(upwards(directory, '.git', os.path.lexists))


def main_top(common: str) -> str:
    """The top of the main worktree, '' if there is none."""
    head, tail = os.path.split(common)
    return head if tail == '.git' else ''


def upwards(
    directory: str, name: str, exists: Callable[[str], bool] = os.path.isfile
) -> str:
    """The nearest file with a name, in a directory or above it, '' if none."""
    while True:
        file = os.path.join(directory, name)
        if exists(file):
            return file
        above = os.path.dirname(directory)
        if above == directory:
            return ''
        directory = above


def above_main(common: str, name: str) -> str:
    """The nearest file with a name, in the main worktree or above it.

    The current worktree may lie outside of the folders that hold the file.
    """
    return upwards(main_top(common) or common, name) if common else ''


def workflow_file(directory: str) -> str:
    """The workflow file nearest to a resolved directory, else the one nearest
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

    A submodule also has a pointer, but is a repository of its own. So is a
    repository whose git directory lies elsewhere.
    """
    git_dir = git_dir_of(top) if top else ''
    return bool(git_dir and _above(git_dir))


def project_of(directory: str) -> str:
    """The top of the repository's main worktree; without one, the directory."""
    directory = os.path.realpath(directory)
    top = top_of(directory)
    if not _is_linked(top):
        return top or directory
    common = common_dir(top)
    # a bare repository stands for all of its worktrees
    return main_top(common) or common


def folder_of(file: str) -> str:
    # the folder of the file itself, even if it is a link
    return os.path.realpath(os.path.dirname(os.path.abspath(file)))


def base(file: str) -> str:
    """The directory of a workflow file; in a linked worktree, the main one's."""
    directory = folder_of(file)
    top = top_of(directory)
    main = main_top(common_dir(top)) if _is_linked(top) else ''
    if not main:
        return directory
    return os.path.normpath(os.path.join(main, os.path.relpath(directory, top)))
