"""The files that a command must not reach unread."""
from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.claude.concern import CALLERS
from interlock.claude.scene import Scene
from interlock.documents.client_settings import FOLDER
from interlock.documents.client_settings import LOCAL
from interlock.documents.client_settings import SHARED
from interlock.workflow.protocol import ProtocolSpec

HOOKS = ('pre-commit', 'commit-msg', 'pre-push', 'prepare-commit-msg')
# what names the hooks of git, or who acts, in any piece of code
WORDS = (
    '.git/hooks', 'hooksPath', 'no-verify', 'INTERLOCK_SESSION',
    'CLAUDE_CODE_SESSION_ID',
)
# what a piece of code says that does more than to read
WRITING = (
    'write', "'w", '"w', "'a'", '"a"', "'a+", '"a+', 'unlink', 'remove',
    'rename', 'replace', 'dump', 'rmtree', 'system', 'subprocess', 'popen',
    'touch', 'copy', 'move', 'truncate', 'open(my', 'File.open', 'spawn',
    'exec',
)


def writes(code: str) -> bool:
    return any(word in code for word in WRITING)


def _of_task(protocol: ProtocolSpec) -> list[str]:
    files = protocol.files
    flags = [name for names in protocol.flags.values() for name in names]
    return [
        *(os.path.basename(path) for path in (files.lock, files.trail)),
        *flags,
    ]


def names(scene: Scene) -> list[str]:
    """Of files whose name alone makes them suspicious in code."""
    found = [*WORDS, *CALLERS, SHARED, LOCAL]
    if scene.has_tasks:
        found.extend(_of_task(scene.space.protocol))
    return found


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


def files(scene: Scene) -> Iterator[str]:
    tops = {scene.top, scene.base} - {''}
    for top in tops:
        for name in (*CALLERS, os.path.basename(scene.file)):
            yield os.path.join(top, name)
        for name in (SHARED, LOCAL):
            yield os.path.join(top, FOLDER, name)
    for name in HOOKS:
        yield os.path.join(scene.state, 'hooks', name)
    if scene.has_tasks:
        space = scene.space
        for task in (space.protocol.main.name, *space.names()):
            folder = os.path.dirname(space.lock(task))
            for name in _of_task(space.protocol):
                yield os.path.join(folder, name)
    yield from _of_contracts(scene)
