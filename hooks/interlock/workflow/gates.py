"""What must be there when an item enters a state."""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from interlock.workflow.records import Records
from interlock.workflow.template import expand


class Missing(NamedTuple):
    contract: str
    path: str
    made_by: str


def missing(at: Records, state: str) -> Iterator[Missing]:
    kind = at.kind
    files = {c.name: c for c in kind.contracts.files} if kind.contracts else {}
    for name in kind.gates.get(state, ()):
        paths = [expand(path, at.item) for path in files[name].paths]
        if not any(at.snapshot.blob(path) for path in paths):
            yield Missing(name, paths[0], files[name].made_by)
