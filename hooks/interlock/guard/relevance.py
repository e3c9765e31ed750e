"""Whether any rule could speak of a file: asked of every write.

On what the workflow says as it was compiled, without the objects that the
rules work with, so that the answer `no` is quick. It may say `yes` too often.
"""

from __future__ import annotations

import os
import sys

from interlock.documents.wiring import files as wiring_files
from interlock.documents.wiring.claude_settings import is_settings
from interlock.git.git_paths import base, common_dir, top_of, users_cache
from interlock.git.hook_folder import hook_folders, users_configs
from interlock.guard.file_write import Write, is_below
from interlock.model.schemas import PACKAGE
from interlock.tasks.quick_lock import holds_main
from interlock.tasks.task_links import linked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from interlock.guard.context import Scene

# whose configurations call us, besides the client's own settings
CALLERS = wiring_files.CALLERS
OURS = 'interlock'


def git_folder(path: str) -> str:
    """The git directory that a path is in, '' if in none."""
    head, mark, _ = path.partition(f'{os.sep}.git{os.sep}')
    if mark:
        return f'{head}{os.sep}.git'
    return path if os.path.basename(path) == '.git' else ''


def is_hook(scene: Scene, path: str) -> bool:
    """Whether git runs a file, in the project or in the repository that it
    lies in."""
    tops = {scene.top, top_of(os.path.dirname(path))} - {''}
    return any(
        is_below(path, folder)
        for top in tops
        for folder in hook_folders(top, scene.event.environ)
    )


def is_pipeline(scene: Scene, path: str) -> bool:
    """Whether a file of the project tells CI what to run."""
    kind = wiring_files.kind_of(inside(scene, path))
    return kind in (wiring_files.GITHUB, wiring_files.GITLAB, wiring_files.OTHER_CI)


def git_configs(environ: Mapping[str, str]) -> list[str]:
    """The files of the user that git reads in every repository."""
    plain = {
        name: value for name, value in environ.items() if name != 'GIT_CONFIG_GLOBAL'
    }
    return [
        os.path.realpath(path)
        for path in (*users_configs(environ), *users_configs(plain))
    ]


def in_cache(environ: Mapping[str, str], path: str) -> bool:
    """Whether it is below what we keep in the cache of the user."""
    return is_below(path, os.path.realpath(users_cache(environ)))


def is_startup(environ: Mapping[str, str], path: str) -> bool:
    """Whether husky reads it before each hook."""
    home = environ.get('HOME') or os.path.expanduser('~')
    folder = environ.get('XDG_CONFIG_HOME') or os.path.join(home, '.config')
    return path in [
        os.path.realpath(each)
        for each in (
            os.path.join(folder, 'husky', 'init.sh'),
            os.path.join(home, '.huskyrc'),
        )
    ]


def is_program(environ: Mapping[str, str], path: str) -> bool:
    """Whether hooks may start it as one of our commands."""
    folder, name = os.path.split(path)
    return name.startswith(OURS) and folder in _folders(environ)


def _folders(environ: Mapping[str, str]) -> list[str]:
    found = [
        os.path.dirname(sys.executable),
        *environ.get('PATH', '').split(os.pathsep),
    ]
    return [os.path.realpath(folder) for folder in found if folder]


def programs(environ: Mapping[str, str]) -> list[str]:
    """Our commands, as far as there are any."""
    return [
        path
        for folder in _folders(environ)
        for path in (os.path.join(folder, OURS),)
        if os.path.lexists(path)
    ]


def _calls_us(scene: Scene, path: str) -> bool:
    name = os.path.basename(path)
    if name in CALLERS or is_settings(path) or is_pipeline(scene, path):
        return True
    elif git_folder(path) or is_below(path, scene.state):
        return True
    return (
        is_hook(scene, path)
        or is_below(path, PACKAGE)
        or path in git_configs(scene.event.environ)
        or in_cache(scene.event.environ, path)
        or is_program(scene.event.environ, path)
        or is_startup(scene.event.environ, path)
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
        registry.get('file'),
        entry.get('file'),
        handoff.get('file'),
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


def names(scene: Scene) -> set[str]:
    """How records, contracts and what calls us are called, without the
    directories."""
    found = {*CALLERS}
    for kind in scene.raw['items'].values():
        protocol = kind.get('protocol') or {}
        found.update(
            os.path.basename(each)
            for each in (
                *patterns(kind),
                protocol.get('todo', ''),
                protocol.get('changelog', ''),
            )
        )
    return {name for name in found if name and '{item}' not in name}


def may_be_record(scene: Scene, path: str) -> bool:
    name = inside(scene, path)
    if not name:
        return False
    own = (scene.path, *scene.raw.get('extended', ()))
    if name in own or os.path.basename(name).startswith('.interlock'):
        return True
    return any(
        _may_match(name, pattern)
        for kind in scene.raw['items'].values()
        for pattern in patterns(kind)
    )


def _is_task_file(scene: Scene, path: str) -> bool:
    """Whether a file lies in a worktree whose lock may not be ours."""
    start = base(scene.file)
    protocol = next(
        kind['protocol'] for kind in scene.raw['items'].values() if 'protocol' in kind
    )
    if os.path.basename(path) in (protocol['todo'], protocol['changelog']):
        return True
    for roots in scene.raw['roots']:
        main = os.path.realpath(os.path.join(start, roots['main']))
        tasks = os.path.realpath(os.path.join(start, roots['tasks']))
        if is_below(path, tasks) or (
            # an agent of a task has its own place, lock or no lock
            scene.event.agent_type and is_below(path, main)
        ):
            return True
        files = protocol['files']
        if any(
            is_below(path, real)
            for _, real in linked(tasks, (files['code'], files['agent_code']))
        ):
            return True
        elif is_below(path, main):
            return not holds_main(tasks, protocol, scene.event.session)
    return False


def concerns(scene: Scene, write: Write) -> bool:
    if write.tree and os.path.isdir(write.real):
        # what it holds would have to be looked through
        return True
    return any(
        _calls_us(scene, path)
        or may_be_record(scene, path)
        or (scene.has_tasks and _is_task_file(scene, path))
        for path in write.places
    )
