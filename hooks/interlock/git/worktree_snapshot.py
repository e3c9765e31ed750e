"""The working tree as the tree that a commit of it would have.

Done with an index and an object directory of its own, so that filters, line
endings and ignored files count as they do in a commit, and the repository is
not written to. Of the untracked files only those of the workflow are added:
the others may be gigabytes, or repositories of their own.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import shutil
import tempfile
from collections.abc import Iterator, Mapping

from interlock.git.git import Git, GitError
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.errors import Refusal
from interlock.workflow.language.patterns import path_re
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.item_paths import item_of

# the workflow, its baseline, and what else is named like them
OURS = '.interlock'


def _quoted(path: str) -> str:
    """As one entry of a list, which a colon would end."""
    escaped = path.replace('\\', '\\\\').replace('"', '\\"')
    return f'"{escaped}"'


def objects_apart(environ: Mapping[str, str], temporary: str) -> dict[str, str]:
    """What git writes goes elsewhere; it reads what is there too."""
    git = Git(environ)
    objects = os.path.abspath(git.line('rev-parse', '--git-path', 'objects'))
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
    git = Git(environ)
    index = os.path.abspath(git.line('rev-parse', '--git-path', 'index'))
    index = environ.get('GIT_INDEX_FILE') or index
    copy = os.path.join(temporary, 'index')
    if os.path.exists(index):
        # with its time, by which git knows which entries it cannot trust
        shutil.copy2(index, copy)
    return {**objects_apart(environ, temporary), 'GIT_INDEX_FILE': copy}


def _workflows(git: Git, given: str) -> Iterator[Workflow]:
    """Those that may be asked about the tree: of HEAD, and on disk."""
    repository = Repository(git.environ)
    try:
        governing = Governing(repository, given)
        # one that cannot be read is refused by whoever judges by it
        with contextlib.suppress(Refusal):
            yield governing.on_disk()
        head = repository.head()
        if head is not None:
            with contextlib.suppress(Refusal):
                yield governing.before(repository.tree(head.tree))
    finally:
        repository.close()


def _patterns(kind: Kind) -> Iterator[str]:
    """What is asked for besides the files of an item."""
    for owed in kind.deliverables.values():
        for deliverable in owed:
            yield from deliverable.paths
    if kind.contracts is not None:
        for contract in kind.contracts.files:
            yield from contract.drafts


def _belongs(path: str, workflow: Workflow) -> bool:
    if posixpath.basename(path).startswith(OURS):
        return True
    elif path in {workflow.path, *workflow.extended}:
        return True
    named = workflow.documents
    if any(
        path_re(pattern).match(path) for pattern in (*named.handoffs, *named.markdown)
    ):
        return True
    return any(
        item_of(path, kind)
        or (kind.registry is not None and path == kind.registry.file)
        or any(path_re(pattern).match(path) for pattern in _patterns(kind))
        for kind in workflow.kinds
    )


def _untracked(git: Git, given: str) -> list[str]:
    """The untracked files of the workflow, by their paths from the top."""
    out = git.run(
        'ls-files', '-z', '--others', '--exclude-standard', '--full-name', '--', ':/'
    )
    # what ends with a slash is a repository of its own
    paths = [path for path in text(out).split('\0') if path and not path.endswith('/')]
    workflows = list(_workflows(git, given)) if paths else []
    return [
        path
        for path in paths
        if any(_belongs(path, workflow) for workflow in workflows)
    ]


def write_tree(git: Git, given: str = '') -> str:
    try:
        git.run('-c', 'core.safecrlf=false', 'add', '--update', '--', ':/')
        up = git.line('rev-parse', '--show-cdup')
        names = ''.join(
            f'{os.path.join(up, path)}\0' for path in _untracked(git, given)
        )
        git.run(
            '-c',
            'core.safecrlf=false',
            'update-index',
            '--add',
            '-z',
            '--stdin',
            data=names.encode(errors='surrogateescape'),
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
    """The repository, and its working tree as a tree of its own."""
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
