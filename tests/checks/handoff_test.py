from __future__ import annotations

import pytest

from interlock.model.finding import ERROR, WARNING
from tests import samples
from tests.checks.trees import Files, at, codes, found, inherited, introduced
from tests.conftest import Interlock, Repo

ONLY = ('handoff',)
HANDOFF = samples.handoff_path('Bravo')
OLDER = 'plugins/Bravo/.ideas/.continue-here.md'
GOOD = samples.handoff('Bravo')


def judged(text: str | bytes | None, status: str = 'Stage 2') -> list[str]:
    """The codes and severities of what a handoff is blamed for."""
    before = at(status)
    findings = found(before, {**before, HANDOFF: text}, only=ONLY)
    assert {f.item for f in findings} <= {'Bravo'}
    assert {f.path for f in findings} <= {HANDOFF}
    return sorted(f'{f.code} {f.severity}' for f in findings)


def field(name: str, value: str, stage: str = '2') -> str:
    fields = {'stage': stage, 'phase': 'null', 'status': 'complete', name: value}
    return samples.handoff(
        'Bravo',
        fields.pop('stage'),
        fields.pop('phase'),
        fields.pop('status'),
        None,
        **fields,
    )


def test_a_good_handoff_passes() -> None:
    assert judged(GOOD) == []


@pytest.mark.parametrize(
    'text',
    [
        pytest.param('# Resume\n\nno rule\n', id='none'),
        pytest.param('# Resume\n\n---\n\nplugin: Bravo\n\n---\n', id='rules'),
        pytest.param('', id='empty'),
        pytest.param('\n---\nplugin: Bravo\n---\n', id='not the first line'),
        pytest.param('----\nplugin: Bravo\n----\n', id='four dashes'),
        pytest.param('\ufeff# Resume\n', id='only a byte order mark'),
    ],
)
def test_a_handoff_without_frontmatter_is_refused(text: str) -> None:
    assert judged(text) == ['HND001 error']


@pytest.mark.parametrize(
    ('text', 'message', 'line'),
    [
        pytest.param(
            '---\nplugin: Bravo\n',
            'is not closed by a line `---`',
            1,
            id='half written',
        ),
        pytest.param(f'\ufeff{GOOD}', 'stands behind a byte order mark', 1, id='BOM'),
        pytest.param(
            '---\n- a\n- b\n---\n', 'is not a mapping of keys to values', 2, id='list'
        ),
        pytest.param(
            '---\njust words\n---\n',
            'is not a mapping of keys to values',
            2,
            id='scalar',
        ),
        pytest.param(
            GOOD.replace('phase: null', 'stage: 3'),
            'has the key `stage` twice',
            4,
            id='duplicate key',
        ),
        pytest.param(
            '---\nplugin: [Bravo\n---\n', 'is not valid YAML', 2, id='invalid YAML'
        ),
        pytest.param(
            '---\nplugin: Bravo\n\tstage: 2\n---\n', 'is not valid YAML', 3, id='tab'
        ),
        pytest.param(
            '---\nplugin: !!python/object:os.system {}\n---\n', '', 2, id='tag'
        ),
        pytest.param(f'---\nplugin: {"[" * 200}{"]" * 200}\n---\n', '', 2, id='deep'),
        pytest.param(b'---\nplugin: \xff\n---\n', 'is not UTF-8', 2, id='ÿ'),
        pytest.param(b'---\nx: y\n---\n\0', 'holds a NUL byte', 4, id='NUL'),
        pytest.param(None, 'is too large', 1, id='huge'),
    ],
)
def test_a_frontmatter_that_cannot_be_read_is_refused(
    text: str | bytes | None, message: str, line: int
) -> None:
    before = at('Stage 2')
    (finding,) = found(before, {**before, HANDOFF: text}, only=ONLY)
    assert (finding.code, finding.severity) == ('HND002', ERROR)
    assert finding.message.startswith(f'the frontmatter {message}')
    assert abs(finding.line - line) <= 1


BOMB = '\n'.join(
    [
        'a: &a [x, x, x, x, x, x, x, x, x]',
        *(
            f'{new}: &{new} [{", ".join([f"*{old}"] * 9)}]'
            for old, new in zip('abcdefg', 'bcdefgh', strict=True)
        ),
    ]
)


