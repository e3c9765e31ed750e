"""Where it goes on when an agent, or its state, did not come to an end."""

from __future__ import annotations

from interlock.model.fixes import ours
from interlock.workflow.reading.records import Records

# what failed, as a workflow names the outcomes of its menus: the work
# itself, the state of it, and the state that was to be written instead
WORK = 'work'
UPDATE = 'update'
FALLBACK = 'fallback'

# a menu shows what went wrong, and not all of a log
LONGEST = 200


def menu_of(at: Records, what: str, why: str) -> str:
    """The command that shows what may be done about a failure."""
    known = at.kind.handoff.failures if at.kind.handoff else {}
    if not known.get(what):
        return ours('resume', at.item)
    text = ' '.join(why.split())[:LONGEST]
    return ours('menu', at.item, '--outcome', known[what], '--text', text)


def again(at: Records, words: list[str], report: str, why: str) -> str:
    """The same command, with the state written in place of the agent.

    What came from standard input is gone.
    """
    if report == '-':
        return menu_of(at, UPDATE, why)
    return ours(*words, '--report', report, '--fallback')
