"""The working tree as the tree that committing it would create.

Uses a temporary index and object directory, so that filters, line endings and
ignored files count as they do in a commit and the repository is not written
to. Only those untracked files that belong to the workflow are added: the
others may be gigabytes, or repositories of their own.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import shutil
import tempfile

from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git import index
from interlock.git.git import Git, GitError
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.change import Blob
from interlock.model.errors import Refusal
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Iterator, Mapping, Sequence
from interlock.workflow.language.patterns import path_re
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import item_of

# the prefix of our own files: the workflow, its baseline and others
OURS = '.interlock'


def _quoted(path: str) -> str:
    """Quote a path for a list whose entries a colon separates."""
    escaped = path.replace('\\', '\\\\').replace('"', '\\"')
    return f'"{escaped}"'


def objects_apart(environ: Mapping[str, str], temporary: str) -> dict[str, str]:
    """Let git write objects elsewhere, and still read the existing ones."""
    git = Git(environ)
    objects = os.path.abspath(git.line('rev-parse --git-path objects'))
    alternates = [_quoted(objects)]
    if environ.get('GIT_ALTERNATE_OBJECT_DIRECTORIES'):
        alternates.append(environ['GIT_ALTERNATE_OBJECT_DIRECTORIES'])
    own = os.path.join(temporary, 'objects')
    os.mkdir(own)
    return {
        **environ,
        'GIT_OBJECT_DIRECTORY': own,
        'GIT_ALTERNATE_OBJECT_DIRECTORIES': os.pathsep.join(alternates),
    }


def environment(environ: Mapping[str, str], temporary: str) -> dict[str, str]:
    own = os.path.abspath(Git(environ).line('rev-parse --git-path index'))
    own = environ.get('GIT_INDEX_FILE') or own
    copy = os.path.join(temporary, 'index')
    if os.path.exists(own):
        # keep the file's time, by which git knows which entries it cannot trust
        shutil.copy2(own, copy)
    return {**objects_apart(environ, temporary), 'GIT_INDEX_FILE': copy}


def _workflows(git: Git, given: str) -> Iterator[Workflow]:
    """The workflows that may govern the tree: the one on disk and that of HEAD."""
    repository = Repository(git.environ)
    try:
        governing = Governing(repository, given)
        # an unreadable workflow is refused later, when it should judge
        with suppress(Refusal):
            yield governing.on_disk()
        head = repository.head()
        if head is not None:
            with suppress(Refusal):
                yield governing.before(repository.tree(head.tree))
    finally:
        repository.close()


def _patterns(workflow: Workflow) -> Iterator[str]:
    """The patterns of the files that checks read besides the files of items."""
    yield from (*workflow.documents.handoffs, *workflow.documents.markdown)
    for kind in workflow.kinds:
        for owed in kind.deliverables.values():
            for deliverable in owed:
                yield from deliverable.paths
        for contract in kind.contracts.files:
            yield from contract.drafts


def _belongs(path: str, workflow: Workflow) -> bool:
    if posixpath.basename(path).startswith(OURS):
        return True
    elif path in {workflow.path, *workflow.extended}:
        return True
    return any(path_re(pattern).match(path) for pattern in _patterns(workflow)) or any(
        item_of(path, kind) or path == kind.registry.file for kind in workflow.kinds
    )


def _untracked(git: Git, given: str) -> list[str]:
    """The untracked files of the workflow, relative to the top."""
    paths = index.untracked(git)
    workflows = list(_workflows(git, given)) if paths else []
    return [
        path
        for path in paths
        if any(_belongs(path, workflow) for workflow in workflows)
    ]


def write_tree(git: Git, given: str = '') -> str:
    try:
        git.run('-c core.safecrlf=false add --update -- :/')
        up = git.line('rev-parse --show-cdup')
        paths = [os.path.join(up, path) for path in _untracked(git, given)]
        git.run(
            '-c core.safecrlf=false update-index --add -z --stdin',
            data=''.join(f'{path}\0' for path in paths).encode(
                errors='surrogateescape'
            ),
        )
        return git.line('write-tree')
    except GitError as e:
        raise Refusal(
            f'the working tree cannot be read: {e.error}', 'git status'
        ) from None


@contextlib.contextmanager
def opened(
    environ: Mapping[str, str], given: str = ''
) -> Iterator[tuple[Repository, str]]:
    """The repository, and its working tree written as a tree."""
    repository = Repository(environ)
    repository.close()
    if not repository.facts.top:
        raise Refusal(
            'a bare repository has no working tree', 'interlock check --tree HEAD'
        )
    with tempfile.TemporaryDirectory(prefix='interlock-') as temporary:
        repository = Repository(environment(environ, temporary))
        try:
            yield repository, write_tree(repository.git, given)
        finally:
            repository.close()


class StoredSnapshot(SteadySnapshot):
    """Filters, line endings and ignored files count as they do in a commit.

    A file that matches the index is taken from there; git is asked for each of
    the others. The repository is not written to.
    """

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository.facts.top)
        self._git = repository.git
        self._stored_blobs: dict[str, Blob | None] = {}
        self._paths: list[str] | None = None
        self._stack = contextlib.ExitStack()
        self._apart: Git | None = None

    def close(self) -> None:
        self._stack.close()

    def blob(self, path: str) -> Blob | None:
        if path not in self._stored_blobs:
            self._stored_blobs[path] = self._stored(path)
        return self._stored_blobs[path]

    def _stored(self, path: str) -> Blob | None:
        disk = super().blob(path)
        known = self._git.objects.read(f':{path}')
        if disk is None or (known is None and self._is_ignored(path)):
            return None
        elif (
            known is not None
            and known[1].data == disk.data
            and (not os.path.islink(os.path.join(self.top, path)))
        ):
            return disk
        apart = self._index_apart()
        index.take(apart, [path])
        entry = index.entries(apart, [path]).get(path, '')
        answer = apart.objects.read(entry.partition(' ')[2])
        return answer[1] if answer else None

    def _is_ignored(self, path: str) -> bool:
        try:
            Git(self._git.environ, self.top).run('check-ignore -q --', path)
        except GitError:
            return False
        return True

    def _index_apart(self) -> Git:
        if self._apart is None:
            directory = self._stack.enter_context(
                tempfile.TemporaryDirectory(prefix='interlock-')
            )
            environ = environment(self._git.environ, directory)
            self._apart = Git(environ, self.top)
            self._stack.callback(self._apart.close)
        return self._apart

    def paths(self) -> Sequence[str]:
        if self._paths is None:
            self._paths = self._listed()
        return self._paths

    def _listed(self) -> list[str]:
        command = 'ls-files -z --cached --others --exclude-standard --full-name -- :/'
        found = dict.fromkeys(text(self._git.run(command)).split('\0'))
        return [
            path
            for path in found
            if path and os.path.lexists(os.path.join(self.top, path))
        ]