def test_a_yaml_bomb_is_refused() -> None:
    assert judged(f'---\n{BOMB}\n---\n') == ['HND002 error']


# one test per field, right and wrong


@pytest.mark.parametrize(
    ('value', 'expected'),
    [
        pytest.param('Bravo', [], id='own name'),
        pytest.param('"Bravo"', [], id='quoted'),
        pytest.param('Alpha', ['HND004 error'], id='another item'),
        pytest.param('bravo', ['HND004 error'], id='another case'),
        pytest.param('', ['HND003 error'], id='missing'),
        pytest.param('null', ['HND003 error'], id='null'),
        pytest.param('[Bravo]', ['HND003 error'], id='list'),
    ],
)
def test_the_field_plugin(value: str, expected: list[str]) -> None:
    assert judged(field('plugin', value)) == expected


@pytest.mark.parametrize(
    ('value', 'expected'),
    [
        *(pytest.param(str(n), [], id=str(n)) for n in range(1, 7)),
        pytest.param('0', [], id='0'),
        pytest.param('"2"', ['HND003 error'], id='a text'),
        pytest.param("'2'", ['HND003 error'], id='a text, quoted once'),
        pytest.param('7', ['HND003 error'], id='7'),
        pytest.param('-1', ['HND003 error'], id='negative'),
        pytest.param('4.3', ['HND003 error'], id='number, no integer'),
        pytest.param('2.0', ['HND003 error'], id='2.0'),
        pytest.param('', ['HND003 error'], id='missing'),
        pytest.param('null', ['HND003 error'], id='null'),
        pytest.param('[2]', ['HND003 error'], id='list'),
        pytest.param('true', ['HND003 error'], id='boolean'),
        pytest.param('2026-01-01', ['HND003 error'], id='date'),
        pytest.param('ideation', ['HND008 info'], id='word'),
        pytest.param('Stage 2', ['HND008 info'], id='words'),
    ],
)
def test_the_field_stage(value: str, expected: list[str]) -> None:
    assert judged(field('stage', value)) == expected


def test_a_stage_with_its_phase_is_read_as_both() -> None:
    before = at('Stage 4')
    text = field('stage', '4.3')
    (finding,) = found(before, {**before, HANDOFF: text}, only=ONLY)
    assert finding.message == (
        '`stage: 4.3` is not a stage of the workflow; YAML reads it as Stage 4.3'
    )


@pytest.mark.parametrize(
    ('value', 'expected'),
    [
        pytest.param('null', [], id='null'),
        pytest.param('', [], id='missing'),
        pytest.param('"null"', [], id='the word null'),
        pytest.param('3.1', [], id='3.1'),
        pytest.param('3.10', [], id='3.10'),
        pytest.param('"3.2"', [], id='quoted'),
        pytest.param('4.1', ['HND003 error'], id='of another stage'),
        pytest.param('3', ['HND003 error'], id='no phase'),
        pytest.param('3.', ['HND003 error'], id='nothing behind the dot'),
        pytest.param('3.x', ['HND003 error'], id='no number'),
        pytest.param('3.1.2', ['HND003 error'], id='three parts'),
        pytest.param('deux', ['HND003 error'], id='word'),
        pytest.param('[3.1]', ['HND003 error'], id='list'),
    ],
)
def test_the_field_phase(value: str, expected: list[str]) -> None:
    assert judged(field('phase', value, stage='3'), 'Stage 3') == expected


@pytest.mark.parametrize(
    ('stage', 'value', 'expected'),
    [
        pytest.param('1', 'in_progress', [], id='in progress'),
        pytest.param('2', 'complete', [], id='complete'),
        pytest.param('5', 'workflow_complete', [], id='last stage'),
        pytest.param('6', 'workflow_complete', [], id='very last stage'),
        pytest.param('4', 'workflow_complete', ['HND010 warning'], id='early'),
        pytest.param('1', '', ['HND003 error'], id='missing'),
        pytest.param('1', 'null', ['HND003 error'], id='null'),
        pytest.param('2', 'fertig', ['HND003 error'], id='unknown'),
        pytest.param('4.3', 'x', ['HND003 error'] * 2, id='and the stage'),
        pytest.param('2', '[complete]', ['HND003 error'], id='list'),
        pytest.param('0', '', [], id='missing before stage 1'),
        pytest.param('0', 'fertig', ['HND003 info'], id='unknown before'),
        pytest.param('0', 'in_progress', [], id='known before'),
    ],
)
def test_the_field_status(stage: str, value: str, expected: list[str]) -> None:
    assert judged(field('status', value, stage)) == expected


