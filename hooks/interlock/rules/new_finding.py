from __future__ import annotations

from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit
from interlock.model.quick_typing import NamedTuple


class Location(NamedTuple):
    """The subject of a finding: an item, and a line of a file."""

    item: str
    path: str
    line: int = 1

    def finding(
        self,
        code: str,
        message: str,
        *,
        fix: Fix | None = None,
        expected: str = '',
        found: str = '',
        key: str = '',
        severity: str = '',
        commit: str = '',
        rule: str = '',
        introduced: bool = True,
        standing: bool = False,
    ) -> Finding:
        """A finding that a rule is broken here; without a `fix`, edit the file."""
        # most changes have no finding, and the rule texts are large
        from interlock.rules.index import RULES

        known = RULES[code]
        return Finding(
            code,
            known.check,
            severity or known.severity,
            self.item,
            self.path,
            self.line,
            message,
            expected,
            found,
            fix or edit(self.path, self.line),
            key,
            introduced,
            standing,
            commit,
            rule,
        )
