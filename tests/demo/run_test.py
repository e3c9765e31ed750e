from __future__ import annotations

from interlock.demo.attempts import calls, commits
from interlock.demo.run import MESSAGES, _ours, _rules
from interlock.model.probe import Probe
from interlock.report.probes import render_probes
from interlock.rules.index import RULES


def test_the_demo_shows_every_finding_of_a_refusal() -> None:
    output = """\
interlock................................................................Failed
- hook id: interlock
- exit code: 1

PLUGINS.md:7: REG001 Écho: the row says `a`, the entry says `b`
    bring the row in line with the entry: interlock check --fix
message: COM005 Écho: hidden
    say it: git commit
interlock: refused: 2 errors (interlock explain REG001)
"""
    assert list(_ours(output)) == [
        'PLUGINS.md:7: REG001 Écho: the row says `a`, the entry says `b`',
        '    bring the row in line with the entry: interlock check --fix',
        'message: COM005 Écho: hidden',
        '    say it: git commit',
        'interlock: refused: 2 errors (interlock explain REG001)',
    ]


def test_the_demo_reads_what_the_doctor_says_of_each_rule() -> None:
    output = render_probes(
        [
            Probe('git', 'live', 'REG001 à part'),
            Probe('REG001', 'live', 'refused at commit'),
            Probe('COM004', 'dead', 'passed at commit', 'pre-commit install'),
            Probe('CFG007', 'not wired', 'nothing calls interlock at push'),
        ],
        {'STA001': 'é'},
    )
    assert _rules(output) == [
        ('live', 'REG001'),
        ('dead', 'COM004'),
        ('not wired', 'CFG007'),
    ]


def test_the_demo_names_rules_that_there_are() -> None:
    assert MESSAGES <= set(RULES)
    named = {each.refused_by for each in (*commits(), *calls())}
    assert named - {''} <= set(RULES)


def test_the_demo_is_about_a_table_that_anybody_may_have() -> None:
    text = ''.join(
        f'{name}{content}' for each in commits() for name, content in each.given.items()
    )
    for word in ('plugin', 'audio', 'Stage', 'DSP'):
        assert word.lower() not in text.lower()
    # what is named is followed, and good commits stand beside the bad ones
    assert any(each.follows for each in commits())
    assert {bool(each.refused_by) for each in commits()} == {True, False}
