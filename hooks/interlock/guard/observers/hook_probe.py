"""Is the gate of git live? From files alone, for the start of a session."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.documents.wiring.hook_files import HOOK_TYPES
from interlock.git import installed_hooks
from interlock.git.git_paths import common_dir
from interlock.git.hook_folder import hooks_folder
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe

NAME = 'git gate'
DOCTOR = 'interlock doctor'


def gate(top: str, environ: Mapping[str, str]) -> Probe:
    """One line: whether what git finds leads to us."""
    directory = hooks_folder(top, environ) if common_dir(top) else ''
    if not directory:
        return Probe(
            NAME,
            NOT_WIRED,
            'the git gate is not wired: no repository is here',
            'git init',
        )
    found = [installed_hooks.hook(directory, name) for name in HOOK_TYPES]
    ours = [
        hook
        for hook in found
        if hook.data is not None and installed_hooks.leads_to_us(top, hook)
    ]
    stopped = [hook.name for hook in ours if not hook.executable]
    if stopped:
        return Probe(
            NAME,
            DEAD,
            f'the git gate is dead: {", ".join(stopped)} is not executable',
            DOCTOR,
        )
    missing = [name for name in HOOK_TYPES if name not in [hook.name for hook in ours]]
    if not ours:
        return Probe(
            NAME,
            NOT_WIRED,
            f'the git gate is not wired: no hook in {directory} calls interlock',
            DOCTOR,
        )
    elif missing:
        return Probe(
            NAME,
            DEAD,
            f'the git gate is dead in part: no '
            f'{", ".join(missing)} in {directory} calls interlock',
            DOCTOR,
        )
    return Probe(NAME, LIVE, 'the git gate is live')
