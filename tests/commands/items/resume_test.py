from __future__ import annotations

import json
from typing import Any

import pytest

from tests import samples
from tests.conftest import Interlock, Repo

BRAVO = samples.handoff_path('Bravo')
IDEAS = 'plugins/Bravo/.ideas'


def _registry(status: str, **rows: str) -> str:
    return samples.registry(
        {'Alpha': 'Ideated', 'Bravo': status, 'Charlie': 'Installed'}, rows
    )


def test_where_work_goes_on(project: Repo, interlock: Interlock) -> None:
    result = interlock('resume', 'Bravo')
    assert result.code == 0
    assert result.out == (
        'Bravo: the records are sound\n'
        'Stage 2 (complete, updated 2026-01-02)\n'
        'complexity_score: 1.2\n'
        'phased_implementation: false\n'
        'orchestration_mode: true\n'
        'next_action: invoke_dsp_agent\n'
        'Next steps:\n'
        '  1. go\n'
        'Read:\n'
        f'  {BRAVO}\n'
        f'  {IDEAS}/creative-brief.md\n'
        f'  {IDEAS}/parameter-spec.md\n'
        f'  {IDEAS}/architecture.md\n'
        f'  {IDEAS}/plan.md\n'
        'next: interlock menu Bravo\n'
    )


@pytest.mark.parametrize(
    ('item', 'files', 'code', 'said', 'following'),
    (
        pytest.param(
            'Alpha',
            {},
            1,
            'Alpha has no handoff',
            'interlock handoff create Alpha',
            id='no handoff',
        ),
        pytest.param(
            'Bravo',
            {'PLUGINS.md': _registry('Stage 2', Bravo='Stage 1')},
            2,
            'REG001',
            'interlock resolve Bravo',
            id='drift',
        ),
        pytest.param(
            'Bravo',
            {BRAVO: '# nothing\n'},
            2,
            'HND001',
            'interlock resolve Bravo',
            id='no frontmatter',
        ),
        pytest.param(
            'Bravo',
            {f'{IDEAS}/architecture.md': 'autre\n'},
            3,
            'CON001',
            'interlock resolve Bravo',
            id='contract',
        ),
        pytest.param(
            'Bravo',
            {'PLUGINS.md': _registry('Installed')},
            4,
            f'Bravo is Installed: {BRAVO} is stale',
            'interlock verify-state --clean Bravo',
            id='stale',
        ),
    ),
)
def test_the_verdict_and_the_exit_code_are_those_of_verify_state(
    project: Repo,
    interlock: Interlock,
    item: str,
    files: dict[str, str],
    code: int,
    said: str,
    following: str,
) -> None:
    project.write(files)
    result = interlock('resume', item)
    assert result.code == code
    assert said in result.out
    assert result.out.endswith(f'next: {following}\n')
    verified = interlock('verify-state', item)
    assert verified.code == code
    assert result.out.startswith(verified.out)


def test_a_phase_is_named(project: Repo, interlock: Interlock) -> None:
    project.write(
        {
            'PLUGINS.md': _registry('Stage 3'),
            BRAVO: samples.handoff(
                'Bravo',
                '3',
                '3.1',
                'in_progress',
                complexity_score='4.0',
                phased_implementation='true',
                next_phase='3.2',
                next_action='continue_dsp_phase_3.2',
            ),
        }
    )
    lines = interlock('resume', 'Bravo').out.splitlines()
    assert lines[1] == 'Stage 3.1 (in_progress, updated 2026-01-02)'
    assert 'next_action: continue_dsp_phase_3.2' in lines
    assert 'next_phase: 3.2' in lines


def test_documents_are_those_that_exist(project: Repo, interlock: Interlock) -> None:
    project.write(
        {
            f'{IDEAS}/plan.md': None,
            'plugins/Bravo/plan.md': '# Plan\n',
            f'{IDEAS}/research.md': '# Recherche\n',
        }
    )
    result = json.loads(interlock('resume', 'Bravo', '--format', 'json').out)
    assert result['documents'] == [
        BRAVO,
        f'{IDEAS}/creative-brief.md',
        f'{IDEAS}/parameter-spec.md',
        f'{IDEAS}/architecture.md',
        'plugins/Bravo/plan.md',
        f'{IDEAS}/research.md',
    ]


def _without(key: str) -> str:
    lines = samples.handoff('Bravo').splitlines(keepends=True)
    return ''.join(line for line in lines if not line.startswith(key))


@pytest.mark.parametrize(
    'handoff',
    (
        pytest.param(samples.handoff('Bravo', sums={}), id='no checksums'),
        pytest.param(_without('complexity_score'), id='no score'),
        pytest.param(_without('phase:'), id='no phase'),
    ),
)
def test_a_handoff_of_an_old_format_is_offered_to_be_migrated(
    project: Repo, interlock: Interlock, handoff: str
) -> None:
    project.write({BRAVO: handoff})
    before = (project.path / BRAVO).read_bytes()
    result = interlock('resume', 'Bravo')
    assert 'interlock handoff migrate Bravo' in result.out
    found = json.loads(interlock('resume', 'Bravo', '--format', 'json').out)
    assert found['migrate'] == 'interlock handoff migrate Bravo'
    # offered, and never done unasked
    assert (project.path / BRAVO).read_bytes() == before


