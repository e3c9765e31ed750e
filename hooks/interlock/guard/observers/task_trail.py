"""After a tool ran in a task: updates its trail, and checks its lock."""

from __future__ import annotations

import os

from interlock.documents import build_output, timestamps
from interlock.documents.tasks.trail import BUILDS, TOOLS
from interlock.documents.text import one_line
from interlock.guard.context import Context
from interlock.guard.event import POST_TOOL
from interlock.guard.guards.lock import findings, parsed
from interlock.guard.guards.task_files import is_implementation
from interlock.guard.observers.recheck import problems_text, told_original
from interlock.guard.session_tasks import add_to_trail, task_above
from interlock.tasks.lock_store import locks_of

MAX_COMMAND = 500
# who wrote: agents implement, the main agent coordinates
IMPLEMENTATION = 'implementation'
COORDINATION = 'coordination (no implementation)'


def broken_lock(context: Context, path: str) -> str:
    """What a write broke in a lock."""
    task = context.space.task_of(path)
    locks = locks_of(context.space)
    if not task or path != os.path.realpath(locks.place(task)):
        return ''
    held, told = locks.get(task), told_original(context)
    if held is None or held.data is None:
        return ''
    old = set()
    if told is not None:
        before = findings(context, task, path, parsed(context, told))
        old = {each.fingerprint for each in before}
    found = findings(context, task, path, parsed(context, held.data))
    return problems_text(
        context, (each for each in found if each.fingerprint not in old)
    )


def log_write(context: Context, path: str) -> None:
    """Record a write in the trail of the file's or the session's task."""
    found = task_above(context, path, context.directory)
    if found is None:
        return
    task, held = found
    code = is_implementation(context, path, task, held)
    entry = {
        'tool': context.event.tool,
        'agent_name': context.event.agent_type,
        'file_path': path,
        'timestamp': timestamps.now(),
        'working_dir': context.directory,
        'note': IMPLEMENTATION if code else COORDINATION,
    }
    add_to_trail(context.space, task, held, TOOLS, entry)


def log_build(context: Context, command: str) -> None:
    """Record a build in the worktree of a task, with its result."""
    event, protocol = context.event, context.space.protocol
    build = build_output.find(command, protocol.builds)
    found = task_above(context, context.directory) if build else None
    response = event.response
    # a build in the background, or one that was cut short, has no result yet
    unfinished = (
        response.get('backgroundTaskId')
        or response.get('interrupted') is True
        or event.fields('tool_input').get('run_in_background') is True
    )
    if build is None or found is None or unfinished:
        return
    texts = (response.get('stdout'), response.get('stderr'), event.text('error'))
    parts = [text for text in texts if isinstance(text, str)]
    output = '\n'.join(parts)[-build_output.MAX_OUTPUT :]
    # a client may send the exit code, or say that it is unknown
    code = str(response.get('exit', '0'))
    failed = event.kind != POST_TOOL or (code.isdigit() and code != '0')
    if not code.isdigit():
        build = build._replace(decides=False)
    entry = {
        'timestamp': timestamps.now(),
        'command': one_line(command)[:MAX_COMMAND],
        'result': build_output.result(build, output, failed, protocol.build_success),
        **build_output.counts(output),
    }
    add_to_trail(context.space, *found, BUILDS, entry)
