from __future__ import annotations

import pytest

from interlock.checks.all_checks import CHECKS
from interlock.checks.run import judge
from interlock.model.finding import ERROR, INFO, WARNING, Finding, Fix
from interlock.rules.index import RULES
from tests import samples
from tests.checks.trees import (
    WORKFLOW_FILE,
    Files,
    at,
    change,
    codes,
    excusing,
    found,
    inherited,
    introduced,
    without,
    workflow,
)
from tests.conftest import Interlock, Repo

HANDOFF = samples.handoff_path('Bravo')
OLDER = 'plugins/Bravo/.ideas/.continue-here.md'
BRIEF = 'plugins/Bravo/.ideas/creative-brief.md'
HOOK = '.githooks/pre-commit'
BASELINE = '.interlock-baseline.json'
TABLE = samples.HEAD + samples.row('Bravo', 'Stage 2')
PAIR = samples.row('Bravo', 'Ideated') + samples.entry('Bravo', 'Ideated')


def _registry(old: str, new: str) -> Files:
    return {'PLUGINS.md': (samples.HEAD + PAIR).replace(old, new)}


def _fields(**fields: str) -> Files:
    stage = fields.pop('stage', '2')
    return {
        **at('Stage 2'),
        HANDOFF: samples.handoff('Bravo', stage, 'null', 'complete', None, **fields),
    }


def _sums(**sums: str) -> Files:
    return {
        **at('Stage 2', '2'),
        HANDOFF: samples.handoff('Bravo', sums={**samples.checksums('Bravo'), **sums}),
    }


