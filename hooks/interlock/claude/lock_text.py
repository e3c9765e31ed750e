"""A lock as it is written, and what is wrong with it."""
from __future__ import annotations

from collections.abc import Iterator

from interlock.checks import task_files
from interlock.claude.scene import Scene
from interlock.documents import lock as documents
from interlock.documents.lock import Lock
from interlock.model.change import Blob
from interlock.model.finding import Finding
from interlock.world import holding


def parsed(scene: Scene, data: bytes) -> Lock:
    keys = scene.space.protocol.lock_keys
    return documents.parse(Blob('', len(data), data), keys)


def findings(scene: Scene, name: str, path: str, lock: Lock) -> (
        Iterator[Finding]
):
    kind = scene.space.kind
    yield from task_files.of_lock(name, path, lock, kind)
    yield from task_files.of_log(name, path, lock, kind)
    yield from task_files.of_generation(
        name, path, lock, scene.space.protocol,
        holding.is_given(scene.space, name, lock),
    )
