"""Which session acts: the variables that say it, and what says nothing."""

from __future__ import annotations

from interlock.model import clients

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Mapping

OURS = 'INTERLOCK_SESSION'
# in the environment of git and its hooks: the entry of our own commit
COMMITTING = 'INTERLOCK_COMMITTING'
SESSIONS = (OURS, *clients.SESSIONS)

# what programs print where they have no value: two sessions that both have
# none would be one actor
NO_VALUE = frozenset(
    {
        'null',
        'undefined',
        'none',
        'nil',
        'nan',
        'n/a',
        'na',
        'false',
        'unknown',
        'unset',
        'empty',
        'object object',
        'id',
    }
)
AROUND = '"\'`<>()[]{}'
# a variable that nobody replaced by its value
VARIABLE = '$%'


def session_of(
    environ: Mapping[str, str], names: tuple[str, ...], given: object
) -> str:
    """The session that our variable names, else one of others, else a value."""
    values = (*map(environ.get, (OURS, *names)), given)
    return next(filter(None, map(identity, values)), '')


def identity(text: object) -> str:
    """The session that a value names, '' where it names nobody."""
    if not isinstance(text, str):
        return ''
    text = text.strip()
    core = text.strip(AROUND + VARIABLE).strip().casefold()
    if core in NO_VALUE or not any(map(str.isalnum, core.replace('0', ''))):
        # zeros and punctuation alone: the nil UUID, `-`, `""`
        return ''
    elif text[0] in VARIABLE and core.isidentifier():
        return ''
    return text
