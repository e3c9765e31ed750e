from __future__ import annotations

from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit
from interlock.model.quick_typing import NamedTuple


class Location(NamedTuple):
    """What a finding is about: an item, and a line of a file."""

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
        """A rule that is broken here; without a `fix` the file has to be edited."""
        # most changes have no finding, and the texts of all rules are large
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