@pytest.mark.parametrize(
    ('value', 'expected'),
    [
        pytest.param('2026-01-02', [], id='date'),
        pytest.param('"2026-01-02"', [], id='quoted'),
        pytest.param('2026-01-02T03:04:05Z', [], id='UTC'),
        pytest.param('2026-01-02 03:04:05', [], id='space'),
        pytest.param('2026-01-02T03:04:05+01:00', [], id='zone'),
        pytest.param('2026-01-02T03:04', [], id='minutes'),
        pytest.param('2026-13-02', ['HND003 error'], id='month 13'),
        pytest.param('2026-01-32', ['HND003 error'], id='day 32'),
        pytest.param('02.01.2026', ['HND003 error'], id='another order'),
        pytest.param('hier', ['HND003 error'], id='word'),
        pytest.param('2026-01-02 or so', ['HND003 error'], id='more text'),
        pytest.param('', ['HND003 error'], id='missing'),
        pytest.param('null', ['HND003 error'], id='null'),
        pytest.param('{y: 2026}', ['HND003 error'], id='mapping'),
    ],
)
def test_the_field_last_updated(value: str, expected: list[str]) -> None:
    assert judged(field('last_updated', value)) == expected


EARLY = {'phased_implementation': 'null'}


@pytest.mark.parametrize(
    ('stage', 'progress', 'value', 'phased', 'expected'),
    [
        pytest.param('2', 'complete', '1.0', 'false', [], id='lowest'),
        pytest.param('2', 'complete', '5.0', 'true', [], id='highest'),
        pytest.param('2', 'complete', '3', 'true', [], id='integer'),
        pytest.param('2', 'complete', '2.9', 'false', [], id='below three'),
        pytest.param('0', 'in_progress', 'null', 'null', [], id='planning'),
        pytest.param('0', 'in_progress', '', '', [], id='not yet there'),
        pytest.param('2', 'complete', '0.9', 'false', ['score'], id='low'),
        pytest.param('2', 'complete', '5.1', 'true', ['score'], id='high'),
        pytest.param('2', 'complete', '.inf', 'true', ['score'], id='inf'),
        pytest.param('2', 'complete', '.nan', 'true', ['score'], id='nan'),
        pytest.param('2', 'complete', 'hoch', 'true', ['score'], id='word'),
        pytest.param('2', 'complete', '"3.0"', 'true', ['score'], id='text'),
        pytest.param('2', 'complete', '[3]', 'true', ['score'], id='list'),
        pytest.param('2', 'complete', 'null', 'true', ['score'], id='null'),
        pytest.param('2', 'complete', '', 'true', ['score'], id='missing'),
        pytest.param('0', 'complete', 'null', 'true', ['score'], id='planned'),
        pytest.param('2', 'complete', '3.0', 'false', ['phased'], id='three'),
        pytest.param('2', 'complete', '2.9', 'true', ['phased'], id='under'),
        pytest.param('2', 'complete', '1.0', 'null', ['phased'], id='no word'),
        pytest.param('2', 'complete', '1.0', '', ['phased'], id='no phased'),
        pytest.param('2', 'complete', '1.0', '"false"', ['phased'], id='str'),
        pytest.param('2', 'complete', '1.0', '0', ['phased'], id='zero'),
        pytest.param('2', 'complete', '1.0', 'nein', ['phased'], id='nein'),
        pytest.param('2', 'complete', '1.0', 'no', ['phased'], id='no'),
        pytest.param('2', 'complete', 'null', 'null', ['score', 'phased'], id='both'),
    ],
)
def test_the_fields_complexity_score_and_phased_implementation(
    stage: str, progress: str, value: str, phased: str, expected: list[str]
) -> None:
    text = samples.handoff(
        'Bravo',
        stage,
        'null',
        progress,
        complexity_score=value,
        phased_implementation=phased,
    )
    before = at('Stage 2')
    findings = found(before, {**before, HANDOFF: text}, only=ONLY)
    names = {'score': '`complexity_score', 'phased': '`phased_implementation'}
    assert codes(findings) == ['HND010'] * len(expected)
    assert {f.severity for f in findings} <= {WARNING}
    for finding, name in zip(findings, expected, strict=True):
        assert finding.message.startswith(names[name])


