"""Where git looks for hooks, without asking git.

`core.hooksPath` is read from the files that nearly always hold it; what they
include is not followed, which `doctor` does by asking git.
"""
from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping

from interlock.world.installed import read

SECTION = '[core]'
KEY = 'hookspath'


def _files(common: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Those that win first."""
    home = environ.get('HOME', '')
    yield os.path.join(common, 'config')
    if environ.get('GIT_CONFIG_GLOBAL'):
        yield environ['GIT_CONFIG_GLOBAL']
    elif home:
        config = environ.get('XDG_CONFIG_HOME') or os.path.join(
            home, '.config',
        )
        yield os.path.join(home, '.gitconfig')
        yield os.path.join(config, 'git', 'config')
    if not environ.get('GIT_CONFIG_NOSYSTEM'):
        yield '/etc/gitconfig'


def _configured(text: str) -> str:
    section, found = '', ''
    for line in text.splitlines():
        line = line.strip()
        if line.startswith('['):
            section = line.partition(']')[0].lower() + ']'
        key, equals, value = line.partition('=')
        if section == SECTION and equals and key.strip().lower() == KEY:
            found = value.strip().strip('"')
    return found


def hooks_directory(
        top: str,
        common: str,
        environ: Mapping[str, str],
) -> str:
    for path in _files(common, environ):
        data = read(path) or b''
        found = _configured(data.decode(errors='replace')) if (
            KEY.encode() in data.lower()
        ) else ''
        if found:
            # relative to where hooks run, which is the top
            return os.path.join(top, os.path.expanduser(found))
    return os.path.join(common, 'hooks')
