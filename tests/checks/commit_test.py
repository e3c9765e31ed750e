from __future__ import annotations

import pytest

from interlock.checks.run import judge
from interlock.documents.message import parse
from interlock.model.finding import ERROR, WARNING
from tests import samples
from tests.checks.trees import (
    Files,
    at,
    change,
    codes,
    found,
    introduced,
    without,
    workflow,
)
from tests.conftest import Interlock, Repo

ONLY = ('commit',)
HANDOFF = samples.handoff_path('Bravo')
OLDER = 'plugins/Bravo/.ideas/.continue-here.md'
MAIN = 'plugins/Bravo/Source/Main.cpp'


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(at('Stage 2', '2'), at('Stage 3', '3'), [], id='both move'),
        pytest.param(
            at('Stage 2', '2'), at('Stage 3', '2'), ['COM001'], id='only the registry'
        ),
        pytest.param(
            at('Stage 2', '2'), at('Stage 2', '3'), ['COM001'], id='only the handoff'
        ),
        pytest.param(
            at('Stage 2', '2'),
            at('Stage 3', '2', progress='in_progress'),
            [],
            id='the registry, and a handoff that is touched',
        ),
        pytest.param(at('Stage 2', '2'), at('Stage 3'), [], id='handoff deleted'),
        pytest.param(at('Stage 2'), at('Stage 3'), [], id='no handoff at all'),
        pytest.param(at('Stage 2'), at('Stage 2', '2'), [], id='handoff created'),
        pytest.param(
            at('Stage 2', '3'), at('Stage 3', '3'), [], id='registry brought in line'
        ),
        pytest.param(
            at('Stage 3', '2'), at('Stage 3', '3'), [], id='handoff brought in line'
        ),
        pytest.param(
            at('Stage 3', '3', '3.1'),
            at('Stage 3', '3', '3.2'),
            [],
            id='a phase of the handoff',
        ),
        pytest.param(
            at('Stage 3.1', '3', '3.1'),
            at('Stage 3.2', '3', '3.1'),
            [],
            id='a phase of the registry',
        ),
        pytest.param(
            at('Working', '5'), at('Installed', '5'), [], id='from done to done'
        ),
        pytest.param(
            at('Stage 5', '5'),
            at('Working', '5'),
            [],
            id='done after the last stage agrees',
        ),
        pytest.param(
            at('Stage 4', '4'),
            at('Working', '4'),
            ['COM001'],
            id='done before the last stage',
        ),
        pytest.param(
            at('Ideated', '0'), at('Stage 1', '0'), ['COM001'], id='into the stages'
        ),
        pytest.param(
            at('Ideated', 'ideation'),
            at('Stage 0', 'ideation'),
            ['COM001'],
            id='into the stages, with a handoff from before',
        ),
        pytest.param(
            at('Stage 2', '2'),
            at('Stage 2', '2', row='Stage 3'),
            [],
            id='the row alone moves: REG001 speaks of it',
        ),
        pytest.param(
            at('Stage 2', '2', row='Stage 1'),
            at('Stage 2', '2'),
            [],
            id='the row alone comes back',
        ),
        pytest.param(
            {**at('Stage 2'), OLDER: samples.handoff('Bravo', '2')},
            {**at('Stage 2'), HANDOFF: samples.handoff('Bravo', '2')},
            [],
            id='handoff moved to its place',
        ),
        pytest.param(
            {**at('Stage 2', '2'), OLDER: samples.handoff('Bravo', '0')},
            {**at('Stage 2'), OLDER: samples.handoff('Bravo', '0')},
            [],
            id='a leftover stays behind',
        ),
        pytest.param(
            {HANDOFF: samples.handoff('Bravo', '2')},
            {HANDOFF: samples.handoff('Bravo', '3')},
            [],
            id='an item that is not registered',
        ),
        pytest.param(
            at('Stage 2', '2', row='Stage 1'),
            at('Stage 3', '2', row='Stage 3'),
            ['COM001'],
            id='both records of the registry move',
        ),
        pytest.param(
            at('Stage 2', '2'), at('Unsinn', '2'), [], id='to an unknown status'
        ),
    ],
)
def test_the_records_of_an_item_change_stage_in_one_commit(
    before: Files, after: Files, expected: list[str]
) -> None:
    findings = found(before, after, only=ONLY)
    assert codes(findings) == expected
    for finding in findings:
        assert (finding.item, finding.severity) == ('Bravo', ERROR)


