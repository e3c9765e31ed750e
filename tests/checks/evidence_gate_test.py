"""STG005: a stage that is recorded as done was tried."""

from __future__ import annotations

import pytest

from interlock.model.finding import ERROR, WARNING
from tests import samples
from tests.checks.trees import Files, at, found, introduced, without, workflow
from tests.conftest import Interlock, Repo

ONLY = ('stages',)
HANDOFF = samples.handoff_path('Bravo')
PASSED = 'passed 2026-01-02'
# the key without a value, as a new handoff has it
NONE = 'null'
# a handoff from before there was evidence
OLD = ''


def tried(*keys: str, value: str = PASSED) -> str:
    """The value of the field: evidence under each of the keys."""
    lines = [f'\n  {key}: {value}' for key in keys]
    return ''.join(lines) or NONE


def _at(
    status: str,
    stage: str = '',
    phase: str = 'null',
    evidence: str = NONE,
    **fields: str,
) -> dict[str, str]:
    return at(status, stage, phase, evidence=evidence, **fields)


@pytest.mark.parametrize(
    ('before', 'after', 'key'),
    [
        pytest.param(('Stage 2', '2'), ('Stage 3', '3'), '3.test', id='3'),
        pytest.param(('Stage 3', '3'), ('Stage 4', '4'), '4.test', id='4'),
        pytest.param(('Stage 4', '4'), ('Stage 5', '5'), '5.test', id='5'),
        pytest.param(
            ('Stage 4', '4'),
            ('Working', '5'),
            '5.test',
            id='5, and the registry says what it becomes',
        ),
        pytest.param(
            ('Stage 4', '4'),
            ('Working', '4'),
            '5.test',
            id='only the registry says what 5 becomes',
        ),
        pytest.param(
            ('Stage 2', '2'), ('Stage 3', '2'), '3.test', id='only the registry'
        ),
        pytest.param(
            ('Stage 2', '2'), ('Stage 2', '3'), '3.test', id='only the handoff'
        ),
        pytest.param(
            ('Stage 3.2', '3', '3.2'), ('Stage 3', '3'), '3.test', id='phases complete'
        ),
        pytest.param(
            ('Stage 3.2', '3', '3.2'),
            ('Stage 4.1', '4', '4.1'),
            '3.test',
            id='from phase to phase',
        ),
        pytest.param(
            ('Stage 3', '3', '3.2'),
            ('Stage 3', '4', '4.1'),
            '3.test',
            id='phases left by the handoff alone',
        ),
        pytest.param(
            ('Stage 3.2', '3'), ('Stage 4.1', '3'), '', id='the handoff was through'
        ),
        pytest.param(
            ('Stage 5.1', '5', '5.1'),
            ('Working', '5', '5.1'),
            '5.test',
            id='finished from a phase',
        ),
        pytest.param(
            ('Stage 2', '2'), ('Stage 3.1', '3', '3.1'), '', id='into a phase'
        ),
        pytest.param(
            ('Stage 3.1', '3', '3.1'), ('Stage 3.2', '3', '3.2'), '', id='next phase'
        ),
        pytest.param(('Stage 0', '0'), ('Stage 2', '2'), '', id='no gate'),
        pytest.param(('Stage 5', '5'), ('Stage 6', '6'), '', id='no gate at 6'),
        pytest.param(('Stage 5', '5'), ('Working', '5'), '', id='passed already'),
        pytest.param(('Stage 6', '6'), ('Working', '6'), '', id='passed before'),
        pytest.param(
            ('Stage 3', '2'), ('Stage 3', '3'), '', id='the registry was there'
        ),
        pytest.param(
            ('Stage 2', '3'), ('Stage 3', '3'), '', id='the handoff was there'
        ),
        pytest.param(
            ('Stage 3.1', '3', '3.1'), ('Archived', '3', '3.1'), '', id='given up'
        ),
        pytest.param(
            ('Stage 3.1', '3', '3.1'), ('Ideated', '3', '3.1'), '', id='begun again'
        ),
    ],
)
def test_what_is_done_was_tried(
    before: tuple[str, ...], after: tuple[str, ...], key: str
) -> None:
    old = _at(*before)
    findings = [f for f in found(old, _at(*after), only=ONLY) if f.code == 'STG005']
    assert [f.severity for f in findings] == ([ERROR] if key else [])
    for finding in findings:
        assert finding.path == HANDOFF
        assert f'recorded as passed (`{key}`)' in finding.message
        number, _, kind = key.partition('.')
        assert finding.fix.command == (
            f'interlock evidence add Bravo --kind {kind} --stage {number} '
            f'--result passed'
        )
    # with evidence of the very stage the gate is open
    status, stage, phase = (*after, 'null')[:3]
    proven = _at(status, stage, phase, tried(key or '3.test'))
    again = found(old, proven, only=ONLY)
    assert 'STG005' not in [f.code for f in again]


