"""What tools write for a task: logged, and its lock looked at again."""
from __future__ import annotations

import os

from interlock.claude import broken as records
from interlock.claude import tasks
from interlock.claude.lock_text import findings
from interlock.claude.lock_text import parsed
from interlock.claude.scene import Scene
from interlock.claude.tasks_guard import is_implementation
from interlock.documents.trail import TOOLS
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
    code = is_implementation(scene, path, task, held)
    entry = {
        'tool': scene.event.tool, 'agent_name': scene.event.agent_type,
        'file_path': path, 'timestamp': now, 'working_dir': scene.directory,
        'note': IMPLEMENTATION if code else COORDINATION,
    }
    tasks.log(scene.space, task, lambda file: with_entry(
        file, TOOLS, entry, task, held.lock.session, now,
    ))


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
        before = parsed(scene, told.encode(errors='surrogatepass'))
        old = {
            each.fingerprint for each in findings(scene, task, path, before)
        }
    return records.said(scene, (
        each for each in findings(scene, task, path, parsed(scene, data))
        if each.fingerprint not in old
    ))
