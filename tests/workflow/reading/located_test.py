"""A `*` in the path of a record is looked for in the tree."""

from __future__ import annotations

import pytest

from interlock.model.errors import Refusal
from interlock.operations.outcome import new_path
from interlock.workflow.reading.records import located_path, records
from tests.formats.trees import MemorySnapshot, compiled, edited, rules

WORKFLOW = compiled(
    """\
version: 1
items:
  part:
    path: 'parts/{item}'
    states: {New: {role: before}, Cut: {role: stage, stage: 1}, Sold: {role: done}}
    transitions:
      - {from: nothing, to: any}
      - {from: any, to: Sold}
      - {from: New, to: Cut}
    registry:
      file: PARTS.md
      columns: {item: Part, status: State}
      entry: {file: 'areas/*/{item}/card.md', format: fields, fields: {status: State}}
    handoff:
      file: 'areas/*/{item}/HANDOFF.md'
      keys: {item: part, stage: stage}
"""
)
(KIND,) = WORKFLOW.kinds
CARD, HANDOFF = 'areas/north/Bolt/card.md', 'areas/north/Bolt/HANDOFF.md'
BASE = {
    'PARTS.md': '| Part | State |\n|---|---|\n| Bolt | Cut |\n',
    CARD: '# Bolt\n\n**State:** Cut\n',
    HANDOFF: '---\npart: Bolt\nstage: 1\n---\n',
}


def test_records_are_found_wherever_they_lie() -> None:
    at = records(MemorySnapshot(BASE), KIND, 'Bolt')
    assert at.entry_path == CARD
    assert at.current is not None
    assert at.current.path == HANDOFF


@pytest.mark.parametrize(
    ('edits', 'expected'),
    (
        pytest.param({'README.md': 'x'}, set(), id='another file'),
        pytest.param({CARD: ('Cut', 'Sold')}, {'REG001'}, id='entry'),
        pytest.param({HANDOFF: '---\nstage: [\n---\n'}, set(), id='of another check'),
        pytest.param({CARD: None}, {'REG002'}, id='no entry'),
        pytest.param(
            {CARD: None, CARD.replace('north', 'south'): BASE[CARD]}, set(), id='moved'
        ),
    ),
)
def test_a_change_is_judged(
    edits: dict[str, str | tuple[str, str] | None], expected: set[str]
) -> None:
    assert rules(WORKFLOW, BASE, edited(BASE, edits)) == expected


def test_nothing_is_written_to_a_place_that_is_not_known() -> None:
    pattern = 'areas/*/{item}/card.md'
    found = located_path(MemorySnapshot({}), KIND, pattern, 'Bolt')
    assert found == 'areas/*/Bolt/card.md'
    with pytest.raises(Refusal, match='several places'):
        new_path(pattern, 'Bolt')
    assert new_path('areas/{item}.md', 'Bolt') == 'areas/Bolt.md'


def test_to_any_is_every_state() -> None:
    first, *_ = KIND.transitions
    assert first.targets == ('New', 'Cut', 'Sold')
