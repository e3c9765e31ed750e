from __future__ import annotations

import os

# `collections`, which is behind the public name, is not needed for it
from _collections_abc import Callable

# the bytes of a file named relative to the top of what is judged
Reader = Callable[[str], bytes | None]

# not through importlib.resources: on the path of every commit it would
# take longer to import than the rest of this file to run
FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), 'presets')
SUFFIX = '.yaml'

# how a preset is named among the files of a workflow: no path of a
# repository starts with a slash
MARK = '/preset/'


def is_preset(key: str) -> bool:
    return key.startswith(MARK)


def spoken(key: str) -> str:
    """The name of a file of a workflow, as messages give it."""
    return f'preset {key[len(MARK) :]}' if is_preset(key) else key


def presets(folder: str = FOLDER) -> list[str]:
    return sorted(
        name[: -len(SUFFIX)] for name in os.listdir(folder) if name.endswith(SUFFIX)
    )


def file_of(name: str, folder: str = FOLDER) -> str:
    return os.path.join(folder, name + SUFFIX)


def preset(name: str, folder: str = FOLDER) -> bytes | None:
    if '/' in name or os.sep in name or name.startswith('.'):
        return None
    try:
        with open(file_of(name, folder), 'rb') as f:
            return f.read()
    except OSError:
        return None
