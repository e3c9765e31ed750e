"""All keys of a workflow file, each with its meaning and an example.

`make docs` writes them to `reference.json`, from the schema and the presets.
"""

from __future__ import annotations

import os

from interlock.model import quick_tools as functools
from interlock.model.errors import Refusal
from interlock.model.fixes import nearest
from interlock.model.quick_json import loads
from interlock.model.quick_typing import NamedTuple, Sequence

KEYS = os.path.join(os.path.dirname(__file__), 'reference.json')
# in a path: any name, and a list entry
ANY_NAME, ENTRY = '*', '[]'

Path = tuple[str, ...]


class Key(NamedTuple):
    path: Path
    description: str
    # a description of its value
    type: str
    example: tuple[str, ...]
    # whether it belongs to a kind with agreeing records, not to one with a registry
    recorded: bool = False

    @property
    def name(self) -> str:
        """The path as text, such as `items.*.handoff.next[].after`."""
        return '.'.join(self.path).replace(f'.{ENTRY}', ENTRY)


@functools.cache
def keys() -> tuple[Key, ...]:
    with open(KEYS, encoding='UTF-8') as file:
        found = [Key(**fields) for fields in loads(file.read())]
    # JSON has no tuples
    return tuple(
        key._replace(path=tuple(key.path), example=tuple(key.example)) for key in found
    )


def _fits(path: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a path ends with some words; `*` matches any word."""
    bare = [part for part in path if part != ENTRY]
    tail = bare[len(bare) - len(wanted) :]
    return len(bare) >= len(wanted) and all(
        part in (ANY_NAME, word) for part, word in zip(tail, wanted, strict=True)
    )


def explained(name: str) -> list[Key]:
    """The keys that a person may mean: `frozen`, `registry.file`, a whole path."""
    parts = name.replace(ENTRY, '').split('.')
    # the index of a list entry is not a key
    wanted = [part for part in parts if part and not part.isdigit()]
    found = [key for key in keys() if wanted and _fits(key.path, wanted)]
    whole = [key for key in found if len(key.path) == len(wanted)]
    # `*` matches every word, so literal matches count first
    named = [key for key in found if {*wanted} <= {*key.path}]
    if not found:
        # the end of a key's name is enough
        known = {
            '.'.join(part for part in key.path[at:] if part != ENTRY)
            for key in keys()
            for at in range(len(key.path))
        }
        near = nearest('.'.join(wanted) or name, known)
        meant = f'; did you mean `{near}`?' if near else ''
        raise Refusal(
            f'a workflow has no key `{name}`{meant}',
            'interlock config explain',
            meant=(name, near) if near else None,
        )
    return whole or named or found


def allowed_at(path: Sequence[str | int]) -> str:
    """The key that describes a place of a file, '' if there is none."""
    wanted = [part for part in path if isinstance(part, str)]
    paths = [[part for part in key.path if part != ENTRY] for key in keys()]
    while wanted:
        if any(len(path) == len(wanted) and _fits(path, wanted) for path in paths):
            return '.'.join(wanted)
        wanted.pop()
    return ''
