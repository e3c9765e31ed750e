"""Where skills lie: the project's, the user's, those of plugins."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping

from interlock.files.atomic_files import read
from interlock.state.skill_rules import instructions

FILE = 'SKILL.md'
NAME_RE = re.compile(r'[\w][\w. -]*')
MAX_SIZE = 1024 * 1024
# below the directory of plugins: a plugin, or a market, a plugin, a version
DEPTHS = ('*', '*/*', '*/*/*', '*/*/*/*')


def _places(project: str, environ: Mapping[str, str], plugin: str) -> Iterator[str]:
    """Directories of skills, the nearest first."""
    home = environ.get('CLAUDE_CONFIG_DIR') or os.path.join(
        os.path.expanduser('~'), '.claude'
    )
    if not plugin:
        yield os.path.join(project, '.claude', 'skills')
        yield os.path.join(home, 'skills')
    if environ.get('CLAUDE_PLUGIN_ROOT'):
        yield os.path.join(environ['CLAUDE_PLUGIN_ROOT'], 'skills')
    plugins = glob.escape(os.path.join(home, 'plugins'))
    for depth in DEPTHS:
        for place in sorted(glob.glob(f'{plugins}/{depth}/skills')):
            if not plugin or plugin in place.split(os.sep):
                yield place


def skill_instructions(
    name: str, project: str, environ: Mapping[str, str]
) -> dict[str, list[str]] | None:
    """What a skill forbids and requires, None where there is no such skill.

    A plugin's skill is named `plugin:skill`.
    """
    plugin, _, skill = name.rpartition(':')
    # it becomes part of a path
    if not NAME_RE.fullmatch(skill) or (plugin and not NAME_RE.fullmatch(plugin)):
        return None
    for place in _places(project, environ, plugin):
        data = read(os.path.join(place, skill, FILE))
        if data is not None:
            return instructions(data[:MAX_SIZE].decode(errors='replace'))
    return None
