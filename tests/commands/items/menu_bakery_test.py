"""Menus of a workflow with words and files of its own."""

from __future__ import annotations

import json

import pytest

from tests.checks import bakery
from tests.conftest import Interlock, Repo

MENUS = """\
    menus:
      menus:
        gebacken:
          statement: '{state} ist fertig: {context}'
          question: Was nun?
          options:
            - label: Weiter
              kind: directive
              recommended: true
              text: 'dann: {path}'
            - label: Karte zeigen
              kind: exploratory
              keywords: [karte]
              run: [interlock, registry, show, '{item}']
        verbrannt:
          head: 'Verbrannt: {context}'
          options:
            - {label: Neu, kind: directive, recommended: true}
        siegel:
          options:
            - label: Neu siegeln
              kind: directive
              recommended: true
              run: [interlock, contracts, seal, '{item}', --amend, '{text}']
              asks: den Grund
      checkpoints:
        - {after: Ofen, phase: false, menu: gebacken}
        - {outcome: verbrannt, menu: verbrannt}
      remedies: {CON001: siegel}
"""


@pytest.fixture
def bakehouse(repo: Repo) -> Repo:
    repo.commit(
        {
            '.interlock.yaml': bakery.FIELDS + MENUS,
            **bakery.bread('fields', '🔥 Ofen', 'ofen'),
        }
    )
    return repo


def test_a_checkpoint_in_words_of_its_own(
    bakehouse: Repo, interlock: Interlock
) -> None:
    result = interlock('menu', 'Roggenbrot', '--text', 'knusprig')
    assert result.code == 0
    assert result.out == (
        '✓ Ofen ist fertig: knusprig\n\nWas nun?\n1. Weiter (recommended)\n'
        '2. Karte zeigen\n3. Other\n\nChoose (1-3): _\n'
    )
    result = interlock('menu', 'Roggenbrot', '--choice', 'continue')
    assert result.out == 'dann: bücher/Roggenbrot\n'


def test_an_outcome_of_its_own(bakehouse: Repo, interlock: Interlock) -> None:
    result = interlock(
        'menu', 'Roggenbrot', '--outcome', 'verbrannt', '--text', 'schwarz'
    )
    assert result.out.startswith(
        'Verbrannt: schwarz\n\nWhat would you like to do?\n1. Neu '
    )
    assert interlock('menu', 'Roggenbrot', '--outcome', 'build-failed').code == 2


def test_a_remedy_of_its_own(bakehouse: Repo, interlock: Interlock) -> None:
    # in lines, as it is edited
    handoff = (
        bakery.handoff('ofen')
        .replace('siegel: {zutaten: ', 'siegel:\n  zutaten: ')
        .replace('}', '')
    )
    bakehouse.write({bakery.CONTRACT: 'Weizen\n', bakery.HANDOFF: handoff})
    result = interlock(
        'resolve',
        'Roggenbrot',
        '--finding',
        'CON001',
        '--choose',
        '1',
        '--text',
        'Roggen ist aus',
    )
    assert result.out.endswith('CON001 Roggenbrot: gone\n'), result.err
    assert result.code == 0


def test_where_work_goes_on(bakehouse: Repo, interlock: Interlock) -> None:
    result = interlock('resume', 'Roggenbrot', '--format', 'json')
    found = json.loads(result.out)
    assert result.code == 0, result.out
    assert (found['state'], found['status']) == ('Ofen', 'fertig')
    assert found['fields'] == {'mehl': '5'}
    assert found['documents'] == [bakery.HANDOFF, bakery.CONTRACT]
    # no section has the role of next steps
    assert found['next_steps'] == []
