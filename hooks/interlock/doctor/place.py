"""Where git looks for hooks, and what is written there."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from interlock.documents import hook_files
from interlock.documents import yaml
from interlock.documents.hook_files import CALLS
from interlock.documents.hook_files import HUSKY
from interlock.documents.hook_files import LEFTHOOK
from interlock.documents.hook_files import PRE_COMMIT
from interlock.documents.hook_files import PREK
from interlock.documents.hook_files import Wired
from interlock.model.errors import Unreadable
from interlock.world import installed
from interlock.world.git import GitError
from interlock.world.installed import Hook
from interlock.world.repository import Repository


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

    @property
    def is_moved(self) -> bool:
        return os.path.realpath(self.hooks) != os.path.realpath(
            self.own_hooks,
        )

    def hook(self, name: str) -> Hook:
        return installed.hook(self.hooks, name)


def place(repository: Repository) -> Place:
    top, git_dir, common_dir = repository.facts
    own = os.path.join(common_dir, 'hooks')
    try:
        configured = repository.git.line(
            'config', '--type=path', '--get', 'core.hooksPath',
        )
    except GitError:
        configured = ''
    # relative to where hooks run, which is the top
    hooks = os.path.join(top or git_dir, configured) if configured else own
    return Place(top, git_dir, common_dir, hooks, own, configured)


def _yaml(data: bytes) -> Any:
    """None where it cannot be read: then it wires nothing."""
    try:
        return yaml.value(yaml.parse(data.decode()))
    except (UnicodeDecodeError, Unreadable):
        return None


def framework_config(place: Place, framework: str) -> Any:
    name, data = installed.config_of(place.top, framework)
    return None if name.endswith('.toml') else _yaml(data)


def _of_framework(place: Place, framework: str) -> Wired:
    name, data = installed.config_of(place.top, framework)
    if not name:
        return {}
    elif framework == LEFTHOOK:
        return hook_files.of_lefthook(_yaml(data))
    elif name.endswith('.toml'):
        return hook_files.of_toml(data)
    return hook_files.of_pre_commit(_yaml(data))


def calls_of(place: Place, hook: Hook) -> frozenset[str]:
    """The checks that a hook runs, as far as can be read."""
    if hook.manager in installed.CONFIGS:
        wired = _of_framework(place, hook.manager)
        return wired.get(hook.name, frozenset())
    found = hook_files.called(hook.data or b'')
    if hook.manager == HUSKY:
        found = found | hook_files.called(installed.script_of(hook))
    return found


def intended(place: Place) -> Mapping[str, frozenset[str]]:
    """What some file here wants to be run, whether git runs it or not."""
    wanted: dict[str, set[str]] = {name: set() for name in CALLS}
    for framework in (PRE_COMMIT, PREK, LEFTHOOK):
        for name, checks in _of_framework(place, framework).items():
            wanted.setdefault(name, set()).update(checks)
    for directory in (place.hooks, place.own_hooks):
        for name in CALLS:
            hook = installed.hook(directory, name)
            wanted[name] |= calls_of(place, hook)
            if hook.data == hook_files.git_hook(CALLS[name]) and (
                    name in hook_files.HOOK_TYPES
            ):
                # `init` writes them together
                for other in hook_files.HOOK_TYPES:
                    wanted[other].add(hook_files.EVERY)
    for name in CALLS:
        script = os.path.join(place.top, '.husky', name)
        data = installed.read(script) if place.top else None
        wanted[name] |= hook_files.called(data or b'')
    return {name: frozenset(checks) for name, checks in wanted.items()}
