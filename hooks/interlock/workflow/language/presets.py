from __future__ import annotations

import os

# the public name would import `collections`, which we do not need
from _collections_abc import Callable

# reads a file by its path relative to the top of the judged tree
Reader = Callable[[str], bytes | None]

# not importlib.resources: every commit imports this file, and importing that would
# take longer than running the rest
FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), 'presets')
SUFFIX = '.yaml'

# the prefix of presets among the files of a workflow: no path in a repository
# starts with a slash
MARK = '/preset/'


def is_preset(key: str) -> bool:
    return key.startswith(MARK)


def shown_name(key: str) -> str:
    """The name of a workflow's file, as messages show it."""
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
