"""The text of our schemas.

Not importlib.resources: hooks of clients have no time for it, and no `site`
that knows where an editable installation keeps its data.
"""

from __future__ import annotations

import os

# the package may be a symbolic link
PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# in the package, or beside it when run from the source tree
FOLDERS = (
    os.path.join(PACKAGE, 'schemas'),
    os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), 'schemas'),
)


def schema_text(name: str) -> str:
    folder = next(filter(os.path.isdir, FOLDERS), FOLDERS[0])
    with open(os.path.join(folder, name), encoding='UTF-8') as f:
        return f.read()
