"""The text of a rule, for `explain` and for its page."""

from __future__ import annotations

import textwrap

from interlock.model.finding import Rule
from interlock.model.quick_typing import Iterable


def page(rule: Rule) -> str:
    parts = (
        f'# {rule.code}: {rule.title}',
        f'Check: `{rule.check}`. Severity: {rule.severity}.',
        rule.why,
        f'**To fix:** {rule.fix}',
    )
    return '\n\n'.join(
        part
        if part.startswith('#')
        else textwrap.fill(part, 79, break_on_hyphens=False)
        for part in parts
    )


def table(rules: Iterable[Rule]) -> str:
    return '\n'.join(f'{rule.code}  {rule.severity:8} {rule.title}' for rule in rules)
