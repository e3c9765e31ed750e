from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.errors import Denied, Refusal
from interlock.model.state import State
from interlock.operations import advance as operations
from interlock.operations.outcome import Outcome
from interlock.operations.progress_text import Words
from tests import samples
from tests.operations.kicks import (
    HANDOFF,
    ITEM,
    PLAN,
    fields,
    handoff,
    kick,
    section,
    statuses,
    sums,
)
from tests.operations.places import DAY, REGISTRY, Place

SIMPLE = {'complexity_score': '1.2', 'phased_implementation': 'false'}


def create(
    place: Place,
    state: State | None = None,
    words: Words = Words(),  # noqa: B008 it is never changed
) -> Outcome:
    words = words._replace(day=DAY)
    outcome = operations.create(place.at(ITEM), state, place.snapshot, words)
    place.done(outcome)
    return outcome


def update(
    place: Place,
    state: State | None = None,
    words: Words = Words(),  # noqa: B008 it is never changed
    expected: State | None = None,
) -> Outcome:
    words = words._replace(day=DAY)
    outcome = operations.update(place.at(ITEM), state, expected, place.snapshot, words)
    place.done(outcome)
    return outcome


def test_a_new_handoff_says_that_work_has_begun(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Ideated')
    outcome = create(place)
    assert outcome.said == (
        f'{ITEM}: Ideated -> Stage 0',
        f'{REGISTRY}: written',
        f'{HANDOFF}: created',
    )
    assert fields(place) == {
        'plugin': ITEM,
        'stage': '0',
        'phase': 'null',
        'status': 'in_progress',
        'last_updated': DAY,
        'complexity_score': 'null',
        'phased_implementation': 'null',
        'orchestration_mode': 'true',
        'next_action': 'null',
        'next_phase': 'null',
        'evidence': 'null',
        'contract_checksums': sums(),
    }
    titles = [
        line[3:] for line in place.text(HANDOFF).splitlines() if line.startswith('## ')
    ]
    assert titles == [
        'Current State: Stage 0',
        'Completed So Far',
        'Next Steps',
        'Build Artifacts',
        'Testing Checklist',
        'Context to Preserve',
    ]
    assert section(place, 'Current State') == ['Stage 0 started']
    assert section(place, 'Next Steps') == [
        '1. Invoke research-planning-agent for Stage 0'
    ]
    assert statuses(place) == ['Stage 0', 'Stage 0']


def test_a_contract_that_is_not_there_yet_is_not_sealed(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Ideated')
    place.write({PLAN: None})
    create(place)
    assert fields(place)['contract_checksums'] == {**sums(), 'plan': None}


def test_a_new_handoff_of_work_that_is_done_says_what_comes(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Ideated')
    create(place, words=Words(fields={'status': 'complete', 'complexity_score': '1.2'}))
    found = fields(place)
    assert found['next_action'] == 'invoke_foundation_shell_agent'
    assert (found['next_phase'], found['phased_implementation']) == ('null', 'false')


def test_a_lost_handoff_is_begun_where_the_registry_stands(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 3.1')
    old = place.text()
    create(place)
    found = fields(place)
    assert (found['stage'], found['phase']) == ('3', '3.1')
    # the date alone
    assert place.text() == old.replace('2026-01-02', DAY, 1).replace(
        samples.entry(ITEM, 'Stage 3.1'), samples.entry(ITEM, 'Stage 3.1', DAY)
    )


@pytest.mark.parametrize(
    ('status', 'before', 'state', 'sentence'),
    (
        pytest.param(
            'Stage 2', handoff('2'), None, f'has a handoff: {HANDOFF}', id='exists'
        ),
        pytest.param(
            'Stage 2',
            '# kaputt\n',
            None,
            f'has a handoff: {HANDOFF}',
            id='exists, and cannot be read',
        ),
        pytest.param(
            'Working',
            None,
            None,
            'is Working: there is no work to hand over',
            id='finished',
        ),
        pytest.param(
            'Ideated', None, State('Stage 2'), 'may not go from Ideated', id='illegal'
        ),
    ),
)
def test_a_handoff_that_cannot_be_is_denied(
    tmp_path: Path, status: str, before: str | None, state: State | None, sentence: str
) -> None:
    place = kick(tmp_path, status, before)
    with pytest.raises(Denied) as e:
        create(place, state)
    assert sentence in e.value.message


def test_the_stage_that_is_expected_must_be_there(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 3.1', handoff('3', '3.1', **SIMPLE))
    for wrong in (State('Stage 2'), State('Stage 3', 2)):
        with pytest.raises(Denied) as e:
            update(place, State('Stage 3', 2), expected=wrong)
        assert e.value.message == (
            f'the handoff of {ITEM} is at Stage 3.1, not at {wrong}'
        )
    update(place, State('Stage 3', 2), expected=State('Stage 3'))
    update(place, State('Stage 3', 3), expected=State('Stage 3', 2))
    assert fields(place)['phase'] == '3.3'


def test_without_a_stage_only_what_is_given_changes(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 2', handoff('2', status='in_progress'))
    update(place, words=Words(fields={'gui_type': 'headless'}, context=('Werkbank 3',)))
    found = fields(place)
    assert (found['status'], found['stage']) == ('in_progress', '2')
    keys = list(found)
    assert keys[keys.index('orchestration_mode') + 1] == 'gui_type'
    assert section(place, 'Context to Preserve') == ['- Werkbank 3']
    assert section(place, 'Next Steps') == ['1. go']


@pytest.mark.parametrize(
    ('status', 'before'),
    (
        pytest.param('Stage 2', handoff('2', **SIMPLE), id='done'),
        pytest.param('Stage 3', handoff('2', **SIMPLE), id='behind'),
        pytest.param(
            'Improving',
            handoff('5', status='workflow_complete', **SIMPLE),
            id='finished',
        ),
    ),
)
def test_saying_more_moves_nothing(tmp_path: Path, status: str, before: str) -> None:
    place = kick(tmp_path, status, before)
    outcome = update(place, words=Words(completed='mehr'))
    assert list(outcome.files) == [HANDOFF]
    name = f'Stage {fields(place)["stage"]}'
    assert section(place, 'Completed So Far') == [
        '- **Stage 0:** yes',
        f'- **{name}:** mehr',
    ]
    assert section(place, 'Next Steps') == ['1. go']
    outcome = update(place, words=Words(completed='mehr'))
    assert outcome == Outcome({}, (f'{ITEM}: nothing to change',))


def test_work_that_went_on_is_done(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 2', handoff('2', status='in_progress', **SIMPLE))
    update(place, words=Words(fields={'status': 'complete'}))
    found = fields(place)
    assert (found['status'], found['next_action']) == ('complete', 'invoke_dsp_agent')
    assert f'- **{DAY} (Stage 2):** Foundation complete' in place.text()


@pytest.mark.parametrize(
    ('before', 'sentence', 'hint'),
    (
        pytest.param(
            None, 'has no handoff', f"interlock handoff create '{ITEM}'", id='none'
        ),
        pytest.param(
            'text\n',
            'has no frontmatter',
            f"interlock handoff restore '{ITEM}'",
            id='no frontmatter',
        ),
        pytest.param(
            f'---\nplugin: {ITEM}\nstage: ideation\n---\n',
            'is at no stage',
            f"interlock handoff regenerate '{ITEM}'",
            id='before the stages',
        ),
    ),
)
def test_a_handoff_that_cannot_be_updated_is_refused(
    tmp_path: Path, before: str | None, sentence: str, hint: str
) -> None:
    place = kick(tmp_path, 'Stage 2', before)
    with pytest.raises(Refusal) as e:
        update(place)
    assert sentence in e.value.message
    assert e.value.hint == hint
