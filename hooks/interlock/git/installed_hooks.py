"""The hooks that git finds, and whether they lead to us; without git.

The hook of a client asks this when a session starts, so next to nothing is
imported and no process is started.
"""

from __future__ import annotations

import os

from interlock.documents.wiring import files as wiring_files
from interlock.documents.wiring.files import HUSKY, LEFTHOOK, PRE_COMMIT, PREK
from interlock.documents.wiring.hook_files import called, manager, named
from interlock.git.hook_folder import scripts_folder
from interlock.model.quick_typing import NamedTuple

CONFIGS = wiring_files.FRAMEWORKS
# the command that makes a framework write its hooks
INSTALLS = {
    PRE_COMMIT: 'pre-commit install',
    PREK: 'prek install',
    LEFTHOOK: 'lefthook install',
    HUSKY: 'npx husky',
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
        name,
        path,
        data,
        os.access(path, os.X_OK),
        '' if data is None else manager(data, directory),
    )


def config_of(top: str, framework: str) -> tuple[str, bytes]:
    """The file that a framework reads, '' if there is none."""
    for name in CONFIGS.get(framework, ()):
        data = read(os.path.join(top, name))
        if data is not None:
            return name, data
    return '', b''


def script_path(hook: Hook) -> str:
    folder = scripts_folder(os.path.dirname(hook.path))
    return os.path.join(folder, hook.name)


def script_of(hook: Hook) -> bytes:
    return read(script_path(hook)) or b''


def checks_of(top: str, hook: Hook) -> frozenset[str]:
    """The checks that a hook runs, as far as can be read."""
    if hook.data is None:
        return frozenset()
    elif hook.manager in CONFIGS:
        return _of_framework(top, hook)
    found = called(hook.data, hook.manager == HUSKY)
    if hook.manager == HUSKY:
        found |= called(script_of(hook), errexit=True)
    return found


def _of_framework(top: str, hook: Hook) -> frozenset[str]:
    # what reads them is slow to import
    from interlock.documents.wiring.calls import in_files

    names = [
        name
        for name in CONFIGS[hook.manager]
        if os.path.isfile(os.path.join(top, name))
    ]
    if hook.manager != LEFTHOOK:
        names = names[:1]
    files = {name: read(os.path.join(top, name)) for name in names}
    if not any(b'interlock' in (data or b'') for data in files.values()):
        return frozenset()
    return in_files(files).get(hook.name, frozenset())


def named_by(top: str, hook: Hook) -> frozenset[str]:
    """The checks that a hook calls, or names although nobody hears them."""
    found = checks_of(top, hook)
    if hook.manager in CONFIGS or found or hook.data is None:
        return found
    found = named(hook.data)
    return found | named(script_of(hook)) if hook.manager == HUSKY else found


def leads_to_us(top: str, hook: Hook) -> bool:
    """By what is written; the canary tells whether it is so."""
    return bool(checks_of(top, hook))
