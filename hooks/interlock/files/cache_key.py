"""A key of the user's, with which we sign what we keep in repositories.

Whoever can write into a repository's `.git` could otherwise make a cache that
fits, and with it a workflow that judges nothing.
"""

from __future__ import annotations

import os

SIZE = 32


def _file() -> str:
    if os.name == 'nt':
        base = os.environ.get('LOCALAPPDATA') or os.path.expanduser('~')
    else:
        base = os.environ.get('XDG_STATE_HOME') or os.path.expanduser('~/.local/state')
    return os.path.join(base, 'interlock', 'key')


def _read(path: str) -> bytes:
    try:
        with open(path, 'rb') as f:
            key = f.read(SIZE + 1)
    except OSError:
        return b''
    # a damaged one signs nothing
    return key if len(key) == SIZE else b''


def _make(path: str) -> None:
    """Whole or not at all; of two that are made at once the last one counts,
    and what the first one signed is made anew."""
    temporary = f'{path}.{os.getpid()}'
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(os.open(temporary, flags, 0o600), 'wb') as f:
            f.write(os.urandom(SIZE))
        os.replace(temporary, path)
    except OSError:
        # nothing can be kept here
        try:
            os.unlink(temporary)
        except OSError:
            pass


def key() -> bytes:
    """b'' where none can be had: then nothing is signed, and none trusted."""
    path = _file()
    found = _read(path)
    if not found:
        _make(path)
        found = _read(path)
    return found