@pytest.mark.parametrize(
    ('name', 'value', 'good'),
    [
        ('orchestration_mode', 'true', True),
        ('orchestration_mode', 'True', True),
        ('orchestration_mode', 'TRUE', True),
        ('orchestration_mode', '', True),
        ('orchestration_mode', 'False', False),
        ('orchestration_mode', 'false', False),
        ('orchestration_mode', 'null', False),
        ('orchestration_mode', 'ja', False),
        ('gui_type', 'headless', True),
        ('gui_type', 'webview', True),
        ('gui_type', '', True),
        ('gui_type', 'native', False),
        ('gui_type', 'Webview', False),
        ('gui_type', '[webview]', False),
        ('next_action', 'null', True),
        ('next_action', '', True),
        ('next_action', 'invoke_foundation_shell_agent', True),
        ('next_action', 'invoke_dsp_agent', True),
        ('next_action', 'continue_dsp_phase_3.2', True),
        ('next_action', 'continue_dsp_phase_3.10', True),
        ('next_action', 'invoke_gui_agent', True),
        ('next_action', 'continue_gui_phase_4.2', True),
        ('next_action', 'begin_stage_5', True),
        ('next_action', 'invoke_validation', True),
        ('next_action', 'run_validation', True),
        ('next_action', 'install', True),
        ('next_action', 'improve', True),
        ('next_action', 'continue_dsp_phase_', False),
        ('next_action', 'continue_dsp_phase_3', False),
        ('next_action', 'invoke_dsp_agent_now', False),
        ('next_action', 'tanzen', False),
        ('next_action', '{a: b}', False),
        ('next_phase', 'null', True),
        ('next_phase', '', True),
        ('next_phase', '3.1', True),
        ('next_phase', '"4.2"', True),
        ('next_phase', '3', False),
        ('next_phase', 'bald', False),
    ],
)
def test_a_field_has_one_of_its_values(name: str, value: str, good: bool) -> None:
    assert judged(field(name, value)) == ([] if good else ['HND010 warning'])


def test_a_value_out_of_range_is_named_with_what_is_valid() -> None:
    before = at('Stage 2')
    text = field('gui_type', 'natïve')
    (finding,) = found(before, {**before, HANDOFF: text}, only=ONLY)
    assert finding.code == 'HND010'
    assert finding.message == '`gui_type: natïve` is not one of headless, webview'
    assert text.split('\n')[finding.line - 1] == 'gui_type: natïve'


def test_an_older_name_of_a_key_is_only_mentioned() -> None:
    text = samples.handoff('Bravo', '3', '', current_phase='3.1')
    assert judged(text, 'Stage 3') == ['HND010 info']
    # and it is read like the key itself
    before, after = at('Stage 3'), {**at('Stage 3.2'), HANDOFF: text}
    findings = found(before, after, only=('registry',))
    assert codes(findings) == ['REG015']


@pytest.mark.parametrize(
    ('heading', 'expected'),
    [
        pytest.param('## Current State: done', 'Current State', id='state'),
        pytest.param('## Completed So Far', 'Completed So Far', id='completed'),
        pytest.param('## Next Steps', 'Next Steps', id='next'),
    ],
)
def test_an_expected_section_that_is_missing_is_warned_about(
    heading: str, expected: str
) -> None:
    assert heading in GOOD
    before = at('Stage 2')
    text = GOOD.replace(heading, '')
    (finding,) = found(before, {**before, HANDOFF: text}, only=ONLY)
    assert (finding.code, finding.severity) == ('HND006', WARNING)
    assert finding.message == f'the section `{expected}` is missing'


@pytest.mark.parametrize(
    'heading',
    [
        pytest.param('# next steps', id='case and level'),
        pytest.param('### Next Steps (for Zoë)', id='goes on'),
        pytest.param('## Next Steps ##', id='closed'),
    ],
)
def test_forms_of_a_section_that_are_understood(heading: str) -> None:
    assert judged(GOOD.replace('## Next Steps', heading)) == []


def test_a_section_in_fenced_code_is_none() -> None:
    text = GOOD.replace('## Next Steps', '```\n## Next Steps\n```')
    assert judged(text) == ['HND006 warning']


