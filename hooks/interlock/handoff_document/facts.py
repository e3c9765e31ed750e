"""The facts from disk, git and the store that rules about handoff documents need."""

from __future__ import annotations

import datetime
import os

from interlock.files.atomic_files import read
from interlock.git.git import Git, GitError
from interlock.git.git_paths import project_of
from interlock.git.git_summary import GitSummary, start_summary
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing, without_repository
from interlock.handoff_document.case import Environment, ProjectFacts
from interlock.handoff_document.document import Document
from interlock.handoff_document.outline import Plans, outline
from interlock.model import quick_tools as functools
from interlock.model.errors import InvalidWorkflow, NoRepository, Refusal
from interlock.model.quick_tools import fnmatchcase, suppress
from interlock.model.quick_typing import Iterator, Mapping
from interlock.state.plan_files import encoded
from interlock.workflow.language.spec import Workflow

# in a hook these name the repository of the hook, not this one
FOREIGN = {'GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR'}
# every row is older than this, so only its time is loaded
ANY_AGE = -1.0


class Project:
    """The directory that a document is about."""

    def __init__(self, directory: str, environ: Mapping[str, str]) -> None:
        self.directory = directory
        self._environ = {k: v for k, v in environ.items() if k not in FOREIGN}
        self._git = Git(self._environ)
        # '' outside of a repository
        self.top = self._line('rev-parse', '--show-toplevel')

    def _run(self, *args: str) -> bytes:
        return self._git.run('-C', self.directory, *args)

    def _line(self, *args: str) -> str:
        """One line from git, '' without an answer: no git, no repository, no commit."""
        try:
            return text(self._run(*args)).rstrip('\n')
        except (GitError, NoRepository):
            return ''

    def resolves(self, name: str) -> bool:
        """Whether it names a commit."""
        if not name or name.startswith('-'):
            return False
        try:
            self._run('cat-file', '-e', f'{name}^{{commit}}')
        except (GitError, NoRepository):
            return False
        return True

    def files(self) -> Iterator[str]:
        """Every file that git does not ignore."""
        if not self.top:
            for directory, folders, names in os.walk(self.directory):
                folders[:] = [name for name in folders if not name.startswith('.')]
                yield from (os.path.join(directory, name) for name in names)
            return
        options = ('-z', '--cached', '--others', '--exclude-standard')
        out = text(self._git.run('-C', self.top, 'ls-files', *options))
        for name in filter(None, out.split('\0')):
            path = os.path.join(self.top, name)
            if os.path.isfile(path):
                yield path

    def changed_since(self, path: str, when: datetime.datetime) -> bool:
        """Judge by its commits, or by its time on disk if it is not committed."""
        where = ('--', os.path.realpath(path))
        committed = self._line('log', '-1', '--format=%ct', *where)
        if committed and not self._line('status', '--porcelain', *where):
            return int(committed) > when.timestamp()
        return os.stat(path).st_mtime > when.timestamp()

    def committed(self, path: str) -> str | None:
        """The file in HEAD, None if it is not there."""
        name = os.path.relpath(os.path.realpath(path), self.top or '/')
        found = self._line('rev-parse', '-q', '--verify', f'HEAD:{name}')
        try:
            return text(self._run('cat-file', 'blob', found))
        except (GitError, NoRepository):
            return None

    @functools.cached_property
    def summary(self) -> GitSummary | None:
        return start_summary(self.directory, self._environ)()

    def environment(self, own: str) -> Environment | None:
        """The working tree without `own`: its facts are older than the document."""
        if self.summary is None:
            return None
        changed = {
            os.path.realpath(os.path.join(self.top, path))
            for path in self.summary.changed
        }
        trees = self.summary.worktrees
        return Environment(
            self.summary.branch or '',
            len(changed - {os.path.realpath(own)}),
            {os.path.realpath(each['path']): each['branch'] or '' for each in trees},
        )

    def plan_folders(self, plans: Plans) -> list[str]:
        here = self.top or self.directory
        return sorted({plan_folder(here, plans), plan_folder(project_of(here), plans)})

    def find_plans(self, plans: Plans) -> Iterator[str]:
        """Every plan, by its absolute path."""
        for folder in self.plan_folders(plans):
            with suppress(OSError):
                for name in sorted(os.listdir(folder)):
                    path = os.path.join(folder, name)
                    if os.path.isfile(path):
                        yield path
        yield from (path for path in self.files() if is_plan(path, plans))


def plan_folder(top: str, plans: Plans | None = None) -> str:
    root = (plans or outline().plans).root
    return os.path.expanduser(root.replace('{project}', encoded(top)))


def is_plan(path: str, plans: Plans | None = None) -> bool:
    name, patterns = os.path.basename(path), (plans or outline().plans).patterns
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _workflow() -> Workflow:
    try:
        repository = Repository(os.environ)
    except NoRepository:
        return without_repository('')[0]
    try:
        return Governing(repository).on_disk()
    finally:
        repository.close()


def governing_workflow() -> Workflow | None:
    """The governing workflow, None without one: a document does not need it."""
    try:
        return _workflow()
    except InvalidWorkflow:
        raise
    except Refusal:
        return None


def plans_of(workflow: Workflow | None) -> Plans:
    """Where plans are: as the workflow says, if there is one."""
    plans = outline().plans
    if workflow is None:
        return plans
    said = workflow.documents
    return Plans(said.plans_root or plans.root, said.plans or plans.patterns)


def _saved(project: str, session: str) -> datetime.datetime | None:
    from interlock.state.store import Owner, open_store, seconds_since_1970, store_path

    if not os.path.exists(store_path(os.environ)):
        return None
    with open_store(os.environ) as store:
        row = store.load(project, Owner(session), max_age=ANY_AGE)
    if not row.updated_at or row.other:
        return None
    seconds = seconds_since_1970(row.updated_at)
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)


def _text(path: str) -> str | None:
    data = read(path)
    return None if data is None else text(data)


def facts_about(document: Document, own: str) -> ProjectFacts:
    """The facts about the directory that a document names, else the current one."""
    path = document.state.get('project_path')
    is_named = isinstance(path, str) and os.path.isabs(path) and os.path.isdir(path)
    return gather_facts(
        path if is_named else os.getcwd(), plans_of(governing_workflow()), own
    )


def gather_facts(directory: str, plans: Plans, own: str) -> ProjectFacts:
    """Gather the facts; `own` is the path of the document."""
    project = Project(directory, os.environ)
    folders = project.plan_folders(plans)
    return ProjectFacts(
        top=project.top or directory,
        cwd=os.getcwd(),
        plans=tuple(project.find_plans(plans)),
        is_plan=lambda path: is_plan(path, plans) or os.path.dirname(path) in folders,
        environment=project.environment(own),
        saved=functools.partial(_saved, project_of(directory)),
        exists=os.path.exists,
        read=_text,
        resolves=project.resolves,
        changed_since=project.changed_since,
    )
