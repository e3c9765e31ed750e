"""Compiled regular expressions, kept for the next process.

A hook runs for a moment, and compiling the patterns it needs would take a
third of that. They are kept in the user's cache directory beside the compiled
workflows, where agents may not write; `re` validates the code it is given.
"""

from __future__ import annotations

import os
import sys

from interlock import model
from interlock.files.atomic_files import replace_cache
from interlock.model import quick_re
from interlock.model.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# the longest file, in characters: a workflow has patterns of its own, and some hold the
# name of an item
MOST = 400_000


def _file(folder: str) -> str:
    from _sre import MAGIC  # type: ignore[import-not-found]

    tag = sys.implementation.cache_tag
    return os.path.join(folder, f'patterns-2-{tag}-{MAGIC}.json')


def read_patterns(folder: str) -> dict[str, Any]:
    """pattern -> the arguments of `_sre.compile`; empty without a cache."""
    try:
        with open(_file(folder), 'rb') as f:
            found = loads(f.read().decode())
    except Exception:
        # a broken cache only costs time
        return {}
    return found if isinstance(found, dict) else {}


def use(folder: str) -> None:
    """Take the patterns that this process needs from a folder."""
    model.pattern_source = lambda: read_patterns(folder)


def keep(folder: str) -> None:
    """Store the patterns that this process had to compile.

    The verdict has been given by then, and nothing here may change it.
    """
    if quick_re.compiled_here:
        try:
            _keep(folder)
        except Exception:
            return


def _keep(folder: str) -> None:
    import json

    new = {
        key: _code(pattern, int(flags))
        for key, (pattern, flags) in quick_re.compiled_here.items()
    }
    quick_re.compiled_here.clear()
    text = json.dumps({**read_patterns(folder), **new})
    if len(text) > MOST:
        # the next processes add what they need
        text = json.dumps(new)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    replace_cache(_file(folder), text.encode())


def _code(pattern: str | bytes, flags: int) -> tuple[int, str, int, dict[str, int]]:
    """The arguments with which `re` creates a pattern; the code is stored as
    text, which costs nothing to load unless it is needed."""
    compiler, parser = _parts_of_re()
    tree = parser.parse(pattern, flags)
    names = dict(tree.state.groupdict)
    code = b''.join(
        int(each).to_bytes(4, sys.byteorder) for each in compiler._code(tree, flags)
    )
    return int(flags | tree.state.flags), code.hex(), tree.state.groups - 1, names


def _parts_of_re() -> tuple[Any, Any]:
    from importlib import import_module

    if sys.version_info >= (3, 11):
        return import_module('re._compiler'), import_module('re._parser')
    return import_module('sre_compile'), import_module('sre_parse')
