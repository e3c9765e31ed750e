"""Reads the state of tasks from the entries of the todo list."""

from __future__ import annotations

from interlock.documents.tasks.todo import Todo, TodoEntry
from interlock.model.quick_typing import Iterator, Mapping
from interlock.workflow.language.protocol import ProtocolSpec


def is_done(entry: TodoEntry, protocol: ProtocolSpec) -> bool:
    """Whether an entry is ticked, or has a word for done."""
    return entry.ticked or entry.state in protocol.words.done


def is_listed(todo: Todo, task: str, protocol: ProtocolSpec) -> bool:
    """Whether the list names a task that is not done."""
    entry = todo.entries.get(task)
    return entry is not None and not is_done(entry, protocol)


def notes(entry: TodoEntry | None, todo: Todo, protocol: ProtocolSpec) -> Iterator[str]:
    """Why the todo list does not allow a task to start."""
    if entry is None:
        yield f'it is not in {protocol.todo}'
        return
    if is_done(entry, protocol):
        yield f'{protocol.todo} says that it is done'
    elif entry.state == protocol.words.blocked:
        yield f'{protocol.todo} says {entry.state}'
    open_ones = [
        name
        for name in entry.dependencies
        if name in todo.entries and not is_done(todo.entries[name], protocol)
    ]
    if open_ones:
        yield f'it depends on {", ".join(open_ones)}, not done yet'


def ready(todo: Todo, free: Mapping[str, bool], protocol: ProtocolSpec) -> list[str]:
    """The tasks that may be started, in the order of the list."""
    return [
        name
        for name, entry in todo.entries.items()
        if entry.state in ('', protocol.words.ready)
        and free.get(name, True)
        and not list(notes(entry, todo, protocol))
    ]
