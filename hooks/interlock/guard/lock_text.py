"""A lock as it is written, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.checks import task_files
from interlock.documents.tasks import lock as documents
from interlock.documents.tasks.lock import Lock
from interlock.guard.context import Scene
from interlock.model.change import Blob
from interlock.model.finding import Finding
from interlock.tasks import lock_holders


def parsed(scene: Scene, data: bytes) -> Lock:
    keys = scene.space.protocol.lock_keys
    return documents.parse(Blob('', len(data), data), keys)


def findings(scene: Scene, name: str, path: str, lock: Lock) -> Iterator[Finding]:
    kind = scene.space.kind
    yield from task_files.of_lock(name, path, lock, kind)
    yield from task_files.of_log(name, path, lock, kind)
    yield from task_files.of_generation(
        name,
        path,
        lock,
        scene.space.protocol,
        lock_holders.is_given(scene.space, name, lock),
    )
