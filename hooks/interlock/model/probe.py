from __future__ import annotations

from interlock.model.quick_typing import NamedTuple

LIVE = 'live'
DEAD = 'dead'
NOT_WIRED = 'not wired'


class Probe(NamedTuple):
    """Something that should be in force, and whether it is."""

    name: str
    verdict: str
    what: str
    # the command or edit that comes next, '' where none does
    next: str = ''
