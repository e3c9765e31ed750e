"""The hooks that git finds, and whether they lead to us; without git.

A hook of Claude Code asks this when a session starts, so next to nothing is
imported and no process is started.
"""
from __future__ import annotations

import os
from typing import NamedTuple

from interlock.documents.hook_files import called
from interlock.documents.hook_files import GENERATED
from interlock.documents.hook_files import HUSKY
from interlock.documents.hook_files import LEFTHOOK
from interlock.documents.hook_files import manager
from interlock.documents.hook_files import PRE_COMMIT
from interlock.documents.hook_files import PREK

# what says for a framework which hooks there are
CONFIGS = {
    PRE_COMMIT: ('.pre-commit-config.yaml',),
    # where prek finds the first it does not read the other
    PREK: ('prek.toml', '.pre-commit-config.yaml', '.pre-commit-config.yml'),
    # the first of its names, and the first of those of one person
    LEFTHOOK: tuple(
        f'{name}.{form}'
        for name in (
            'lefthook', '.lefthook', '.config/lefthook', 'lefthook-local',
            '.lefthook-local', '.config/lefthook-local',
        ) for form in ('yml', 'yaml', 'json', 'toml')
    ),
}
# the command that makes a framework write its hooks
INSTALLS = {
    PRE_COMMIT: 'pre-commit install', PREK: 'prek install',
    LEFTHOOK: 'lefthook install', HUSKY: 'npx husky',
}


class Hook(NamedTuple):
    name: str
    path: str
    # its bytes, None where there is none
    data: bytes | None
    executable: bool
    # who wrote it, '' where there is none
    manager: str

    @property
    def runs(self) -> bool:
        """Whether git runs it at all."""
        return self.data is not None and self.executable


def read(path: str) -> bytes | None:
    """None where a file is missing, or is not ours to read."""
    try:
        with open(path, 'rb') as f:
            return f.read()
    except OSError:
        return None


def hook(directory: str, name: str) -> Hook:
    path = os.path.join(directory, name)
    data = read(path)
    return Hook(
        name, path, data, os.access(path, os.X_OK),
        '' if data is None else manager(data, directory),
    )


def config_of(top: str, framework: str) -> tuple[str, bytes]:
    """The file that a framework reads, '' if there is none."""
    for name in CONFIGS.get(framework, ()):
        data = read(os.path.join(top, name))
        if data is not None:
            return name, data
    return '', b''


def scripts_folder(directory: str) -> str:
    """Where people write the hooks that git looks for in a folder.

    What husky writes into a folder of its own hands over to the one above.
    """
    above, name = os.path.split(os.path.normpath(directory))
    generated = name == GENERATED and (
        os.path.basename(above) == '.husky' or
        os.path.isfile(os.path.join(directory, 'h'))
    )
    return above if generated else directory


def script_path(hook: Hook) -> str:
    folder = scripts_folder(os.path.dirname(hook.path))
    return os.path.join(folder, hook.name)


def script_of(hook: Hook) -> bytes:
    return read(script_path(hook)) or b''


def leads_to_us(top: str, hook: Hook) -> bool:
    """By what is written; the canary tells whether it is so."""
    if hook.manager in CONFIGS:
        _, data = config_of(top, hook.manager)
        return b'interlock' in data
    found = called(hook.data or b'')
    if hook.manager == HUSKY and not found:
        found = called(script_of(hook))
    return bool(found)
