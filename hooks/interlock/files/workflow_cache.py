"""The cache of compiled workflows, in the user's cache directory.

A file is named after the content it was compiled from. Whatever is absent,
damaged or out of date is compiled again. Agents may not write there.
"""

from __future__ import annotations

import os

from interlock import __version__
from interlock.files.atomic_files import remove_leftovers, replace_cache
from interlock.model.errors import Refusal
from interlock.model.quick_hash import blake2b
from interlock.model.quick_json import loads
from interlock.workflow.language.presets import MARK, Reader, is_preset, preset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# what a file of the cache holds; count on when that changes within a version
FORM = f'{__version__} 2'.encode()
# of hashes, in bytes
SIZE = 32


def merged(cache: str, name: str, data: bytes, reader: Reader) -> Any:
    """What a workflow file says with all that it extends, and its watch index."""
    unique = _hash(b'\0'.join((FORM, os.fsencode(name), data)))
    file = os.path.join(cache, f'{unique}.json')
    found = _from_cache(file, reader)
    if found is None or 'watch' not in found:
        # validation costs more than all the rest: only when needed
        from interlock.workflow.language.compile import compile_workflow
        from interlock.workflow.language.watch_index import watch_index

        found, files = compile_workflow(name, data, reader)
        found['watch'] = watch_index(found)
        _to_cache(file, found, files)
    return found


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=SIZE).hexdigest()


def _dependency(name: str, reader: Reader) -> bytes | None:
    return preset(name[len(MARK) :]) if is_preset(name) else reader(name)


def _from_cache(file: str, reader: Reader) -> Any:
    """None where the cache is absent, damaged or out of date."""
    try:
        with open(file, 'rb') as f:
            stored = loads(f.read().decode())
        for name, expected in stored['files'].items():
            data = _dependency(name, reader)
            if data is None or _hash(data) != expected:
                return None
        return stored['workflow']
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _to_cache(file: str, found: Any, files: dict[str, bytes]) -> None:
    import json

    names = list(files)[1:]
    stored = {'files': {name: _hash(files[name]) for name in names}, 'workflow': found}
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        remove_leftovers(os.path.dirname(file))
        replace_cache(file, json.dumps(stored).encode())
    except (OSError, Refusal):
        # a cache that cannot be written only makes the next run slower
        pass
