"""From stage to stage: what is closed, what comes, and what stands between."""

from __future__ import annotations

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.operations.kicks import PHASES

HANDOFF = samples.handoff_path('Bravo')
CODE = 'plugins/Bravo/Source/Main.cpp'
PLAN = 'plugins/Bravo/.ideas/plan.md'
PHASED = {'complexity_score': '5.0', 'phased_implementation': 'true'}
NONE = 'null'


def put(
    repo: Repo,
    status: str,
    stage: str,
    phase: str = 'null',
    plan: str = samples.contract('Bravo', 'plan'),
    progress: str = 'complete',
    **fields: str,
) -> None:
    """Bravo at a stage, committed."""
    sums = {**samples.checksums('Bravo'), 'plan': samples.checksum(plan)}
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Alpha': 'Ideated', 'Bravo': status}),
            **samples.item_files('Bravo'),
            PLAN: plan,
            HANDOFF: samples.handoff('Bravo', stage, phase, progress, sums, **fields),
        }
    )


def fields(repo: Repo, *keys: str) -> list[str]:
    lines = (repo.path / HANDOFF).read_text().split('---\n')[1].splitlines()
    found = dict(line.split(': ', 1) for line in lines if ': ' in line)
    return [found.get(key, '') for key in keys]


def steps(repo: Repo) -> list[str]:
    text = (repo.path / HANDOFF).read_text()
    body = text.partition('## Next Steps')[2].partition('\n## ')[0]
    return [line for line in body.splitlines() if line]


def work(repo: Repo, text: str) -> None:
    with open(repo.path / CODE, 'a') as f:
        f.write(f'// {text}\n')


def marked(*done: str) -> str:
    plan = PHASES
    for phase in done:
        plan = plan.replace(f'Schicht {phase}\n', f'Schicht {phase} ✓\n')
    return plan


@pytest.mark.parametrize(
    ('status', 'stage', 'phase', 'plan', 'ended', 'says'),
    [
        pytest.param(
            'Stage 3.1',
            '3',
            '3.1',
            marked('3.1'),
            '3',
            'Stage 3.2, Stage 3.3 of',
            id='two are left',
        ),
        pytest.param(
            'Stage 3.1',
            '3',
            '3.1',
            marked('3.1'),
            '4.1',
            'Stage 3.2, Stage 3.3 of',
            id='on to the next stage',
        ),
        pytest.param(
            'Stage 2',
            '2',
            'null',
            PHASES,
            '3',
            'Stage 3.1, Stage 3.2, Stage 3.3 of',
            id='none was begun',
        ),
        pytest.param(
            'Stage 3.1',
            '3',
            '3.1',
            marked('3.1', '3.2', '3.3'),
            '3',
            '',
            id='all are marked',
        ),
        pytest.param(
            'Stage 3.3', '3', '3.3', PHASES, '3', '', id='all were gone through'
        ),
        pytest.param(
            'Stage 3.2',
            '3',
            '3.2',
            marked('3.1', '3.2'),
            '3',
            '',
            id='the last one ends the stage',
        ),
        pytest.param(
            'Stage 3.1', '3', '3.1', '# Plan\n', '3', '', id='a plan that names none'
        ),
    ],
)
def test_phases_are_not_skipped(
    repo: Repo,
    interlock: Interlock,
    status: str,
    stage: str,
    phase: str,
    plan: str,
    ended: str,
    says: str,
) -> None:
    put(repo, status, stage, phase, plan, next_phase='4.1', **PHASED)
    work(repo, 'x')
    result = interlock('commit-stage', 'Bravo', ended, '-m', 'x', '-q')
    assert result.code == int(bool(says)), result.err
    assert says in result.err
    if says:
        assert 'next: interlock menu Bravo\n' in result.err
    # and by hand it is judged in the same way, on every surface
    repo.git('checkout', '-q', '.')
    repo.git('reset', '-q', '--hard')
    if not says:
        return
    number, _, inside = ended.partition('.')
    sums = {**samples.checksums('Bravo'), 'plan': samples.checksum(plan)}
    repo.commit(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': f'Stage {ended}'}
            ),
            CODE: '// 2\n',
            HANDOFF: samples.handoff(
                'Bravo', number, ended if inside else 'null', 'complete', sums, **PHASED
            ),
        },
        f'feat: Bravo Stage {ended} - x',
    )
    for args in (('--commit', 'HEAD'), ('--range', 'HEAD~1..HEAD')):
        found = interlock.check(*args)
        assert (found.codes, found.code) == (['STG005'], 1)
        assert says in found.out