@pytest.mark.parametrize(
    ('value', 'why'),
    [
        pytest.param(PASSED, '', id='passed'),
        pytest.param("'passed 2026-01-02: 45 sur 45'", '', id='with a text'),
        pytest.param(
            'failed 2026-01-02',
            'its test is recorded as `failed 2026-01-02`',
            id='failed',
        ),
        pytest.param(
            "'failed 2026-01-02: passed once'",
            'recorded as `failed 2026-01-02: passed once`',
            id='failed, text',
        ),
        pytest.param('null', 'no test of it is recorded', id='null'),
        pytest.param('passed', 'neither passed nor failed', id='no day'),
        pytest.param('yes', 'neither passed nor failed', id='other word'),
        pytest.param('passed 2026-13-01', 'neither passed nor failed', id='no date'),
        pytest.param(
            'passed 2026-01-02 45',
            'neither passed nor failed',
            id='text without a colon',
        ),
        pytest.param('[passed]', 'neither passed nor failed', id='a list'),
    ],
)
def test_only_a_passed_test_opens_the_gate(value: str, why: str) -> None:
    after = _at('Stage 3', '3', evidence=tried('3.test', value=value))
    findings = found(_at('Stage 2', '2'), after, only=ONLY)
    assert [(f.code, f.severity) for f in findings] == (
        [('STG005', ERROR)] if why else []
    )
    assert all(f.message.startswith('Stage 3 is done, and ') for f in findings)
    assert all(why in f.message for f in findings)


@pytest.mark.parametrize(
    'evidence',
    [
        pytest.param(tried('4.test'), id='of another stage'),
        pytest.param(tried('3.build'), id='of another kind'),
        pytest.param(tried('3.1.test'), id='of a phase'),
        pytest.param(PASSED, id='no mapping'),
        pytest.param('[3.test]', id='a list'),
    ],
)
def test_other_evidence_does_not_open_it(evidence: str) -> None:
    after = _at('Stage 3', '3', evidence=evidence)
    assert introduced(_at('Stage 2', '2'), after, only=ONLY) == ['STG005']


@pytest.mark.parametrize(
    ('old', 'new', 'severity'),
    [
        pytest.param(OLD, OLD, WARNING, id='an old handoff'),
        pytest.param(OLD, NONE, ERROR, id='the field comes'),
        pytest.param(NONE, NONE, ERROR, id='the field is there'),
    ],
)
def test_an_old_handoff_is_only_warned_of(old: str, new: str, severity: str) -> None:
    before = _at('Stage 2', '2', evidence=old)
    (finding,) = found(before, _at('Stage 3', '3', evidence=new), only=ONLY)
    assert (finding.code, finding.severity) == ('STG005', severity)


FAILED = "'failed 2026-01-02: undefined symbol'"


