from __future__ import annotations

from interlock.model.quick_typing import NamedTuple

LIVE = 'live'
DEAD = 'dead'
NOT_WIRED = 'not wired'


class Probe(NamedTuple):
    """The result of a test whether something is in force."""

    name: str
    verdict: str
    what: str
    # the next command or edit, '' if none is needed
    next: str = ''
