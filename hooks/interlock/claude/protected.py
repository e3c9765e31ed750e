"""The files that a command must not reach unread."""
from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.claude.concern import CALLERS
from interlock.claude.scene import Scene
from interlock.documents.client_settings import FOLDER
from interlock.documents.client_settings import LOCAL
from interlock.documents.client_settings import SHARED
from interlock.model.errors import Refusal
from interlock.workflow.protocol import ProtocolSpec

HOOKS = ('pre-commit', 'commit-msg', 'pre-push', 'prepare-commit-msg')
# what names the hooks of git, or who acts, in any piece of code
WORDS = (
    '.git/hooks', '.git/interlock', '.git/config', 'hooksPath', 'no-verify',
    'INTERLOCK_SESSION', 'CLAUDE_CODE_SESSION_ID', 'CLAUDECODE',
    'interlock-claude',
)

def _of_task(protocol: ProtocolSpec) -> list[str]:
    files = protocol.files
    flags = [name for names in protocol.flags.values() for name in names]
    return [
        *(os.path.basename(path) for path in (files.lock, files.trail)),
        *flags,
    ]


def names(scene: Scene) -> list[str]:
    """Of files whose name alone makes them suspicious in code."""
    found = [*WORDS, *CALLERS, SHARED, LOCAL, os.path.basename(scene.file)]
    if has_tasks(scene):
        found.extend(_of_task(scene.space.protocol))
    return found


def has_tasks(scene: Scene) -> bool:
    """Where the workflow makes no sense, nobody can say which they are."""
    try:
        return scene.has_tasks
    except Refusal:
        return False


def _of_contracts(scene: Scene) -> Iterator[str]:
    from interlock.workflow.template import expand

    top = scene.top or scene.base
    for kind in scene.workflow.kinds:
        folder = os.path.join(top, os.path.dirname(kind.path))
        if kind.contracts is None or not os.path.isdir(folder):
            continue
        for item in os.listdir(folder):
            for contract in kind.contracts.files:
                for path in contract.paths:
                    yield os.path.join(top, expand(path, item))


def wiring(scene: Scene) -> Iterator[str]:
    """What calls us, and the locks, flags and trails of tasks."""
    tops = {scene.top, scene.base} - {''}
    for top in tops:
        for name in (*CALLERS, os.path.basename(scene.file)):
            yield os.path.join(top, name)
        for name in (SHARED, LOCAL):
            yield os.path.join(top, FOLDER, name)
    for name in HOOKS:
        yield os.path.join(scene.state, 'hooks', name)
    yield os.path.join(scene.state, 'config')
    if has_tasks(scene):
        space = scene.space
        for task in (space.protocol.main.name, *space.names()):
            folder = os.path.dirname(space.lock(task))
            for name in _of_task(space.protocol):
                yield os.path.join(folder, name)


def files(scene: Scene) -> Iterator[str]:
    yield from wiring(scene)
    try:
        yield from _of_contracts(scene)
    except Refusal:
        # judge_write says that nothing can be judged
        return
