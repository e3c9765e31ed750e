"""Builds of a task: each is logged with its result."""

from __future__ import annotations

from interlock.documents import build_output, timestamps
from interlock.documents.tasks.trail import BUILDS
from interlock.documents.text import one_line
from interlock.guard import session_locks
from interlock.guard.context import Scene
from interlock.guard.event import POST_TOOL
from interlock.operations.tasks.trail import with_entry

MAX_COMMAND = 500


def _output(scene: Scene) -> str:
    response = scene.event.fields('tool_response')
    texts = [response.get('stdout'), response.get('stderr')]
    parts = [text for text in texts if isinstance(text, str)]
    parts.append(scene.event.text('error'))
    return '\n'.join(parts)[-build_output.MAX_OUTPUT :]


def _is_over(scene: Scene) -> bool:
    """One in the background, or cut short, says nothing yet."""
    response = scene.event.fields('tool_response')
    return not response.get('backgroundTaskId') and (
        response.get('interrupted') is not True
        and scene.event.fields('tool_input').get('run_in_background') is not True
    )


def log(scene: Scene, command: str) -> None:
    protocol = scene.space.protocol
    build = build_output.find(command, protocol.builds)
    found = session_locks.near(scene, scene.directory) if build else None
    if build is None or found is None or not _is_over(scene):
        return
    (task, held), now, output = found, timestamps.now(), _output(scene)
    entry = {
        'timestamp': now,
        'command': one_line(command)[:MAX_COMMAND],
        'result': build_output.result(
            build, output, scene.event.name != POST_TOOL, protocol.build_success
        ),
        **build_output.counts(output),
    }
    session_locks.log(
        scene.space,
        task,
        lambda file: with_entry(file, BUILDS, entry, task, held.lock.session, now),
    )
