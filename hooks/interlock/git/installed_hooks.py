"""The installed git hooks, and whether they call us; without running git.

A client's hook asks this at the start of a session, so this module imports
almost nothing and starts no process.
"""

from __future__ import annotations

import os

from interlock.documents.wiring.hook_files import called_checks, manager, named_checks
from interlock.git.hook_folder import scripts_folder
from interlock.model import calling_files
from interlock.model.calling_files import HUSKY, LEFTHOOK, PRE_COMMIT, PREK
from interlock.model.quick_typing import NamedTuple

CONFIGS = calling_files.FRAMEWORKS
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
    # its bytes, None if the hook does not exist
    data: bytes | None
    executable: bool
    # the tool that wrote it, '' if the hook does not exist
    manager: str

    @property
    def runs(self) -> bool:
        """Whether git runs the hook."""
        return self.data is not None and self.executable


def read(path: str) -> bytes | None:
    """The content of a file, None if it is missing or not readable."""
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
    """The configuration file of a framework and its content, '' if none."""
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
    """The checks that a hook runs, as far as its text shows."""
    if hook.data is None:
        return frozenset()
    elif hook.manager in CONFIGS:
        return _of_framework(top, hook)
    found = called_checks(hook.data, hook.manager == HUSKY)
    if hook.manager == HUSKY:
        found |= called_checks(script_of(hook), errexit=True)
    return found


def _of_framework(top: str, hook: Hook) -> frozenset[str]:
    # the module that reads them is slow to import
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
    """The checks that a hook calls, or names in a call whose result is lost."""
    found = checks_of(top, hook)
    if hook.manager in CONFIGS or found or hook.data is None:
        return found
    found = named_checks(hook.data)
    return found | named_checks(script_of(hook)) if hook.manager == HUSKY else found


def leads_to_us(top: str, hook: Hook) -> bool:
    """Judged by the text of the hook; only the canary proves that it works."""
    return bool(checks_of(top, hook))
