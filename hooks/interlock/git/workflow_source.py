"""Finds the workflow that governs a change."""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.files.users_cache import compiled_folder, merged
from interlock.git.git_paths import FILE, above_main, main_top, upwards
from interlock.model.change import Snapshot, data_of
from interlock.model.errors import OUTSIDE, InvalidWorkflow, NoWorkflow, Refusal
from interlock.model.quick_typing import Iterable, NamedTuple
from interlock.workflow.language.build import build
from interlock.workflow.language.spec import Workflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.git.parse import Commit
    from interlock.git.repository import Repository
    from interlock.workflow.language.presets import Reader


class WorkflowFile(NamedTuple):
    # '' if only trees of the repository may hold one
    file: str
    # its path in the repository, '' if it lies outside
    path: str
    # named by the user: overrides the workflow of any tree
    given: bool
    # the paths where a tree may hold one, nearest to the working directory first
    places: tuple[str, ...] = (FILE,)
    # outside of the repository, so no change can reach it
    outside: bool = False


def _real(file: str) -> str:
    # do not follow a link: a git tree does not follow it either, and a change
    # could point it at a workflow of its own
    directory, name = os.path.split(file)
    return os.path.join(os.path.realpath(directory), name)


def _inside(file: str, top: str) -> str:
    if not top:
        return ''
    path = os.path.relpath(_real(file), os.path.realpath(top))
    return '' if path.startswith('..') else path.replace(os.sep, '/')


def _upwards() -> str:
    """The workflow file nearest to the working directory, there or above."""
    return upwards(os.getcwd(), FILE)


def without_repository(given: str) -> tuple[Workflow, str]:
    """The workflow, and the directory that its paths are relative to."""
    from interlock.workflow.language.compile import compile_workflow

    file = given or os.environ.get('INTERLOCK_CONFIG', '') or _upwards()
    data = read(file) if file else None
    if data is None:
        # `init` needs a repository too
        raise NoWorkflow(f'no workflow governs here, and {OUTSIDE}', 'git init')
    top = os.path.dirname(os.path.abspath(file))
    found, _ = compile_workflow(FILE, data, lambda path: read(os.path.join(top, path)))
    return build(found, file, FILE), top


def _no_workflow() -> NoWorkflow:
    return NoWorkflow(f'no workflow governs here: there is no {FILE}', 'interlock init')


def absent(file: str) -> Refusal:
    """Of a file that somebody named: `init` would write another one."""
    return Refusal(
        f'the workflow file {file} does not exist',
        'git ls-files -co --exclude-standard "*.yaml" "*.yml"',
    )


def find(repository: Repository, given: str) -> WorkflowFile:
    """Find the file: $INTERLOCK_CONFIG, the nearest one upwards, or upwards
    from the main worktree."""
    given = given or repository.environ.get('INTERLOCK_CONFIG', '')
    top = repository.facts.top
    if given:
        if not os.path.isfile(given):
            raise absent(given)
        return WorkflowFile(given, _inside(given, top), True)
    elif not top:
        return WorkflowFile('', FILE, False)
    file = _upwards() or above_main(repository.facts.common_dir, FILE)
    path = _inside(file, top) if file else ''
    main = main_top(repository.facts.common_dir)
    # a file above the repository governs only trees without one of their own
    return WorkflowFile(
        file,
        path or FILE,
        False,
        _places(top),
        bool(file) and not path and not _inside(file, main),
    )


def _places(top: str) -> tuple[str, ...]:
    """The paths where a tree may hold the workflow of the working directory.

    The disk is not consulted: a change could bring a nearer file.
    """
    top = os.path.realpath(top)
    here = os.path.relpath(os.path.realpath(os.getcwd()), top)
    names = [] if here == '.' else here.split(os.sep)
    if names[:1] == ['..']:
        names = []
    return tuple(
        '/'.join([*names[:count], FILE]) for count in range(len(names), -1, -1)
    )


# a workflow or the reason why it is invalid, and the files that it extends
# with their contents at that time
_Compiled = tuple[Workflow | InvalidWorkflow, dict[str, bytes | None]]
# the cache limit for a long history that changes it often
MOST_WORKFLOWS = 64


def _valid(found: Workflow | InvalidWorkflow) -> Workflow:
    if isinstance(found, InvalidWorkflow):
        # the same object is raised for each commit of a history
        raise found.with_traceback(None)
    return found