@pytest.mark.parametrize(
    ('before', 'after', 'key', 'expected'),
    [
        pytest.param(
            ('Stage 0', '0'),
            ('Stage 2', '2'),
            '2.build',
            ['STG005'],
            id='a build, where no gate asks for one',
        ),
        pytest.param(
            ('Stage 0', '0'),
            ('Stage 2', '2'),
            '2.test',
            ['STG005'],
            id='a test, where no gate asks for one',
        ),
        pytest.param(
            ('Stage 2', '2'),
            ('Stage 3', '3'),
            '3.build',
            ['STG005'],
            id='a build beside a test that passed',
        ),
        pytest.param(
            ('Stage 2', '2'),
            ('Stage 3.1', '3', '3.1'),
            '3.build',
            ['STG005'],
            id='a phase is done',
        ),
        pytest.param(
            ('Stage 3.1', '3', '3.1'),
            ('Stage 3.2', '3', '3.2'),
            '3.test',
            ['STG005'],
            id='the next phase',
        ),
        pytest.param(
            ('Stage 3', '3'),
            ('Stage 4', '4'),
            '3.test',
            ['STG005'],
            id='of a stage that is left',
        ),
        pytest.param(
            ('Stage 3', '3'),
            ('Stage 4', '4'),
            '2.build',
            ['STG005'],
            id='of a stage that was left before',
        ),
        pytest.param(
            ('Stage 5', '5'), ('Working', '5'), '5.build', ['STG005'], id='finished'
        ),
        pytest.param(
            ('Working', '5'),
            ('Installed', ''),
            '5.build',
            ['STG005'],
            id='installed, and the handoff is deleted',
        ),
        pytest.param(
            ('Stage 2', '2'),
            ('Stage 3', '3'),
            '4.build',
            [],
            id='of a stage that comes',
        ),
        pytest.param(
            ('Stage 3', '3'),
            ('Stage 3', '3'),
            '3.build',
            [],
            id='recorded, and nothing moves',
        ),
        pytest.param(('Stage 3', '3'), ('Archived', '3'), '3.build', [], id='given up'),
    ],
)
def test_what_failed_closes_the_gate(
    before: tuple[str, ...], after: tuple[str, ...], key: str, expected: list[str]
) -> None:
    def tree(at: tuple[str, ...], value: str) -> dict[str, str]:
        status, stage, phase = (*at, 'null')[:3]
        passed = {f'{number}.test': PASSED for number in '345'}
        lines = {**passed, key: value}
        return _at(
            status,
            stage,
            phase,
            ''.join(f'\n  {name}: {text}' for name, text in lines.items()),
        )

    for value in (FAILED, 'failed', "'?'"):
        old, new = tree(before, value), tree(after, value)
        findings = found(old, new, only=ONLY)
        assert [f.code for f in findings] == expected, value
        assert all(f.severity == ERROR for f in findings)
        assert all('is recorded as' in f.message for f in findings) or (value != FAILED)
    assert found(tree(before, PASSED), tree(after, PASSED), only=ONLY) == []


def test_a_failure_is_fixed_while_the_work_goes_on() -> None:
    before = _at('Stage 2', '2', evidence=tried('3.build', value=FAILED))
    after = _at(
        'Stage 3', '3', evidence=tried('3.build', value=FAILED), progress='in_progress'
    )
    assert found(before, after, only=ONLY) == []
    # but it is not begun while the stage before has failed
    old = tried('2.build', value=FAILED)
    assert introduced(
        _at('Stage 2', '2', evidence=old),
        _at('Stage 3', '3', evidence=old, progress='in_progress'),
        only=ONLY,
    ) == ['STG005']


@pytest.mark.parametrize(
    ('now', 'expected'),
    [
        pytest.param(tried('2.build'), [], id='passed'),
        pytest.param(
            tried('2.build', value='failed 2026-01-03'), [], id='failed again'
        ),
        pytest.param(NONE, ['STG005'], id='forgotten'),
        pytest.param(tried('2.build', value='null'), ['STG005'], id='emptied'),
    ],
)
def test_a_failure_is_not_forgotten(now: str, expected: list[str]) -> None:
    before = _at('Stage 2', '2', evidence=tried('2.build', value=FAILED))
    after = _at('Stage 2', '2', evidence=now)
    assert introduced(before, after, only=ONLY) == expected
    # a test that passed may be taken back, so that it is tried again
    before = _at('Stage 3', '3', evidence=tried('3.test'))
    after = _at('Stage 3', '3', progress='in_progress')
    assert found(before, after, only=ONLY) == []


def test_the_field_cannot_be_taken_away() -> None:
    before = _at('Stage 3', '3', evidence=tried('3.test'))
    (finding,) = found(before, _at('Stage 3', '3', evidence=OLD), only=ONLY)
    assert (finding.code, finding.severity) == ('STG005', ERROR)
    assert finding.message == (
        '`evidence` was removed, and with it the record of what was tested'
    )
    assert finding.fix.command == f'git checkout HEAD -- {HANDOFF}'
    # not even in the step that it would have excused
    findings = found(before, _at('Stage 4', '4', evidence=OLD), only=ONLY)
    assert [(f.code, f.severity) for f in findings] == [
        ('STG005', ERROR),
        ('STG005', ERROR),
    ]


def test_the_values_of_evidence_may_change() -> None:
    before = _at('Stage 3', '3', evidence=tried('3.test'))
    after = _at('Stage 3', '3', evidence=tried('3.test', '3.build'))
    assert found(before, after, only=ONLY) == []


