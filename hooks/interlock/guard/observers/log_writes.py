"""What tools write for a task: logged, and its lock looked at again."""

from __future__ import annotations

import os

from interlock.documents import timestamps
from interlock.documents.tasks.trail import TOOLS
from interlock.guard import recheck as records
from interlock.guard import session_locks
from interlock.guard.context import Scene
from interlock.guard.guards.task_files import is_implementation
from interlock.guard.lock_text import findings, parsed
from interlock.operations.tasks.trail import with_entry
from interlock.tasks.lock_store import locks_of

# who writes what: agents implement, the main agent coordinates
IMPLEMENTATION = 'implementation'
COORDINATION = 'coordination (no implementation)'


def log(scene: Scene, path: str) -> None:
    """In the trail of the task that the file, or the session, is in."""
    found = session_locks.near(scene, path, scene.directory)
    if found is None:
        return
    (task, held), now = found, timestamps.now()
    code = is_implementation(scene, path, task, held)
    entry = {
        'tool': scene.event.tool,
        'agent_name': scene.event.agent_type,
        'file_path': path,
        'timestamp': now,
        'working_dir': scene.directory,
        'note': IMPLEMENTATION if code else COORDINATION,
    }
    session_locks.log(
        scene.space,
        task,
        lambda file: with_entry(file, TOOLS, entry, task, held.lock.session, now),
    )


def broken(scene: Scene, path: str) -> str:
    """What is wrong with a lock since it was written."""
    task = scene.space.task_of(path)
    locks = locks_of(scene.space)
    if not task or path != os.path.realpath(locks.place(task)):
        return ''
    held = locks.get(task)
    if held is None or held.data is None:
        return ''
    told = scene.event.fields('tool_response').get('originalFile')
    old = set()
    if isinstance(told, str):
        before = parsed(scene, told.encode(errors='surrogatepass'))
        old = {each.fingerprint for each in findings(scene, task, path, before)}
    return records.said(
        scene,
        (
            each
            for each in findings(scene, task, path, parsed(scene, held.data))
            if each.fingerprint not in old
        ),
    )
