"""Directories in which programs are looked for before all others."""

from __future__ import annotations

import os
from collections.abc import Iterable

from interlock.guard.context import Scene
from interlock.guard.file_write import is_below
from interlock.guard.shell.effects import Effect, Writes

# what git and its hooks start
STARTED = (
    'git',
    'sh',
    'bash',
    'env',
    'interlock',
    'pre-commit',
    'prek',
    'lefthook',
    'husky',
    'python3',
    'python',
    'npx',
    'node',
)
SYSTEM = (
    '/usr',
    '/bin',
    '/sbin',
    '/opt',
    '/nix',
    '/snap',
    '/Library',
    '/home',
    '/Applications',
)
TEMPORARY = ('/tmp', '/var/tmp', '/dev/shm', '/private/tmp')  # noqa: S108
UNSURE = 'it is not known'
# how directories of programs are called
USUAL = ('bin', 'sbin', 'shims', '.bin', 'Scripts', 'scripts', 'tools')


def _is_made(directory: str, before: Iterable[Effect]) -> bool:
    """By the same command, which puts programs into it."""
    return any(
        isinstance(each, Writes) and is_below(each.path, directory) for each in before
    )


def _double(directory: str) -> str:
    """A script there that takes the place of what git starts."""
    for name in STARTED:
        path = os.path.join(directory, name)
        try:
            with open(path, 'rb') as f:
                data = f.read(4096)
        except OSError:
            continue
        known = name.replace('-', '_').encode()
        if (
            data.startswith(b'#!')
            and name not in ('npx', 'node')
            and (
                name in ('git', 'sh', 'bash', 'env')
                or (known not in data and name.encode() not in data)
            )
        ):
            return path
    return ''


def doubtful(scene: Scene, directories: Iterable[str], before: list[Effect]) -> str:
    """Why one of them may keep git or its hooks from what they start."""
    home = scene.event.environ.get('HOME') or os.path.expanduser('~')
    for directory in directories:
        path = _double(directory)
        ours = any(
            is_below(directory, each)
            for each in (scene.top or scene.base, scene.directory)
        )
        known = ours or is_below(directory, home)
        if path and not is_below(directory, '/usr'):
            return f'{path} is started instead of the program'
        elif _is_made(directory, before):
            return f'this command puts programs into {directory}'
        elif any(is_below(directory, each) for each in TEMPORARY) and (not known):
            return f'{directory} holds temporary files'
        elif os.path.basename(directory) in USUAL:
            continue
        elif ours:
            return f'{directory} is not a usual place for programs'
        elif (
            not known
            and not directory.startswith(SYSTEM)
            and (not os.path.isdir(directory))
        ):
            return f'{UNSURE} what is in {directory}'
    return ''
