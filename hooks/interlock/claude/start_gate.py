"""Is the gate live? Said only where it is not."""
from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.claude import log
from interlock.claude.event import PRE_TOOL
from interlock.documents.hook_files import HOOK_TYPES
from interlock.world import installed
from interlock.world.hooks_path import hooks_directory
from interlock.world.place import common_dir
from interlock.world.place import top_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene

# of the client, below the project and the user's own directory
SETTINGS = ('settings.json', 'settings.local.json')
FOLDER = '.claude'
MANAGED = '/etc/claude-code/managed-settings.json'


def _dead(top: str, directory: str) -> list[str]:
    """The hooks of git that do not lead to us."""
    found = []
    for name in HOOK_TYPES:
        hook = installed.hook(directory, name)
        if not hook.runs or not installed.leads_to_us(top, hook):
            found.append(name)
    return found


def _git(scene: Scene) -> Iterator[str]:
    top = top_of(scene.directory) or scene.top
    common = common_dir(top) if top else ''
    if not common:
        return
    dead = _dead(top, hooks_directory(top, common, scene.event.environ))
    if len(dead) == len(HOOK_TYPES):
        yield (
            'The gate is not live: no git hook here calls Interlock '
            '(interlock init --git-hooks wires them).'
        )
    elif dead:
        yield (
            f'The gate is not live at {", ".join(dead)} (interlock doctor '
            f'says why).'
        )


def _settings(scene: Scene) -> Iterator[str]:
    environ = scene.event.environ
    home = environ.get('CLAUDE_CONFIG_DIR') or os.path.join(
        environ.get('HOME', ''), FOLDER,
    )
    project = environ.get('CLAUDE_PROJECT_DIR') or scene.directory
    for folder in (os.path.join(project, FOLDER), home):
        for name in SETTINGS:
            yield os.path.join(folder, name)
    yield MANAGED


def _is_wired(scene: Scene) -> bool:
    if scene.event.environ.get('CLAUDE_PLUGIN_ROOT'):
        # the plugin wires all of them or none
        return True
    elif os.path.exists(os.path.join(log.folder(scene.state), PRE_TOOL)):
        # it was called before, by settings that may lie anywhere
        return True
    return any(
        PRE_TOOL.encode() in data and b'interlock' in data
        for path in _settings(scene)
        if (data := installed.read(path))
    )


def lines(scene: Scene) -> Iterator[str]:
    yield from _git(scene)
    if not _is_wired(scene):
        yield (
            'No settings of the client wire its PreToolUse hook: tool calls '
            'are not judged (interlock init --claude).'
        )