# code -> a change that introduces it
GOOD = at('Stage 2', '2')
CASES: dict[str, tuple[Files, Files, str]] = {
    'REG001': (GOOD, at('Stage 2', '2', row='Stage 3'), 'x'),
    'REG002': (
        at('Ideated'),
        {'PLUGINS.md': samples.HEAD + samples.row('Alpha', 'Ideated') + PAIR},
        'x',
    ),
    'REG003': (
        at('Ideated'),
        {'PLUGINS.md': samples.HEAD + PAIR + samples.entry('Z', 'Ideated')},
        'x',
    ),
    'REG004': (at('Ideated'), _registry('| 2026-01-02', '| 2026-01-01'), 'x'),
    'REG005': (at('Ideated'), _registry('Ideated', 'Ideatted'), 'x'),
    'REG006': (at('Ideated'), _registry('💡', '✅'), 'x'),
    'REG007': (
        at('Ideated'),
        {'PLUGINS.md': samples.HEAD + samples.row('Bravo', 'Ideated') + PAIR},
        'x',
    ),
    'REG008': (GOOD, without(at('Stage 2', '2'), 'PLUGINS.md'), 'x'),
    'REG009': (at('Ideated'), _registry('Bravo', '../Bravo'), 'x'),
    'REG010': (GOOD, at('Stage 2', '3'), 'x'),
    'REG011': (
        at('Ideated'),
        _registry('- **2026', '- **2027-01-01:** x\n- **2026'),
        'x',
    ),
    'REG012': (
        at('Ideated'),
        {
            'PLUGINS.md': samples.HEAD
            + PAIR.replace('| - |', '| 1.0 |').replace(
                '**Created', '**Version:** 2.0\n**Created'
            )
        },
        'x',
    ),
    'REG013': ({}, {'PLUGINS.md': TABLE}, 'x'),
    'REG014': (
        {'PLUGINS.md': TABLE},
        {'PLUGINS.md': TABLE, samples.handoff_path('Zoë'): samples.handoff('Zoë')},
        'x',
    ),
    'REG015': (at('Stage 3.1', '3', '3.1'), at('Stage 3.1', '3', '3.2'), 'x'),
    'REG019': (GOOD, {'PLUGINS.md': samples.registry({})}, 'x'),
    'CON001': (GOOD, {**GOOD, BRIEF: 'x'}, 'x'),
    'CON002': (GOOD, without(at('Stage 2', '2'), BRIEF), 'x'),
    'CON003': (GOOD, _sums(plan='sha256:pending'), 'x'),
    'CON004': (GOOD, {**GOOD, HANDOFF: samples.handoff('Bravo', sums={})}, 'x'),
    'CON005': (GOOD, {**GOOD, BRIEF: str(GOOD[BRIEF]).replace('\n', '\r\n')}, 'x'),
    'CON006': (GOOD, _sums(creative_brief='null'), 'x'),
    'CON007': (at('Stage 2'), {**at('Stage 2'), BRIEF: 'x'}, 'x'),
    'STG001': (GOOD, at('Stage 4', '4'), 'x'),
    'STG002': (GOOD, at('Stage 4', '4'), 'x'),
    'STG005': (
        without(at('Stage 1', '1'), BRIEF),
        without(at('Stage 2', '2'), BRIEF),
        'x',
    ),
    'COM001': (GOOD, at('Stage 3', '2'), 'x'),
    'COM002': (GOOD, {**GOOD, 'x': 'x'}, 'feat(Bravo): Stage 3'),
    'COM003': (GOOD, at('Stage 3', '3'), 'feat(Bravo): Stage 3'),
    'COM004': (GOOD, at('Stage 3', '3'), 'feat(Bravo): Stage 4'),
    'COM005': (GOOD, at('Stage 3', '3'), 'docs: é'),
    'COM006': (GOOD, {**GOOD, 'x': 'x'}, 'feat(Bravo): end stage 3'),
    'HND001': (GOOD, {**GOOD, HANDOFF: '# x\n'}, 'x'),
    'HND002': (GOOD, {**GOOD, HANDOFF: '---\nx'}, 'x'),
    'HND003': (GOOD, _fields(stage='9'), 'x'),
    'HND004': (GOOD, _fields(plugin='Alpha'), 'x'),
    'HND005': (at('Working'), at('Installed', '5'), 'x'),
    'HND006': (
        GOOD,
        {**GOOD, HANDOFF: str(GOOD[HANDOFF]).replace('## Next', '## Then')},
        'x',
    ),
    'HND007': (GOOD, {**GOOD, OLDER: 'x'}, 'x'),
    'HND008': (GOOD, _fields(stage='ideation'), 'x'),
    'HND009': (at('Stage 5', '5'), at('Working', '5'), 'x'),
    'HND010': (GOOD, _fields(gui_type='x'), 'x'),
    'HND011': (GOOD, without(at('Stage 2', '2'), HANDOFF), 'x'),
    'CFG001': (
        {WORKFLOW_FILE: samples.WORKFLOW},
        {WORKFLOW_FILE: f'# é\n{samples.WORKFLOW}'},
        'x',
    ),
    'CFG002': ({}, {WORKFLOW_FILE: 'x: y\n'}, 'x'),
    'CFG003': ({WORKFLOW_FILE: samples.WORKFLOW}, {}, 'x'),
    'CFG004': ({BASELINE: '1'}, {BASELINE: '2'}, 'x'),
    'CFG008': (
        {WORKFLOW_FILE: samples.WORKFLOW},
        {WORKFLOW_FILE: f'{samples.WORKFLOW}severity: {{REG001: info}}\n'},
        'x',
    ),
    'CFG009': ({}, {BASELINE: excusing('0' * 20)}, 'x'),
    'CFG006': ({HOOK: 'interlock hook'}, {HOOK: 'rien'}, 'x'),
}


@pytest.mark.parametrize('code', CASES)
def test_a_finding_is_complete(code: str) -> None:
    before, after, message = CASES[code]
    findings = found(before, after, message)
    mine = [f for f in findings if f.code == code]
    assert mine != []
    rule = RULES[code]
    for finding in mine:
        assert finding.introduced
        assert finding.check == rule.check
        assert finding.check in CHECKS
        assert finding.severity in {rule.severity, WARNING, INFO}
        assert finding.item in {'*', '../Bravo', 'Alpha', 'Bravo', 'Z', 'Zoë'}
        assert not finding.fix.command or finding.fix.command.startswith(
            ('git ', 'interlock ')
        )
        assert finding.fix.step
        assert not finding.message.endswith('.')
        assert len(finding.message.split('\n')) == 1
        if code != 'COM006':
            assert finding.path
            assert finding.line >= 1


@pytest.mark.parametrize('code', CASES)
def test_a_check_alone_finds_what_all_of_them_find(code: str) -> None:
    before, after, message = CASES[code]
    everything = [
        f for f in found(before, after, message) if f.check == RULES[code].check
    ]
    assert found(before, after, message, only=[RULES[code].check]) == (everything)


