"""Which workflow governs."""
from __future__ import annotations

import functools
import os
from typing import NamedTuple
from typing import TYPE_CHECKING

from interlock.model.change import Snapshot
from interlock.model.errors import Refusal
from interlock.workflow.build import build
from interlock.workflow.shipped import Reader
from interlock.workflow.spec import Workflow
from interlock.world.compiled import merged
from interlock.world.files import read
from interlock.world.place import main_top

if TYPE_CHECKING:
    from interlock.world.repository import Repository

FILE = '.interlock.yaml'


class Found(NamedTuple):
    # '' where only the repository's trees may hold one
    file: str
    # its path in the repository, '' if it lies outside of it
    path: str
    # named by the user: wins over what any tree holds
    given: bool


def _real(file: str) -> str:
    # a link is not followed: a tree in git does not follow it either, and a
    # change could point it to a workflow of its own
    directory, name = os.path.split(file)
    return os.path.join(os.path.realpath(directory), name)


def _inside(file: str, top: str) -> str:
    if not top:
        return ''
    path = os.path.relpath(_real(file), os.path.realpath(top))
    return '' if path.startswith('..') else path.replace(os.sep, '/')


def _upwards() -> str:
    """The nearest workflow file from the working directory upwards."""
    directory = os.getcwd()
    while True:
        file = os.path.join(directory, FILE)
        if os.path.isfile(file):
            return file
        parent = os.path.dirname(directory)
        if parent == directory:
            return ''
        directory = parent


def without_repository(given: str) -> tuple[Workflow, str]:
    """The workflow, and the directory whose files it speaks of."""
    from interlock.workflow.compile import compile_workflow

    file = given or os.environ.get('INTERLOCK_CONFIG', '') or _upwards()
    data = read(file) if file else None
    if data is None:
        raise _no_workflow()
    top = os.path.dirname(os.path.abspath(file))
    found, _ = compile_workflow(
        FILE, data, lambda path: read(os.path.join(top, path)),
    )
    return build(found, file, FILE), top


def _no_workflow() -> Refusal:
    return Refusal(
        f'no workflow governs here: there is no {FILE}', 'interlock init',
    )


def _absent(file: str) -> Refusal:
    return Refusal(
        f'the workflow file {file} does not exist', 'interlock init',
    )


def find(repository: Repository, given: str) -> Found:
    """$INTERLOCK_CONFIG, the nearest upwards, the main worktree's."""
    given = given or repository.environ.get('INTERLOCK_CONFIG', '')
    top = repository.facts.top
    if given:
        if not os.path.isfile(given):
            raise _absent(given)
        return Found(given, _inside(given, top), True)
    elif not top:
        return Found('', FILE, False)
    file = _upwards()
    if file:
        # one above the repository governs only what holds none of its own
        return Found(file, _inside(file, top) or FILE, False)
    main = os.path.join(main_top(repository.facts.common_dir), FILE)
    if os.path.isfile(main):
        return Found(main, FILE, False)
    return Found('', FILE, False)


class Governing:
    """The workflow by which each change is judged."""

    def __init__(self, repository: Repository, given: str = '') -> None:
        self.repository = repository
        self.found = find(repository, given)
        self.cache = os.path.join(
            repository.facts.common_dir, 'interlock', 'cache',
        )
        self._compiled: dict[tuple[str, bytes], Workflow] = {}
        # asked where neither a tree before nor HEAD nor a file has one
        self.last_resort: Snapshot | None = None

    @property
    def path(self) -> str:
        """Where the workflow lies in the repository's trees."""
        return '' if self.found.given else self.found.path

    def before(self, snapshot: Snapshot) -> Workflow:
        """What the tree before a change says, else the file that was found.

        Never what the change itself brings: it could switch its gate off.
        """
        if not self.found.given and self.found.path:
            blob = snapshot.blob(self.found.path)
            if blob is not None and blob.data is not None:
                return self._workflow(
                    self.found.path, blob.data,
                    lambda path: _blob_data(snapshot, path),
                )
        return self.on_disk()

    def on_disk(self) -> Workflow:
        data = read(self.found.file) if self.found.file else None
        if data is None:
            return self._of_trees()
        name = self.found.path or os.path.abspath(self.found.file)
        # a file in the repository extends files by their paths in it
        file = _real(self.found.file)
        base = file[:-len(self.found.path)] if self.found.path else ''
        return self._workflow(
            name, data, lambda path: read(os.path.join(base, path)),
        )

    def _of_trees(self) -> Workflow:
        """Where there is no file: of HEAD, else of the last resort."""
        head = self.repository.head()
        for tree in (
                self.repository.tree(head.tree) if head else None,
                self.last_resort,
        ):
            blob = tree.blob(self.found.path) if tree else None
            if tree is not None and blob is not None and blob.data:
                return self._workflow(
                    self.found.path, blob.data,
                    functools.partial(_blob_data, tree),
                )
        raise _no_workflow()

    def _workflow(self, name: str, data: bytes, reader: Reader) -> Workflow:
        key = (name, data)
        if key not in self._compiled:
            found = merged(self.cache, name, data, reader)
            self._compiled[key] = build(found, name, self.found.path)
        return self._compiled[key]


def nearest(given: str) -> str:
    """The file that a working directory is governed by, '' if none is."""
    file = given or os.environ.get('INTERLOCK_CONFIG', '')
    if file and not os.path.isfile(file):
        raise _absent(file)
    return file or _upwards()


def of_file(file: str, top: str, cache: str) -> Workflow:
    """What a file says, whose worktree is `top` ('' if it is in none)."""
    file = _real(file)
    path = _inside(file, top)
    name = path or file
    base = top if path else ''
    data = read(file) or b''

    def reader(path: str) -> bytes | None:
        return read(os.path.join(base, path))

    return build(merged(cache, name, data, reader), name, path or FILE)


def _blob_data(snapshot: Snapshot, path: str) -> bytes | None:
    blob = snapshot.blob(path)
    return blob.data if blob else None
