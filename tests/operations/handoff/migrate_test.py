from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.errors import Denied, Refusal
from interlock.operations.handoff.migrate import migrate, missing
from interlock.operations.outcome import Outcome
from tests import samples
from tests.operations.kicks import (
    HANDOFF,
    ITEM,
    PHASES,
    PLAN,
    fields,
    handoff,
    kick,
    sums,
)
from tests.operations.places import Place, changed

OLD = f"""\
---
plugin: {ITEM}
stage: 2
status: complete
last_updated: 2025-11-13  # damals
complexity_score: 5.0
---

# Weiter

Alles läuft.
"""


def migrated(place: Place) -> Outcome:
    outcome = migrate(place.at(ITEM), place.snapshot)
    place.done(outcome)
    return outcome


@pytest.mark.parametrize('newline', ('\n', '\r\n'))
def test_what_is_known_is_added_and_nothing_else_changes(
    tmp_path: Path, newline: str
) -> None:
    old = OLD.replace('\n', newline)
    place = kick(tmp_path, 'Stage 2', old)
    assert missing(place.at(ITEM)) == (
        'phase',
        'phased_implementation',
        'orchestration_mode',
        'next_action',
        'next_phase',
        'contract_checksums',
    )
    outcome = migrated(place)
    assert outcome.said == (
        f'{HANDOFF}: migrated (phase, phased_implementation, '
        f'orchestration_mode, next_action, next_phase, contract_checksums)',
    )
    assert [line.rstrip() for line in changed(old, place.text(HANDOFF))] == [
        '+ phase: null',
        '+ phased_implementation: true',
        '+ orchestration_mode: true',
        '+ next_action: invoke_dsp_agent',
        '+ next_phase: 3.1',
        '+ contract_checksums:',
        *(f'+   {name}: {text}' for name, text in sums().items()),
    ]
    assert place.text(HANDOFF).count('\n') == (place.text(HANDOFF).count(newline))


def test_what_is_migrated_is_not_migrated_again(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 2', OLD)
    migrated(place)
    assert missing(place.at(ITEM)) == ()
    assert migrated(place) == Outcome({}, (f'{HANDOFF}: already migrated',))


def test_neither_evidence_nor_an_interface_is_invented(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 2', OLD)
    migrated(place)
    assert {'evidence', 'gui_type'} & set(fields(place)) == set()


def test_what_cannot_be_known_is_null(tmp_path: Path) -> None:
    text = f'---\nplugin: {ITEM}\nstage: 3\n---\n'
    place = kick(tmp_path, 'Stage 3', text, '# Plan\n')
    migrated(place)
    found = fields(place)
    assert [
        found[key]
        for key in (
            'phase',
            'complexity_score',
            'phased_implementation',
            'next_action',
            'next_phase',
        )
    ] == ['null'] * 5
    # whether it was done, and when, is not for us to say
    assert {'status', 'last_updated'} & set(found) == set()


def test_a_plan_without_phases_does_not_say_which_comes(tmp_path: Path) -> None:
    text = OLD.replace('5.0', '5.0\nphased_implementation: true')
    place = kick(tmp_path, 'Stage 2', text, '# Plan\n')
    migrated(place)
    assert fields(place)['next_phase'] == 'null'


def test_what_was_sealed_stays_sealed(tmp_path: Path) -> None:
    text = handoff('2').replace(f'  plan: {sums()["plan"]}\n', '')
    place = kick(tmp_path, 'Stage 2', text)
    place.write({f'plugins/{ITEM}/.ideas/creative-brief.md': 'anders\n'})
    assert missing(place.at(ITEM)) == ('contract_checksums',)
    migrated(place)
    assert fields(place)['contract_checksums'] == sums()


def test_a_contract_that_is_missing_is_free(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 2', OLD)
    place.write({PLAN: None})
    migrated(place)
    assert fields(place)['contract_checksums'] == {**sums(), 'plan': None}
    assert missing(place.at(ITEM)) == ()


def test_a_stage_with_its_phase_is_written_as_both(tmp_path: Path) -> None:
    text = handoff('3').replace('stage: 3\nphase: null\n', 'stage: 3.2\n')
    place = kick(tmp_path, 'Stage 3.2', text)
    assert missing(place.at(ITEM)) == ('stage', 'phase')
    migrated(place)
    found = fields(place)
    assert (found['stage'], found['phase']) == ('3', '3.2')


def test_an_older_name_of_a_field_is_not_a_missing_field(tmp_path: Path) -> None:
    text = handoff('3', '3.1').replace('\nphase:', '\ncurrent_phase:')
    place = kick(tmp_path, 'Stage 3.1', text)
    assert missing(place.at(ITEM)) == ()


def test_a_handoff_from_before_the_stages_is_left_alone(tmp_path: Path) -> None:
    text = f'---\nplugin: {ITEM}\nstage: ideation\n---\n'
    place = kick(tmp_path, 'Ideated', text)
    assert migrated(place) == Outcome(
        {}, (f'{HANDOFF}: in the old format, without stages',)
    )


@pytest.mark.parametrize(
    ('text', 'sentence', 'denied'),
    (
        pytest.param(None, 'has no handoff', True, id='none'),
        pytest.param(
            '# x\n\n---\n', f'{HANDOFF} has no frontmatter', False, id='no frontmatter'
        ),
        pytest.param(
            f'---\n{{plugin: {ITEM}, stage: 2}}\n---\n',
            f'{HANDOFF}: the handoff has a ',
            False,
            id='another form',
        ),
    ),
)
def test_what_cannot_be_migrated_is_refused(
    tmp_path: Path, text: str | None, sentence: str, denied: bool
) -> None:
    place = kick(tmp_path, 'Stage 2', text)
    with pytest.raises(Refusal) as e:
        migrated(place)
    assert sentence in e.value.message
    assert isinstance(e.value, Denied) == denied


def test_the_plan_says_which_phase_comes(tmp_path: Path) -> None:
    text = samples.handoff(
        ITEM,
        '3',
        '3.1',
        'complete',
        {},
        complexity_score='5.0',
        phased_implementation='true',
        next_action='',
        next_phase='',
    )
    place = kick(tmp_path, 'Stage 3.1', text, PHASES)
    migrated(place)
    found = fields(place)
    assert (found['next_action'], found['next_phase']) == (
        'continue_dsp_phase_3.2',
        '3.2',
    )
