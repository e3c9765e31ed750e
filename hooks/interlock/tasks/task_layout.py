"""The paths of tasks, and of our data that none of their files can hold."""

from __future__ import annotations

import os

from interlock.files.users_cache import users_own
from interlock.git.git_paths import (
    FILE,
    base,
    common_dir,
    folder_of,
    git_dir_of,
    top_of,
)
from interlock.model.errors import NoRepository, NoTasks, Refusal
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import NamedTuple
from interlock.tasks.task_links import is_below, linked_folders
from interlock.workflow.language.patterns import item_path
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import Kind, Roots, Workflow
from interlock.workflow.reading.item_paths import is_path_name, is_task_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.git.repository import Repository
    from interlock.git.workflow_source import Governing


class WorktreeOwner(NamedTuple):
    """Who owns a worktree; the task is '' for the main worktree."""

    task: str
    agent: str = ''


class Workspace(NamedTuple):
    workflow: Workflow
    kind: Kind
    protocol: ProtocolSpec
    # the main worktree, and the directory of the tasks
    main: str
    tasks: str
    # the common git directory, else one of the user's directories
    state: str
    # why the main worktree is not in a repository, '' if it is
    without_git: str

    def path(self, pattern: str, task: str, agent: str = '') -> str:
        """The path of a file of a task, whose name was checked before."""
        found = item_path(pattern, task, agent)
        # like `os.path.join`, but fast enough for thousands
        return os.path.normpath(found if found[0] == '/' else f'{self.tasks}/{found}')

    def folder(self, task: str) -> str:
        """The folder of the plan, the reports and the flags of a task."""
        return os.path.dirname(self.path(self.protocol.files.lock, task))

    def code(self, task: str) -> str:
        """The worktree of a task, or the main one."""
        if task == self.protocol.main.name:
            return self.main
        return self.path(self.protocol.files.code, task)

    def names(self) -> list[str]:
        """The tasks that have a directory."""
        try:
            with os.scandir(self.tasks) as entries:
                found = [entry.name for entry in entries if entry.is_dir()]
        except OSError:
            return []
        return sorted(name for name in found if is_task_name(name, self.kind))

    def agents(self, task: str) -> list[str]:
        """The agents that have a worktree."""
        head, _, tail = self.path(self.protocol.files.agent_code, task, '*').partition(
            '*'
        )
        try:
            names = os.listdir(head)
        except OSError:
            return []
        return sorted(
            name
            for name in names
            if is_path_name(name) and os.path.isdir(f'{head}{name}{tail}')
        )

    def place(self, directory: str) -> WorktreeOwner | None:
        """The owner of the worktree around a directory; None: it is not ours."""
        directory = os.path.realpath(directory)
        for task in self._task_above(directory):
            if is_below(directory, os.path.realpath(self.code(task))):
                return WorktreeOwner(task)
            agent = self._agent_above(directory, task)
            if agent:
                return WorktreeOwner(task, agent)
        if is_below(directory, os.path.realpath(self.main)):
            return WorktreeOwner('')
        return None

    def task_of(self, path: str) -> str:
        """The task whose directory a path is in, '' if in none."""
        return ''.join(self._task_above(os.path.realpath(path)))

    def linked(self, path: str, tree: bool = False) -> str:
        """The name of the task whose directory contains a path by a link.

        `tree`: or whose directory lies below the path.
        """
        files, top = self.protocol.files, os.path.realpath(self.tasks)
        for name, real in linked_folders(top, (files.code, files.agent_code)):
            if not is_below(os.path.realpath(self.main), real) and (
                is_below(path, real) or (tree and is_below(real, path))
            ):
                return name
        return ''

    def _task_above(self, directory: str) -> list[str]:
        """The name of the task whose directory contains this one, if any."""
        tasks = os.path.realpath(self.tasks)
        if is_below(directory, tasks) and directory != tasks:
            name = os.path.relpath(directory, tasks).split(os.sep)[0]
        else:
            name = self.linked(directory)
        return [name] if is_task_name(name, self.kind) else []

    def _agent_above(self, directory: str, task: str) -> str:
        """The agent whose worktree contains a directory."""
        pattern = self.protocol.files.agent_code
        return next(
            (
                agent
                for agent in self.agents(task)
                if is_below(
                    directory, os.path.realpath(self.path(pattern, task, agent))
                )
            ),
            '',
        )


