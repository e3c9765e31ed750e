"""A hash without OpenSSL, which `hashlib` loads first of all."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # pragma: no cover (an interpreter built without it)
    from hashlib import blake2b

__all__ = ('blake2b',)