@pytest.mark.parametrize(
    ('status', 'files', 'expected'),
    [
        pytest.param('Installed', {HANDOFF: GOOD}, ['HND005 error'], id='stale'),
        pytest.param(
            'Working',
            {HANDOFF: samples.handoff('Bravo', '5')},
            ['HND009 info'],
            id='kept',
        ),
        pytest.param('Improving', {HANDOFF: GOOD}, [], id='improving'),
        pytest.param('Stage 2', {HANDOFF: GOOD}, [], id='stage'),
        pytest.param('Ideated', {HANDOFF: GOOD}, [], id='ideated'),
        pytest.param('Unsinn', {HANDOFF: GOOD}, [], id='unknown status'),
        pytest.param(
            'Installed',
            {OLDER: GOOD},
            ['HND007 warning'],
            id='a leftover is never stale',
        ),
        pytest.param('Working', {OLDER: GOOD}, ['HND007 warning'], id='nor kept'),
        pytest.param('Stage 2', {OLDER: GOOD}, ['HND007 warning'], id='older place'),
        pytest.param(
            'Stage 2',
            {HANDOFF: GOOD, OLDER: 'x'},
            ['HND007 warning'],
            id='a leftover beside it is not read',
        ),
        pytest.param(
            'Stage 2',
            {OLDER: '# x\n'},
            ['HND001 error', 'HND007 warning'],
            id='older place without frontmatter',
        ),
        pytest.param(
            'Ideated',
            {OLDER: '# x\n'},
            ['HND008 info'],
            id='of the ideation, without frontmatter',
        ),
        pytest.param(
            'Ideated',
            {OLDER: field('stage', 'ideation')},
            ['HND008 info'],
            id='of the ideation',
        ),
        pytest.param(
            'Ideated',
            {HANDOFF: field('stage', 'idéation')},
            ['HND008 info'],
            id='of the ideation, at its place',
        ),
        pytest.param(
            'Ideated',
            {HANDOFF: samples.handoff('Alpha', 'ideation')},
            ['HND004 error', 'HND008 info'],
            id='of the ideation of another item',
        ),
        pytest.param(
            'Ideated',
            {HANDOFF: '# x\n'},
            ['HND001 error'],
            id='at its place it has a frontmatter',
        ),
        pytest.param(
            'Ideated',
            {OLDER: '---\nx: [\n---\n'},
            ['HND002 error', 'HND007 warning'],
            id='unreadable',
        ),
        pytest.param(
            'Installed',
            {HANDOFF: GOOD, OLDER: GOOD},
            ['HND005 error', 'HND007 warning'],
            id='stale, and a leftover',
        ),
    ],
)
def test_a_handoff_lies_where_and_as_long_as_it_should(
    status: str, files: dict[str, str], expected: list[str]
) -> None:
    before = at(status)
    findings = found(before, {**before, **files}, only=ONLY)
    assert sorted(f'{f.code} {f.severity}' for f in findings) == expected


@pytest.mark.parametrize(
    ('status', 'files', 'command'),
    [
        pytest.param(
            'Installed', {HANDOFF: GOOD}, 'interlock handoff delete Bravo', id='stale'
        ),
        pytest.param(
            'Stage 2', {OLDER: GOOD}, 'interlock handoff migrate Bravo', id='older'
        ),
        pytest.param(
            'Stage 2',
            {HANDOFF: GOOD, OLDER: GOOD},
            'interlock handoff delete Bravo --older',
            id='leftover',
        ),
        pytest.param(
            'Working',
            {OLDER: GOOD},
            'interlock handoff delete Bravo --older',
            id='done',
        ),
    ],
)
def test_a_handoff_in_a_wrong_place_has_a_command(
    status: str, files: dict[str, str], command: str
) -> None:
    (finding,) = found(None, {**at(status), **files}, only=ONLY)
    assert finding.fix.command == command


