"""Whether any rule could apply to a file. Every write asks this.

Only the watch index of the workflow is read, so that a `no` is quick. The
answer may be `yes` too often.
"""

from __future__ import annotations

import os
import sys

from interlock.files import module_cache
from interlock.files.users_cache import users_cache
from interlock.git.git_paths import git_dir_of, line_of
from interlock.guard.context import Context, is_below
from interlock.model import calling_files
from interlock.model.calling_files import shape_of
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.model.quick_typing import Callable, Iterator, Mapping

# files whose configuration calls us, besides the client's own settings
CALLERS = calling_files.CALLERS
# files that call us elsewhere: in CI, or where git's configuration finds hooks
PIPELINES = (*calling_files.CI_KINDS, calling_files.SCRIPT)
OURS = 'interlock'
# the package itself, with all links resolved
PACKAGE = os.path.realpath(module_cache.PACKAGE)
INSTALLED = 'site-packages'
# files that the user's shells read when they start, below the home directory
STARTUP = (
    *'.bashrc .bash_profile .bash_login .bash_aliases .bash_logout .profile'.split(),
    *'.zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc'.split(),
    *'.tcshrc .login .xprofile .xsessionrc .pam_environment .ssh/rc'.split(),
)
# folders of such files
STARTUP_FOLDERS = (
    *('.bashrc.d', '.config/fish', '.config/nushell', '.config/environment.d'),
    *('/etc/profile.d', '/etc/zsh', '/etc/fish', '/etc/environment.d'),
)
SYSTEM_STARTUP = ('/etc/profile', '/etc/bash.bashrc', '/etc/bashrc', '/etc/environment')
# programs that git and its hooks look for; a new one with such a name is found first
FOUND = frozenset('git sh bash env pre-commit prek lefthook husky'.split())


def _spelled(path: str) -> str:
    """The path as its directory spells it, on a file system that ignores case."""
    folder, name = os.path.split(path)
    other = os.path.join(folder, name.swapcase())
    if other == path or not (os.path.lexists(path) and os.path.lexists(other)):
        return path
    names = os.listdir(folder)
    if name not in names:
        alike = (each for each in names if each.casefold() == name.casefold())
        name = next(alike, name)
    return os.path.join(_spelled(folder), name)


class Write:
    """A file that would be written, or removed."""

    def __init__(
        self,
        path: str,
        content: Callable[[], bytes | None] = lambda: None,
        how: str = '',
        removed: bool = False,
        tree: bool = False,
        kept: bool = False,
        restored: bool = False,
        source: str = '',
        target: str = '',
    ) -> None:
        # the name as given, with only its directory resolved, and the resolved file
        normal = os.path.abspath(path)
        folder, name = os.path.split(normal)
        named = os.path.join(os.path.realpath(folder), name)
        self.path = self.real = _spelled(named)
        if normal != path or os.path.islink(named):
            self.real = _spelled(os.path.realpath(path))
        # the command that writes it, '' for a tool
        self.how = how
        self.removed = removed
        # a directory with everything in it
        self.tree = tree
        # only a mode or a date changes, not the content
        self.kept = kept
        # the write restores the committed content
        self.restored = restored
        # the path that it moves to, and the path that it came from
        self.target = target
        self.source = source
        self._content = content
        self._new: bytes | None = None
        self._is_known = False

    @property
    def places(self) -> tuple[str, ...]:
        # removing a link keeps the file that it points to
        link = self.removed and not self.tree and os.path.islink(self.path)
        same = self.real == self.path or link
        return (self.path,) if same else (self.path, self.real)

    @property
    def new(self) -> bytes | None:
        """The new content of the file; None if it is removed or unknown."""
        if not self._is_known:
            self._new, self._is_known = self._content(), True
        return self._new


def git_folder(path: str) -> str:
    """The git directory that contains a path, '' if there is none."""
    head, mark, _ = path.partition(f'{os.sep}.git{os.sep}')
    if mark:
        return f'{head}{os.sep}.git'
    return path if os.path.basename(path) == '.git' else ''


def _leads_to(file: str, path: str) -> bool:
    """Whether a file is the one at a path without links; a link may have any name."""
    same = os.path.basename(file) == os.path.basename(path)
    return (same or os.path.islink(file)) and os.path.realpath(file) == path


def startup_files(environ: Mapping[str, str]) -> list[str]:
    """The files that the user's shells read when they start."""
    home = environ.get('HOME') or os.path.expanduser('~')
    zsh = environ.get('ZDOTDIR') or home
    folders = {home, zsh} if zsh != home else {home}
    own = [os.path.join(each, name) for each in folders for name in STARTUP]
    return [*own, *SYSTEM_STARTUP]


def _is_startup(environ: Mapping[str, str], home: str, path: str) -> bool:
    return any(_leads_to(file, path) for file in startup_files(environ)) or any(
        is_below(path, os.path.join(home, each)) for each in STARTUP_FOLDERS
    )


def _program_folders(environ: Mapping[str, str]) -> list[str]:
    path = environ.get('PATH', '').split(os.pathsep)
    folders = (os.path.dirname(sys.executable), *path)
    return [os.path.realpath(folder) for folder in folders if folder]


