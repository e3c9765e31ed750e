"""The one schema of a saved state, read without anything that is slow."""
from __future__ import annotations

import functools
import importlib
import json
import os
from typing import Any

FILE = 'saved-state.schema.json'


@functools.lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    # importlib.resources would take longer than all that comes after it
    package: Any = importlib.import_module('interlock.schemas')
    path = os.path.join(package.__path__[0], FILE)
    # loaders of files and of archives have it
    found: dict[str, Any] = json.loads(package.__loader__.get_data(path))
    return found


def keys() -> tuple[str, ...]:
    """The keys of a state, in the order of the document."""
    return tuple(schema()['properties'])


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """A part of the schema, its reference followed."""
    name = part.get('$ref')
    if name is None:
        return part
    found: dict[str, Any] = schema()['$defs'][name.rpartition('/')[2]]
    return found
