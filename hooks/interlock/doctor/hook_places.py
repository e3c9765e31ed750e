"""Where git looks for hooks, and what is written there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from interlock.doctor.hook_config_files import Wanted, in_file, paths, together
from interlock.documents.wiring import hook_files
from interlock.documents.wiring.hook_files import CALLS
from interlock.git import hook_folder, installed_hooks
from interlock.git.installed_hooks import Hook
from interlock.git.repository import Repository


class Place(NamedTuple):
    # '' in a bare repository
    top: str
    git_dir: str
    common_dir: str
    # where git looks for hooks, and where it does by default
    hooks: str
    own_hooks: str
    # core.hooksPath as it is written, '' if it is not
    configured: str
    # the files of the last commit that may make git call us
    committed: Mapping[str, bytes]

    @property
    def is_moved(self) -> bool:
        return os.path.realpath(self.hooks) != os.path.realpath(self.own_hooks)

    @property
    def below(self) -> str:
        """Where git looks for hooks, as a path of the tree; '' if outside."""
        return _below(self.top, self.hooks)

    def hook(self, name: str) -> Hook:
        return installed_hooks.hook(self.hooks, name)

    def read(self, path: str) -> bytes | None:
        """A file of the working tree."""
        return (
            installed_hooks.read(os.path.join(self.top, path))
            if (self.top and path)
            else None
        )


def _below(top: str, hooks: str) -> str:
    real = os.path.realpath(hooks), os.path.realpath(top)
    for path, folder in ((hooks, top), real) if top else ():
        below = os.path.relpath(path, folder).replace(os.sep, '/')
        if below.split('/')[0] not in {'..', '.', '.git'}:
            return below
    return ''


def _committed(repository: Repository, hooks: str) -> dict[str, bytes]:
    head = repository.head()
    if head is None:
        return {}
    tree, names = repository.tree(head.tree), [*paths(hooks)]
    tree.prefetch(names)
    blobs = {name: tree.blob(name) for name in names}
    return {
        name: blob.data
        for name, blob in blobs.items()
        if blob is not None and blob.data
    }


def place(repository: Repository) -> Place:
    top, git_dir, common_dir = repository.facts
    environ = repository.environ
    configured = hook_folder.configured(git_dir, common_dir, environ)
    hooks = hook_folder.folder_of(top, git_dir, common_dir, environ)
    own = os.path.join(common_dir, 'hooks')
    committed = _committed(repository, _below(top, hooks)) if top else {}
    return Place(top, git_dir, common_dir, hooks, own, configured, committed)


def framework_config(place: Place, framework: str) -> Any:
    name, data = installed_hooks.config_of(place.top, framework)
    return hook_files.read_config(name, data)


def calls_of(place: Place, hook: Hook) -> AbstractSet[str]:
    """The checks that a hook is to run; the canary tries whether it does."""
    return installed_hooks.named_by(place.top, hook)


def is_heard(place: Place, hook: Hook) -> bool:
    """Whether they run and their failure counts, as far as can be read."""
    return installed_hooks.leads_to_us(place.top, hook)


def _installed(place: Place) -> Iterator[Wanted]:
    """What the hooks say that git finds, or would by default."""
    for directory in (place.hooks, place.own_hooks):
        for name in CALLS:
            hook = installed_hooks.hook(directory, name)
            yield {name: calls_of(place, hook)}
            yield in_file(name, hook.data)


def intended(place: Place) -> Wanted:
    """What some file here wants to be run, whether git runs it or not.

    As it lies here, or as it is committed: what was taken away is wanted.
    """
    wanted: dict[str, set[str]] = {name: set() for name in CALLS}
    written = {path: place.read(path) for path in paths(place.below)}
    for wired in (together(written), together(place.committed), *_installed(place)):
        for name, checks in wired.items():
            wanted.setdefault(name, set()).update(checks)
    return wanted


def lost(place: Place, name: str) -> str:
    """A file that has a hook call us as it is committed, not as it lies."""
    for path, data in place.committed.items():
        if name in in_file(path, data) and (
            name not in in_file(path, place.read(path))
        ):
            return path
    return ''
