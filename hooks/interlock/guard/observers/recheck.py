"""After a tool ran: what it broke, and what the trail of a task keeps of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from interlock.checks.item_findings import OF_RECORDS
from interlock.checks.run import judge
from interlock.documents import build_output
from interlock.documents.tasks.trail import BUILDS, TOOLS
from interlock.documents.text import one_line, shown
from interlock.files.atomic_files import read
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard.context import Context
from interlock.guard.event import POST_TOOL
from interlock.guard.guards.lock import findings, parsed
from interlock.guard.guards.records import is_sealed
from interlock.guard.guards.task_files import is_implementation
from interlock.guard.session_files import first_time
from interlock.guard.session_tasks import add_to_trail, task_above
from interlock.model.change import Change, Nothing, Snapshot
from interlock.model.errors import NoRepository
from interlock.model.finding import Finding
from interlock.operations.overlay import Overlay
from interlock.tasks import lock_holders
from interlock.workflow.reading.item_paths import is_record

# several records are updated in steps: what they say until then
BETWEEN = {
    'REG001': 'row and entry differ until both are edited',
    'REG010': 'registry and handoff differ until both are edited',
}
# a contract that differs from its seal
CHANGED = 'CON001'
FEW = 3
MAX_COMMAND = 500
# who writes what: agents implement, the main agent coordinates
IMPLEMENTATION = 'implementation'
COORDINATION = 'coordination (no implementation)'


def _lines(context: Context, found: Iterable[Finding]) -> Iterator[str]:
    for finding in found:
        item, path = shown(finding.item), shown(finding.path)
        free = not is_sealed(context.workflow, finding.path)
        if finding.code == CHANGED and free:
            # it may change, if it is sealed again
            if first_time(context, 'seal', finding.path):
                yield (
                    f'{path} differs from its seal; before the commit: interlock '
                    f'contracts seal {item}'
                )
        elif finding.code in BETWEEN:
            yield f'{item}: {BETWEEN[finding.code]} ({finding.code})'
        else:
            where = f'{path}:{finding.line}'
            yield f'broken: {where}: {finding.code} {item}: {finding.message}'
            yield f'next: {finding.fix.command}'


def _said(context: Context, found: Iterable[Finding]) -> str:
    """What is wrong now, the worst first; '' if nothing is."""
    refusing = [each for each in found if each.introduced and each.refuses]
    refusing.sort(key=lambda each: each.code in BETWEEN)
    return '\n'.join(_lines(context, refusing[:FEW]))


def _judged(
    context: Context, before: Snapshot, after: Snapshot, paths: Iterable[str]
) -> str:
    change = Change(before, after, dict.fromkeys(paths, 'M'))
    return _said(context, judge([change], context.workflow, OF_RECORDS))


def _told_original(context: Context) -> bytes | None:
    told = context.event.fields('tool_response').get('originalFile')
    return told.encode(errors='surrogatepass') if isinstance(told, str) else None


def _original(context: Context, name: str) -> bytes | None:
    """The file before the tool: as the client tells it, else as committed."""
    told = _told_original(context)
    if told is not None:
        return told
    elif context.event.fields('tool_response').get('type') == 'create':
        return None
    try:
        with contextlib.closing(context.repository()) as repository:
            commit = repository.head()
            tree = repository.tree(commit.tree) if commit else Nothing()
            blob = tree.blob(name)
            return blob.data if blob else None
    except NoRepository:
        return None


def after_write(context: Context, path: str) -> str:
    """What a written file broke; `path` is without links."""
    name = context.inside(path)
    if not name or not is_record(context.workflow, name):
        return ''
    after = SteadySnapshot(path[: -len(name)].rstrip(os.sep) or os.sep)
    before = Overlay(after, {name: _original(context, name)})
    return _judged(context, before, after, [name])


def after_command(context: Context, paths: Iterable[str] | None) -> str:
    """What a command broke, against HEAD; without paths git names them."""
    from interlock.git.worktrees import tree

    try:
        with contextlib.closing(context.repository()) as repository:
            top = repository.facts.top
            if paths is None:
                paths = tree(repository.environ, top).changed
            names = [name for name in paths if is_record(context.workflow, name)]
            commit = repository.head()
            if not names or commit is None:
                return ''
            before = repository.tree(commit.tree)
            return _judged(context, before, SteadySnapshot(top), names)
    except NoRepository:
        return ''


def broken_lock(context: Context, path: str) -> str:
    """What is wrong with a lock since it was written."""
    task = context.space.task_of(path)
    if not task or path != os.path.realpath(context.space.lock(task)):
        return ''
    data, told = read(path), _told_original(context)
    if data is None:
        return ''
    old = set()
    if told is not None:
        before = findings(context, task, path, parsed(context, told))
        old = {each.fingerprint for each in before}
    found = findings(context, task, path, parsed(context, data))
    return _said(context, (each for each in found if each.fingerprint not in old))


def log_write(context: Context, path: str) -> None:
    """In the trail of the task that the file, or the session, is in."""
    found = task_above(context, path, context.directory)
    if found is None:
        return
    task, held = found
    code = is_implementation(context, path, task, held)
    entry = {
        'tool': context.event.tool,
        'agent_name': context.event.agent_type,
        'file_path': path,
        'timestamp': lock_holders.now(),
        'working_dir': context.directory,
        'note': IMPLEMENTATION if code else COORDINATION,
    }
    add_to_trail(context.space, task, held, TOOLS, entry)


def log_build(context: Context, command: str) -> None:
    """A build in the worktree of a task, with its result."""
    event, protocol = context.event, context.space.protocol
    build = build_output.find(command, protocol.builds)
    found = task_above(context, context.directory) if build else None
    response = event.fields('tool_response')
    # one in the background, or cut short, has no result yet
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
    failed = event.name != POST_TOOL
    entry = {
        'timestamp': lock_holders.now(),
        'command': one_line(command)[:MAX_COMMAND],
        'result': build_output.result(build, output, failed, protocol.build_success),
        **build_output.counts(output),
    }
    add_to_trail(context.space, *found, BUILDS, entry)
