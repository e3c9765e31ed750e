"""The lines at the end of a message that say whose work a commit is."""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.change import Message
from interlock.model.fixes import WHY
from interlock.model.quick_typing import NamedTuple

TASK = 'Interlock-Task'
LOCK = 'Interlock-Lock'
# the beginning of the token with which the lock was given
GRANT = 'Interlock-Grant'
CONFIRMED = 'Interlock-Confirmed'
# why a rule was loosened
RULES = 'Interlock-Rules'
# why an unfinished item leaves the registry
DROPPED = 'Item-Dropped'
# the placeholders that messages and hints print for a reason
PLACEHOLDER = 'REASON'
UNSAID = (PLACEHOLDER, WHY)
# the generation of a session that did not hold the lock
NOT_HELD = 0
# no generation needs more digits
LOCK_RE = re.compile(r'(\S+)@([0-9]{1,12})')
GRANT_RE = re.compile(r'[0-9a-f]{12}')
# how many of its characters name the authority that counts generations
AUTHORITY = 6


# a stage, and the commit that ended it
CONFIRMED_RE = re.compile(r'(\S+)@([0-9a-f]{7,64})')
# enough characters of a commit id to tell it from others
ABBREVIATED = 12


class ConfirmedStage(NamedTuple):
    """The user's confirmation of a stage, as the next stage commit repeats it."""

    stage: str
    commit: str

    def __str__(self) -> str:
        return f'{CONFIRMED}: {self.stage}@{self.commit[:ABBREVIATED]}'


class Generation(NamedTuple):
    task: str
    number: int
    # who counted it, '' if the commit does not say
    authority: str = ''

    @property
    def counter(self) -> str:
        """The key for comparing generations: two clones without a shared engine both
        count from 1."""
        return f'{self.task}@{self.authority}' if self.authority else self.task


def says_something(text: str) -> bool:
    """Whether a text has a letter or digit; dots, dashes and invisible characters do
    not count."""
    return any(map(str.isalnum, text))


def reason(message: Message, trailer: str) -> str:
    """The reason in a trailer, '' if it gives none; those of a squash count too."""
    for trailers in (message.trailers, message.squashed):
        value = trailers.get(trailer.lower(), '')
        if value not in UNSAID and says_something(value):
            return value
    return ''


def left_placeholder(message: Message | None, trailer: str) -> str:
    """A sentence about a hint that was run as printed, '' if it was not."""
    said = message.trailers.get(trailer.lower(), '') if message else ''
    if said not in UNSAID:
        return ''
    return (
        f'`{said}` in the trailer `{trailer}: {said}` is a placeholder: '
        f'write the reason in its place'
    )


def without_reason(message: Message | None, trailer: str) -> str:
    """A sentence about the missing reason."""
    unsaid = left_placeholder(message, trailer)
    if unsaid:
        return unsaid
    has = 'the message has no' if message else 'the message needs a'
    return f'{has} trailer `{trailer}: {PLACEHOLDER}`'


def task(message: Message) -> str:
    return message.trailers.get(TASK.lower(), '')


def lock(message: Message) -> str:
    """The value of the lock trailer, '' without one."""
    return message.trailers.get(LOCK.lower(), '')


def generation(message: Message) -> Generation | None:
    """The task and its lock generation in a commit message."""
    match = LOCK_RE.fullmatch(lock(message))
    if match is None:
        return None
    return Generation(match[1], int(match[2]), grant(message)[:AUTHORITY])


def grant(message: Message) -> str:
    """The beginning of the lock's token in a commit message, '' without one."""
    said = message.trailers.get(GRANT.lower(), '')
    return said if GRANT_RE.fullmatch(said) else ''


def confirmed(message: Message) -> ConfirmedStage | None:
    """The stage that the user confirmed before a commit."""
    match = CONFIRMED_RE.fullmatch(message.trailers.get(CONFIRMED.lower(), ''))
    return ConfirmedStage(match[1], match[2]) if match else None
