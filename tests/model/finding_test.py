from __future__ import annotations

import re
import shlex

import pytest

from interlock.model import fixes
from interlock.model.change import Nothing
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import Finding, Fix
from interlock.model.state import State
from interlock.rules.new_finding import Location

FOUND = Finding(
    'REG001',
    'registry',
    'error',
    'Größe',
    'PLUGINS.md',
    7,
    'they differ',
    'Stage 2',
    'Stage 3',
    Fix('fix it', 'true'),
    key='k',
)


@pytest.mark.parametrize(
    'other',
    (
        pytest.param(FOUND._replace(path='docs/PLUGINS.md'), id='path'),
        pytest.param(FOUND._replace(line=8), id='line'),
        pytest.param(FOUND._replace(message='they do not agree'), id='text'),
        pytest.param(FOUND._replace(severity='warning'), id='severity'),
        pytest.param(FOUND._replace(fix=Fix('a', 'b')), id='fix'),
        pytest.param(FOUND._replace(introduced=False), id='inherited'),
        pytest.param(FOUND._replace(commit='a' * 40), id='commit'),
    ),
)
def test_a_finding_is_the_same_wherever_it_stands(other: Finding) -> None:
    assert other.fingerprint == FOUND.fingerprint


@pytest.mark.parametrize(
    'other',
    (
        pytest.param(FOUND._replace(code='REG006'), id='code'),
        pytest.param(FOUND._replace(item='Grösse'), id='item'),
        pytest.param(FOUND._replace(expected='Stage 4'), id='expected'),
        pytest.param(FOUND._replace(found='Stage 4'), id='found'),
        pytest.param(FOUND._replace(key=''), id='key'),
        pytest.param(
            FOUND._replace(expected='Stage 3', found='Stage 2'), id='values exchanged'
        ),
        pytest.param(
            FOUND._replace(expected='Stage 2Stage 3', found=''), id='values joined'
        ),
        pytest.param(
            FOUND._replace(expected='Stage 2", "Stage 3', found=''),
            id='values joined with quotes',
        ),
    ),
)
def test_a_finding_is_new_where_its_values_are(other: Finding) -> None:
    assert other.fingerprint != FOUND.fingerprint


def test_a_fingerprint_is_short_and_stable() -> None:
    # baselines in old repositories hold these
    assert FOUND.fingerprint == '872ba7399480c4d170a6'


def test_values_that_are_not_utf8_have_a_fingerprint() -> None:
    odd = FOUND._replace(found='\udcff')
    assert re.fullmatch('[0-9a-f]{20}', odd.fingerprint)
    assert odd.fingerprint != FOUND._replace(found='\\udcff').fingerprint


@pytest.mark.parametrize(
    ('severity', 'refuses'), (('error', True), ('warning', False), ('info', False))
)
def test_only_an_error_refuses(severity: str, refuses: bool) -> None:
    assert FOUND._replace(severity=severity).refuses is refuses


def test_a_finding_has_the_check_and_the_severity_of_its_rule() -> None:
    fix = Fix('a', 'b')
    made = Location('Alpha', 'x.md', 3).finding('HND006', 'é', fix=fix, expected='y')
    assert made == Finding(
        'HND006', 'handoff', 'warning', 'Alpha', 'x.md', 3, 'é', 'y', '', fix
    )
    assert made.introduced
    milder = Location('A', 'x').finding('REG001', 'é', fix=fix, severity='info')
    assert milder.severity == 'info'


def test_a_finding_without_a_rule_cannot_be_made() -> None:
    with pytest.raises(KeyError):
        Location('A', 'x').finding('XYZ001', 'é', fix=Fix('a', 'b'))


@pytest.mark.parametrize(
    'path', ('plugins/Größe/x.md', 'a b.md', "it's.md", 'a;rm -rf b', '$(x).md')
)
def test_a_path_is_one_word_of_its_command(path: str) -> None:
    for fix, words in (
        (fixes.restore(path), ['git', 'checkout', 'HEAD', '--', path]),
        (fixes.stage(path, 'b c'), ['git', 'add', '-A', '--', path, 'b c']),
    ):
        assert shlex.split(fix.command) == words
        assert fix.label


@pytest.mark.parametrize(
    ('state', 'text'),
    (
        (State('Stage 3'), 'Stage 3'),
        (State('Stage 3', 10), 'Stage 3.10'),
        (State('Stage 3', 0), 'Stage 3.0'),
    ),
)
def test_a_state_is_written_with_its_phase(state: State, text: str) -> None:
    assert str(state) == text


def test_the_empty_tree_holds_nothing() -> None:
    nothing = Nothing()
    assert nothing.blob('x') is None
    assert nothing.parsed('x', len) is None
    assert nothing.digest('x', 'sha256') is None
    assert nothing.paths() == ()


def test_errors_say_what_and_where() -> None:
    refusal = Refusal('no workflow', 'interlock init')
    assert (str(refusal), refusal.hint) == ('no workflow', 'interlock init')
    assert Refusal('x').hint == ''
    unreadable = Unreadable('is no text', 3)
    assert (str(unreadable), unreadable.line) == ('is no text', 3)
    assert Unreadable('x').line == 1
