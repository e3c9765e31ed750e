from __future__ import annotations

from interlock.model.finding import Finding, Fix
from interlock.rules.index import RULES


def finding(
    code: str,
    item: str,
    path: str,
    line: int,
    message: str,
    *,
    fix: Fix,
    expected: str = '',
    found: str = '',
    key: str = '',
    severity: str = '',
) -> Finding:
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
        fix,
        key,
    )
