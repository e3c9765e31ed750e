from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.errors import Denied, Refusal
from interlock.model.state import State
from interlock.operations import commit_stage as operations
from interlock.workflow.language.patterns import matching_paths
from tests import samples
from tests.operations.places import Place

PLAN = 'plugins/Öl/.ideas/plan.md'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.write(
        {
            'PLUGINS.md': samples.registry({'Öl': 'Stage 2', 'Zeta': 'Ideated'}),
            **samples.item_files('Öl'),
            samples.handoff_path('Öl'): samples.handoff('Öl'),
        }
    )
    return made


@pytest.mark.parametrize(
    ('text', 'state'),
    (
        ('3', State('Stage 3')),
        ('Stage 3', State('Stage 3')),
        ('3.1', State('Stage 3', 1)),
        ('Stage 3.12', State('Stage 3', 12)),
        ('Processing Audio', State('Stage 3')),
        ('0', State('Stage 0')),
        ('🚧 **Stage 4**', State('Stage 4')),
    ),
)
def test_a_stage_as_users_write_it(place: Place, text: str, state: State) -> None:
    assert operations.parse_stage(text, place.at('Öl')) == state


@pytest.mark.parametrize(
    'text',
    (
        '',
        '7',
        '2.1',
        '3.',
        '.1',
        '-1',
        '3.1.1',
        '3,1',
        'Working',
        'Ideated',
        'Installed Has Issues',
        'stage',
        '３',
    ),
)
def test_an_unknown_stage_is_refused(place: Place, text: str) -> None:
    with pytest.raises(Refusal) as e:
        operations.parse_stage(text, place.at('Öl'))
    near = e.value.message.partition('did you mean `')[2].partition('`')[0]
    assert e.value.meant == ((text, near) if near else None)
    assert e.value.hint == 'interlock resume Öl'


def test_what_belongs_to_the_commit_of_an_item(place: Place) -> None:
    wanted = operations.patterns(place.at('Öl'))
    assert operations.roots(wanted) == [
        'plugins/Öl/Source',
        'plugins/Öl/.ideas',
        'plugins/Öl/CMakeLists.txt',
        'plugins/Öl/CHANGELOG.md',
        'plugins/Öl/Presets',
        'plugins/Öl/plan.md',
        'plugins/Öl/.continue-here.md',
        'plugins/Öl/.ideas/.continue-here.md',
        'plugins/Öl/.ideas/creative-brief.md',
        'plugins/Öl/.ideas/parameter-spec.md',
        'plugins/Öl/.ideas/architecture.md',
        'plugins/Öl/.ideas/plan.md',
    ]
    for path in (
        'plugins/Öl/Source/a/b.cpp',
        'plugins/Öl/.ideas/x',
        'plugins/Öl/CHANGELOG.md',
        'plugins/Öl/plan.md',
        'plugins/Öl/.continue-here.md',
        'plugins/Öl/Presets/Warm.xml',
    ):
        assert matching_paths([path], wanted)
    for path in (
        'plugins/Öl/Source',
        'plugins/Öl/Sources/x',
        'plugins/Öl/x',
        'plugins/Ölx/Source/x',
        'x/plugins/Öl/Source/x',
        'plugins/Öl/CMakeLists.txt/x',
        'PLUGINS.md',
    ):
        assert not matching_paths([path], wanted)


@pytest.mark.parametrize(
    ('patterns', 'roots'),
    (
        (['a/b*/c', 'a/b/**', 'a/b'], ['a', 'a/b']),
        (['**'], ['']),
        (['*.md'], ['']),
        (['a/**', 'a/x', 'a/*'], ['a', 'a/x']),
    ),
)
def test_what_patterns_cannot_go_beyond(patterns: list[str], roots: list[str]) -> None:
    assert operations.roots(patterns) == roots


def test_a_plan_without_phases_is_left_alone(place: Place) -> None:
    assert operations.plan_with_done_phase(place.at('Öl'), State('Stage 3', 1)) == {}


@pytest.mark.parametrize(
    ('plan', 'ticked'),
    (
        pytest.param(
            '### Phase 3.1: A\n### Phase 3.2: B',
            '### Phase 3.1: A ✓\n### Phase 3.2: B',
            id='first',
        ),
        pytest.param('### Phase 3.1: A ✓\n', None, id='done already'),
        pytest.param(
            '#### Phase 3.1: A ##\r\nx\r\n',
            '#### Phase 3.1: A ✓ ##\r\nx\r\n',
            id='closed, CRLF',
        ),
        pytest.param(
            '```\n### Phase 3.1: A\n```\n### Phase 3.1: A',
            '```\n### Phase 3.1: A\n```\n### Phase 3.1: A ✓',
            id='an example',
        ),
        pytest.param('## Phase 3.1: A\n', None, id='another level'),
        pytest.param('### Phase 3.11: A\n', None, id='another phase'),
        pytest.param(
            '### Phase 3.1: Phase 3.1: A\t\n',
            '### Phase 3.1: Phase 3.1: A ✓\t\n',
            id='twice in one line',
        ),
    ),
)
def test_a_phase_is_ticked_and_nothing_else_changes(
    place: Place, plan: str, ticked: str | None
) -> None:
    place.write({PLAN: plan.encode()})
    files = operations.plan_with_done_phase(place.at('Öl'), State('Stage 3', 1))
    assert files == ({} if ticked is None else {PLAN: ticked.encode()})


def test_the_whole_stage_ticks_no_phase(place: Place) -> None:
    place.write({PLAN: '### Phase 3.1: A\n'})
    assert operations.plan_with_done_phase(place.at('Öl'), State('Stage 3')) == {}


def test_a_registry_that_cannot_be_taken_apart_is_denied(place: Place) -> None:
    at = place.at('Öl')
    with pytest.raises(Denied) as e:
        operations.registry_with_record(at, b'# leer\n', samples.registry({}).encode())
    assert e.value.message.startswith(
        'PLUGINS.md: the record of Öl cannot be committed apart from other '
        'changes: the registry has no table'
    )
    assert e.value.hint == ('git diff HEAD -- PLUGINS.md, and commit those first')
