from __future__ import annotations

import json

import pytest

from interlock.model.finding import Rule
from interlock.report.text import rule_page, rule_table
from interlock.rules.index import RULES
from tests.conftest import Interlock
from tests.each import each


def test_every_code_is_explained(interlock: Interlock) -> None:
    @each(RULES)
    def explained(rule: Rule) -> None:
        result = interlock('explain', rule.code)
        assert result.code == 0
        lines = result.out.splitlines()
        assert lines[0] == f'# {rule.code}: {rule.title}'
        assert lines[2] == (f'Check: `{rule.check}`. Severity: {rule.severity}.')
        text = ' '.join(result.out.split())
        assert ' '.join(rule.why.split()) in text
        assert f'**To fix:** {" ".join(rule.fix.split())}' in text

    explained()


def test_a_code_is_read_without_case(interlock: Interlock) -> None:
    result = interlock('explain', 'reg001')
    assert result.code == 0
    assert result.out.startswith('# REG001: ')


def test_without_a_code_all_are_listed(interlock: Interlock) -> None:
    result = interlock('explain')
    assert result.code == 0
    assert [line[:6] for line in result.out.splitlines()] == list(RULES)


@pytest.mark.parametrize(
    ('code', 'sentence'),
    (
        pytest.param(
            'RGE001',
            'no rule has the code `RGE001`; did you mean `REG001`?',
            id='letters in another order',
        ),
        pytest.param(
            'HND05',
            'no rule has the code `HND05`; did you mean `HND005`?',
            id='a digit is missing',
        ),
        pytest.param('é', 'no rule has the code `é`\n', id='nothing is near'),
        pytest.param('', 'no rule has the code ``\n', id='empty'),
    ),
)
def test_an_unknown_code_names_the_nearest(
    interlock: Interlock, code: str, sentence: str
) -> None:
    result = interlock('explain', code)
    assert result.code == 2
    assert result.out == ''
    assert sentence in result.err


def test_the_schema_is_printed_for_editors(interlock: Interlock) -> None:
    result = interlock('explain', '--schema')
    assert result.code == 0
    schema = json.loads(result.out)
    assert schema['$schema'] == 'https://json-schema.org/draft/2020-12/schema'
    assert {'version', 'extends', 'items'} <= set(schema['properties'])


@each(RULES)
def test_a_page_says_everything_about_a_rule(rule: Rule) -> None:
    heading, owner, why, fix = rule_page(rule).split('\n\n')
    assert heading == f'# {rule.code}: {rule.title}'
    assert owner == f'Check: `{rule.check}`. Severity: {rule.severity}.'
    assert why.split() == rule.why.split()
    assert fix.split() == ['**To', 'fix:**', *rule.fix.split()]
    assert all(len(line) <= 79 for line in rule_page(rule).split('\n')[1:])


def test_the_table_lists_every_rule_once() -> None:
    lines = rule_table(RULES.values()).split('\n')
    assert [line.split()[0] for line in lines] == list(RULES)
    assert lines[0] == (
        'REG001  error    the row and the entry of an item give different statuses'
    )
