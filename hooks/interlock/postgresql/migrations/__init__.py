"""The versions of the schema: the n-th file upgrades version n-1 to version n.

A published file is never edited. `OLDEST` is the oldest version whose clients
understand the newest schema.
"""

from __future__ import annotations

import os

from interlock.model.quick_typing import Sequence

FILES = ('1-locks.sql', '2-states.sql', '3-moves.sql', '4-marks.sql')
VERSION = len(FILES)
OLDEST = 1
FIRST = """
CREATE SCHEMA IF NOT EXISTS interlock;
CREATE TABLE interlock.schema (version integer NOT NULL, oldest integer NOT NULL);
INSERT INTO interlock.schema VALUES (0, 0);
GRANT SELECT ON interlock.schema TO PUBLIC;
"""


def _read(name: str) -> str:
    path = os.path.join(os.path.dirname(__file__), name)
    with open(path, encoding='UTF-8') as f:
        return f.read()


def after(version: int, last: int = VERSION) -> Sequence[str]:
    """The scripts that upgrade from one version to another."""
    first = [FIRST] if version == 0 else []
    return [*first, *(_read(name) for name in FILES[version:last])]
