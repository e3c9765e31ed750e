"""Which session acts: the variables that name it, and values that name none."""

from __future__ import annotations

from interlock.model import clients

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Mapping

OURS = 'INTERLOCK_SESSION'
SESSIONS = (OURS, *clients.SESSIONS)

# what programs print for a missing value: two sessions without an id must not
# count as one actor
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
# a variable that was not replaced by its value
VARIABLE = '$%'


def session_of(
    environ: Mapping[str, str], names: tuple[str, ...], given: object
) -> str:
    """The session named by our variable, else by another one, else by a value."""
    values = (*map(environ.get, (OURS, *names)), given)
    return next(filter(None, map(identity, values)), '')


def identity(text: object) -> str:
    """The session that a value names, '' if it names none."""
    if not isinstance(text, str):
        return ''
    text = text.strip()
    core = text.strip(AROUND + VARIABLE).strip().casefold()
    if core in NO_VALUE or not any(map(str.isalnum, core.replace('0', ''))):
        # only zeros and punctuation: the nil UUID, `-`, `""`
        return ''
    elif text[0] in VARIABLE and core.isidentifier():
        return ''
    return text