def test_a_registry_that_moves_alone_names_the_handoff() -> None:
    (finding,) = found(at('Stage 2', '2'), at('Stage 3', '2'), only=ONLY)
    assert finding.message == (
        f'the registry moved to Stage 3, but {HANDOFF} is not part of the change'
    )
    assert finding.fix.command == 'interlock handoff update Bravo 3'
    assert (finding.path, finding.line) == ('PLUGINS.md', 11)


def test_a_handoff_that_moves_alone_names_the_registry() -> None:
    (finding,) = found(at('Stage 2', '2'), at('Stage 2', '3'), only=ONLY)
    assert finding.message == (
        'the handoff moved to Stage 3, but PLUGINS.md still says Stage 2'
    )
    assert finding.fix.command == ("interlock registry set-status Bravo 'Stage 3'")
    assert (finding.path, finding.line) == (HANDOFF, 3)


def test_an_unknown_status_of_the_registry_is_called_nothing() -> None:
    (finding,) = found(at('Unsinn', '2'), at('Unsinn', '3'), only=ONLY)
    assert finding.message.endswith('PLUGINS.md still says nothing')


# deliverables

LATE = 'feat(Bravo): Stage {} - fertig'


@pytest.mark.parametrize(
    ('stage', 'extra', 'expected'),
    [
        pytest.param('0', {}, [], id='0: architecture exists'),
        pytest.param('1', {}, [], id='1: both documents exist'),
        pytest.param('2', {}, ['COM003'], id='2: no code changed'),
        pytest.param('2', {MAIN: '// 2\n'}, [], id='2: source'),
        pytest.param('2', {'plugins/Bravo/CMakeLists.txt': 'x'}, [], id='2: build'),
        pytest.param('2', {'plugins/Bravo/Source/ui/é.html': 'x'}, [], id='2: deep'),
        pytest.param(
            '2',
            {'plugins/Alpha/Source/Main.cpp': 'x'},
            ['COM003'],
            id='2: source of another item',
        ),
        pytest.param('2', {'plugins/Bravo/x': 'x'}, ['COM003'], id='2: other'),
        pytest.param('3', {}, ['COM003'], id='3: no code changed'),
        pytest.param('3', {MAIN: '// 3\n'}, [], id='3: source'),
        pytest.param('4', {}, ['COM003'], id='4: no code changed'),
        pytest.param('4', {MAIN: '// 4\n'}, [], id='4: source'),
        pytest.param('5', {}, ['COM003'], id='5: no changelog'),
        pytest.param('5', {'plugins/Bravo/CHANGELOG.md': 'x'}, [], id='5: changelog'),
        pytest.param('6', {}, ['COM003'], id='6: no changelog'),
        pytest.param('6', {'plugins/Bravo/CHANGELOG.md': 'x'}, [], id='6: changelog'),
    ],
)
def test_a_stage_commit_brings_the_deliverables_of_its_stage(
    stage: str, extra: Files, expected: list[str]
) -> None:
    before = at('Ideated')
    after: Files = {**at(f'Stage {stage}', stage), **extra}
    message = LATE.format(stage)
    findings = found(before, after, message, only=ONLY)
    assert codes(findings) == expected
    for finding in findings:
        assert (finding.item, finding.severity) == ('Bravo', WARNING)
        assert f'the subject ends Stage {stage}' in finding.message
    assert introduced(before, after, only=ONLY) == []