def test_a_stale_handoff_is_not_also_a_mismatch() -> None:
    after = {**at('Installed'), HANDOFF: GOOD}
    assert codes(found(at('Working'), after)) == ['HND005']


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        pytest.param(
            {**at('Installed'), HANDOFF: GOOD},
            at('Installed'),
            id='a stale handoff is deleted',
        ),
        pytest.param(
            {**at('Stage 2'), OLDER: GOOD},
            at('Stage 2', '2'),
            id='an older one is moved',
        ),
        pytest.param(
            at('Stage 2', 'x', '9.9'), at('Stage 2', '2'), id='a broken one is repaired'
        ),
        pytest.param(
            at('Stage 2', '3'),
            at('Stage 2', '2', next_action='null'),
            id='one that is ahead is deleted and written anew',
        ),
    ],
)
def test_a_repair_has_no_findings_of_its_own(before: Files, after: Files) -> None:
    assert introduced(before, after, only=ONLY) == []


def test_an_old_fault_in_a_touched_handoff_is_inherited() -> None:
    before = {**at('Stage 2'), HANDOFF: field('gui_type', 'native')}
    touched = before[HANDOFF].replace('1. go', '1. aller')
    findings = found(before, {**before, HANDOFF: touched}, only=ONLY)
    assert (codes(findings), inherited(findings)) == ([], ['HND010'])
    worse = before[HANDOFF].replace('native', 'cocoa')
    findings = found(before, {**before, HANDOFF: worse}, only=ONLY)
    assert (codes(findings), inherited(findings)) == (['HND010'], [])


def test_a_handoff_becomes_stale_with_the_registry_alone() -> None:
    before = at('Working', '5')
    after = {**before, 'PLUGINS.md': at('Installed')['PLUGINS.md']}
    assert introduced(before, after, only=ONLY) == ['HND005']


def test_a_deletion_of_all_an_item_has_passes() -> None:
    before = at('Stage 2', '2')
    registry = {'PLUGINS.md': samples.registry({})}
    assert introduced(before, registry) == []


def test_a_copied_handoff_is_refused_by_git_objects(
    project: Repo, interlock: Interlock
) -> None:
    path = samples.handoff_path('Alpha')
    project.stage({path: samples.handoff('Bravo', '0', sums={})})
    result = interlock.check('--only', 'handoff')
    assert (result.codes, result.code) == (['HND004'], 1)


@pytest.mark.parametrize('digits', [5, 5000])
def test_a_phase_of_many_digits_is_refused(digits: int) -> None:
    phase = f'3.{"1" * digits}'
    before = at('Stage 3', '3')
    for after in (at('Stage 3', '3', phase), at('Stage 3', phase)):
        assert 'HND003' in introduced(before, after, only=ONLY)


def test_a_phase_of_a_stage_without_phases_is_refused() -> None:
    before = at('Stage 2', '2')
    (finding,) = found(before, at('Stage 2', '2', '2.1'), only=ONLY)
    assert (finding.code, finding.line) == ('HND003', 4)
    assert finding.message == 'Stage 2 has no phases, and `phase` is 2.1'


PLAN = '# Plan\n\n### Phase 3.1: Klang ✓\n#### Phase 3.10: Glanz\n'


@pytest.mark.parametrize(
    ('name', 'value', 'plan', 'expected'),
    [
        pytest.param('phase', '3.1', PLAN, [], id='planned'),
        pytest.param('phase', '3.10', PLAN, [], id='ten is not one'),
        pytest.param('next_phase', '3.10', PLAN, [], id='next, planned'),
        pytest.param(
            'phase', '3.2', PLAN, ['`phase: 3.2` is not a phase of '], id='not planned'
        ),
        pytest.param(
            'next_phase',
            '4.1',
            PLAN,
            ['`next_phase: 4.1` is not a phase of '],
            id='next, not planned',
        ),
        pytest.param('phase', 'null', PLAN, [], id='none'),
        pytest.param('phase', '3.2', '# Plan\n', [], id='no phases'),
        pytest.param('phase', '3.2', b'\xff', [], id='unreadable'),
    ],
)
def test_a_phase_is_one_that_the_plan_names(
    name: str, value: str, plan: str | bytes, expected: list[str]
) -> None:
    path = 'plugins/Bravo/.ideas/plan.md'
    before = {**at('Stage 3'), path: plan}
    text = field(name, value, '3')
    findings = found(before, {**before, HANDOFF: text}, only=ONLY)
    assert [f.message for f in findings] == [
        f'{sentence}{path}' for sentence in expected
    ]
    assert {(f.code, f.severity) for f in findings} <= {('HND010', WARNING)}
