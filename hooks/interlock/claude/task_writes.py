"""What tools write for a task: logged, and its lock looked at again."""
from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.checks import task_files
from interlock.claude import broken as records
from interlock.claude import tasks
from interlock.claude.scene import Scene
from interlock.claude.tasks_guard import is_implementation
from interlock.documents import lock as documents
from interlock.documents.lock import Lock
from interlock.documents.trail import TOOLS
from interlock.model.change import Blob
from interlock.model.finding import Finding
from interlock.operations.trail import with_entry
from interlock.world import holding
from interlock.world.files import read

# who writes what: agents implement, the main agent coordinates
IMPLEMENTATION = 'implementation'
COORDINATION = 'coordination (no implementation)'


def log(scene: Scene, path: str) -> None:
    """In the trail of the task that the file, or the session, is in."""
    found = tasks.near(scene, path, scene.directory)
    if found is None:
        return
    (task, held), now = found, holding.now()
    code = is_implementation(scene, path)
    entry = {
        'tool': scene.event.tool, 'agent_name': scene.event.agent_type,
        'file_path': path, 'timestamp': now, 'working_dir': scene.directory,
        'note': IMPLEMENTATION if code else COORDINATION,
    }
    tasks.log(scene.space, task, lambda file: with_entry(
        file, TOOLS, entry, task, held.lock.session, now,
    ))


def _findings(scene: Scene, task: str, path: str, lock: Lock) -> (
        Iterator[Finding]
):
    kind = scene.space.kind
    yield from task_files.of_lock(task, path, lock, kind)
    yield from task_files.of_log(task, path, lock, kind)


def _lock(scene: Scene, data: bytes) -> Lock:
    keys = scene.space.protocol.lock_keys
    return documents.parse(Blob('', len(data), data), keys)


def broken(scene: Scene, path: str) -> str:
    """What is wrong with a lock since it was written."""
    task = scene.space.task_of(path)
    if not task or path != os.path.realpath(scene.space.lock(task)):
        return ''
    data = read(path)
    if data is None:
        return ''
    told = scene.event.fields('tool_response').get('originalFile')
    old = set()
    if isinstance(told, str):
        before = _lock(scene, told.encode(errors='surrogatepass'))
        old = {
            each.fingerprint for each in _findings(scene, task, path, before)
        }
    return records.said(scene, (
        each for each in _findings(scene, task, path, _lock(scene, data))
        if each.fingerprint not in old
    ))
