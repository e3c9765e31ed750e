"""Where an event happens: the project, its workflow, and the actor.

Everything is looked up on first use. Modules that only a refusal needs are
imported inside the functions that refuse.
"""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.files.users_cache import compiled_folder, users_own, watched
from interlock.git.git_paths import (
    FILE,
    base,
    common_dir,
    git_dir_of,
    main_top,
    top_of,
    workflow_file,
)
from interlock.git.hook_folder import steering_files, told_folder, untold_path
from interlock.guard.event import Event, fold
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.documents.tasks.lock import Lock
    from interlock.files.users_cache import Watched
    from interlock.git.repository import Repository
    from interlock.model.actor import Actor
    from interlock.model.quick_typing import Collection
    from interlock.tasks.conditions.view import View
    from interlock.tasks.task_layout import Workspace
    from interlock.workflow.language.spec import Workflow

CONFIG = 'INTERLOCK_CONFIG'


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_plain(top: str) -> bool:
    """Whether this is a git repository of our own user, so that git trusts it."""
    try:
        is_ours = os.stat(top).st_uid == os.geteuid()
    except OSError:
        return False
    return is_ours and os.path.isfile(os.path.join(git_dir_of(top), 'HEAD'))


class Context:
    def __init__(self, event: Event, file: str = '') -> None:
        """`file` is the workflow to use instead of the first one found."""
        self.event = event
        self.directory = self._directory()
        self._files = self._workflow_files()
        self.file = file or next(filter(None, self._files.values()), '')
        self.base = os.path.dirname(self.file)
        if CONFIG in event.environ:
            self.base = os.path.realpath(self.base)
        self.top = top_of(self.base) if self.file else ''
        # the common git directory, or a folder of the user if there is none
        self.state = ''
        if self.file:
            self.state = common_dir(self.top) if self.top else ''
            self.state = self.state or users_own(self.base)
        # the files that a command must not reach unread; None until looked up
        self.protected: list[str] | None = None
        self._others: dict[str, Context] = {}
        self._places: dict[str, tuple[str, str]] = {}
        self._steering: dict[str, tuple[set[str], set[str]]] = {}
        self._watched: Watched | None = None
        self._workflow: Workflow | None = None
        self._space: Workspace | None = None
        # Interlock was set up here, but this commit has no workflow
        self.is_bare = not self.file and self._was_wired()

    def _was_wired(self) -> bool:
        """Whether Interlock was set up here: the files that call it stay guarded."""
        from interlock.files.settings_record import record_path

        for directory in (self.directory, self.event.project):
            top = top_of(os.path.realpath(directory)) if directory else ''
            state = common_dir(top) if top else ''
            if state and os.path.isfile(record_path(state)):
                from interlock.workflow.language.watch_index import watch_index

                self.file = os.path.join(top, FILE)
                self.base, self.top, self.state = top, top, state
                self._watched = watch_index({'items': {}}), lambda: {'items': {}}
                return True
        return False

    def _directory(self) -> str:
        """The directory of the session, which may have been deleted since."""
        given = self.event.cwd or self.event.project
        if not given:
            try:
                given = os.getcwd()
            except OSError:
                given = os.sep
        return os.path.realpath(given)

    def _real(self, folder: str) -> str:
        """The folder without links; the session's directory is already resolved."""
        above = folder and is_below(self.directory, folder)
        return folder if above else os.path.realpath(folder)

    def _workflow_files(self) -> dict[str, str]:
        """Map each folder that the session may work in to the workflow file that
        governs it, '' if there is none."""
        given = self.event.environ.get(CONFIG, '')
        if given:
            return {'': os.path.abspath(given)}
        # a session may write into a project from any directory
        paths = [self.event.given('file_path'), *self._written()]
        reached = [os.path.join(self.directory, os.path.dirname(p)) for p in paths if p]
        folders = dict.fromkeys((self.directory, self.event.project, *reached))
        real = dict.fromkeys([self._real(each) for each in folders if each])
        return dict(zip(real, map(workflow_file, real), strict=True))

    def _written(self) -> list[str]:
        try:
            return self.event.written_paths
        except Refusal:
            # the guard reports it if this project uses Interlock
            return []

    def governing(self, folder: str) -> list[Context]:
        """This context, and one for every other workflow that may govern a folder
        (given without links). No workflow switches another one off."""
        if CONFIG in self.event.environ:
            return [self]
        own = self._files.get(folder)
        files = [*self._files.values(), workflow_file(folder) if own is None else own]
        others = [file for file in dict.fromkeys(files) if file and file != self.file]
        for file in others:
            if file not in self._others:
                self._others[file] = Context(self.event, file)
        return [self, *(self._others[file] for file in others)]

    @property
    def path(self) -> str:
        """The path of the workflow file in the repository."""
        if not self.top:
            return FILE
        name = os.path.join(self.base, os.path.basename(self.file))
        return os.path.relpath(name, self.top).replace(os.sep, '/')

    @property
    def _compiled(self) -> Watched:
        if self._watched is None:
            top, path = self.top or self.base, self.path
            self._watched = watched(
                compiled_folder(),
                path,
                read(self.file) or b'',
                lambda path: read(os.path.join(top, path)),
            )
        return self._watched

    @property
    def watch(self) -> Any:
        """The index that events are compared with: see `watch_index`."""
        return self._compiled[0]

    @property
    def workflow(self) -> Workflow:
        if self._workflow is None:
            from interlock.workflow.language.build import build

            self._workflow = build(self._compiled[1](), self.path, self.path)
        return self._workflow

    @property
    def has_tasks(self) -> bool:
        return bool(self.watch['tasks'])

    def task_roots(self) -> list[tuple[str, str]]:
        """Every pair of a main worktree and a directory of tasks that may be used."""
        is_main = main_top(self.state) == self.top
        start = self.base if is_main else base(self.file)
        return [
            (
                os.path.realpath(os.path.join(start, main)),
                os.path.realpath(os.path.join(start, tasks)),
            )
            for main, tasks in self.watch['tasks'].get('roots', ())
        ]

    def is_near_tasks(self, *paths: str) -> bool:
        """Whether one of the paths lies where tasks may be."""
        roots = tuple(tasks + os.sep for _, tasks in self.task_roots())
        return any(os.path.realpath(path).startswith(roots) for path in paths)

    def stage_agent(self, given: str) -> str:
        """The agent of a stage that a name refers to, '' if there is none."""
        wanted = fold(given)
        agents = self.watch['agents'] if wanted else ()
        return next((agent for agent in agents if fold(agent) == wanted), '')

    @property
    def space(self) -> Workspace:
        """The layout of the tasks; only for workflows with tasks."""
        if self._space is None:
            from interlock.tasks.task_layout import workspace_at

            self._space = workspace_at(self.workflow, base(self.file))
        return self._space

    @property
    def actor(self) -> Actor:
        from interlock.files.actor import agent

        return agent(self.event.session, self.event.agent_id)

    @property
    def worktree(self) -> str:
        """The worktree of the session, if it belongs to the project."""
        own = top_of(self.directory)
        if own and (not self.top or common_dir(own) == self.state):
            return own
        return self.top or self.base

    def finds_hooks(self, told: str, directory: str) -> bool:
        """Whether `GIT_CONFIG_PARAMETERS` points git in a directory to the hooks that
        it would use anyway, or no workflow governs there."""
        directory = os.path.realpath(directory)
        top = top_of(directory)
        if not workflow_file(directory):
            return True
        elif not top:
            # the workflow lies above the repository
            try:
                top = next((main for main, _ in self.task_roots()), '')
            except Refusal:
                return False
        named = told_folder(top, told)
        hooks = os.path.join(top, untold_path(top, self.event.environ))
        return bool(named) and os.path.realpath(named) == os.path.realpath(hooks)

    def owns(self, path: str) -> bool:
        """Whether a path lies in the project."""
        folders = {self.base, self.top} - {''}
        return any(is_below(path, folder) for folder in folders)

    def inside(self, path: str) -> str:
        """The path of a file in its worktree, '' if that belongs to another project."""
        return self.place(path)[1]

    def place(self, path: str) -> tuple[str, str]:
        """The worktree of a file, and the path that `inside` returns for it."""
        if path not in self._places:
            top = top_of(os.path.dirname(path))
            if self.top:
                base = top if top and common_dir(top) == self.state else ''
            else:
                base = self.base if is_below(path, self.base) else ''
            name = os.path.relpath(path, base).replace(os.sep, '/') if base else ''
            self._places[path] = top, name
        return self._places[path]

    def steering_files(self, top: str) -> tuple[set[str], set[str]]:
        """The git configurations and hook folders of this worktree and another one."""
        if top not in self._steering:
            tops = {self.top, top} - {''}
            self._steering[top] = steering_files(tops, self.event.environ)
        return self._steering[top]

    def git(
        self, directory: str, *words: str, data: bytes | None = None
    ) -> bytes | None:
        """The output of git in a directory, None if git fails."""
        from interlock.git.git import Git, GitError

        try:
            return Git(self.event.environ).run('-C', directory, *words, data=data)
        except GitError:
            return None

    @property
    def home(self) -> str:
        """The home directory of the user."""
        return self.event.environ.get('HOME') or os.path.expanduser('~')

    def repository(self, directory: str = '') -> Repository:
        """The repository of the session or of a directory; ignores git's variables."""
        from interlock.git.repository import Repository, RepositoryPaths
        from interlock.git.worktrees import LOCAL

        given = self.event.environ.items()
        environ = {name: value for name, value in given if name not in LOCAL}
        directory = directory or self.worktree
        if directory != self.top or not _is_plain(self.top):
            return Repository(environ, directory)
        # the same paths that a git process would give
        paths = RepositoryPaths(self.top, git_dir_of(self.top), self.state)
        return Repository(environ, directory, facts=paths)

    def task_view(
        self, task: str, lock: Lock, target: str = '', conditions: Collection[str] = ()
    ) -> View:
        """A task as the conditions of its gates see it."""
        from interlock.documents import timestamps
        from interlock.files.disk_snapshot import SteadySnapshot
        from interlock.tasks.task_view import ViewSources, view

        here = ViewSources(
            self.space,
            SteadySnapshot(self.space.tasks),
            self.event.environ,
            self.actor,
            self.directory,
            timestamps.now(),
        )
        return view(here, lock, task, target, conditions)