def test_a_finished_item_may_delete_its_handoff() -> None:
    before = _at('Working', '5', evidence=tried('5.test'))
    assert found(before, at('Installed'), only=ONLY) == []


def test_a_deleted_handoff_proves_what_it_recorded_and_no_more() -> None:
    before = _at('Stage 5.1', '5', '5.1', evidence=tried('5.test'))
    assert found(before, at('Working'), only=ONLY) == []
    before = _at('Stage 4', '4', evidence=tried('4.test'))
    (finding,) = found(before, at('Working'), only=ONLY)
    assert (finding.code, finding.severity) == ('STG005', ERROR)


@pytest.mark.parametrize(
    ('before', 'after', 'state'),
    [
        pytest.param('Stage 2', 'Stage 3', 'Stage 3', id='into it'),
        pytest.param('Stage 3.1', 'Stage 3', 'Stage 3', id='phases complete'),
        pytest.param('Stage 4', 'Working', 'Stage 5', id='past it'),
        pytest.param('Stage 2', 'Stage 3.1', '', id='into a phase'),
        pytest.param('Stage 0', 'Stage 2', '', id='no gate'),
        pytest.param('Working', 'Installed', '', id='passed already'),
    ],
)
def test_without_any_handoff_the_gate_is_closed(
    before: str, after: str, state: str
) -> None:
    findings = found(at(before), at(after), only=ONLY)
    assert [(f.code, f.severity) for f in findings] == (
        [('STG005', ERROR)] if state else []
    )
    for finding in findings:
        assert finding.path == HANDOFF
        assert finding.message == (
            f'{state} is done, but there is no handoff to record that its test passed'
        )
        assert finding.fix.command == 'interlock handoff create Bravo'


def test_where_the_step_is_illegal_that_is_said() -> None:
    findings = found(at('Stage 2'), at('Stage 4'), only=ONLY)
    assert [f.code for f in findings] == ['STG001']


def test_a_handoff_that_was_deleted_leaves_the_gate_closed(
    project: Repo, interlock: Interlock
) -> None:
    message = 'chore: tidy\n\nContract-Amendment: le plan change'
    project.commit({HANDOFF: None}, message)
    assert 'STG005' not in interlock.check('--commit', 'HEAD').codes
    project.commit(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': 'Stage 3', 'Charlie': 'Installed'}
            )
        },
        'docs: the board',
    )
    result = interlock.check('--commit', 'HEAD')
    assert 'STG005' in result.codes
    assert result.code == 1
    # and the command refuses it before
    project.git('reset', '-q', '--hard', 'HEAD~1')
    result = interlock('registry', 'set-status', 'Bravo', 'Stage 3')
    assert result.code == 1
    assert 'interlock handoff create Bravo' in result.err


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(
            ('Stage 2', '2', 'complete'),
            ('Stage 3', '3', 'in_progress'),
            [],
            id='begun',
        ),
        pytest.param(
            ('Stage 3', '3', 'in_progress'),
            ('Stage 3', '3', 'complete'),
            ['STG005'],
            id='begun, then done',
        ),
        pytest.param(
            ('Stage 3', '3', 'in_progress'),
            ('Stage 4', '4', 'in_progress'),
            ['STG005'],
            id='left open',
        ),
        pytest.param(
            ('Stage 3', '3', 'complete'),
            ('Stage 3', '3', 'in_progress'),
            [],
            id='opened again',
        ),
        pytest.param(
            ('Stage 3', '3', 'in_progress'),
            ('Stage 3', '', ''),
            [],
            id='the handoff is gone, and nothing is done',
        ),
        pytest.param(
            ('Stage 3', '3', 'in_progress'),
            ('Stage 4', '', ''),
            ['STG005', 'STG005'],
            id='the handoff is gone, and work goes on',
        ),
    ],
)
def test_open_work_is_not_done(
    before: tuple[str, str, str], after: tuple[str, str, str], expected: list[str]
) -> None:
    old = _at(*before[:2], progress=before[2])
    new = _at(*after[:2], progress=after[2])
    assert introduced(old, new, only=ONLY) == expected


def test_the_first_commit_of_a_project_proves_what_it_holds() -> None:
    assert introduced(None, _at('Stage 3', '3', evidence=OLD), only=ONLY) == ['STG005']
    assert (
        introduced(None, _at('Stage 3', '3', evidence=tried('3.test')), only=ONLY) == []
    )


