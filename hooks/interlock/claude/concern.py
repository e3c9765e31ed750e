"""Whether any rule could speak of a file: asked of every write.

On what the workflow says as it was compiled, without the objects that the
rules work with, so that the answer `no` is quick. It may say `yes` too often.
"""
from __future__ import annotations

import os

from interlock.claude.launcher import PACKAGE
from interlock.claude.write import is_below
from interlock.claude.write import Write
from interlock.documents.client_settings import is_settings
from interlock.model.quick_json import loads
from interlock.world.place import base
from interlock.world.place import common_dir
from interlock.world.place import hooks_path
from interlock.world.place import top_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from interlock.claude.scene import Scene

# whose configurations call us, besides the client's own settings
CALLERS = (
    '.pre-commit-config.yaml', '.pre-commit-config.yml', 'prek.toml',
    'lefthook.yml', 'lefthook.yaml', '.lefthook.yml', '.lefthook.yaml',
)


def git_folder(path: str) -> str:
    """The git directory that a path is in, '' if in none."""
    head, mark, _ = path.partition(f'{os.sep}.git{os.sep}')
    if mark:
        return f'{head}{os.sep}.git'
    return path if os.path.basename(path) == '.git' else ''


def is_hook(path: str) -> bool:
    """Whether git runs a file, of the repository that it lies in."""
    top = top_of(os.path.dirname(path))
    hooks = hooks_path(common_dir(top), top) if top else ''
    return bool(hooks) and is_below(path, hooks)


def git_configs(environ: Mapping[str, str]) -> list[str]:
    """The files of the user that git reads in every repository."""
    home = environ.get('HOME') or os.path.expanduser('~')
    base = environ.get('XDG_CONFIG_HOME') or os.path.join(home, '.config')
    return [
        os.path.realpath(path) for path in (
            environ.get('GIT_CONFIG_GLOBAL', ''),
            os.path.join(home, '.gitconfig'),
            os.path.join(base, 'git', 'config'),
        ) if path
    ]


def _calls_us(scene: Scene, path: str) -> bool:
    if os.path.basename(path) in CALLERS or is_settings(path):
        return True
    elif git_folder(path) or is_below(path, scene.state):
        return True
    return (
        is_hook(path) or is_below(path, PACKAGE) or
        path in git_configs(scene.event.environ)
    )


def _may_match(path: str, pattern: str) -> bool:
    head, mark, _ = pattern.partition('{item}')
    if not mark:
        return path == pattern
    tail = pattern.rpartition('{item}')[2]
    return path.startswith(head) and path.endswith(tail)


def patterns(kind: Any) -> list[str]:
    """Where the records and the contracts of a kind of item are."""
    registry, handoff = kind.get('registry') or {}, kind.get('handoff') or {}
    entry = registry.get('entry') or {}
    contracts = (kind.get('contracts') or {}).get('files') or {}
    found = [
        registry.get('file'), entry.get('file'), handoff.get('file'),
        *handoff.get('older', ()),
    ]
    for contract in contracts.values():
        paths = contract['paths']
        found.extend([paths] if isinstance(paths, str) else paths)
    return [pattern for pattern in found if pattern]


def inside(scene: Scene, path: str) -> str:
    """The path of a file in its worktree, if that is one of the project."""
    top = top_of(os.path.dirname(path))
    if not scene.top:
        top = scene.base
    elif not top or common_dir(top) != scene.state:
        return ''
    if not is_below(path, top):
        return ''
    return os.path.relpath(path, top).replace(os.sep, '/')


def may_be_record(scene: Scene, path: str) -> bool:
    name = inside(scene, path)
    if not name:
        return False
    own = (scene.path, *scene.raw.get('extended', ()))
    if name in own or os.path.basename(name).startswith('.interlock'):
        return True
    return any(
        _may_match(name, pattern)
        for kind in scene.raw['items'].values() for pattern in patterns(kind)
    )


def _is_locked_by_us(scene: Scene, lock: str, key: str) -> bool:
    """A lock that is whole and ours; whatever else it says is judged where
    it is written."""
    session = scene.event.session
    try:
        with open(lock, 'rb') as f:
            data = loads(f.read().decode())
    except (OSError, ValueError):
        return False
    return bool(session) and isinstance(data, dict) and (
        data.get(key) == session
    )


def _is_task_file(scene: Scene, path: str) -> bool:
    """Whether a file lies in a worktree whose lock may not be ours."""
    start = base(scene.file)
    protocol = next(
        kind['protocol'] for kind in scene.raw['items'].values()
        if 'protocol' in kind
    )
    for roots in scene.raw['roots']:
        main = os.path.normpath(os.path.join(start, roots['main']))
        tasks = os.path.normpath(os.path.join(start, roots['tasks']))
        if is_below(path, tasks) or (
                # an agent of a task has its own place, lock or no lock
                scene.event.agent_type and is_below(path, main)
        ):
            return True
        elif is_below(path, main):
            name = protocol['files']['lock'].replace(
                '{item}', protocol['main']['name'],
            )
            key = protocol['keys']['session']
            return not _is_locked_by_us(
                scene, os.path.join(tasks, name), key,
            )
    return False


def concerns(scene: Scene, write: Write) -> bool:
    if write.tree and os.path.isdir(write.real):
        # what it holds would have to be looked through
        return True
    return any(
        _calls_us(scene, path) or may_be_record(scene, path) or
        (scene.has_tasks and _is_task_file(scene, path))
        for path in write.places
    )
