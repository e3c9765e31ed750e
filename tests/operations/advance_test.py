from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interlock.model.errors import Denied, Refusal
from interlock.model.state import State
from interlock.operations.advance import advance
from interlock.operations.progress_text import Words
from tests import samples
from tests.checks import bakery
from tests.operations.kicks import (
    HANDOFF,
    ITEM,
    PHASES,
    PLAN,
    fields,
    handoff,
    kick,
    move,
    section,
    statuses,
    sums,
)
from tests.operations.places import DAY, REGISTRY, Place, changed

PHASED = {'complexity_score': '5.0', 'phased_implementation': 'true'}
SIMPLE = {'complexity_score': '1.2', 'phased_implementation': 'false'}


@pytest.mark.parametrize(
    ('status', 'before', 'to', 'given', 'registry', 'expected', 'line'),
    (
        pytest.param(
            'Ideated',
            None,
            ('Stage 0', None),
            {'complexity_score': '5.0'},
            'Stage 0',
            {
                'stage': '0',
                'phase': 'null',
                'status': 'complete',
                **PHASED,
                'orchestration_mode': 'true',
                'next_phase': 'null',
                'next_action': 'invoke_foundation_shell_agent',
            },
            '(Stage 0):** Research & Planning complete - Complexity 5.0',
            id='Stage 0',
        ),
        pytest.param(
            'Stage 0',
            handoff('0', **PHASED),
            ('Stage 2', None),
            {},
            'Stage 2',
            {
                'stage': '2',
                'phase': 'null',
                'status': 'complete',
                **PHASED,
                'next_action': 'invoke_dsp_agent',
                'next_phase': '3.1',
            },
            '(Stage 2):** Foundation complete - Build system operational',
            id='Stage 2 of a complex one',
        ),
        pytest.param(
            'Stage 2',
            handoff('2', **SIMPLE),
            ('Stage 3', None),
            {},
            'Stage 3',
            {
                'stage': '3',
                'phase': 'null',
                'status': 'complete',
                **SIMPLE,
                'next_action': 'invoke_gui_agent',
                'next_phase': 'null',
            },
            '(Stage 3):** Audio engine complete',
            id='Stage 3 of a simple one',
        ),
        pytest.param(
            'Stage 2',
            handoff('2', **PHASED),
            ('Stage 3', 1),
            {},
            'Stage 3.1',
            {
                'stage': '3',
                'phase': '3.1',
                'next_phase': '3.2',
                'next_action': 'continue_dsp_phase_3.2',
            },
            '(Stage 3.1):** Phase 3.1 complete - Schicht 3.1',
            id='the first phase',
        ),
        pytest.param(
            'Stage 3.1',
            handoff('3', '3.1', **PHASED),
            ('Stage 3', 2),
            {},
            'Stage 3.2',
            {
                'stage': '3',
                'phase': '3.2',
                'status': 'complete',
                'next_action': 'continue_dsp_phase_3.3',
                'next_phase': '3.3',
            },
            '(Stage 3.2):** Phase 3.2 complete - Schicht 3.2',
            id='a phase after a phase',
        ),
        pytest.param(
            'Stage 3.3',
            handoff('3', '3.3', **PHASED),
            ('Stage 3', None),
            {},
            'Stage 3',
            {
                'stage': '3',
                'phase': 'null',
                'status': 'complete',
                'next_action': 'invoke_gui_agent',
                'next_phase': '4.1',
            },
            '(Stage 3):** Audio engine complete',
            id='the stage after its phases',
        ),
        pytest.param(
            'Stage 3',
            handoff('3', **SIMPLE),
            ('Stage 4', None),
            {},
            'Stage 4',
            {'stage': '4', 'next_action': 'begin_stage_5', 'next_phase': 'null'},
            '(Stage 4):** UI complete',
            id='Stage 4 of a simple one',
        ),
        pytest.param(
            'Stage 4.2',
            handoff('4', '4.2', **PHASED),
            ('Stage 4', None),
            {},
            'Stage 4',
            {
                'stage': '4',
                'phase': 'null',
                'next_action': 'begin_stage_5',
                'next_phase': 'null',
            },
            '(Stage 4):** UI complete',
            id='Stage 4 after its phases',
        ),
        pytest.param(
            'Stage 4',
            handoff('4', **PHASED),
            ('Stage 5', None),
            {},
            'Working',
            {
                'stage': '5',
                'phase': 'null',
                'status': 'workflow_complete',
                'next_action': 'null',
                'next_phase': 'null',
            },
            '(Stage 5):** Validation complete - ready for installation',
            id='the last stage',
        ),
        pytest.param(
            'Stage 3',
            handoff('3', gui_type='headless', **SIMPLE),
            ('Stage 4', None),
            {},
            'Stage 4',
            {'stage': '4', 'next_action': 'run_validation'},
            '(Stage 4):** UI complete',
            id='headless at four',
        ),
        pytest.param(
            'Stage 2',
            handoff('2', gui_type='headless', **SIMPLE),
            ('Stage 3', None),
            {},
            'Stage 3',
            {'stage': '3', 'next_action': 'run_validation'},
            '(Stage 3):** Audio engine complete',
            id='headless at three',
        ),
        pytest.param(
            'Stage 2',
            handoff('2', **SIMPLE),
            ('Stage 3', None),
            {'next_action': 'invoke_gui_agent', 'gui_type': 'webview'},
            'Stage 3',
            {'next_action': 'invoke_gui_agent'},
            '(Stage 3):** Audio engine complete',
            id='given, and the same',
        ),
        pytest.param(
            'Stage 0',
            handoff('0', **SIMPLE),
            ('Stage 2', None),
            {'next_action': 'invoke_shell_agent'},
            'Stage 2',
            {'next_action': 'invoke_shell_agent'},
            '(Stage 2):** Foundation complete - Build system operational',
            id='a name of an older numbering',
        ),
    ),
)
def test_registry_and_handoff_move_together(
    tmp_path: Path,
    status: str,
    before: str | None,
    to: tuple[str, int | None],
    given: dict[str, str],
    registry: str,
    expected: Mapping[str, str],
    line: str,
) -> None:
    place = kick(tmp_path, status, before)
    outcome = move(place, *to, fields=given)
    assert set(outcome.files) == {REGISTRY, HANDOFF}
    assert statuses(place) == [registry, registry]
    assert f'- **{DAY} {line}\n' in place.text()
    found = fields(place)
    assert {key: found[key] for key in expected} == expected
    assert found['plugin'] == ITEM
    assert found['last_updated'] == DAY
    assert found['contract_checksums'] == sums()
    name, phase = to
    about = name if phase is None else f'{name}.{phase}'
    said = line.partition(':** ')[2]
    assert f'- **{about}:** {said}' in section(place, 'Completed So Far')


