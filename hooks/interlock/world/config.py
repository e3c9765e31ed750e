"""Which workflow governs, and the cache of compiled ones."""
from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
from typing import Any
from typing import NamedTuple
from typing import TYPE_CHECKING

from interlock import __version__
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal
from interlock.workflow.build import build
from interlock.workflow.shipped import is_preset
from interlock.workflow.shipped import MARK
from interlock.workflow.shipped import preset
from interlock.workflow.shipped import Reader
from interlock.workflow.spec import Workflow
from interlock.world.files import read
from interlock.world.files import remove_leftovers
from interlock.world.files import replace

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


def main_top(common_dir: str) -> str:
    """The top of the main worktree, if there is one."""
    head, tail = os.path.split(common_dir)
    return head if tail == '.git' else ''


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
    merged, _ = compile_workflow(
        FILE, data, lambda path: read(os.path.join(top, path)),
    )
    return build(merged, file, FILE), top


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
            merged = _cached(self.cache, name, data, reader)
            self._compiled[key] = build(merged, name, self.found.path)
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

    return build(_cached(cache, name, data, reader), name, path or FILE)


def _cached(cache: str, name: str, data: bytes, reader: Reader) -> Any:
    key = hashlib.sha256(
        b'\0'.join((__version__.encode(), os.fsencode(name), data)),
    ).hexdigest()[:32]
    file = os.path.join(cache, f'{key}.json')
    merged = _from_cache(file, reader)
    if merged is None:
        # validation costs more than all the rest: only when needed
        from interlock.workflow.compile import compile_workflow
        merged, files = compile_workflow(name, data, reader)
        _to_cache(file, merged, files)
    return merged


def _blob_data(snapshot: Snapshot, path: str) -> bytes | None:
    blob = snapshot.blob(path)
    return blob.data if blob else None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _dependency(name: str, reader: Reader) -> bytes | None:
    return preset(name[len(MARK):]) if is_preset(name) else reader(name)


def _from_cache(file: str, reader: Reader) -> Any:
    """None where the cache is absent, damaged or out of date."""
    try:
        with open(file, 'rb') as f:
            digest, _, payload = f.read().partition(b'\n')
        if digest.decode() != _hash(payload):
            return None
        stored = json.loads(payload)
        for name, expected in stored['files'].items():
            data = _dependency(name, reader)
            if data is None or _hash(data) != expected:
                return None
        return stored['workflow']
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _to_cache(file: str, merged: Any, files: dict[str, bytes]) -> None:
    names = list(files)[1:]
    payload = json.dumps({
        'files': {name: _hash(files[name]) for name in names},
        'workflow': merged,
    }).encode()
    # a cache that cannot be written only makes the next run slower
    with contextlib.suppress(OSError, Refusal):
        os.makedirs(os.path.dirname(file), exist_ok=True)
        remove_leftovers(os.path.dirname(file))
        replace(file, read(file), _hash(payload).encode() + b'\n' + payload)
