"""PostToolUse: tracks what the session used, and reports what the tool broke."""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.files.module_cache import PACKAGE
from interlock.git.git_paths import project_of
from interlock.guard.decision import CONTEXT, Decision
from interlock.guard.event import FAILED_TOOL
from interlock.guard.hook_log import quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Context
    from interlock.guard.event import Event
    from interlock.model.quick_typing import Iterator

# names of tools in lower case, without the prefix that some clients add
PREFIX = 'mcp_'
TRACKED = ('skill', 'task', 'agent', 'todowrite', 'taskcreate', 'taskupdate')
WRITES = ('write', 'edit', 'notebookedit', 'applypatch')
SHELLS = ('bash', 'powershell')
HANDBACK = 'subagenthandback'
PATHS = ('file_path', 'notebook_path', 'filePath')
PLAN = '.md'
# git commands that write files or move HEAD
MOVES = frozenset(
    """am apply checkout cherry-pick clean commit merge mv pull rebase reset restore
    revert rm stash switch""".split()
)


def default_root() -> str:
    """The folder of plans, according to the outline of handoff documents.

    Only one line of the file is read, because parsing it would take longer
    than the whole answer.
    """
    data = read(os.path.join(PACKAGE, 'handoff_document', 'outline.yaml')) or b''
    return data.decode().partition('\n  root: ')[2].partition('\n')[0]


def _plans(context: Context, path: str) -> str:
    """The directory of the project's plans; '' if the file cannot be in it."""
    root = context.watch['plans']
    if not root and path.startswith(context.base + os.sep):
        # the default folder lies outside the project
        return ''
    from interlock.state.plan_files import encoded

    project = encoded(project_of(context.directory))
    root = (root or default_root()).replace('{project}', project)
    return os.path.expanduser(root)


def _after_read(context: Context) -> None:
    path = context.event.given('file_path') or context.event.given('filePath')
    if path.endswith(PLAN):
        from interlock.state.plan_files import kind_of

        plans = '' if kind_of(path, '') else _plans(context, path)
        if kind_of(path, plans):
            _track(context, plans)


def _track(context: Context, plans: str = '') -> None:
    """Update the saved state of the session."""
    from interlock.state.state_hooks import on_tool_use

    event = context.event
    quietly(context, lambda: on_tool_use(event.data, event.environ, plans))


def _after_handback(context: Context) -> None:
    from interlock.guard.session_files import keep_report

    text = context.event.given('message')
    if text and context.event.agent_id:
        quietly(context, lambda: keep_report(context, text))


def _written(event: Event) -> list[str]:
    """The files that a call wrote, by the names it used."""
    return event.written_paths or list(filter(None, map(event.given, PATHS)))[:1]


def _after_write(context: Context, given: str) -> Iterator[str]:
    from interlock.guard.relevance import may_be_record

    path = os.path.realpath(os.path.join(context.directory, given))
    if may_be_record(context, path):
        from interlock.guard.observers import recheck

        yield recheck.after_write(context, path)
    if context.is_near_tasks(path, context.directory):
        from interlock.guard.observers import task_trail

        quietly(context, lambda: task_trail.log_write(context, path))
        yield task_trail.broken_lock(context, path)


def _changed_files(context: Context) -> list[str] | None:
    """The files that the client saw change, None if it does not report them."""
    diff = context.event.response.get('bashEditDiff')
    files = diff.get('changedFiles') if isinstance(diff, dict) else None
    if not isinstance(files, list):
        return None
    texts = [file for file in files if isinstance(file, str)]
    return [os.path.realpath(os.path.join(context.directory, file)) for file in texts]


def _may_change_records(context: Context, command: str) -> bool:
    words = command.split()
    names = map(os.path.basename, context.watch['records'])
    return any(name in command for name in names) or (
        'git' in words and bool(MOVES & set(words))
    )


def _after_command(context: Context, command: str) -> Iterator[str]:
    if 'commit' in command and context.top and context.watch['confirms']:
        from interlock.guard.observers import stage_confirmation

        quietly(context, lambda: stage_confirmation.record_commit(context))
    paths = _changed_files(context)
    names = None if paths is None else list(filter(None, map(context.inside, paths)))
    if names if paths is not None else _may_change_records(context, command):
        from interlock.guard.observers import recheck

        yield recheck.after_command(context, names)
    yield from _after_task_command(context, command, paths or [])


def _after_task_command(
    context: Context, command: str, paths: list[str]
) -> Iterator[str]:
    if not context.is_near_tasks(context.directory):
        return
    from interlock.guard.observers import task_trail
    from interlock.tasks.lock_store import locks_of

    quietly(context, lambda: task_trail.log_build(context, command))
    task = context.space.task_of(context.directory)
    lock = os.path.realpath(locks_of(context.space).place(task)) if task else ''
    if lock and (os.path.basename(lock) in command or lock in paths):
        yield task_trail.broken_lock(context, lock)


def _said(lines: Iterator[str]) -> Decision:
    return Decision(CONTEXT, '\n'.join(filter(None, lines)))


def handle(context: Context) -> Decision | None:
    event = context.event
    tool, command = event.tool.lower().removeprefix(PREFIX), event.command or ''
    if event.kind == FAILED_TOOL:
        # of failed calls, only builds matter
        if tool in SHELLS and not event.data.get('is_interrupt'):
            list(_after_task_command(context, command, []))
    elif tool == 'read':
        _after_read(context)
    elif tool in TRACKED:
        _track(context)
    elif tool in WRITES:
        given = _written(event)
        found = _said(line for path in given for line in _after_write(context, path))
        _track(context)
        return found
    elif tool in SHELLS:
        found = _said(_after_command(context, command))
        if found.text:
            from interlock.guard.session_files import first_time

            # compared with HEAD, the same findings return until they are fixed
            return found if first_time(context, 'command', found.text) else None
    elif tool == HANDBACK:
        _after_handback(context)
    return None
