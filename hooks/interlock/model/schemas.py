"""Our schemas, as text.

Not through importlib.resources: hooks of clients have no time for it, and no
`site` that tells where an editable installation keeps its data.
"""

from __future__ import annotations

import os

# a link to the package may lead there
PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# part of the package, unless that is run where its source lies
FOLDERS = (
    os.path.join(PACKAGE, 'schemas'),
    os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), 'schemas'),
)


def schema_text(name: str) -> str:
    folder = next(filter(os.path.isdir, FOLDERS), FOLDERS[0])
    with open(os.path.join(folder, name), encoding='UTF-8') as f:
        return f.read()
