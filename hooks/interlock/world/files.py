from __future__ import annotations

import contextlib
import os
import stat

from interlock.model.errors import Refusal


def read(path: str) -> bytes | None:
    """The bytes of a file, None if there is none."""
    try:
        with open(path, 'rb') as f:
            return f.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as e:
        raise Refusal(f'{path} cannot be read: {e.strerror}') from None


def replace(path: str, old: bytes | None, new: bytes) -> None:
    """Puts `new` where `old` stands, whole or not at all."""
    # slow to import, and most runs write nothing
    import tempfile

    path = os.path.realpath(path)
    mode = 0o644
    temporary = ''
    try:
        if old is not None:
            mode = stat.S_IMODE(os.stat(path).st_mode)
            if not mode & stat.S_IWUSR:
                raise Refusal(f'{path} is read-only', f'chmod u+w {path}')
        fd, temporary = tempfile.mkstemp(
            prefix='.interlock-', dir=os.path.dirname(path),
        )
        with open(fd, 'wb') as f:
            f.write(new)
            f.flush()
            os.fsync(f.fileno())
        os.chmod(temporary, mode)
        if read(path) != old:
            raise Refusal(
                f'{path} changed while it was read', 'run this again',
            )
        os.replace(temporary, path)
    except OSError as e:
        raise Refusal(f'{path} cannot be written: {e.strerror}') from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
