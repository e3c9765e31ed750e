from __future__ import annotations

from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit
from interlock.rules.index import RULES


def finding(
    code: str,
    item: str,
    path: str,
    line: int,
    message: str,
    *,
    fix: Fix | None = None,
    expected: str = '',
    found: str = '',
    key: str = '',
    severity: str = '',
    commit: str = '',
) -> Finding:
    """A finding of a rule; without a `fix` the file has to be edited."""
    rule = RULES[code]
    return Finding(
        code,
        rule.check,
        severity or rule.severity,
        item,
        path,
        line,
        message,
        expected,
        found,
        fix or edit(path, line),
        key,
        commit=commit,
    )
