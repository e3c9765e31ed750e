"""Where git looks for hooks, and what should call us there."""

from __future__ import annotations

import os
import posixpath

from interlock.documents.wiring import calls
from interlock.documents.wiring.hook_files import (
    CALLS,
    EVERY,
    HOOK_TYPES,
    git_hook,
    read_config,
)
from interlock.git import hook_folder, installed_hooks
from interlock.git.installed_hooks import Hook
from interlock.git.repository import Repository
from interlock.model.calling_files import GENERATED, HOOK_FOLDERS, SCRIPT, kind_of
from interlock.model.quick_typing import Any, Iterator, Mapping, NamedTuple
from interlock.model.quick_typing import Set as AbstractSet

# hook -> the checks that should run there
Wanted = Mapping[str, AbstractSet[str]]


class Installation(NamedTuple):
    # '' in a bare repository
    top: str
    git_dir: str
    common_dir: str
    # the folder where git looks for hooks, and its default
    hooks: str
    own_hooks: str
    # the value of core.hooksPath, '' if it is not set
    configured: str
    # the files of the last commit that may make git call us
    committed: Mapping[str, bytes]

    @property
    def is_moved(self) -> bool:
        return os.path.realpath(self.hooks) != os.path.realpath(self.own_hooks)

    @property
    def below(self) -> str:
        """The hook folder as a path in the tree; '' if it lies outside."""
        return _below(self.top, self.hooks)

    def name_of(self, path: str) -> str:
        """A path as a person working in the project would write it."""
        below = os.path.relpath(path, self.top or self.git_dir)
        return path if below.startswith('..') else below

    def hook(self, name: str) -> Hook:
        return installed_hooks.hook(self.hooks, name)

    def checks(self, hook: Hook) -> AbstractSet[str]:
        """The checks that a hook should run; the canary finds out whether it does."""
        return installed_hooks.named_by(self.top, hook)

    def read(self, path: str) -> bytes | None:
        """The content of a file in the working tree."""
        whole = os.path.join(self.top, path)
        return installed_hooks.read(whole) if self.top and path else None

    def config(self, framework: str) -> Any:
        return read_config(*installed_hooks.config_of(self.top, framework))

    def wanted(self) -> Wanted:
        """The checks that any file asks for, whether or not git runs it.

        Files count both as they are on disk and as committed, so that a call
        that was removed is still wanted.
        """
        wanted: dict[str, set[str]] = {name: set() for name in CALLS}
        found = [wanted_by(path, data) for path, data in self.committed.items()]
        found += [wanted_by(path, self.read(path)) for path in paths(self.below)]
        for directory in (self.hooks, self.own_hooks):
            for name in CALLS:
                hook = installed_hooks.hook(directory, name)
                found += [{name: self.checks(hook)}, wanted_by(name, hook.data)]
        for each in found:
            for name, checks in each.items():
                wanted.setdefault(name, set()).update(checks)
        return wanted

    def lost_in(self, name: str) -> str:
        """A file that calls us at a hook as committed, but not as it is on disk."""
        for path, data in self.committed.items():
            if name in wanted_by(path, data) and (
                name not in wanted_by(path, self.read(path))
            ):
                return path
        return ''


def _below(top: str, hooks: str) -> str:
    real = os.path.realpath(hooks), os.path.realpath(top)
    for path, folder in ((hooks, top), real) if top else ():
        below = os.path.relpath(path, folder).replace(os.sep, '/')
        if below.split('/')[0] not in {'..', '.', '.git'}:
            return below
    return ''


def paths(hooks: str) -> Iterator[str]:
    """The files that may ask for us; `hooks` is the hook folder in the tree, or ''."""
    for names in installed_hooks.CONFIGS.values():
        yield from names
    above, name = posixpath.split(hooks)
    found = (hooks, above) if above and name == GENERATED else (hooks,)
    committed = [name.rstrip('/') for name in HOOK_FOLDERS]
    for folder in dict.fromkeys((*committed, *found) if hooks else committed):
        yield from (posixpath.join(folder, name) for name in CALLS)


def wanted_by(path: str, data: bytes | None) -> Wanted:
    """hook -> the checks that a file asks for at that hook."""
    name = posixpath.basename(path)
    if name in HOOK_TYPES and kind_of(path) in ('', SCRIPT):
        if data == git_hook(CALLS[name]):
            # `init` writes them together
            return dict.fromkeys(HOOK_TYPES, frozenset({EVERY}))
    return calls.in_file(path, data, kind_of(path) or SCRIPT).at


def _committed(repository: Repository, hooks: str) -> dict[str, bytes]:
    head = repository.head()
    if head is None:
        return {}
    tree, names = repository.tree(head.tree), [*paths(hooks)]
    tree.prefetch(names)
    blobs = {name: tree.blob(name) for name in names}
    return {name: blob.data for name, blob in blobs.items() if blob and blob.data}


def installation(repository: Repository) -> Installation:
    top, git_dir, common_dir = repository.facts
    environ = repository.environ
    hooks = hook_folder.folder_of(top, git_dir, common_dir, environ)
    return Installation(
        top,
        git_dir,
        common_dir,
        hooks,
        os.path.join(common_dir, 'hooks'),
        hook_folder.hooks_path(git_dir, common_dir, environ),
        _committed(repository, _below(top, hooks)) if top else {},
    )
