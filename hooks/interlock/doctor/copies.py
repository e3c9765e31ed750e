"""The hooks and wiring of a project, as they are installed there."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

from interlock.doctor.hook_places import Place
from interlock.doctor.scratch import Scratch
from interlock.documents.wiring.files import PATHSPECS
from interlock.git.git import Git, GitError
from interlock.git.hook_folder import scripts_folder
from interlock.git.parse import text
from interlock.git.repository import Repository

# what hooks run tools from; linked, because it is large and git ignores it
TOOLS = ('node_modules', '.venv', 'venv')
# settings of the repository that hooks or their results depend on
SETTINGS = (
    r'^(core\.(hookspath|commentchar|commentstring|autocrlf|eol|longpaths)|'
    r'i18n\.commitencoding|interlock\..*|hook\..*|receive\..*)$'
)


def _copy(source: str, target: str) -> None:
    """A file, or a folder with its links as they are."""
    if os.path.isdir(source):
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    elif os.path.isfile(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(source, target)


def _copy_hooks(source: str, target: str) -> None:
    _copy(source, target)
    for name in os.listdir(target) if os.path.isdir(target) else ():
        path, original = os.path.join(target, name), os.path.join(source, name)
        if (
            os.path.islink(path)
            and not os.path.exists(path)
            and (os.path.exists(original))
        ):
            # it leads to where only the project has something
            os.unlink(path)
            os.symlink(os.path.realpath(original), path)


def is_below(path: str, folder: str) -> bool:
    inside = os.path.join(os.path.realpath(folder), '')
    return os.path.realpath(path).startswith(inside)


def settings(repository: Repository, git: Git) -> None:
    try:
        out = repository.git.run('config', '--local', '-z', '--get-regexp', SETTINGS)
    except GitError:
        return
    for entry in out.decode(errors='surrogateescape').split('\0'):
        key, _, value = entry.partition('\n')
        if key:
            git.run('config', '--add', key, value)


def _hooks_path(scratch: Scratch, place: Place) -> None:
    """A path into the project becomes one into the clone."""
    target = ''
    if not os.path.isabs(place.configured) and (
        not is_below(place.hooks, place.common_dir)
    ):
        return
    for folder, copy in (
        (place.common_dir, os.path.join(scratch.top, '.git')),
        (place.top, scratch.top),
    ):
        if folder and not target and is_below(place.hooks, folder):
            below = os.path.relpath(
                os.path.realpath(place.hooks), os.path.realpath(folder)
            )
            target = os.path.join(copy, below)
    if target:
        _copy_hooks(place.hooks, target)
        scratch.git().run('config', 'core.hooksPath', target)


def _wiring(place: Place) -> Iterator[str]:
    """Files and folders of the tree by which we are called, tracked or not."""
    yield from (name.rstrip('/') for name in PATHSPECS)
    if place.below:
        above = os.path.dirname(place.below)
        moved = scripts_folder(place.hooks) != place.hooks
        # all of it, but never the whole tree
        yield above if moved and above else place.below


def _changed(repository: Repository, place: Place) -> list[str]:
    """Whatever a hook may read besides, where it is not as committed."""
    if repository.head() is None:
        return []
    out = repository.git.run(
        'diff-index',
        '--name-only',
        '-z',
        '--no-renames',
        '--no-relative',
        '--ignore-submodules=all',
        'HEAD',
        '--',
    )
    return [
        name
        for name in text(out).split('\0')
        if name and not os.path.isdir(os.path.join(place.top, name))
    ]


def _files(folder: str, name: str) -> Iterator[str]:
    path = os.path.join(folder, name)
    if os.path.isdir(path) and not os.path.islink(path):
        for directory, _, names in os.walk(path):
            for each in names:
                yield os.path.relpath(os.path.join(directory, each), folder)
    elif os.path.lexists(path):
        yield name


def _mirror(source: str, target: str) -> None:
    """As it lies there, or as little: what is gone there goes here too."""
    if os.path.isdir(target) and not os.path.islink(target):
        shutil.rmtree(target)
    elif os.path.lexists(target):
        os.unlink(target)
    _copy_hooks(source, target)


def wire(scratch: Scratch, repository: Repository, place: Place) -> None:
    """As it is installed: the hooks, and what they read."""
    _copy_hooks(place.own_hooks, os.path.join(scratch.top, '.git', 'hooks'))
    _hooks_path(scratch, place)
    copied: dict[str, None] = {}
    for name in (*_changed(repository, place), *_wiring(place)):
        before = [*_files(scratch.top, name)]
        _mirror(os.path.join(place.top, name), os.path.join(scratch.top, name))
        copied.update(dict.fromkeys((*before, *_files(scratch.top, name))))
    exclude = os.path.join(scratch.top, '.git', 'info', 'exclude')
    os.makedirs(os.path.dirname(exclude), exist_ok=True)
    with open(exclude, 'a', encoding='UTF-8') as f:
        f.writelines(f'/{name}\n' for name in TOOLS)
    names = '\0'.join(copied).encode(errors='surrogateescape')
    if names:
        scratch.git().run(
            '--literal-pathspecs',
            'add',
            '--all',
            '--force',
            '--pathspec-from-file=-',
            '--pathspec-file-nul',
            data=names,
        )


def link_tools(place: Place, top: str) -> None:
    for name in TOOLS:
        source, target = (os.path.join(at, name) for at in (place.top, top))
        if os.path.isdir(source) and not os.path.lexists(target):
            os.symlink(source, target)


def copy_server_hooks(scratch: Scratch, place: Place) -> None:
    """What a push to the scratch remote is then received by."""
    _copy_hooks(place.hooks, os.path.join(scratch.remote, 'hooks'))
    for key in ('interlock.breakglass', 'receive.advertisePushOptions'):
        with contextlib.suppress(GitError):
            value = scratch.git().line('config', '--get', key)
            scratch.git(scratch.remote).run('config', key, value)
