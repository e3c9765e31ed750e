"""PostToolUse: what was used is kept, and what it broke is said."""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.git.git_paths import project_of
from interlock.guard.reply import SILENCE, Answer
from interlock.model.schemas import PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

# as the tracker knows them, small and without the prefix of some clients
PREFIX = 'mcp_'
READS = 'read'
TRACKED = ('skill', 'task', 'agent', 'todowrite', 'taskcreate', 'taskupdate')
WRITES = ('write', 'edit', 'notebookedit')
SHELLS = ('bash', 'powershell')
HANDBACK = 'subagenthandback'
PLAN = '.md'


def default_root() -> str:
    """Where plans lie, by the outline of handoff documents.

    Of that file no more is read than the one line: its parser takes longer
    than the whole answer.
    """
    data = read(os.path.join(PACKAGE, 'handoff_document', 'outline.yaml')) or b''
    return data.decode().partition('\n  root: ')[2].partition('\n')[0]


def _plans(scene: Scene, path: str) -> str:
    """The directory of the project's plans; '' if a file cannot be in it."""
    said = (scene.raw.get('documents') or {}).get('plans') or {}
    root = said.get('root')
    if not root and path.startswith(scene.base + os.sep):
        # by default they lie elsewhere
        return ''
    from interlock.state.plan_files import encoded

    project = encoded(project_of(scene.directory))
    root = (root or default_root()).replace('{project}', project)
    return os.path.expanduser(root)


def _read(scene: Scene) -> None:
    path = scene.event.given('file_path') or scene.event.given('filePath')
    if not path.endswith(PLAN):
        return
    from interlock.state.plan_files import kind_of

    plans = '' if kind_of(path, '') else _plans(scene, path)
    if kind_of(path, plans):
        track(scene, plans)


def track(scene: Scene, plans: str = '') -> None:
    """For the saved state; one that cannot be written is logged."""
    from interlock.guard.best_effort import quietly
    from interlock.state.state_hooks import on_tool_use

    event = scene.event
    quietly(scene, lambda: on_tool_use(event.data, event.environ, plans))


def _hand_back(scene: Scene) -> None:
    from interlock.guard import agent_reports
    from interlock.guard.best_effort import quietly

    text = scene.event.given('message')
    if text and scene.event.agent_id:
        quietly(scene, lambda: agent_reports.keep(scene, text))


def handle(scene: Scene) -> Answer:
    tool = scene.event.tool.lower().removeprefix(PREFIX)
    if tool == READS:
        _read(scene)
    elif tool in TRACKED:
        track(scene)
    elif tool in WRITES:
        from interlock.guard.observers import after_write

        answer = after_write.handle(scene)
        track(scene)
        return answer
    elif tool in SHELLS:
        from interlock.guard.observers import after_shell

        return after_shell.handle(scene)
    elif tool == HANDBACK:
        _hand_back(scene)
    return SILENCE