class Governing:
    """Knows the workflow that governs each change."""

    def __init__(self, repository: Repository, given: str = '') -> None:
        self.repository = repository
        self.found = find(repository, given)
        # where a tree may have it, first the likeliest
        self.places = self.found.places
        self._compiled: dict[tuple[str, bytes], list[_Compiled]] = {}
        self._given: Workflow | None = None

    @property
    def path(self) -> str:
        """The path of the workflow in the repository's trees."""
        return '' if self.found.given else self.found.path

    def path_in(self, snapshot: Snapshot) -> str:
        """The path of the workflow of this directory in a tree, '' if none."""
        if self.found.given:
            return ''
        for path in self.places:
            if snapshot.blob(path) is not None:
                return path
        return ''

    def pin(self, snapshot: Snapshot | None) -> None:
        """From now on look first where this tree has the workflow.

        A later tree may bring a nearer one.
        """
        path = self.path_in(snapshot) if snapshot is not None else ''
        places = (
            _places(self.repository.facts.top) if self.repository.facts.top else (FILE,)
        )
        if path:
            places = (path, *(each for each in places if each != path))
        self.places = places

    def of_tree(self, snapshot: Snapshot) -> Workflow | None:
        """The workflow that governs the changes after a tree, None if there is none."""
        if self.found.given:
            # the same file governs all commits of a history
            self._given = self._given or self.on_disk()
            return self._given
        for path in self.places:
            blob = snapshot.blob(path)
            if blob is not None:
                return self._workflow(
                    path, blob.data or b'', lambda name: data_of(snapshot, name)
                )
        return self.on_disk() if self.found.outside else None

    def valid(self, snapshot: Snapshot) -> Workflow | None:
        """Like `of_tree`; None for an invalid workflow, too."""
        try:
            return self.of_tree(snapshot)
        except InvalidWorkflow:
            return None

    def of_commit(self, commit: Commit | None) -> Workflow | None:
        """The workflow in a commit, None if it has none or an invalid one."""
        return self.valid(self.repository.tree(commit.tree)) if commit else None

    def first_of(self, commits: Iterable[Commit]) -> tuple[Snapshot, Workflow] | None:
        """The first of these commits' trees that has a workflow, and that workflow."""
        for commit in commits:
            workflow = self.of_commit(commit)
            if workflow is not None:
                return self.repository.tree(commit.tree), workflow
        return None

    def before(self, snapshot: Snapshot) -> Workflow:
        """The workflow of the tree before a change, else the file that was found.

        Never the one that the change itself brings: it could switch off its
        own checks.
        """
        return self.of_tree(snapshot) or self.on_disk()

    def on_disk(self) -> Workflow:
        data = read(self.found.file) if self.found.file else None
        if data is None:
            return self._of_trees()
        name = self.found.path or os.path.abspath(self.found.file)
        # a workflow in the repository names the files it extends by repository path
        file = _real(self.found.file)
        base = file[: -len(self.found.path)] if self.found.path else ''
        return self._workflow(name, data, lambda path: read(os.path.join(base, path)))

    def _of_trees(self) -> Workflow:
        """The workflow of HEAD, if there is no file on disk."""
        head = self.repository.head()
        found = self.of_tree(self.repository.tree(head.tree)) if head else None
        if found is None:
            raise _no_workflow()
        return found

    def _workflow(self, name: str, data: bytes, reader: Reader) -> Workflow:
        if len(self._compiled) > MOST_WORKFLOWS:
            self._compiled.clear()
        known = self._compiled.setdefault((name, data), [])
        for found, files in known:
            # a file that it extends may differ in another tree
            if all(reader(file) == old for file, old in files.items()):
                return _valid(found)
        known.append(self._made(name, data, reader))
        return _valid(known[-1][0])

    def _made(self, name: str, data: bytes, reader: Reader) -> _Compiled:
        asked: dict[str, bytes | None] = {}

        def remembering(path: str) -> bytes | None:
            asked[path] = reader(path)
            return asked[path]

        path = name if name in self.places else self.found.path
        try:
            found = merged(compiled_folder(), name, data, remembering)
            workflow = build(found, name, path)
        except InvalidWorkflow as e:
            return e, asked
        return workflow, {file: reader(file) for file in workflow.extended}


def nearest(given: str) -> str:
    """The workflow file that governs the working directory, '' if none does."""
    file = given or os.environ.get('INTERLOCK_CONFIG', '')
    if file and not os.path.isfile(file):
        raise absent(file)
    return file or _upwards()


def of_file(file: str, top: str) -> Workflow:
    """The workflow in a file of the worktree `top` ('' if it is in none)."""
    file = _real(file)
    path = _inside(file, top)
    name = path or file
    base = top if path else ''
    data = read(file) or b''

    def reader(path: str) -> bytes | None:
        return read(os.path.join(base, path))

    return build(merged(compiled_folder(), name, data, reader), name, path or FILE)