def test_a_handoff_of_today_is_not(project: Repo, interlock: Interlock) -> None:
    project.write({BRAVO: samples.handoff('Bravo', evidence='')})
    assert 'migrate' not in interlock('resume', 'Bravo').out


def test_programs_get_all_of_it(project: Repo, interlock: Interlock) -> None:
    result = interlock('resume', 'Bravo', '--format', 'json')
    found: dict[str, Any] = json.loads(result.out)
    assert result.code == found['code'] == 0
    assert {
        key: found[key]
        for key in (
            'version',
            'item',
            'state',
            'stage',
            'phase',
            'status',
            'updated',
            'next_steps',
            'next',
            'migrate',
            'findings',
        )
    } == {
        'version': 1,
        'item': 'Bravo',
        'state': 'Stage 2',
        'stage': '2',
        'phase': '',
        'status': 'complete',
        'updated': '2026-01-02',
        'next_steps': ['1. go'],
        'next': 'interlock menu Bravo',
        'migrate': '',
        'findings': [],
    }
    assert found['fields']['complexity_score'] == '1.2'
    assert found['verdict'] == ['Bravo: the records are sound']


def test_programs_get_the_findings_too(project: Repo, interlock: Interlock) -> None:
    project.write({f'{IDEAS}/architecture.md': 'autre\n'})
    result = interlock('resume', 'Bravo', '--format', 'json')
    assert result.code == 3
    assert result.codes == ['CON001']


def test_milestones_are_shown_instead_of_stages(
    project: Repo, interlock: Interlock
) -> None:
    project.write({'.interlock.yaml': f'{samples.WORKFLOW}display: milestones\n'})
    lines = interlock('resume', 'Bravo').out.splitlines()
    assert lines[1] == 'Building System (complete, updated 2026-01-02)'


def test_an_unknown_item_names_the_nearest(project: Repo, interlock: Interlock) -> None:
    result = interlock('resume', 'Bravoo')
    # 2 means that records disagree
    assert result.code == 1
    assert 'did you mean `Bravo`?\n' in result.err
    assert result.err.endswith('    next: interlock resume Bravo\n')


def test_a_lost_handoff_is_restored_and_not_made_anew(
    project: Repo, interlock: Interlock
) -> None:
    before = (project.path / BRAVO).read_bytes()
    project.write({BRAVO: None})
    result = interlock('resume', 'Bravo')
    assert result.out.endswith('next: interlock handoff restore Bravo\n')
    result = interlock('handoff', 'create', 'Bravo')
    assert result.code == 1
    assert 'next: interlock handoff restore Bravo' in result.err
    assert interlock('handoff', 'restore', 'Bravo').code == 0
    assert (project.path / BRAVO).read_bytes() == before


def test_what_is_finished_has_no_work_to_hand_over(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('resume', 'Charlie')
    assert result.out.endswith('next: interlock menu Charlie\n')


@pytest.mark.parametrize(
    ('fields', 'action'),
    (
        pytest.param(
            {'complexity_score': '5.0', 'phased_implementation': ''},
            'continue_dsp_phase_3.2',
            id='phased, though it does not say so',
        ),
        pytest.param(
            {'complexity_score': '5.0', 'phased_implementation': 'null'},
            'continue_dsp_phase_3.2',
            id='phased, and it says nothing',
        ),
        pytest.param(
            {'complexity_score': '1.2', 'phased_implementation': ''},
            'invoke_gui_agent',
            id='not phased',
        ),
        pytest.param(
            {
                'complexity_score': '5.0',
                'phased_implementation': '',
                'status': 'in_progress',
            },
            'null',
            id='work goes on',
        ),
    ),
)
def test_an_old_handoff_goes_on_as_a_migration_would_write(
    project: Repo, interlock: Interlock, fields: dict[str, str], action: str
) -> None:
    fields = dict(fields)
    text = samples.handoff(
        'Bravo',
        '3',
        '3.1',
        fields.pop('status', 'complete'),
        None,
        next_action='',
        next_phase='',
        **fields,
    )
    project.write(
        {
            'PLUGINS.md': _registry('Stage 3.1'),
            BRAVO: text,
            f'{IDEAS}/plan.md': '# Plan\n\n### Phase 3.1: a ✓\n\n### Phase 3.2: b\n',
        }
    )
    result = interlock('resume', 'Bravo', '--format', 'json')
    said = json.loads(result.out)['fields'].get('next_action', 'null')
    result = interlock('handoff', 'migrate', 'Bravo')
    assert result.code == 0, result.err
    written = (project.path / BRAVO).read_text('UTF-8')
    assert (said, f'next_action: {action}\n' in written) == (action, True)
