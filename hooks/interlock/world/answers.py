"""What git answers, and how it is read."""
from __future__ import annotations

from typing import NamedTuple

SUBMODULE = '160000'


def text(data: bytes) -> str:
    """A path or a message as text; bytes that are no UTF-8 survive."""
    return data.decode(errors='surrogateescape')


def decode(data: bytes, encoding: str) -> str:
    """A message in the encoding that git has for it, whatever its bytes."""
    try:
        return data.decode(encoding, errors='replace')
    except (LookupError, ValueError):
        return data.decode(errors='replace')


class Commit(NamedTuple):
    oid: str
    tree: str
    parents: tuple[str, ...]
    message: str
    time: int


def listed(out: bytes) -> dict[str, str]:
    """From `MODE TYPE OID<tab>PATH`; submodules are left out."""
    found = {}
    for line in text(out).split('\0'):
        meta, _, path = line.partition('\t')
        mode, *rest = meta.split(' ')
        if path and mode != SUBMODULE:
            found[path] = rest[1]
    return found


def raw_diff(out: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """path -> status letter, and path -> id of what is there afterwards.

    From `--raw -z` without renames; a submodule has no content.
    """
    touched, oids = {}, {}
    fields = text(out).split('\0')
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, oid, letter = meta.split(' ')
        touched[path] = letter
        if letter != 'D' and mode != SUBMODULE:
            oids[path] = oid
    return touched, oids


def parse_commit(oid: str, data: bytes) -> Commit:
    head, _, body = data.partition(b'\n\n')
    tree, encoding, time = '', 'UTF-8', 0
    parents = []
    for line in head.split(b'\n'):
        key, _, value = line.partition(b' ')
        if key == b'tree':
            tree = text(value)
        elif key == b'parent':
            parents.append(text(value))
        elif key == b'committer':
            stamp = value.rsplit(b' ', 2)[-2:-1]
            time = int(stamp[0]) if stamp and stamp[0].isdigit() else 0
        elif key == b'encoding':
            encoding = text(value)
    message = decode(body, encoding)
    return Commit(oid, tree, tuple(parents), message, time)