def _roots(workflow: Workflow, base: str) -> Roots:
    """The entry of `roots` whose main worktree exists.

    Anybody can make a directory, or a repository in it. If two entries match, a
    different choice than before would put the locks elsewhere.
    """
    found: dict[str, Roots] = {}
    for roots in workflow.roots:
        main = os.path.normpath(os.path.join(base, roots.main))
        if common_dir(main):
            found.setdefault(main, roots)
    if len(found) > 1:
        # a repository without an index is bare, or was never used
        used = [
            main
            for main in found
            if os.path.lexists(os.path.join(git_dir_of(main), 'index'))
        ]
        if len(used) != 1:
            raise Refusal(
                f'{" and ".join(found)} are both worktrees, so which is the main '
                f'one, and where its tasks are, is not known',
                f'remove the one that is not, or name the other as `roots` in '
                f'{os.path.join(base, FILE)}',
            )
        return found[used[0]]
    return next(iter(found.values()), workflow.roots[0])


def task_kind(workflow: Workflow) -> Kind:
    for kind in workflow.kinds:
        if kind.protocol is not None:
            return kind
    raise NoTasks(
        f'there are no tasks here: no item of {workflow.source} is locked',
        f'to use tasks, add `task-protocol` to `extends` in {workflow.source}',
    )


def has_tasks(workflow: Workflow) -> bool:
    return any(kind.protocol is not None for kind in workflow.kinds)


def workspace_at(workflow: Workflow, base: str) -> Workspace:
    kind = task_kind(workflow)
    assert kind.protocol is not None, 'task_kind looked'
    roots = _roots(workflow, base)
    main = os.path.normpath(os.path.join(base, roots.main))
    tasks = os.path.normpath(os.path.join(base, roots.tasks))
    state, why = common_dir(main), ''
    if not state:
        state = users_own(main)
        why = f'{main} is not a git repository'
    return Workspace(workflow, kind, kind.protocol, main, tasks, state, why)


def workspace_of(
    repository: Repository, governing: Governing, workflow: Workflow
) -> Workspace | None:
    """The workspace of a repository; None if it has no tasks, or no worktree."""
    if not repository.facts.top or not has_tasks(workflow):
        return None
    return _governed(repository, governing, workflow)


def _governed(
    repository: Repository, governing: Governing, workflow: Workflow
) -> Workspace:
    file = governing.found.file or os.path.join(repository.facts.top, FILE)
    return workspace_at(workflow, base(file))


def _without_file() -> Workspace:
    """The workspace without a file above us: the repository may hold one elsewhere."""
    from interlock.git.repository import Repository
    from interlock.git.workflow_source import Governing

    repository = Repository(os.environ)
    try:
        governing = Governing(repository)
        return _governed(repository, governing, governing.on_disk())
    finally:
        repository.close()


def _beside(directory: str) -> Workspace | None:
    """The workspace of a main worktree beside the tasks that we are in."""
    above, real = directory, os.path.realpath(directory)
    while above != os.path.dirname(above):
        above = os.path.dirname(above)
        try:
            names = sorted(os.listdir(above))
        except OSError:
            continue
        for name in names:
            file = os.path.join(above, name, FILE)
            if os.path.isfile(file):
                with suppress(Refusal):
                    found = _of_file(file)
                    if is_below(real, os.path.realpath(found.tasks)):
                        return found
    return None


def find(given: str = '') -> Workspace:
    """The workspace of the working directory; without git, which is slower."""
    # imported here, because hooks know the workflow file
    from interlock.git.workflow_source import nearest

    file = nearest(given)
    if file:
        return _of_file(file)
    try:
        return _without_file()
    except NoRepository:
        found = _beside(os.getcwd())
        if found is None:
            raise
        return found


def _of_file(file: str) -> Workspace:
    from interlock.git.workflow_source import of_file

    return workspace_at(of_file(file, top_of(folder_of(file))), base(file))
