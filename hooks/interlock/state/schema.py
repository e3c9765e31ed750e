"""The one schema of a saved state, read without anything that is slow."""

from __future__ import annotations

import functools
import json
from typing import Any

from interlock.model.schemas import schema_text

FILE = 'saved-state.schema.json'


@functools.lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema_text(FILE))
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
