"""The lines at the end of a message that say whose work a commit is."""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.change import Message
from interlock.model.fixes import WHY
from interlock.model.quick_typing import NamedTuple

TASK = 'Interlock-Task'
LOCK = 'Interlock-Lock'
# the beginning of the token by which the lock was given
GRANT = 'Interlock-Grant'
CONFIRMED = 'Interlock-Confirmed'
# why a rule was loosened
RULES = 'Interlock-Rules'
# why an item in work leaves the registry
DROPPED = 'Item-Dropped'
# what messages and hints print where a reason belongs
PLACEHOLDER = 'REASON'
UNSAID = (PLACEHOLDER, WHY)
# the generation of a session that did not hold the lock
NOT_HELD = 0
# no counter of ours needs more digits
LOCK_RE = re.compile(r'(\S+)@([0-9]{1,12})')
GRANT_RE = re.compile(r'[0-9a-f]{12}')
# so many of its characters name who counts the generations
AUTHORITY = 6


# a stage, and the commit that ended it
CONFIRMED_RE = re.compile(r'(\S+)@([0-9a-f]{7,64})')
# characters of a commit id: enough to tell it from others
ABBREVIATED = 12


class ConfirmedStage(NamedTuple):
    """The user's word to continue, as the next stage commit repeats it."""

    stage: str
    commit: str

    def __str__(self) -> str:
        return f'{CONFIRMED}: {self.stage}@{self.commit[:ABBREVIATED]}'


class Generation(NamedTuple):
    task: str
    number: int
    # who counted it, '' where the commit does not say
    authority: str = ''

    @property
    def counter(self) -> str:
        """What it can be compared with: two clones that share no engine both
        count from 1."""
        return f'{self.task}@{self.authority}' if self.authority else self.task


def says_something(text: str) -> bool:
    """Dots, dashes and characters that nobody sees say nothing."""
    return any(map(str.isalnum, text))


def reason(message: Message, trailer: str) -> str:
    """The reason that a trailer gives, '' where it gives none."""
    value = message.trailers.get(trailer.lower(), '')
    return value if value not in UNSAID and says_something(value) else ''


def without_reason(message: Message | None, trailer: str) -> str:
    """What a message lacks, in words."""
    said = message.trailers.get(trailer.lower(), '') if message else ''
    if said in UNSAID:
        return (
            f'`{said}` in the trailer `{trailer}: {said}` is a placeholder: '
            f'write the reason in its place'
        )
    has = 'the message has no' if message else 'the message needs a'
    return f'{has} trailer `{trailer}: {PLACEHOLDER}`'


def task(message: Message) -> str:
    return message.trailers.get(TASK.lower(), '')


def lock(message: Message) -> str:
    """The trailer about the lock as it is written, '' without one."""
    return message.trailers.get(LOCK.lower(), '')


def generation(message: Message) -> Generation | None:
    """The task and the generation of its lock at a commit."""
    match = LOCK_RE.fullmatch(lock(message))
    if match is None:
        return None
    return Generation(match[1], int(match[2]), grant(message)[:AUTHORITY])


def grant(message: Message) -> str:
    """The beginning of the token of the lock at a commit, '' without one."""
    said = message.trailers.get(GRANT.lower(), '')
    return said if GRANT_RE.fullmatch(said) else ''


def confirmed(message: Message) -> ConfirmedStage | None:
    """The stage that the user had confirmed before a commit."""
    match = CONFIRMED_RE.fullmatch(message.trailers.get(CONFIRMED.lower(), ''))
    return ConfirmedStage(match[1], match[2]) if match else None