def test_an_unreadable_handoff_proves_nothing() -> None:
    before = _at('Stage 2', '2', evidence=tried('3.test'))
    after: Files = {**_at('Stage 3', '3'), HANDOFF: '---\nx: [\n---\n'}
    assert introduced(before, after, only=ONLY) == ['STG005']


def test_gates_of_a_project_may_ask_for_other_evidence() -> None:
    by = workflow(
        'extends: plugin-workflow\n'
        'items: {plugin: {gates: {Stage 2: {evidence: [écoute, build]},'
        ' Stage 3: {evidence: []}}}}\n'
    )
    before, after = _at('Stage 1', '1'), _at('Stage 2', '2')
    findings = found(before, after, only=ONLY, by=by)
    assert [f.message.partition(' is recorded')[0] for f in findings] == [
        'Stage 2 is done, and no écoute of it',
        'Stage 2 is done, and no build of it',
    ]
    after = _at('Stage 2', '2', evidence=tried('2.écoute', '2.build'))
    assert found(before, after, only=ONLY, by=by) == []
    assert found(after, _at('Stage 3', '3'), only=ONLY, by=by) == []


def test_milestones_name_the_state_that_is_done() -> None:
    by = workflow('extends: plugin-workflow\ndisplay: milestones\n')
    (finding,) = found(_at('Stage 2', '2'), _at('Stage 3', '3'), only=ONLY, by=by)
    assert finding.message.startswith('Processing Audio is done, and no test')


def _stage_3(evidence: str) -> Files:
    return {
        'PLUGINS.md': samples.registry(
            {'Alpha': 'Ideated', 'Bravo': 'Stage 3', 'Charlie': 'Installed'}
        ),
        HANDOFF: samples.handoff('Bravo', '3', evidence=evidence),
        'plugins/Bravo/Source/Main.cpp': '// 3\n',
    }


SURFACES = pytest.mark.parametrize(
    'args',
    [
        pytest.param(('--staged',), id='index'),
        pytest.param(('--worktree',), id='working tree'),
        pytest.param(('--commit', 'HEAD'), id='commit'),
        pytest.param(('--range', 'HEAD~1..HEAD'), id='range'),
    ],
)


@SURFACES
@pytest.mark.parametrize(
    ('evidence', 'codes'),
    [(tried('3.test'), []), (NONE, ['STG005'])],
    ids=['passed', 'none'],
)
def test_every_surface_judges_it(
    project: Repo,
    interlock: Interlock,
    args: tuple[str, ...],
    evidence: str,
    codes: list[str],
) -> None:
    files = _stage_3(evidence)
    if 'HEAD' in args[-1]:
        project.commit(files, 'feat: Bravo Stage 3 - moteur')
    elif args == ('--staged',):
        project.stage(files)
    else:
        project.write(files)
    result = interlock.check(*args)
    assert (result.codes, result.code) == (codes, int(bool(codes)))


def test_a_moved_handoff_keeps_its_evidence() -> None:
    older = 'plugins/Bravo/.ideas/.continue-here.md'
    before: Files = without(_at('Stage 2', '2'), HANDOFF)
    old = {**before, older: samples.handoff('Bravo', evidence=NONE)}
    after = _at('Stage 2', '2', evidence=OLD)
    assert introduced(old, after, only=ONLY) == ['STG005']


@pytest.mark.parametrize(
    ('evidence', 'code'),
    [(tried('3.test'), 0), (NONE, 1), (OLD, 0)],
    ids=['passed', 'none', 'old'],
)
def test_a_handoff_written_by_hand_does_not_open_it_for_set_status(
    project: Repo, interlock: Interlock, evidence: str, code: int
) -> None:
    first = samples.handoff('Bravo', evidence=evidence and NONE)
    project.commit({HANDOFF: first})
    project.write({HANDOFF: samples.handoff('Bravo', '3', evidence=evidence)})
    before = (project.path / 'PLUGINS.md').read_bytes()
    result = interlock('registry', 'set-status', 'Bravo', 'Stage 3')
    assert result.code == code, result.err
    assert ((project.path / 'PLUGINS.md').read_bytes() == before) is bool(code)
    if code:
        assert 'no test of it is recorded' in result.err
        assert 'interlock evidence add Bravo --stage 3' in result.err
    # as the commit would be judged
    project.git('add', '-A')
    staged = interlock.check('--staged', '--only', 'stages')
    assert staged.code == code
