from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.errors import Denied
from interlock.operations.advance import set_status, update
from interlock.operations.outcome import Outcome
from interlock.operations.progress_text import Words
from interlock.operations.registry.status import parse_status
from interlock.workflow.reading import evidence
from interlock.workflow.reading.records import Records
from tests.operations.kicks import (
    HANDOFF,
    ITEM,
    fields,
    handoff,
    kick,
    section,
    statuses,
)
from tests.operations.places import DAY, REGISTRY, Place

SIMPLE = {'complexity_score': '1.2', 'phased_implementation': 'false'}


def tried(at: Records, *states: str) -> list[str]:
    """The keys of what is recorded of some states."""
    return [
        evidence.key(at.kind, state, what)
        for state in states
        for what in evidence.kinds_of(at.current, at.kind, state)
    ]


def set_to(place: Place, status: str, committed: str = '') -> Outcome:
    at = place.at(ITEM)
    wanted = parse_status(status, at)
    old = at._replace(state=parse_status(committed, at).state) if committed else None
    outcome = set_status(at, wanted, place.snapshot, DAY, '', old)
    place.done(outcome)
    return outcome


@pytest.mark.parametrize(
    ('status', 'before', 'wanted', 'stage', 'written'),
    (
        pytest.param(
            'Stage 2', handoff('2', **SIMPLE), 'Stage 3', '3', 'complete', id='a stage'
        ),
        pytest.param(
            'Stage 0',
            handoff('0', **SIMPLE),
            'Building System',
            '2',
            'in_progress',
            id='begun',
        ),
        pytest.param(
            'Stage 2',
            handoff('2', **SIMPLE),
            'Processing Audio',
            '3',
            'in_progress',
            id='begun, although nothing was tried yet',
        ),
        pytest.param(
            'Stage 4',
            handoff('4', **SIMPLE),
            'Validating',
            '5',
            'in_progress',
            id='the last one is begun',
        ),
        pytest.param(
            'Building System',
            handoff('2', status='in_progress', **SIMPLE),
            'Stage 2',
            '2',
            'complete',
            id='what was begun is done',
        ),
        pytest.param(
            'Stage 4',
            handoff('4', **SIMPLE),
            'Stage 5',
            '5',
            'complete',
            id='a stage that would become another status',
        ),
        pytest.param(
            'Stage 4',
            handoff('4', **SIMPLE),
            'Working',
            '5',
            'workflow_complete',
            id='finished',
        ),
        pytest.param(
            'Stage 5',
            handoff('5', **SIMPLE),
            'Working',
            '5',
            'workflow_complete',
            id='finished at its last stage',
        ),
        pytest.param(
            'Stage 6',
            handoff('6', **SIMPLE),
            'Working',
            '6',
            'workflow_complete',
            id='finished at another last stage',
        ),
    ),
)
def test_the_handoff_goes_along(
    tmp_path: Path, status: str, before: str, wanted: str, stage: str, written: str
) -> None:
    place = kick(tmp_path, status, before)
    outcome = set_to(place, wanted)
    assert set(outcome.files) == {REGISTRY, HANDOFF}
    found = fields(place)
    assert (found['stage'], found['status']) == (stage, written)
    assert wanted in place.text()


def test_a_status_that_is_there_already_is_said(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 2', handoff('2'))
    assert set_to(place, '🚧 Stage 2') == Outcome({}, (f'{ITEM} is already Stage 2',))


def test_a_handoff_that_is_behind_is_brought_along(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 3', handoff('2', **SIMPLE))
    assert HANDOFF in set_to(place, 'Stage 3').files
    assert fields(place)['stage'] == '3'


@pytest.mark.parametrize('committed', ('Stage 2', 'Ideated'))
def test_a_reset_needs_the_handoff_gone(tmp_path: Path, committed: str) -> None:
    place = kick(tmp_path, 'Stage 2', handoff('2'))
    with pytest.raises(Denied) as e:
        set_to(place, 'Ideated', committed)
    assert 'delete the handoff first' in e.value.message
    assert e.value.hint == f"interlock handoff delete '{ITEM}'"
    place.write({HANDOFF: None})
    assert set_to(place, 'Ideated').warnings == (
        'this resets the item; say why in the message: `Reset-Reason: WHY`',
    )
    assert statuses(place) == ['Ideated', 'Ideated']


@pytest.mark.parametrize('status', ('Archived', 'Improving'))
def test_a_status_that_agrees_with_any_stage_leaves_the_handoff(
    tmp_path: Path, status: str
) -> None:
    place = kick(tmp_path, 'Working', handoff('5', status='workflow_complete'))
    assert list(set_to(place, status).files) == [REGISTRY]


def test_a_handoff_at_a_stage_says_that_the_item_left_it(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 4', handoff('4', **SIMPLE))
    outcome = set_to(place, 'Archived')
    assert outcome.said == (
        f'{ITEM}: Stage 4 -> Archived',
        f'{HANDOFF}: situation noted',
    )
    assert set(outcome.files) == {REGISTRY, HANDOFF}
    assert section(place, 'Current State') == [f'- **{DAY}:** Archived reached']
    assert fields(place)['last_updated'] == DAY


TRIED = """
  3.test: passed 2026-01-02
  4.build: passed 2026-01-02
  4.test: passed 2026-01-03"""


@pytest.mark.parametrize(
    ('status', 'stage', 'wanted', 'kept'),
    (
        pytest.param('Stage 4', '4', 'Stage 3', ['3.test'], id='back'),
        pytest.param('Stage 4', '4', 'Stage 3.1', [], id='into a phase'),
        pytest.param('Stage 4', '4', 'Stage 2', [], id='two back'),
        pytest.param(
            'Stage 4', '4', 'Stage 5', ['3.test', '4.build', '4.test'], id='forward'
        ),
    ),
)
def test_back_to_the_last_commit_voids_what_was_tried_since(
    tmp_path: Path, status: str, stage: str, wanted: str, kept: list[str]
) -> None:
    place = kick(tmp_path, status, handoff(stage, evidence=TRIED, **SIMPLE))
    set_to(place, wanted, wanted)
    found = place.at(ITEM)
    assert tried(found, 'Stage 3', 'Stage 4') == kept
    assert evidence.is_kept(found.current, found.kind)


@pytest.mark.parametrize(
    ('fields', 'kept'),
    (
        pytest.param({}, ['4.build', '4.test'], id='more is said'),
        pytest.param({'status': 'complete'}, ['4.build', '4.test'], id='done still'),
        pytest.param({'status': 'in_progress'}, [], id='opened again'),
    ),
)
def test_work_that_is_opened_again_is_tried_again(
    tmp_path: Path, fields: dict[str, str], kept: list[str]
) -> None:
    place = kick(tmp_path, 'Stage 4', handoff('4', evidence=TRIED, **SIMPLE))
    words = Words('encore', fields=fields, day=DAY)
    place.done(update(place.at(ITEM), None, None, place.snapshot, words))
    found = place.at(ITEM)
    assert tried(found, 'Stage 4') == kept
