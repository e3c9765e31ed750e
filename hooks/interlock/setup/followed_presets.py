"""Which presets a repository follows, by the files that they name."""

from __future__ import annotations

import glob
import os

from interlock.documents import yaml
from interlock.documents.text import decode
from interlock.model.change import Blob
from interlock.workflow.language.presets import preset, presets

KEY = 'detect'


def markers(name: str) -> list[str]:
    """The files of which one says that a repository follows a preset."""
    data = preset(name) or b''
    value = yaml.value(yaml.parse(decode(Blob('', len(data), data))))
    return list(value.get(KEY, ()))


def _exists(top: str, pattern: str) -> bool:
    if '*' not in pattern:
        return os.path.exists(os.path.join(top, pattern))
    found = glob.iglob(os.path.join(glob.escape(top), pattern), recursive=True)
    return next(found, None) is not None


def followed(top: str) -> dict[str, str]:
    """Preset -> the file that was found."""
    return {
        name: found
        for name in presets()
        for found in [next((each for each in markers(name) if _exists(top, each)), '')]
        if found
    }