# what only a change can have: a tree as it stands has none of them
OF_A_CHANGE = {
    'STG001',
    'STG002',
    'STG005',
    'COM001',
    'COM002',
    'COM003',
    'COM004',
    'COM005',
    'COM006',
    'CON006',
    'CON007',
    'REG019',
    'CFG001',
    'CFG002',
    'CFG003',
    'CFG004',
    'CFG006',
    'CFG008',
    'CFG009',
}


# what cannot be read is said again by every change that it concerns
SAID_AGAIN = {'REG008'}


@pytest.mark.parametrize('code', sorted(CASES.keys() - OF_A_CHANGE - SAID_AGAIN))
def test_what_was_there_before_is_inherited(code: str) -> None:
    _, after, _ = CASES[code]
    item = 'Bravo' if code != 'REG014' else 'Zoë'
    again = {**after, f'plugins/{item}/README.md': 'é'}
    findings = found(after, again, everything=True)
    assert codes(findings) == []
    assert code in inherited(findings)


@pytest.mark.parametrize('code', sorted(CASES.keys() - OF_A_CHANGE))
def test_what_is_fixed_is_not_found(code: str) -> None:
    before, after, _ = CASES[code]
    if code == 'REG013':
        before = {**after, 'plugins/Bravo/NOTES.md': 'x'}
    findings = found(after, before, everything=True)
    assert code not in {f.code for f in findings}


@pytest.mark.parametrize(
    ('before', 'after', 'code'),
    [
        pytest.param(
            at('Stage 2', '2', row='Stage 1'),
            at('Stage 2', '2', row='Stage 0'),
            'REG001',
            id='row',
        ),
        pytest.param(
            at('Stage 2', row='Stage 1'),
            at('Stage 3', row='Stage 1'),
            'REG001',
            id='entry',
        ),
        pytest.param(at('Stage 2', '3'), at('Stage 2', '4'), 'REG010', id='handoff'),
        pytest.param(at('Stage 2', '4'), at('Stage 3', '4'), 'REG010', id='registry'),
        pytest.param(
            {**GOOD, BRIEF: '1'}, {**GOOD, BRIEF: '2'}, 'CON001', id='contract'
        ),
        pytest.param(
            _sums(plan='sha256:x'), _sums(plan='sha256:y'), 'CON003', id='checksum'
        ),
        pytest.param(_fields(stage='7'), _fields(stage='8'), 'HND003', id='7'),
        pytest.param(_fields(plugin='A'), _fields(plugin='B'), 'HND004', id='name'),
    ],
)
def test_a_finding_whose_values_changed_is_new(
    before: Files, after: Files, code: str
) -> None:
    findings = found(before, after)
    assert code in codes(findings)
    assert code not in inherited(findings)


@pytest.mark.parametrize(
    ('before', 'after', 'code'),
    [
        pytest.param(
            at('Stage 2', row='Stage 1'),
            {
                'PLUGINS.md': 'x\n\n'
                + at('Stage 2', row='Stage 1')['PLUGINS.md'].replace('Warm', 'Kalt')
            },
            'REG001',
            id='on another line',
        ),
        pytest.param(
            {**without(at('Stage 2', '3'), HANDOFF), OLDER: GOOD[HANDOFF]},
            {**GOOD, OLDER: 'x'},
            'HND007',
            id='at another place',
        ),
    ],
)
def test_a_finding_that_only_moved_is_inherited(
    before: Files, after: Files, code: str
) -> None:
    findings = found(before, after)
    assert code in inherited(findings)
    assert code not in codes(findings)


FIX = Fix('fix it', 'true')
FINDING = Finding('REG001', 'registry', ERROR, 'Bravo', 'a.md', 1, 'é', 'x', 'y', FIX)


