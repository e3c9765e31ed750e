from __future__ import annotations

from interlock.model.quick_typing import NamedTuple


class Rule(NamedTuple):
    """What `explain`, SARIF and the rule pages say about a code."""

    code: str
    check: str
    severity: str
    title: str
    # the first release that has it
    since: str
    why: str
    fix: str