@pytest.mark.parametrize(
    ('before', 'subject', 'expected'),
    [
        pytest.param(at('Stage 3.3', '3', '3.3'), 'Stage 3', [], id='behind phases'),
        pytest.param(
            at('Stage 3', '3', progress='in_progress'),
            'Stage 3',
            [],
            id='work that went on',
        ),
        pytest.param(at('Stage 2', '2'), 'Stage 3', ['COM003'], id='from a stage'),
        pytest.param(
            at('Stage 2', '2', progress='in_progress'),
            'Stage 3',
            ['COM003'],
            id='work of another stage',
        ),
    ],
)
def test_the_work_of_a_stage_may_have_come_before_its_end(
    before: dict[str, str], subject: str, expected: list[str]
) -> None:
    after = at('Stage 3', '3', last_updated='2026-01-03')
    assert (
        introduced(before, after, f'feat: Bravo {subject} - x', only=ONLY) == expected
    )


def test_a_phase_brings_work_of_its_own() -> None:
    assert introduced(
        at('Stage 3.1', '3', '3.1'),
        at('Stage 3.2', '3', '3.2'),
        'feat: Bravo Stage 3.2',
        only=ONLY,
    ) == ['COM003']


@pytest.mark.parametrize(
    ('stage', 'missing', 'extra', 'expected'),
    [
        pytest.param('0', 'architecture', {}, ['COM003'], id='0'),
        pytest.param('1', 'architecture', {}, ['COM003'], id='1'),
        pytest.param('0', 'plan', {}, [], id='0 without plan'),
        pytest.param('1', 'plan', {}, ['COM003'], id='1 without plan'),
        pytest.param(
            '1',
            'plan',
            {'plugins/Bravo/plan.md': 'x'},
            [],
            id='1 with the plan in its second place',
        ),
    ],
)
def test_the_documents_of_the_planning_exist_at_its_end(
    stage: str, missing: str, extra: Files, expected: list[str]
) -> None:
    path = f'plugins/Bravo/.ideas/{missing}.md'
    files = without(at(f'Stage {stage}', stage), path)
    after: Files = {**files, **extra}
    message = LATE.format(stage)
    assert introduced(at('Ideated'), after, message, only=ONLY) == expected


@pytest.mark.parametrize(
    ('stage', 'gui', 'expected'),
    [
        pytest.param('4', 'headless', [], id='headless'),
        pytest.param('4', 'webview', ['COM003'], id='webview'),
        pytest.param('4', '', ['COM003'], id='absent means webview'),
        pytest.param('3', 'headless', ['COM003'], id='code all the same'),
    ],
)
def test_a_headless_plugin_owes_no_gui(
    stage: str, gui: str, expected: list[str]
) -> None:
    before = at('Stage 2', '2')
    after = at(f'Stage {stage}', stage, gui_type=gui)
    message = LATE.format(stage)
    assert introduced(before, after, message, only=ONLY) == expected


def test_a_stage_commit_without_handoff_owes_its_deliverables() -> None:
    before, after = at('Stage 3'), at('Stage 4')
    message = LATE.format('4')
    assert introduced(before, after, message, only=ONLY) == ['COM003']


@pytest.mark.parametrize(
    'message',
    [
        pytest.param('feat(Bravo): neue Knöpfe', id='no stage'),
        pytest.param('feat(Zulu): Stage 3', id='no such item'),
        pytest.param('fix(Bravo): Stage 3', id='no form of the workflow'),
        pytest.param('Merge branch Stage 3', id='merge'),
        pytest.param('', id='empty'),
    ],
)
def test_another_commit_owes_no_deliverables(message: str) -> None:
    before, after = at('Stage 2', '2'), at('Stage 3', '3')
    assert introduced(before, after, message, only=ONLY) == []


def test_a_phase_owes_the_deliverables_of_its_stage() -> None:
    before = at('Stage 2', '2')
    after = at('Stage 3.1', '3', '3.1')
    message = 'feat: Bravo Stage 3 Phase 3.1 - Kern'
    assert introduced(before, after, message, only=ONLY) == ['COM003']


def test_deliverables_that_are_deleted_are_a_change_of_them() -> None:
    before = at('Stage 2', '2')
    after = without(at('Stage 3', '3'), MAIN)
    message = LATE.format('3')
    assert introduced(before, after, message, only=ONLY) == []


def test_a_stage_without_deliverables_or_records_ends_by_its_command() -> None:
    before = at('Stage 2', '2')
    after = {**before, 'README.md': 'x\n'}
    (finding,) = found(before, after, LATE.format('3'), only=ONLY)
    assert finding.fix.command == ('interlock commit-stage Bravo 3 -m fertig')


