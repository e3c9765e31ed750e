"""Configurations of pre-commit and prek that would keep hooks from us."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from interlock.doctor.hook_places import Place, framework_config
from interlock.documents.wiring.files import PRE_COMMIT, PREK
from interlock.documents.wiring.hook_files import hooks_of, of_pre_commit
from interlock.git import installed_hooks
from interlock.model.probe import DEAD, LIVE, Probe

TYPES = 'default_install_hook_types'
# what pre-commit installs where nothing else is said
DEFAULT = ('pre-commit',)
MESSAGES = ('.git/COMMIT_EDITMSG', '.git/MERGE_MSG')


def _types(config: Any, name: str) -> Probe:
    """Hook types that our hooks need, and that are not installed."""
    have = config.get(TYPES) or DEFAULT
    missing = [type_ for type_ in of_pre_commit(config) if type_ not in have]
    if missing:
        return Probe(
            'hook types',
            DEAD,
            f'{name}: `{TYPES}` lacks {", ".join(missing)}, so a new clone '
            f'does not install them',
            f'add {", ".join(missing)} to `{TYPES}`, then pre-commit install',
        )
    return Probe('hook types', LIVE, f'{name} installs all that ours need')


def _hides(config: Any, key: str, path: str) -> bool:
    """As pre-commit does it: `files` must match, `exclude` must not."""
    try:
        found = re.search(str(config[key]), path) is not None
    except re.error:
        return True
    return found == (key == 'exclude')


def _filters(config: Any, name: str) -> Probe:
    """A filter of all hooks may hide the message file from ours."""
    for key in ('files', 'exclude'):
        if config.get(key) and any(_hides(config, key, path) for path in MESSAGES):
            return Probe(
                'message file',
                DEAD,
                f'{name}: `{key}` of all hooks hides the message file, so no '
                f'rule about messages is asked',
                f'let COMMIT_EDITMSG and MERGE_MSG through in `{key}`',
            )
    return Probe('message file', LIVE, f'{name} lets the message file through')


def frameworks(place: Place) -> Iterator[Probe]:
    for framework in (PRE_COMMIT, PREK):
        name = installed_hooks.config_of(place.top, framework)[0]
        if not name or name.endswith('.toml'):
            continue
        config = framework_config(place, framework)
        if not isinstance(config, dict):
            yield Probe(
                'framework',
                DEAD,
                f'{name} cannot be read',
                'pre-commit validate-config',
            )
        elif any(ours for _, ours in hooks_of(config)):
            yield _types(config, name)
            yield _filters(config, name)
        # both read the same file
        return