def test_every_field_and_section_is_in_a_new_handoff(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Ideated')
    move(
        place,
        'Stage 0',
        fields={'complexity_score': '4.2'},
        current='Recherche faite.',
        steps=('Fundament', 'Prüfen'),
        context=('Plan: plan.md',),
        artifacts=('VST3',),
        tests=('Lädt',),
    )
    assert (
        place.text(HANDOFF)
        == f"""\
---
plugin: {ITEM}
stage: 0
phase: null
status: complete
last_updated: {DAY}
complexity_score: 4.2
phased_implementation: true
orchestration_mode: true
next_action: invoke_foundation_shell_agent
next_phase: null
evidence: null
contract_checksums:
  creative_brief: {sums()['creative_brief']}
  parameter_spec: {sums()['parameter_spec']}
  architecture: {sums()['architecture']}
  plan: {sums()['plan']}
---

# {ITEM}: where work stands

## Current State: Stage 0

Recherche faite.

## Completed So Far

- **Stage 0:** Research & Planning complete - Complexity 4.2

## Next Steps

1. Fundament
2. Prüfen

## Build Artifacts

- VST3: build/{ITEM}/plugins/{ITEM}/{ITEM}_artefacts/VST3/{ITEM}.vst3

## Testing Checklist

- [x] Lädt

## Context to Preserve

- Plan: plan.md
"""
    )


def test_what_is_written_already_is_not_written_again(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 0', handoff('0', **PHASED))
    move(place, 'Stage 2', text='Läuft')
    old = place.text(), place.text(HANDOFF)
    outcome = move(place, 'Stage 2', text='Läuft noch')
    assert outcome.files == {}
    assert outcome.said == (f'{ITEM} is already at Stage 2',)
    assert (place.text(), place.text(HANDOFF)) == old


def test_a_registry_that_is_behind_its_handoff_is_brought_along(tmp_path: Path) -> None:
    """As a subagent leaves it that wrote the handoff only."""
    text = handoff('2', last_updated=DAY, **PHASED).replace(
        '- **Stage 0:** yes\n', '- **Stage 0:** yes\n- **Stage 2:** fait\n'
    )
    place = kick(tmp_path, 'Stage 0', text)
    outcome = move(place, 'Stage 2')
    assert list(outcome.files) == [REGISTRY]
    assert statuses(place) == ['Stage 2', 'Stage 2']
    assert place.text(HANDOFF) == text


def test_a_handoff_that_is_behind_its_registry_is_brought_along(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 0', handoff('0', **PHASED))
    move(place, 'Stage 2')
    old = place.text()
    place.write({HANDOFF: handoff('0', **PHASED)})
    assert list(move(place, 'Stage 2').files) == [HANDOFF]
    assert place.text() == old
    assert fields(place)['stage'] == '2'


def test_a_row_that_is_behind_is_brought_along(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 0', handoff('0', **PHASED))
    move(place, 'Stage 2')
    right = place.text()
    row = f'| {ITEM} | 🚧 Stage 2 | - | {DAY} |'
    place.write(
        {REGISTRY: right.replace(row, f'| {ITEM} | 🚧 Stage 0 | - | 2026-01-02 |')}
    )
    assert list(move(place, 'Stage 2').files) == [REGISTRY]
    assert place.text() == right


def test_what_the_agent_said_of_what_comes_is_kept(tmp_path: Path) -> None:
    text = handoff('4', last_updated=DAY, next_action='invoke_validation', **SIMPLE)
    place = kick(tmp_path, 'Stage 3', text)
    move(place, 'Stage 4')
    assert fields(place)['next_action'] == 'invoke_validation'
    assert section(place, 'Next Steps') == ['1. go']


def test_only_what_changes_is_changed_in_a_handoff(tmp_path: Path) -> None:
    old = handoff(
        '2', custom='"x"  # bleibt', last_updated='2026-01-02T10:11:12Z', **SIMPLE
    ).replace('\n', '\r\n')
    place = kick(tmp_path, 'Stage 2', old)
    move(place, 'Stage 3')
    assert changed(old, place.text(HANDOFF)) == [
        '- stage: 2\r\n',
        '+ stage: 3\r\n',
        '- last_updated: 2026-01-02T10:11:12Z\r\n',
        f'+ last_updated: {DAY}\r\n',
        '- next_action: null\r\n',
        '+ next_action: invoke_gui_agent\r\n',
        '- ## Current State: done\r\n',
        '+ ## Current State: Stage 3\r\n',
        '+ \r\n',
        '+ Audio engine complete\r\n',
        '+ - **Stage 3:** Audio engine complete\r\n',
        '- 1. go\r\n',
        '+ 1. Invoke gui-agent for Stage 4\r\n',
    ]


def test_a_time_of_today_is_a_date_of_today(tmp_path: Path) -> None:
    when = f'{DAY}T10:11:12Z'
    place = kick(tmp_path, 'Stage 2', handoff('2', last_updated=when, **SIMPLE))
    move(place, 'Stage 3')
    assert fields(place)['last_updated'] == when


def test_work_that_goes_on_is_not_done(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 4', handoff('4', **SIMPLE))
    move(place, 'Stage 5', fields={'status': 'in_progress'})
    assert statuses(place) == ['Stage 5', 'Stage 5']
    assert f'- **{DAY}:** Stage 5 started\n' in place.text()
    assert fields(place)['status'] == 'in_progress'
    assert section(place, 'Completed So Far') == ['- **Stage 0:** yes']
    move(place, 'Stage 5')
    assert statuses(place) == ['Working', 'Working']
    assert fields(place)['status'] == 'workflow_complete'
    assert f'- **{DAY} (Stage 5):** Validation complete' in place.text()


@pytest.mark.parametrize(
    ('status', 'before', 'to', 'words', 'sentence', 'denied'),
    (
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 4', None),
            {},
            f'{ITEM} may not go from Stage 2 to Stage 4: after Stage 2 comes Stage 3',
            True,
            id='a skip',
        ),
        pytest.param(
            'Stage 2',
            handoff('0'),
            ('Stage 3', None),
            {},
            f'the handoff of {ITEM} may not go from Stage 0 to Stage 3',
            True,
            id='a skip of the handoff only',
        ),
        pytest.param(
            'Stage 3',
            handoff('3'),
            ('Stage 2', None),
            {},
            'may not go from Stage 3 to Stage 2',
            True,
            id='a step back',
        ),
        pytest.param(
            'Stage 2',
            handoff('2', **PHASED),
            ('Stage 3', 2),
            {},
            'the first phase is Stage 3.1',
            True,
            id='not the first phase',
        ),
        pytest.param(
            'Stage 3.3',
            handoff('3', '3.3', **PHASED),
            ('Stage 3', 4),
            {},
            f'{PLAN} has no phase 3.4, only 3.1, 3.2, 3.3, 4.1, 4.2, 4.3',
            False,
            id='a phase that the plan does not have',
        ),
        pytest.param(
            'Stage 2',
            handoff('2', **PHASED),
            ('Stage 3', 1),
            {'fields': {'next_phase': '3.7'}},
            'has no phase 3.7',
            False,
            id='a next phase that the plan does not have',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Working', None),
            {},
            'Working is not a stage of a handoff',
            False,
            id='no stage',
        ),
        pytest.param(
            'Stage 2',
            '# nur Text\n',
            ('Stage 3', None),
            {},
            f'{HANDOFF} has no frontmatter',
            False,
            id='no frontmatter',
        ),
        pytest.param(
            'Stage 2',
            '\ufeff' + handoff('2'),
            ('Stage 3', None),
            {},
            f'{HANDOFF}:1: the frontmatter stands behind a byte order mark',
            False,
            id='a byte order mark',
        ),
        pytest.param(
            'Stage 2',
            handoff('2').replace('phase: null', 'phase: [', 1),
            ('Stage 3', None),
            {},
            'the frontmatter is not valid YAML',
            False,
            id='broken frontmatter',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 3', None),
            {'fields': {'complexity_score': '7'}},
            '`complexity_score: 7` is not between 1.0 and 5.0',
            False,
            id='a field out of its range',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 3', None),
            {'fields': {'complexity_score': '4', 'phased_implementation': 'false'}},
            'must be true exactly when `complexity_score` is at least 3.0',
            False,
            id='fields that contradict each other',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 3', None),
            {'fields': {'gui_typ': 'webview'}},
            'no field `gui_typ` that can be set; did you mean `gui_type`?',
            False,
            id='no such field',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 3', None),
            {'fields': {'gui_type': '[a'}},
            '`[a` is not a single value',
            False,
            id='no value',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 3', None),
            {'fields': {'status': 'done'}},
            '`done` is not one of in_progress, complete, workflow_complete',
            False,
            id='no such status',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 3', None),
            {'fields': {'status': 'workflow_complete'}},
            '`workflow_complete` belongs to Stage 5, Stage 6, not to Stage 3',
            False,
            id='a status of another stage',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 3', None),
            {'artifacts': ('VST',)},
            'the path of `VST` is not known; did you mean `VST3`?',
            False,
            id='an artifact without a path',
        ),
        pytest.param(
            'Stage 2',
            handoff('2'),
            ('Stage 3', None),
            {'completed': 'a\nb'},
            'in one line',
            False,
            id='two lines',
        ),
    ),
)
def test_what_cannot_be_is_refused_and_nothing_changes(
    tmp_path: Path,
    status: str,
    before: str,
    to: tuple[str, int | None],
    words: dict[str, Any],
    sentence: str,
    denied: bool,
) -> None:
    place = kick(tmp_path, status, before)
    old = place.text()
    with pytest.raises(Refusal) as e:
        move(place, *to, **words)
    assert sentence in e.value.message
    assert isinstance(e.value, Denied) == denied
    assert (place.text(), place.text(HANDOFF)) == (old, before)


def test_an_item_that_is_not_registered_is_not_moved(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 2', handoff('2'))
    place.write({REGISTRY: samples.registry({'Autre': 'Stage 2'})})
    with pytest.raises(Denied, match='is not registered'):
        move(place, 'Stage 3')


def test_an_item_that_is_registered_twice_is_not_moved(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 2', handoff('2'))
    place.write({REGISTRY: place.text() + samples.entry(ITEM, 'Stage 2')})
    with pytest.raises(Refusal, match='is registered twice'):
        move(place, 'Stage 3')


def test_the_next_phase_must_be_given_where_the_plan_names_none(tmp_path: Path) -> None:
    text = handoff('0', plan='# Plan\n', **PHASED)
    place = kick(tmp_path, 'Stage 0', text, '# Plan\n')
    with pytest.raises(Refusal) as e:
        move(place, 'Stage 2')
    assert 'give the next phase' in e.value.message
    assert e.value.hint == (f"interlock handoff update '{ITEM}' 2 --next-phase 3.1")
    move(place, 'Stage 2', fields={'next_phase': '3.1'})
    assert fields(place)['next_phase'] == '3.1'


BRIEF = f'plugins/{ITEM}/.ideas/creative-brief.md'


def test_a_frozen_contract_that_changed_is_not_sealed_in_silence(
    tmp_path: Path,
) -> None:
    place = kick(tmp_path, 'Stage 2', handoff('2', **SIMPLE))
    place.write({BRIEF: 'anders\n'})
    with pytest.raises(Denied) as e:
        move(place, 'Stage 3')
    assert f'{BRIEF} is frozen at Stage 2 and differs from its seal' in (
        e.value.message
    )
    outcome = move(place, 'Stage 3', amend='neuer Auftrag')
    assert fields(place)['contract_checksums'] == {
        **sums(),
        'creative_brief': samples.checksum('anders\n'),
    }
    assert outcome.said[-1] == (
        'next: commit with the trailer "Contract-Amendment: neuer Auftrag"'
    )


def test_a_plan_is_sealed_anew_in_any_stage(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 3.1', handoff('3', '3.1', **PHASED))
    plan = PHASES.replace('3.1: Schicht 3.1', '3.1: Schicht 3.1 ✓')
    place.write({PLAN: plan})
    move(place, 'Stage 3', 2)
    assert fields(place)['contract_checksums'] == sums(plan)


def test_contracts_may_change_before_they_are_frozen(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 0', handoff('0', **PHASED))
    place.write({BRIEF: 'anders\n'})
    move(place, 'Stage 2')
    assert fields(place)['contract_checksums']['creative_brief'] == (
        samples.checksum('anders\n')
    )


def test_the_older_name_of_a_field_is_kept(tmp_path: Path) -> None:
    text = handoff('3', '3.1', **PHASED)
    text = text.replace('\nphase:', '\ncurrent_phase:')
    place = kick(tmp_path, 'Stage 3.1', text)
    move(place, 'Stage 3', 2)
    found = fields(place)
    assert (found['current_phase'], 'phase' in found) == ('3.2', False)


def test_a_handoff_at_an_older_place_is_moved_where_it_lies(tmp_path: Path) -> None:
    older = f'plugins/{ITEM}/.ideas/.continue-here.md'
    place = kick(tmp_path, 'Stage 2')
    place.write({older: handoff('2', **SIMPLE)})
    assert set(move(place, 'Stage 3').files) == {REGISTRY, older}
    assert fields(place, older)['stage'] == '3'


def test_a_handoff_of_the_ideation_stays_beside_the_first_one(tmp_path: Path) -> None:
    older = f'plugins/{ITEM}/.ideas/.continue-here.md'
    place = kick(tmp_path, 'Ideated')
    place.write({older: f'---\nplugin: {ITEM}\nstage: ideation\n---\n'})
    assert set(move(place, 'Stage 0').files) == {REGISTRY, HANDOFF}


def baked(place: Place, name: str, phase: int | None = None) -> None:
    at = place.at('Roggenbrot')
    place.done(advance(at, State(name, phase), place.snapshot, Words(day=DAY)))


def test_a_workflow_without_a_template_makes_no_handoff(tmp_path: Path) -> None:
    place = Place(tmp_path, bakery.FIELDS)
    place.write(bakery.bread('fields', 'Idee'))
    with pytest.raises(Refusal, match='no template of a handoff for recipes'):
        baked(place, 'Teig')


def test_a_workflow_with_words_of_its_own_is_followed(tmp_path: Path) -> None:
    place = Place(tmp_path, bakery.FIELDS)
    place.write(bakery.bread('fields', 'Teig', 'teig'))
    old = place.text(bakery.HANDOFF)
    baked(place, 'Ofen', 1)
    assert place.text(bakery.REGISTRY) == bakery.registry('🔥 Ofen.1', DAY)
    assert changed(old, place.text(bakery.HANDOFF)) == [
        '- schritt: teig\n',
        '+ schritt: ofen\n',
        '- runde: null\n',
        '+ runde: ofen.1\n',
    ]


def artifacts(place: Place, *given: str) -> list[str]:
    move(place, 'Stage 2', artifacts=given)
    return section(place, 'Build Artifacts')


def test_an_artifact_replaces_the_one_of_its_name(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 0', handoff('0', **PHASED))
    assert artifacts(place, 'VST3=build/a.vst3', 'CLAP=build/a.clap') == [
        '- VST3: build/a.vst3',
        '- CLAP: build/a.clap',
    ]
    assert artifacts(place, 'VST3=build/b.vst3') == [
        '- VST3: build/b.vst3',
        '- CLAP: build/a.clap',
    ]


def test_a_test_is_ticked_or_added_once(tmp_path: Path) -> None:
    text = handoff('0', **PHASED) + (
        '\n## Testing Checklist\n\n- [ ] Lädt\n- [ ] Klingt\n'
    )
    place = kick(tmp_path, 'Stage 0', text)
    move(place, 'Stage 2', tests=('Klingt', 'Neu'))
    expected = ['- [ ] Lädt', '- [x] Klingt', '- [x] Neu']
    assert section(place, 'Testing Checklist') == expected
    assert move(place, 'Stage 2', tests=('Neu',)).files == {}


def test_what_is_to_be_remembered_is_said_once(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 0', handoff('0', **PHASED))
    move(place, 'Stage 2', context=('Plan: plan.md',))
    assert section(place, 'Context to Preserve') == ['- Plan: plan.md']
    assert move(place, 'Stage 2', context=('Plan: plan.md',)).files == {}


def test_more_may_be_said_of_what_is_completed(tmp_path: Path) -> None:
    place = kick(tmp_path, 'Stage 0', handoff('0', **PHASED))
    move(place, 'Stage 2', completed='6 Parameter')
    move(place, 'Stage 2', completed='6 Parameter')
    move(place, 'Stage 2', completed='auf drei Systemen')
    assert section(place, 'Completed So Far') == [
        '- **Stage 0:** yes',
        '- **Stage 2:** 6 Parameter',
        '- **Stage 2:** auf drei Systemen',
    ]
