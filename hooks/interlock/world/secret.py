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
        base = os.environ.get('XDG_STATE_HOME') or os.path.expanduser(
            '~/.local/state',
        )
    return os.path.join(base, 'interlock', 'key')


def _read(path: str) -> bytes:
    try:
        with open(path, 'rb') as f:
            key = f.read(SIZE + 1)
    except OSError:
        return b''
    # one that is just being written is none yet
    return key if len(key) == SIZE else b''


def _make(path: str) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(path, flags, 0o600)
    except OSError:
        # another process was faster, or nothing can be kept here
        return
    try:
        os.write(descriptor, os.urandom(SIZE))
    finally:
        os.close(descriptor)


def key() -> bytes:
    """b'' where none can be had: then nothing is signed, and none trusted."""
    path = _file()
    found = _read(path)
    if not found and not os.path.exists(path):
        _make(path)
        found = _read(path)
    return found
