"""Hashes without OpenSSL, which importing `hashlib` would load."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash, blake2b, new, sha256

    def named(algorithm: str) -> Callable[[bytes], _Hash]: ...
else:
    from interlock.model.quick_tools import cache, partial

    try:
        from _blake2 import blake2b
    except ImportError:  # pragma: no cover (an interpreter built without it)
        from hashlib import blake2b

    @cache
    def named(algorithm):
        """What makes a hash of this name; only unusual ones need `hashlib`."""
        try:
            if algorithm == 'sha1':
                from _sha1 import sha1 as made
            elif algorithm != 'sha256':
                made = None
            elif sys.version_info >= (3, 12):
                from _sha2 import sha256 as made
            else:
                from _sha256 import sha256 as made
        except ImportError:  # pragma: no cover (an interpreter built without it)
            made = None
        if made is None:
            import hashlib

            made = partial(hashlib.new, algorithm)
        return made

    def sha256(data=b''):
        return named('sha256')(data)

    def new(algorithm, data=b''):
        return named(algorithm)(data)


__all__ = ('blake2b', 'named', 'new', 'sha256')
