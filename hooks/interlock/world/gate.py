"""Is the gate of git live? From files alone, for the start of a session."""
from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping

from interlock.documents.hook_files import HOOK_TYPES
from interlock.model.probe import DEAD
from interlock.model.probe import LIVE
from interlock.model.probe import NOT_WIRED
from interlock.model.probe import Probe
from interlock.world import installed
from interlock.world.installed import read

NAME = 'git gate'
DOCTOR = 'interlock doctor'


def common_dir_of(top: str) -> str:
    """The common git directory of a worktree, '' if it is none."""
    git_dir = os.path.join(top, '.git')
    if os.path.isdir(git_dir):
        return git_dir
    word, _, target = _line(read(git_dir)).partition(': ')
    if word != 'gitdir' or not target:
        return ''
    git_dir = os.path.join(top, target)
    above = _line(read(os.path.join(git_dir, 'commondir')))
    return os.path.normpath(os.path.join(git_dir, above))


def _line(data: bytes | None) -> str:
    return (data or b'').decode(errors='surrogateescape').strip()


def _values(data: bytes | None) -> Iterator[str]:
    """Every core.hooksPath of a configuration file."""
    section = ''
    for line in _line(data).splitlines():
        line = line.strip()
        if line.startswith('['):
            section = line.strip('[]').strip().lower()
            continue
        key, equals, value = line.partition('=')
        if section == 'core' and equals and (
                key.strip().lower() == 'hookspath'
        ):
            yield value.strip().strip('"')


def _configured(common_dir: str, environ: Mapping[str, str]) -> str:
    """core.hooksPath of the user or of the repository; the last one wins."""
    home = environ.get('HOME', '')
    own = environ.get('GIT_CONFIG_GLOBAL') or os.path.join(home, '.gitconfig')
    shared = environ.get('XDG_CONFIG_HOME') or os.path.join(home, '.config')
    found = ''
    for file in (
            os.path.join(shared, 'git', 'config'), own,
            os.path.join(common_dir, 'config'),
    ):
        for value in _values(read(file)):
            found = value
    return os.path.expanduser(found)


def hooks_directory(
        top: str,
        common_dir: str,
        environ: Mapping[str, str],
) -> str:
    configured = _configured(common_dir, environ)
    if configured:
        return os.path.join(top, configured)
    return os.path.join(common_dir, 'hooks')


def gate(top: str, environ: Mapping[str, str]) -> Probe:
    """One line: whether what git finds leads to us."""
    common_dir = common_dir_of(top)
    if not common_dir:
        return Probe(
            NAME, NOT_WIRED, 'the git gate is not wired: no repository is '
            'here', 'git init',
        )
    directory = hooks_directory(top, common_dir, environ)
    found = [installed.hook(directory, name) for name in HOOK_TYPES]
    ours = [
        hook for hook in found
        if hook.data is not None and installed.leads_to_us(top, hook)
    ]
    stopped = [hook.name for hook in ours if not hook.executable]
    if stopped:
        return Probe(
            NAME, DEAD, f'the git gate is dead: {", ".join(stopped)} is not '
            f'executable', DOCTOR,
        )
    missing = [
        name for name in HOOK_TYPES
        if name not in [hook.name for hook in ours]
    ]
    if not ours:
        return Probe(
            NAME, NOT_WIRED, f'the git gate is not wired: no hook in '
            f'{directory} calls interlock', DOCTOR,
        )
    elif missing:
        return Probe(
            NAME, DEAD, f'the git gate is dead in part: no '
            f'{", ".join(missing)} in {directory} calls interlock', DOCTOR,
        )
    return Probe(NAME, LIVE, 'the git gate is live')