def test_behind_its_last_phase_a_stage_is_closed(
    repo: Repo, interlock: Interlock
) -> None:
    put(repo, 'Stage 3.2', '3', '3.2', marked('3.1', '3.2'), evidence=NONE, **PHASED)
    work(repo, '3.3')
    result = interlock('commit-stage', 'Bravo', '3.3', '-m', 'fin')
    assert result.code == 0, result.err
    assert fields(repo, 'next_action', 'next_phase') == ['null', 'null']
    assert steps(repo) == [
        '1. Record the test of Stage 3 as a whole',
        "2. Close Stage 3: interlock commit-stage Bravo 3 -m 'WHY'",
    ]
    assert '1. Test and close Stage 3 (recommended)\n' in result.out
    assert (
        interlock(
            'evidence', 'add', 'Bravo', '--kind', 'test', '--result', 'passed'
        ).code
        == 0
    )
    # its code came with the phases
    result = interlock('commit-stage', 'Bravo', '3', '-m', 'zu')
    assert (result.code, 'COM003' in result.out) == (0, False), result.err
    assert fields(repo, 'phase', 'next_action', 'next_phase') == [
        'null',
        'invoke_gui_agent',
        '4.1',
    ]
    assert interlock.check('--range', 'HEAD~2..HEAD').codes == []


def test_the_end_of_a_stage_marks_its_last_phase(
    repo: Repo, interlock: Interlock
) -> None:
    put(repo, 'Stage 3.2', '3', '3.2', marked('3.1', '3.2'), **PHASED)
    work(repo, '3.3')
    result = interlock('commit-stage', 'Bravo', '3', '-m', 'fin', '-q')
    assert result.code == 0, result.err
    assert (repo.path / PLAN).read_text() == marked('3.1', '3.2', '3.3')


def test_a_plan_without_phases_leaves_them_to_the_handoff(
    repo: Repo, interlock: Interlock
) -> None:
    put(repo, 'Stage 2', '2', plan='# Plan\n', next_phase='3.1', **PHASED)
    for stage, coming, action, step in (
        ('3.1', '3.2', 'continue_dsp_phase_3.2', '1. Invoke dsp-agent for Stage 3.2'),
        (
            '3.2',
            'null',
            'null',
            "1. Close Stage 3: interlock commit-stage Bravo 3 -m 'WHY'",
        ),
        ('3', '4.1', 'invoke_gui_agent', '1. Invoke gui-agent for Stage 4.1'),
    ):
        work(repo, stage)
        result = interlock('commit-stage', 'Bravo', stage, '-m', 'x')
        assert result.code == 2
        assert 'give the next phase' in result.err
        line = result.err.rpartition('next: interlock ')[2].split()
        assert line[:3] == ['handoff', 'update', 'Bravo']
        assert line[3] == stage
        command = [*line[:-1], coming]
        assert interlock(*command).code == 0
        assert fields(repo, 'next_action', 'next_phase') == [action, coming]
        assert steps(repo) == [step]
        result = interlock('commit-stage', 'Bravo', stage, '-m', 'x')
        assert result.code == 0, result.err
        assert 'Continue with Stage 5' not in result.out


@pytest.mark.parametrize('stage', ((), ('3',)), ids=('no stage', 'the same'))
@pytest.mark.parametrize(
    ('at', 'args', 'expected', 'step'),
    [
        pytest.param(
            '3',
            ('--gui-type', 'headless'),
            ['run_validation', 'null'],
            '1. Do Stage 4',
            id='headless',
        ),
        pytest.param(
            '3',
            ('--gui-type', 'webview'),
            ['invoke_gui_agent', 'null'],
            '1. go',
            id='what was so',
        ),
        pytest.param(
            '3',
            ('--complexity', '4.0'),
            ['invoke_gui_agent', '4.1'],
            '1. Invoke gui-agent for Stage 4.1',
            id='phased',
        ),
    ],
)
def test_what_is_given_later_changes_what_comes(
    repo: Repo,
    interlock: Interlock,
    stage: tuple[str, ...],
    at: str,
    args: tuple[str, ...],
    expected: list[str],
    step: str,
) -> None:
    put(repo, f'Stage {at}', at, plan=PHASES, next_action='invoke_gui_agent')
    result = interlock('handoff', 'update', 'Bravo', *stage, *args)
    assert result.code == 0, result.err
    assert fields(repo, 'next_action', 'next_phase') == expected
    assert steps(repo) == [step]
    assert fields(repo, 'stage', 'status') == [at, 'complete']


