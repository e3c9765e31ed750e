from __future__ import annotations

from interlock.model.finding import Rule
from interlock.report.rules import page, table
from interlock.rules.index import RULES
from tests.each import each


@each(RULES)
def test_a_page_says_everything_about_a_rule(rule: Rule) -> None:
    heading, owner, why, fix = page(rule).split('\n\n')
    assert heading == f'# {rule.code}: {rule.title}'
    assert owner == f'Check: `{rule.check}`. Severity: {rule.severity}.'
    assert why.split() == rule.why.split()
    assert fix.split() == ['**To', 'fix:**', *rule.fix.split()]
    assert all(len(line) <= 79 for line in page(rule).split('\n')[1:])


def test_the_table_lists_every_rule_once() -> None:
    lines = table(RULES.values()).split('\n')
    assert [line.split()[0] for line in lines] == list(RULES)
    assert lines[0] == (
        'REG001  error    the row and the entry of an item give different statuses'
    )