def programs(environ: Mapping[str, str]) -> list[str]:
    """Our installed commands, if there are any."""
    paths = [os.path.join(folder, OURS) for folder in _program_folders(environ)]
    return list(filter(os.path.lexists, paths))


def callers(context: Context, path: str) -> Iterator[str]:
    """The ways in which a file may make git or the client call us, in the order in
    which `guards.wiring` judges them."""
    environ, (folder, name) = context.event.environ, os.path.split(path)
    home = context.home
    config = environ.get('XDG_CONFIG_HOME') or os.path.join(home, '.config')
    husky = (os.path.join(config, 'husky/init.sh'), os.path.join(home, '.huskyrc'))
    repository = git_folder(path)
    # a copy of a repository at a new place is nobody's yet
    if os.path.lexists(repository) or is_below(path, context.state):
        yield 'repository'
    top, inside = context.place(path)
    shape, kind = shape_of(path), calling_files.kind_of(inside)
    cache = users_cache(environ)
    if shape:
        yield 'settings'
    if name in CALLERS:
        yield 'framework'
    if kind in PIPELINES:
        yield 'pipeline'
    # the folder of compiled workflows may be a link
    for each in (cache, os.path.join(cache, 'compiled')):
        if is_below(path, os.path.realpath(each)):
            yield 'cache'
    # developers of Interlock have the package in their project
    developed = is_below(PACKAGE, context.base) and INSTALLED not in PACKAGE
    if is_below(path, PACKAGE) and not developed:
        yield 'package'
    if name.startswith(OURS) and folder in _program_folders(environ):
        yield 'program'
    if any(_leads_to(file, path) for file in husky):
        yield 'husky'
    if _is_startup(environ, home, path):
        yield 'startup'
    if name in FOUND and folder in _program_folders(environ):
        yield 'found first'
    # of this worktree, and of the repository that contains the file
    configs, hooks = context.steering_files(top)
    if any(_leads_to(file, path) for file in configs):
        yield 'git config'
    if any(is_below(path, folder) for folder in hooks):
        yield 'hook'


def names(context: Context) -> set[str]:
    """The names of records, contracts and files that call us, without their
    directories."""
    return {*CALLERS, *context.watch['names']}


def is_workflow_file(context: Context, name: str) -> bool:
    return name in (context.path, *context.watch['files']) or (
        os.path.basename(name).startswith('.interlock')
    )


def _may_match(path: str, pattern: str) -> bool:
    head, mark, _ = pattern.partition('{item}')
    if not mark:
        return path == pattern
    tail = pattern.rpartition('{item}')[2]
    return path.startswith(head) and path.endswith(tail)


def may_be_record(context: Context, path: str) -> bool:
    name = context.inside(path)
    return bool(name) and (
        is_workflow_file(context, name)
        or any(_may_match(name, pattern) for pattern in context.watch['records'])
        or any(
            name.startswith(head) and name.endswith(tail)
            for head, tail in context.watch['recorded']
        )
    )


def _is_task_file(context: Context, path: str) -> bool:
    """Whether a file lies in a worktree whose lock another session may hold."""
    from interlock.tasks.quick_lock import holds_main
    from interlock.tasks.task_links import linked_folders

    watch = context.watch['tasks']
    if os.path.basename(path) in watch['lists']:
        return True
    for main, tasks in context.task_roots():
        # an agent of a task is limited to its own directories, with or without a lock
        agent = context.event.agent_type and is_below(path, main)
        if agent or is_below(path, tasks):
            return True
        elif any(
            is_below(path, real)
            for _, real in linked_folders(tasks, watch['worktrees'])
        ):
            return True
        elif is_below(path, main):
            return not holds_main(tasks, watch, context.event.session)
    return False


def may_commit_freely(context: Context) -> bool:
    """Whether no rule could apply to a commit at the top of the main worktree.

    The answer may be `no` too often.
    """
    event = context.event
    if event.agent_id or event.agent_type or context.directory != context.top:
        return False
    try:
        watch = context.watch['tasks']
    except Refusal:
        return False
    if not watch:
        return True
    from interlock.tasks.quick_lock import holds_main

    places = [tasks for main, tasks in context.task_roots() if main == context.top]
    return (
        len(places) == 1
        and not _may_be_of_task(watch, git_dir_of(context.top))
        and holds_main(places[0], watch, event.session)
    )


def _may_be_of_task(watch: Mapping[str, Any], git_dir: str) -> bool:
    """Whether the branch may belong to a task or an agent; a detached HEAD may."""
    ref = line_of(os.path.join(git_dir, 'HEAD'))
    branch = ref.removeprefix('ref: refs/heads/')
    head, tail = watch['branch']
    if branch == ref or all(part in branch for part in watch['agent_branch']):
        return True
    elif not branch.startswith(head) or not branch.endswith(tail):
        return False
    return branch[len(head) : len(branch) - len(tail)] not in watch['reserved']


def is_relevant(context: Context, write: Write) -> bool:
    if write.tree and os.path.isdir(write.real):
        # avoids a search through everything in the directory
        return True
    return any(
        any(callers(context, path))
        or may_be_record(context, path)
        or (context.has_tasks and _is_task_file(context, path))
        for path in write.places
    )
