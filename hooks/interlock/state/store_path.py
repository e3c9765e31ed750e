"""Where the store lies, and its failures as sentences."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping

from interlock.model.errors import Busy, Refusal

VARIABLE = 'INTERLOCK_STORE'
SCHEME = 'sqlite:///'


def default_path(environ: Mapping[str, str]) -> str:
    if os.name == 'nt':
        base = environ.get('LOCALAPPDATA') or os.path.expanduser('~')
    else:
        base = environ.get('XDG_STATE_HOME') or os.path.expanduser('~/.local/state')
    return os.path.join(base, 'interlock', 'state.db')


def path_of(environ: Mapping[str, str]) -> str:
    """`$INTERLOCK_STORE`, a path or `sqlite:///PATH`, else the default."""
    given = environ.get(VARIABLE, '')
    if not given:
        return default_path(environ)
    path = given.removeprefix(SCHEME)
    if '://' in path or not os.path.isabs(path):
        # a relative one would be another store in every directory
        raise Refusal(
            f'STA009 ${VARIABLE} is `{given}`: neither an absolute path nor '
            f'sqlite:///PATH with one',
            f'export {VARIABLE}={default_path(environ)}',
        )
    return path


def is_there(path: str) -> bool:
    """Has anything been saved? A Refusal where nothing could have been.

    Whoever asks is not told that nothing was saved by a store that cannot be
    used.
    """
    try:
        os.lstat(path)
    except FileNotFoundError:
        folder = os.path.dirname(path)
        while not os.path.exists(folder) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            raise Refusal(
                f'STA009 {path} cannot be used: {folder} is not a '
                f'directory that can be written to',
                f'ls -ld {folder}',
            ) from None
        return False
    except OSError as e:
        raise Refusal(
            f'STA009 {path} cannot be used: {e.strerror}', f'ls -l {path}'
        ) from None
    return True


def _refusal(path: str, error: sqlite3.Error) -> Refusal:
    if 'locked' in str(error) or 'busy' in str(error):
        return Busy(
            f'STA008 {path} is locked: another process is writing to it',
            'run this again',
        )
    elif type(error) is sqlite3.DatabaseError:
        # neither of its subclasses: the file itself makes no sense
        return Refusal(
            f'STA006 {path} is damaged ({error}); nothing was changed',
            f'mv {path} {path}.damaged',
        )
    return Refusal(f'STA009 {path} cannot be used: {error}', f'df {path}; ls -l {path}')


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
    """Failures of the database as sentences about its file."""
    try:
        yield
    except sqlite3.Error as e:
        raise _refusal(path, e) from None
    except OSError as e:
        raise Refusal(
            f'STA009 {path} cannot be used: {e.strerror}', f'ls -l {path}'
        ) from None


def create(path: str) -> None:
    """What people said is in it, so it is their user's alone."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
