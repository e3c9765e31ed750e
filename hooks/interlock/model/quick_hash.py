"""Hashes without OpenSSL, which `hashlib` loads first of all."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import blake2b, new, sha256
else:
    try:
        from _blake2 import blake2b

        try:
            from _sha2 import sha256
        except ImportError:
            # up to Python 3.11
            from _sha256 import sha256
    except ImportError:  # pragma: no cover (an interpreter built without them)
        from hashlib import blake2b, sha256

    def new(algorithm, data=b''):
        """The hash of that name; only an unusual one needs `hashlib`."""
        if algorithm == 'sha256':
            return sha256(data)
        import hashlib

        return hashlib.new(algorithm, data)


__all__ = ('blake2b', 'new', 'sha256')
