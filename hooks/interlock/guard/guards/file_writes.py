"""Judges files that a tool, a command or an MCP server would write.

All writes are judged here, so that no rule depends on the route.
"""

from __future__ import annotations

import os

from interlock.files.atomic_files import stored
from interlock.guard.context import Context
from interlock.guard.decision import LEAVE, Decision, ask, deny
from interlock.guard.event import PATCH, Event, readings
from interlock.guard.relevance import Write, is_relevant
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.apply_patch import PatchedFile
    from interlock.model.quick_typing import Iterable, Iterator


def handle(context: Context) -> Decision | None:
    """Before a tool that writes files runs."""
    event = context.event
    found = [*_writes(context)]
    if not found:
        raise Refusal(f'{event.tool} names no file')
    return worst(judge_write(context, each) for each in found)


def _writes(context: Context) -> Iterator[Write]:
    event, folder = context.event, context.directory
    if event.tool == PATCH:
        from interlock.guard.tool_writes import patched

        for file in patched(event):
            for name in readings(file.path):
                yield of_patched(os.path.join(folder, name), file)
        return
    for path in event.written_paths:
        for name in readings(path):
            yield _of_tool(event, os.path.join(folder, name))


def _of_tool(event: Event, path: str) -> Write:
    def new() -> bytes | None:
        # no rule cares what most files hold
        from interlock.guard.tool_writes import result

        return result(event, stored(path))

    return Write(path, new)


def of_patched(path: str, file: PatchedFile) -> Write:
    def new() -> bytes | None:
        text = file.text
        try:
            return None if text is None else text.encode(errors='surrogateescape')
        except UnicodeEncodeError:
            # it is unknown how a client writes text that cannot be encoded
            return None

    write = Write(path, new, removed=file.removed)
    write.source, write.target = file.source, file.target
    return write


def worst(decisions: Iterable[Decision | None]) -> Decision | None:
    """The first refusal, else the first question."""
    question = None
    for decision in filter(None, decisions):
        if not decision.asks:
            return decision
        question = question or decision
    return question


def judge_write(context: Context, write: Write) -> Decision | None:
    contexts = context.governing(os.path.dirname(write.real))
    return worst(_judged(each, write) for each in contexts)


def _unjudged(context: Context, write: Write, why: Refusal) -> Decision | None:
    """Judge a write under an invalid workflow: only the workflow file may change."""
    if os.path.join(context.base, os.path.basename(context.file)) in write.places:
        text = f'this changes the workflow file ({why.message})'
        return ask('CLD004', text, LEAVE)
    elif any(map(context.owns, write.places)):
        return deny(
            'CLD014',
            f'{why.message}; fix {context.file} before writing other files',
            'interlock doctor',
        )
    return None


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _by_other_names(context: Context, write: Write) -> Iterator[Write]:
    """The same write by the names of guarded files that are hard links to this one."""
    found = _stat(write.real)
    if found is None or found.st_nlink < 2 or os.path.isdir(write.real):
        return
    elif write.removed or write.kept:
        return
    from interlock.guard.protected_files import files

    for path in files(context):
        other = _stat(path)
        if path != write.real and other and os.path.samestat(other, found):
            yield Write(path, lambda: write.new, write.how)


def _relevant(context: Context, write: Write) -> Write | None:
    """The write by a name that any rule could care about, None if there is none."""
    if is_relevant(context, write):
        return write
    others = _by_other_names(context, write)
    return next((each for each in others if is_relevant(context, each)), None)


def _judged(context: Context, write: Write) -> Decision | None:
    try:
        named = _relevant(context, write)
    except Refusal as error:
        return _unjudged(context, write, error)
    if named is None:
        return None
    write = named
    # the following imports take ten times as long as everything above
    from interlock.guard.guards import wiring

    # each guard yields the objections to the write; the first one is its answer
    found = [next(wiring.judge(context, write), None)]
    if context.has_tasks and (found[0] is None or found[0].asks):
        from interlock.guard.guards import task_files

        # a question must not replace the refusal of a write without a lock
        found.append(next(task_files.judge(context, write), None))
    if not any(found):
        from interlock.guard.guards import records

        found.append(next(records.judge(context, write), None))
    return worst(found)
