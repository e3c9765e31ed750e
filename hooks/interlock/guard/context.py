"""Where an event happens: the project, its workflow, who acts.

Nothing is looked up before it is asked for, and what only a refusal needs is
not imported before.
"""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.git.git_paths import (
    above_main,
    base,
    common_dir,
    compiled_workflows,
    top_of,
    upwards,
    users_own,
)
from interlock.guard.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.model.actor import Actor
    from interlock.tasks.task_layout import Workspace
    from interlock.workflow.language.spec import Workflow

FILE = '.interlock.yaml'
CONFIG = 'INTERLOCK_CONFIG'
PROJECT = 'CLAUDE_PROJECT_DIR'


def _found(directory: str) -> str:
    """The nearest workflow file, else the nearest to the main worktree."""
    file = upwards(directory, FILE)
    top = top_of(directory) if not file else ''
    return file or (above_main(common_dir(top), FILE) if top else '')


class Scene:
    def __init__(self, event: Event, file: str = '') -> None:
        """`file` is the workflow, where it is not the first that is found."""
        self.event = event
        self.directory = self._directory()
        self.file = file or next(iter(self._files()), '')
        self.base = os.path.realpath(os.path.dirname(self.file))
        self.top = top_of(self.base) if self.file else ''
        # the common git directory, else one of the user's
        self.state = ''
        if self.file:
            self.state = common_dir(self.top) if self.top else ''
            self.state = self.state or users_own(self.base)
        self._others: dict[str, Scene] = {}
        # the files that a command must not reach unread, once looked up
        self.protected: list[str] | None = None
        self._raw: Any = None
        # wired, and now without a workflow: in an older commit, for instance
        self.is_bare = not self.file and self._was_wired()
        self._workflow: Workflow | None = None
        self._space: Workspace | None = None

    def _was_wired(self) -> bool:
        """What calls us is guarded also where nothing else is judged."""
        from interlock.files.settings_record import record_path

        project = self.event.environ.get(PROJECT, '')
        for directory in (self.directory, project):
            top = top_of(os.path.realpath(directory)) if directory else ''
            state = common_dir(top) if top else ''
            if state and os.path.isfile(record_path(state)):
                self.file = os.path.join(top, FILE)
                self.base, self.top, self.state = top, top, state
                self._raw = {'items': {}}
                return True
        return False

    def _directory(self) -> str:
        """Where the session is; it may have been deleted since."""
        given = self.event.text('cwd') or self.event.environ.get(PROJECT, '')
        if not given:
            try:
                given = os.getcwd()
            except OSError:
                given = os.sep
        return os.path.realpath(given)

    def _files(self) -> list[str]:
        """Every workflow that the session may work under."""
        given = self.event.environ.get(CONFIG, '')
        if given:
            return [os.path.abspath(given)]
        # a session may write into a project from anywhere
        path = os.path.join(self.directory, self.event.given('file_path'))
        found = [
            _found(os.path.realpath(directory))
            for directory in (
                self.directory,
                self.event.environ.get(PROJECT, ''),
                os.path.dirname(path),
            )
            if directory
        ]
        return [file for file in dict.fromkeys(found) if file]

    def governing(self, path: str) -> list[Scene]:
        """This one, and that of every other workflow that a path may be
        under: none of them switches another one off."""
        if CONFIG in self.event.environ:
            return [self]
        files = [*self._files(), _found(os.path.realpath(path))]
        others = [file for file in dict.fromkeys(files) if file and file != self.file]
        for file in others:
            if file not in self._others:
                self._others[file] = Scene(self.event, file)
        return [self, *(self._others[file] for file in others)]

    @property
    def path(self) -> str:
        """The workflow file as the repository knows it."""
        if not self.top:
            return FILE
        name = os.path.join(self.base, os.path.basename(self.file))
        return os.path.relpath(name, self.top).replace(os.sep, '/')

    @property
    def raw(self) -> Any:
        """What the workflow says, as it was compiled."""
        if self._raw is None:
            from interlock.files.workflow_cache import merged

            top = self.top or self.base
            self._raw = merged(
                compiled_workflows(),
                self.path,
                read(self.file) or b'',
                lambda path: read(os.path.join(top, path)),
            )
        return self._raw

    @property
    def workflow(self) -> Workflow:
        if self._workflow is None:
            from interlock.workflow.language.build import build

            self._workflow = build(self.raw, self.path, self.path)
        return self._workflow

    @property
    def has_tasks(self) -> bool:
        return any('protocol' in kind for kind in self.raw['items'].values())

    @property
    def space(self) -> Workspace:
        """Where the tasks lie; asked for only where there are any."""
        if self._space is None:
            from interlock.tasks.task_layout import at

            self._space = at(self.workflow, base(self.file))
        return self._space

    @property
    def actor(self) -> Actor:
        from interlock.files.actor import AGENT, SESSIONS, actor

        environ = {SESSIONS[-1]: self.event.session, AGENT: '1'}
        return actor(environ, self.event.agent_id)