@pytest.mark.parametrize(
    ('other', 'same'),
    [
        (FINDING._replace(path='b.md', line=9, message='è'), True),
        (FINDING._replace(severity=INFO, commit='abc'), True),
        (FINDING._replace(introduced=False), True),
        (FINDING._replace(fix=Fix('', '')), True),
        (FINDING._replace(code='REG002'), False),
        (FINDING._replace(item='Alpha'), False),
        (FINDING._replace(key='z'), False),
        (FINDING._replace(expected='z'), False),
        (FINDING._replace(found='z'), False),
        (FINDING._replace(expected='xy', found=''), False),
        (FINDING._replace(expected='y', found='x'), False),
    ],
)
def test_the_fingerprint_is_code_item_and_values(other: Finding, same: bool) -> None:
    assert (other.fingerprint == FINDING.fingerprint) is same


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        pytest.param(
            at('Stage 2', '2', row='Stage 1'),
            at('Stage 2', '2'),
            id='row brought in line with the entry',
        ),
        pytest.param(at('Stage 2', '3'), GOOD, id='handoff in line, a step back'),
        pytest.param(at('Stage 2', '1'), GOOD, id='handoff in line, a step forward'),
        pytest.param(at('Stage 1', '2'), GOOD, id='registry in line with the handoff'),
        pytest.param(at('Installed', '5'), at('Installed'), id='stale one deleted'),
        pytest.param({**GOOD, BRIEF: 'x'}, GOOD, id='contract restored'),
        pytest.param({**GOOD, HANDOFF: '---\nx'}, GOOD, id='handoff restored'),
        pytest.param({**GOOD, 'PLUGINS.md': 'x'}, GOOD, id='registry repaired'),
        pytest.param(
            {**without(at('Stage 2'), BRIEF), 'PLUGINS.md': 'x'},
            without(at('Stage 2'), BRIEF),
            id='registry repaired, and a contract has long been missing',
        ),
    ],
)
def test_a_repair_is_not_refused(before: Files, after: Files) -> None:
    findings = found(before, after)
    assert [f for f in findings if f.introduced and f.refuses] == []


def test_findings_of_one_commit_carry_its_name() -> None:
    made = change(GOOD, at('Stage 4', '4'))._replace(commit='abc')
    findings = judge([made], workflow())
    assert {f.commit for f in findings} == {'abc'}


TASKS = """\
extends: [plugin-workflow, task-protocol]
items:
  task:
    registry:
      file: TASKS.md
      columns: {item: Task, status: State}
    commit: {prefixes: ['task({item}): '], subjects: ['{state}']}
"""
TASK_TABLE = '| Task | State |\n|---|---|\n| parse-é | {} |\n'


@pytest.mark.parametrize(
    ('old', 'new', 'expected'),
    [
        ('INIT', 'CLASSIFIED', []),
        ('INIT', 'SYNTHESIS', ['STG001']),
        ('INIT', 'CLASIFIED', ['REG005']),
    ],
)
def test_items_of_two_kinds_live_side_by_side(
    old: str, new: str, expected: list[str]
) -> None:
    by = workflow(TASKS)
    before = {**GOOD, 'TASKS.md': TASK_TABLE.format(old)}
    after = {**GOOD, 'TASKS.md': TASK_TABLE.format(new)}
    findings = found(before, after, 'task(parse-é): go', by=by)
    assert codes(findings) == expected
    assert {f.item for f in findings} <= {'parse-é'}
    both = {**at('Stage 4', '4'), 'TASKS.md': after['TASKS.md']}
    message = 'task(parse-é): and Bravo'
    assert introduced(before, both, message, by=by) == sorted(
        [*expected, 'STG001', 'STG002']
    )


def test_kinds_do_not_judge_each_others_items() -> None:
    by = workflow(TASKS)
    before = {**GOOD, 'TASKS.md': TASK_TABLE.format('INIT')}
    after = {**before, 'tasks/Bravo/x': 'x', 'plugins/parse-é/x': 'x'}
    assert found(before, after, by=by) == []


def test_a_severity_of_the_workflow_may_silence_a_code() -> None:
    by = workflow(
        'extends: plugin-workflow\n'
        'severity: {REG001: info, STG001: off, STG002: warning}\n'
    )
    findings = found(GOOD, at('Stage 4', '4', row='Stage 3'), by=by)
    assert {f.code: f.severity for f in findings} == {'REG001': INFO, 'STG002': WARNING}


def test_inherited_findings_are_listed_on_demand(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.commit({'PLUGINS.md': samples.registry(statuses, {'Alpha': 'Stage 0'})})
    project.stage({'README.md': 'x\n'})
    assert interlock.check().codes == []
    result = interlock.check('--inherited')
    assert result.codes == ['REG001']
    assert result.code == 0