def test_work_that_went_on_is_closed(repo: Repo, interlock: Interlock) -> None:
    put(repo, 'Stage 4', '4', progress='in_progress')
    repo.commit(
        {
            'PLUGINS.md': (repo.path / 'PLUGINS.md')
            .read_text()
            .replace(
                '**Lifecycle Timeline:**\n',
                '**Lifecycle Timeline:**\n- **2026-01-02 (Stage 4):** begun\n',
            )
        }
    )
    result = interlock('commit-stage', 'Bravo', '4', '-m', 'fertig')
    assert result.code == 0, result.err
    assert 'COM' not in result.out
    assert fields(repo, 'stage', 'status') == ['4', 'complete']
    assert interlock.check('--range', 'HEAD~1..HEAD').codes == []


@pytest.mark.parametrize(
    ('before', 'word', 'stage'),
    [
        pytest.param('0', 'Building System', '2', id='2'),
        pytest.param('2', 'Processing Audio', '3', id='3'),
        pytest.param('3', '🎨 Designing Interface', '4', id='4'),
        pytest.param('4', 'Validating', '5', id='5'),
    ],
)
def test_a_milestone_says_that_a_stage_is_begun(
    repo: Repo, interlock: Interlock, before: str, word: str, stage: str
) -> None:
    put(repo, f'Stage {before}', before, evidence=NONE)
    assert interlock('registry', 'may', 'Bravo', word).code == 0
    result = interlock('registry', 'set-status', 'Bravo', word)
    assert result.code == 0, result.err
    assert fields(repo, 'stage', 'status') == [stage, 'in_progress']
    registry = (repo.path / 'PLUGINS.md').read_text()
    assert f'**{word.removeprefix("🎨 ")}**' in registry
    assert f'Stage {stage} started\n' in registry
    assert interlock('verify-state', 'Bravo').code == 0
    # a commit of it needs no test yet, and is nobody's end of a stage
    repo.git('add', '-A')
    repo.git('commit', '-qm', f'chore: Bravo, {word}')
    found = interlock.check('--commit', 'HEAD')
    assert (found.codes, found.code) == ([], 0)
    # the registry alone says it too, by hand
    if stage == '2':
        assert interlock('commit-stage', 'Bravo', '2', '-m', 'x').code == 0
        assert fields(repo, 'stage', 'status') == ['2', 'complete']
        registry = (repo.path / 'PLUGINS.md').read_text()
        assert '🚧 **Stage 2**' in registry
    else:
        # and the end of the stage does
        result = interlock('commit-stage', 'Bravo', stage, '-m', 'x')
        assert (result.code, 'no test of it' in result.err) == (1, True)


def test_the_stage_that_was_left_untried_is_the_one_to_try(
    repo: Repo, interlock: Interlock
) -> None:
    put(repo, 'Stage 2', '2', evidence=NONE)
    set_status = ('registry', 'set-status', 'Bravo')
    assert interlock(*set_status, 'Processing Audio').code == 0
    result = interlock(*set_status, 'Designing Interface')
    assert result.code == 1
    assert 'Stage 3 would be done, and no test' in result.err
    assert '--stage 3 --kind test --result passed' in result.err


def test_a_registry_that_says_begun_ends_nothing(
    repo: Repo, interlock: Interlock
) -> None:
    put(repo, 'Stage 2', '2', evidence=NONE)
    text = (repo.path / 'PLUGINS.md').read_text()
    repo.stage(
        {
            'PLUGINS.md': text.replace('🚧 Stage 2', '🎵 Processing Audio').replace(
                '🚧 **Stage 2**', '🎵 **Processing Audio**'
            )
        }
    )
    found = interlock.check('--staged', '--only', 'stages')
    assert found.codes == []
    repo.stage({'PLUGINS.md': text.replace('Stage 2', 'Stage 3')})
    found = interlock.check('--staged', '--only', 'stages')
    assert found.codes == ['STG005']


def test_a_stage_that_is_a_text_becomes_a_number(
    repo: Repo, interlock: Interlock
) -> None:
    put(repo, 'Stage 2', '2')
    file = repo.path / HANDOFF
    file.write_text(file.read_text().replace('stage: 2\n', 'stage: "2"\n'))
    assert interlock('handoff', 'update', 'Bravo', '2').code == 0
    assert fields(repo, 'stage') == ['2']


