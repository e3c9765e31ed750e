from __future__ import annotations

from collections.abc import Callable
from importlib import resources

# the bytes of a file named relative to the top of what is judged
Reader = Callable[[str], bytes | None]


def presets() -> list[str]:
    folder = resources.files('interlock.workflow').joinpath('presets')
    return sorted(
        entry.name[:-len('.yaml')] for entry in folder.iterdir()
        if entry.name.endswith('.yaml')
    )


def preset(name: str) -> bytes | None:
    if '/' in name or name.startswith('.'):
        return None
    folder = resources.files('interlock.workflow').joinpath('presets')
    try:
        return folder.joinpath(f'{name}.yaml').read_bytes()
    except OSError:
        return None
