"""Hashes without OpenSSL, which importing `hashlib` would load."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import blake2b, new, sha256
else:
    try:
        from _blake2 import blake2b
    except ImportError:  # pragma: no cover (an interpreter built without it)
        from hashlib import blake2b

    def sha256(data=b''):
        try:
            if sys.version_info >= (3, 12):
                from _sha2 import sha256
            else:
                from _sha256 import sha256
        except ImportError:  # pragma: no cover (an interpreter built without it)
            from hashlib import sha256
        return sha256(data)

    def new(algorithm, data=b''):
        """A hash by its name; only unusual ones need `hashlib`."""
        if algorithm == 'sha256':
            return sha256(data)
        elif algorithm == 'sha1':
            try:
                from _sha1 import sha1 as made
            except ImportError:  # pragma: no cover (an interpreter without it)
                pass
            else:
                return made(data)
        import hashlib

        return hashlib.new(algorithm, data)


__all__ = ('blake2b', 'new', 'sha256')
