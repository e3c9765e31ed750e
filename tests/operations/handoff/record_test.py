from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.errors import Denied, Refusal
from interlock.operations.handoff.record import note
from tests import samples
from tests.operations.places import DAY, REGISTRY, Place, changed

ITEM = 'Délay'
PATH = samples.handoff_path(ITEM)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.write(
        {REGISTRY: samples.registry({ITEM: 'Stage 2'}), PATH: samples.handoff(ITEM)}
    )
    return made


def noted(place: Place, text: str, day: str = DAY) -> tuple[str, str]:
    before = place.text(PATH)
    place.done(note(place.at(ITEM), text, day))
    return before, place.text(PATH)


def test_only_the_date_and_one_line_change(place: Place) -> None:
    before, after = noted(place, 'Paused: à demain')
    assert changed(before, after) == [
        '- last_updated: 2026-01-02\n',
        '+ last_updated: 2026-03-04\n',
        '+ - **2026-03-04:** Paused: à demain\n',
        '+ \n',
    ]


def test_line_endings_are_kept(place: Place) -> None:
    place.write({PATH: samples.handoff(ITEM).replace('\n', '\r\n')})
    _, after = noted(place, 'Paused')
    assert after.count('\n') == after.count('\r\n')
    assert '- **2026-03-04:** Paused\r\n' in after


def test_the_same_situation_is_noted_once(place: Place) -> None:
    noted(place, 'Build error: x')
    before, after = noted(place, 'Build error: x')
    assert before == after
    _, after = noted(place, 'Build error: x', '2026-03-05')
    assert after.count('Build error: x') == 2


def test_several_situations_stand_in_their_order(place: Place) -> None:
    noted(place, 'un')
    _, after = noted(place, 'deux')
    assert '- **2026-03-04:** un\n- **2026-03-04:** deux\n' in after


def test_a_section_that_is_absent_is_made(place: Place) -> None:
    place.write({PATH: '---\nplugin: x\nstage: 2\n---\n\n# Titre\n'})
    _, after = noted(place, 'Paused')
    assert after == (
        '---\nplugin: x\nstage: 2\nlast_updated: 2026-03-04\n---\n\n'
        '# Titre\n\n## Current State\n\n- **2026-03-04:** Paused\n'
    )


def test_output_of_many_lines_becomes_one_that_is_not_too_long(place: Place) -> None:
    _, after = noted(place, 'error:\n\n\t# no heading\n' + 'x' * 1000)
    (line,) = (each for each in after.split('\n') if 'error:' in each)
    assert line.startswith('- **2026-03-04:** error: # no heading xxx')
    assert line.endswith('...')
    assert len(line) == 500 + len('- **2026-03-04:** ')


def test_without_a_handoff_nothing_can_be_noted(place: Place) -> None:
    place.write({PATH: None})
    with pytest.raises(Denied) as caught:
        note(place.at(ITEM), 'Paused', DAY)
    assert caught.value.message == (f'{ITEM} has no handoff to note: Paused')
    assert caught.value.hint == f'interlock handoff create {ITEM}'


@pytest.mark.parametrize(
    'text',
    (
        pytest.param(b'\xff', id='no UTF-8'),
        pytest.param(b'# nothing\n', id='no frontmatter'),
        pytest.param(b'---\n{: ]\n---\n', id='frontmatter that is not YAML'),
        pytest.param(b'---\nplugin: x\nlast_updated: [1]\n---\n', id='a list'),
    ),
)
def test_a_handoff_that_cannot_be_edited_is_refused(place: Place, text: bytes) -> None:
    place.write({PATH: text})
    with pytest.raises(Refusal) as caught:
        note(place.at(ITEM), 'Paused', DAY)
    assert caught.value.message.startswith(f'{PATH}: the handoff ')
    assert caught.value.hint == f'interlock handoff restore {ITEM}'


def test_a_workflow_without_the_section_is_refused(place: Place) -> None:
    at = place.at(ITEM)
    bare = at.kind._replace(handoff=at.kind.handoff._replace(sections={}))
    with pytest.raises(Refusal, match='does not name a section'):
        note(at._replace(kind=bare), 'Paused', DAY)