def test_after_planning_every_section_says_something(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Bravo': 'Ideated'}),
            **samples.item_files('Bravo'),
        }
    )
    assert interlock('handoff', 'create', 'Bravo', '0', '--complexity', '1.2').code == 0
    assert interlock('commit-stage', 'Bravo', '0', '-m', 'geplant').code == 0
    text = (repo.path / HANDOFF).read_text()
    bodies = [part.partition('\n')[2].strip() for part in text.split('\n## ')]
    assert all(bodies[1:]), text
    assert '- Complexity: 1.2\n' in text
    # what is built takes the place of what is not there yet
    assert interlock('handoff', 'update', 'Bravo', '--build-artifact', 'VST3').code == 0
    text = (repo.path / HANDOFF).read_text()
    assert 'None recorded' not in text
    assert '- VST3: build/Bravo/' in text
    # and a test that passed is ticked
    for result, mark in (('passed', 'x'), ('failed', ' ')):
        assert (
            interlock(
                'evidence',
                'add',
                'Bravo',
                '--kind',
                'test',
                '--stage',
                '3',
                '--result',
                result,
            ).code
            == 0
        )
        text = (repo.path / HANDOFF).read_text()
        assert f'- [{mark}] Stage 3: the audio engine\n' in text
        assert '- [ ] Stage 4: the interface\n' in text


def test_presets_are_part_of_a_stage(repo: Repo, interlock: Interlock) -> None:
    put(repo, 'Stage 4', '4')
    repo.write(
        {
            'plugins/Bravo/CHANGELOG.md': '# 1.0\n',
            'plugins/Bravo/Presets/Warm.xml': '<preset/>\n',
        }
    )
    result = interlock('commit-stage', 'Bravo', '5', '-m', 'x', '-q')
    assert result.code == 0, result.err
    assert repo.git('status', '--porcelain') == ''
    assert steps(repo) == [
        '1. Install Bravo: interlock registry set-status Bravo Installed',
        '2. Or improve it first: interlock registry set-status Bravo Improving',
    ]


def test_what_is_finished_leads_to_its_menu(repo: Repo, interlock: Interlock) -> None:
    put(repo, 'Working', '5', progress='workflow_complete')
    assert interlock('registry', 'set-status', 'Bravo', 'Installed').code == 0
    repo.git('add', '-A')
    repo.git('commit', '-qm', 'chore: Bravo is Installed')
    for args in (
        ('commit-stage', 'Bravo', '5', '-m', 'x'),
        (
            'evidence',
            'add',
            'Bravo',
            '--kind',
            'test',
            '--result',
            'passed',
            '--stage',
            '5',
        ),
        ('handoff', 'create', 'Bravo'),
    ):
        result = interlock(*args)
        assert result.code == 1
        assert result.err.endswith('next: interlock menu Bravo\n')
    assert '1. Improve it (recommended)\n' in interlock('menu', 'Bravo').out


def test_a_reset_needs_one_reason(repo: Repo, interlock: Interlock) -> None:
    put(repo, 'Stage 3', '3')
    assert interlock('handoff', 'delete', 'Bravo').code == 0
    assert interlock('registry', 'set-status', 'Bravo', 'Ideated').code == 0
    repo.git('add', '-A')
    message = 'chore: Bravo back to Ideated\n\nReset-Reason: autrement\n'
    repo.git('commit', '-qm', message)
    found = interlock.check('--commit', 'HEAD')
    assert (found.codes, found.code) == (['STG001'], 0)


def test_a_leftover_is_not_resumed(repo: Repo, interlock: Interlock) -> None:
    older = 'plugins/Bravo/.ideas/.continue-here.md'
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Bravo': 'Installed'}),
            older: '---\nplugin: Bravo\nstage: 6\nstatus: complete\n---\n',
        }
    )
    result = interlock('resume', 'Bravo')
    assert result.code == 1
    assert 'Bravo has no handoff\n' in result.out
    assert 'old format' not in result.out
    assert 'Stage 6' not in result.out


def test_where_nothing_is_sealed_no_seal_holds(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 0'}),
            HANDOFF: samples.handoff(
                'Bravo', '0', sums={name: 'null' for name in samples.CONTRACTS}
            ),
        }
    )
    for command in ('seal', 'restore'):
        result = interlock('contracts', command, 'Bravo')
        assert 'matches its seal' not in result.err
        assert 'nothing is sealed' in result.err
