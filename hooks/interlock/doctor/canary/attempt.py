"""Changes that the installed hooks must not let through."""

from __future__ import annotations

from types import MappingProxyType

from interlock.documents.wiring.hook_files import EVERY
from interlock.model.finding import EVERY_ITEM
from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.model.quick_typing import Set as AbstractSet
from interlock.operations.outcome import Files
from interlock.rules.index import RULES

# where a change can be refused
COMMIT = 'commit'
PUSH = 'push'
# each of our hooks runs this check
ALWAYS = 'workflow'


class Want(NamedTuple):
    """A finding that has to be reported."""

    code: str
    item: str = EVERY_ITEM
    # it is an error: the change must not pass
    refuses: bool = True
    # where it is found
    gates: tuple[str, ...] = (COMMIT, PUSH)
    # the agreement that is broken, '' for a rule of ours
    rule: str = ''

    @property
    def name(self) -> str:
        return self.rule or self.code

    def is_checked_by(self, checks: AbstractSet[str]) -> bool:
        own = RULES[self.code].check
        return bool(checks & {EVERY, own}) or (own == ALWAYS and bool(checks))

    def is_refused_by(self, checks: AbstractSet[str]) -> bool:
        return self.refuses and self.is_checked_by(checks)

    @property
    def text(self) -> str:
        """How a report names it."""
        named = f'{self.code} {self.rule}' if self.rule else self.code
        about = '' if self.item == EVERY_ITEM else f'{self.item}: '
        return f': {named} {about}'


class Attempt(NamedTuple):
    change: Files
    message: str
    wants: tuple[Want, ...]
    # committed before it, past the hooks
    base: Files = MappingProxyType({})
    base_message: str = ''
    # of the committer, '' for a person; an agent may not say its session
    session: str = ''
    automated: bool = False
    # in a task: its lock file, None for none
    lock: bytes | None = None


class Plan(NamedTuple):
    # what is there before anything is planted
    base: Files
    attempts: tuple[Attempt, ...]
    # the task, and what is tried there
    task: str
    in_task: tuple[Attempt, ...]
    # what must not be refused there, None where there are no tasks
    sound: Attempt | None
    # code -> why nothing is planted for it
    left_out: Mapping[str, str]

    @property
    def local(self) -> set[str]:
        """The rules that no push can break."""
        return {
            want.name
            for attempt in (*self.attempts, *self.in_task)
            for want in attempt.wants
            if PUSH not in want.gates
        }