def test_a_stage_that_ends_without_work_leaves_only_that_to_look_for() -> None:
    before, after = at('Stage 2', '2'), at('Stage 3', '3')
    (finding,) = found(before, after, LATE.format('3'), only=ONLY)
    assert finding.message == (
        'the subject ends Stage 3, but the commit changes none of '
        'plugins/Bravo/Source/**, plugins/Bravo/CMakeLists.txt'
    )
    assert finding.path == 'plugins/Bravo/Source'
    assert finding.fix.command == 'git status --short -- plugins/Bravo'


def test_a_severity_of_the_workflow_wins() -> None:
    before, after = at('Stage 2', '2'), at('Stage 3', '3')
    message = LATE.format('3')
    strict = workflow('extends: plugin-workflow\nseverity: {COM003: error}\n')
    (finding,) = found(before, after, message, only=ONLY, by=strict)
    assert (finding.code, finding.severity) == ('COM003', ERROR)
    lax = workflow('extends: plugin-workflow\nseverity: {COM003: off}\n')
    assert found(before, after, message, only=ONLY, by=lax) == []


def test_a_partial_commit_is_judged_by_what_it_holds(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 3', 'Charlie': 'Installed'}
    project.write(
        {
            'PLUGINS.md': samples.registry(statuses),
            HANDOFF: samples.handoff('Bravo', '3'),
        }
    )
    project.git('add', 'PLUGINS.md')
    result = interlock.check('--only', 'commit')
    assert (result.codes, result.code) == (['COM001'], 1)
    project.git('add', '-A')
    assert interlock.check('--only', 'commit').code == 0


def test_a_handoff_that_is_gone_is_not_a_stage_change(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({HANDOFF: None})
    result = interlock.check()
    assert (result.codes, result.code) == (['HND011'], 1)


def test_an_amended_stage_commit_has_its_deliverables() -> None:
    before = at('Stage 3', '3')
    after = at('Stage 3', '3', next_action='install')
    made = change(before, after, LATE.format('3'))
    assert codes(judge([made], workflow(), ONLY)) == ['COM003']
    for subject, expected in (
        (LATE.format('3'), []),
        (LATE.format('2'), ['COM003']),
        ('docs: é', ['COM003']),
    ):
        amended = made._replace(amended=parse(subject))
        assert codes(judge([amended], workflow(), ONLY)) == expected


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(
            at('Stage 3', '2', row='Stage 2'),
            at('Stage 3', '2'),
            [],
            id='only the row catches up',
        ),
        pytest.param(
            at('Stage 2', '2', row='Stage 1'),
            at('Stage 3', '2'),
            ['COM001'],
            id='the entry moves too',
        ),
        pytest.param(
            {**at('Stage 5'), OLDER: samples.handoff('Bravo', '5')},
            {**at('Working'), OLDER: samples.handoff('Bravo', '5')},
            [],
            id='a leftover',
        ),
        pytest.param(
            {**at('Ideated'), OLDER: samples.handoff('Bravo', 'ideation')},
            {**at('Stage 0'), OLDER: samples.handoff('Bravo', 'ideation')},
            [],
            id='an early one',
        ),
        pytest.param(
            {**at('Stage 2'), OLDER: samples.handoff('Bravo', '2')},
            {**at('Stage 3'), OLDER: samples.handoff('Bravo', '2')},
            ['COM001'],
            id='one that counts',
        ),
    ],
)
def test_what_does_not_move_need_not_move_together(
    before: Files, after: Files, expected: list[str]
) -> None:
    assert introduced(before, after, only=ONLY) == expected


def test_a_row_that_moves_to_an_unknown_status_is_part_of_the_change() -> None:
    before, after = at('Stage 1', '1'), at('Stage 2.1', '2')
    assert introduced(before, after, only=ONLY) == []
    assert 'REG005' in introduced(before, after, only=['registry'])
    assert introduced(before, at('Stage 1', '2'), only=ONLY) == ['COM001']
