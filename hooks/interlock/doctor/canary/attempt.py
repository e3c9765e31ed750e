"""Changes that the installed hooks must refuse."""

from __future__ import annotations

from types import MappingProxyType

from interlock.documents.wiring.hook_files import EVERY
from interlock.model.finding import EVERY_ITEM
from interlock.model.overlay import Files
from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.model.quick_typing import Set as AbstractSet
from interlock.rules.index import RULES

# the gates at which a change can be refused
COMMIT = 'commit'
PUSH = 'push'
# each of our hooks runs this check
ALWAYS = 'workflow'


class Want(NamedTuple):
    """A finding that the hooks must report."""

    code: str
    item: str = EVERY_ITEM
    # it is an error, so the change must be refused
    refuses: bool = True
    # the gates that report it
    gates: tuple[str, ...] = (COMMIT, PUSH)
    # the broken agreement, '' for one of our own rules
    rule: str = ''
    # the file that is the item, and that a report names only once
    path: str = ''

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
        """The text by which a report names it."""
        named = f'{self.code} {self.rule}' if self.rule else self.code
        about = '' if self.item in (EVERY_ITEM, self.path) else f'{self.item}: '
        return f': {named} {about}'


class Attempt(NamedTuple):
    change: Files
    message: str
    wants: tuple[Want, ...]
    # files that are committed beforehand, past the hooks
    base: Files = MappingProxyType({})
    base_message: str = ''
    # the committer's session, '' for a person; `automated`: an agent commits
    session: str = ''
    automated: bool = False
    # the lock file of the task, None for no lock
    lock: bytes | None = None


class Plan(NamedTuple):
    # the files before anything is planted
    base: Files
    attempts: tuple[Attempt, ...]
    # the task, and the attempts in it
    task: str
    in_task: tuple[Attempt, ...]
    # a commit in the task that must pass, None if there are no tasks
    sound: Attempt | None
    # code -> why no violation of it is planted
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
