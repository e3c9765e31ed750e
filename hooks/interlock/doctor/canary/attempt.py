"""Changes that the installed hooks must not let through."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from interlock.operations.outcome import Files

# where a change can be refused
COMMIT = 'commit'
PUSH = 'push'


class Want(NamedTuple):
    """A finding that has to be told, as it is told."""

    code: str
    item: str
    # it is an error: the change must not pass
    refuses: bool
    # where it is found
    gates: tuple[str, ...] = (COMMIT, PUSH)


class Attempt(NamedTuple):
    change: Files
    message: str
    wants: tuple[Want, ...]
    # committed before it, past the hooks
    base: Files = MappingProxyType({})
    base_message: str = ''
    # of whoever tries it, '' for a person
    session: str = ''


class TaskAttempt(NamedTuple):
    """A change that is tried in the worktree of a task."""

    change: Files
    wants: tuple[Want, ...]
    # its bytes, None for none
    lock: bytes | None
    # of whoever tries it; an agent may not say which session it is
    session: str
    automated: bool = False


class Plan(NamedTuple):
    # what is there before anything is planted
    base: Files
    attempts: tuple[Attempt, ...]
    # of which task, and what is tried there
    task: str
    in_task: tuple[TaskAttempt, ...]
    # what must not be refused there, None where there are no tasks
    sound: TaskAttempt | None
    # code -> why nothing is planted for it
    left_out: Mapping[str, str]

    @property
    def local(self) -> set[str]:
        """The rules that no push can break."""
        wants = [one.wants for one in self.attempts]
        wants += [one.wants for one in self.in_task]
        return {want.code for each in wants for want in each if PUSH not in want.gates}
