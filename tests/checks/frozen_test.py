"""Frozen contracts, handoffs that are gone, items that are dropped."""

from __future__ import annotations

import json

import pytest

from interlock.checks.run import judge
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

IDEAS = 'plugins/Bravo/.ideas'
BRIEF = f'{IDEAS}/creative-brief.md'
PLAN = f'{IDEAS}/plan.md'
HANDOFF = samples.handoff_path('Bravo')
PLAIN = 'feat(Bravo): Stage 2\n\nA body is not a trailer.\n'
AMENDED = 'feat(Bravo): Stage 2\n\nContract-Amendment: the client asked\n'
DROPPED = 'chore: drop Bravo\n\nItem-Dropped: nobody wants it\n'
# no handoff, so nothing is sealed
BARE = at('Stage 2')
SEALED = at('Stage 2', '2')
UNSEALED: Files = {**BARE, HANDOFF: samples.handoff('Bravo', sums={})}
PENDING: Files = {
    **BARE,
    HANDOFF: samples.handoff(
        'Bravo', sums={**samples.checksums('Bravo'), 'creative_brief': 'sha256:pending'}
    ),
}


def accented(letter: str) -> Files:
    """An item at Stage 2 whose name has an accent."""
    name = f'Caf{letter}'
    return {
        path.replace('Bravo', name): str(text).replace('Bravo', name)
        for path, text in BARE.items()
    }


def resealed(files: Files, text: str) -> Files:
    sums = samples.checksums('Bravo')
    sums['creative_brief'] = samples.checksum(text)
    return {**files, BRIEF: text, HANDOFF: samples.handoff('Bravo', sums=sums)}


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(BARE, {**BARE, BRIEF: 'x\n'}, ['CON007'], id='no handoff'),
        pytest.param(BARE, without(BARE, BRIEF), ['CON007'], id='deleted'),
        pytest.param(
            UNSEALED, {**UNSEALED, BRIEF: 'x\n'}, ['CON007'], id='nothing is sealed'
        ),
        pytest.param(
            PENDING,
            {**PENDING, BRIEF: 'x\n'},
            ['CON007'],
            id='a pending entry is not a seal',
        ),
        pytest.param(PENDING, SEALED, [], id='what was pending is sealed'),
        pytest.param(UNSEALED, SEALED, [], id='sealed for the first time'),
        pytest.param(
            UNSEALED,
            resealed(UNSEALED, 'x\n'),
            ['CON007'],
            id='changed and sealed for the first time',
        ),
        pytest.param(
            SEALED, {**SEALED, BRIEF: 'x\n'}, ['CON001'], id='the broken seal says it'
        ),
        pytest.param(
            SEALED, without(SEALED, BRIEF), ['CON002'], id='the missing file says it'
        ),
        pytest.param(
            {**SEALED, BRIEF: 'x\n'},
            SEALED,
            [],
            id='what was changed past the checks is as it was sealed again',
        ),
        pytest.param(
            {**SEALED, BRIEF: 'x\n'},
            {**SEALED, BRIEF: 'y\n'},
            ['CON001'],
            id='changed once more past the checks',
        ),
        pytest.param(
            {**BARE, BRIEF: 'x\n'},
            SEALED,
            ['CON007'],
            id='a seal that comes with the change restores nothing',
        ),
        pytest.param(
            SEALED, resealed(SEALED, 'x\n'), ['CON006'], id='the new seal says it'
        ),
        pytest.param(
            SEALED,
            {**at('Working'), **resealed({}, 'x\n')},
            ['CON006'],
            id='the commit that finishes it changes it',
        ),
        pytest.param(
            SEALED,
            {**at('Working', '2'), BRIEF: 'x\n'},
            ['CON001', 'CON007'],
            id='a broken seal that is only a warning',
        ),
        pytest.param(
            BARE, {**at('Working'), BRIEF: 'x\n'}, ['CON007'], id='finished and changed'
        ),
        pytest.param(
            BARE, {**at('Ideated'), BRIEF: 'x\n'}, ['CON007'], id='reset and changed'
        ),
        pytest.param(
            SEALED,
            {**BARE, BRIEF: 'x\n'},
            ['CON007'],
            id='changed while its handoff is deleted',
        ),
        pytest.param(
            at('Ideated'), {**BARE, BRIEF: 'x\n'}, [], id='changed before it is frozen'
        ),
        pytest.param(
            at('Working'),
            {**at('Working'), BRIEF: 'x\n'},
            [],
            id='changed after it was frozen',
        ),
        pytest.param(BARE, {**BARE, PLAN: 'x\n'}, [], id='the plan is free'),
        pytest.param(
            BARE,
            {**BARE, f'{IDEAS}/Creative-Brief.md': 'x\n'},
            ['CON007'],
            id='a twin by case',
        ),
        pytest.param(
            BARE,
            {**BARE, 'plugins/bravo/.ideas/creative-brief.md': 'x\n'},
            ['CON007'],
            id='a twin in a folder that differs by case',
        ),
        pytest.param(
            accented('é'),
            {**accented('é'), 'plugins/Cafe\u0301/.ideas/creative-brief.md': 'x\n'},
            ['CON007'],
            id='a twin whose accent is encoded in another way',
        ),
        pytest.param(
            accented('é'),
            {**accented('é'), 'plugins/Cafe/.ideas/creative-brief.md': 'x\n'},
            [],
            id='a folder without the accent',
        ),
        pytest.param(
            BARE,
            {**BARE, f'{IDEAS}/creative-brief-2.md': 'x\n'},
            [],
            id='another file beside it',
        ),
    ],
)
def test_a_frozen_contract_does_not_change(
    before: Files, after: Files, expected: list[str]
) -> None:
    assert introduced(before, after, PLAIN, only=('contracts',)) == expected
    without_new = [code for code in expected if code in {'CON001', 'CON002'}]
    assert introduced(before, after, AMENDED, only=('contracts',)) == without_new
    # the reason may still come
    assert introduced(before, after, only=('contracts',)) == without_new


def test_a_contract_that_becomes_a_link_with_the_same_text_changed() -> None:
    made = change(SEALED, SEALED, PLAIN)._replace(touched={BRIEF: 'T'})
    (finding,) = judge([made], workflow(), ('contracts',))
    assert (finding.code, finding.path) == ('CON007', BRIEF)
    assert 'replaced by a link' in finding.message


def test_another_mode_is_not_a_change() -> None:
    made = change(SEALED, SEALED, PLAIN)._replace(touched={BRIEF: 'M'})
    assert judge([made], workflow(), ('contracts',)) == []


def test_the_digits_of_a_seal_may_be_upper_case() -> None:
    sums = {name: text.upper() for name, text in samples.checksums('Bravo').items()}
    upper: Files = {**BARE, HANDOFF: samples.handoff('Bravo', sums=sums)}
    assert introduced(None, upper, only=('contracts',)) == []
    assert introduced(upper, SEALED, PLAIN, only=('contracts',)) == []
    assert introduced(upper, {**upper, BRIEF: 'x\n'}, only=('contracts',)) == ['CON001']
    dos = str(BARE[BRIEF]).replace('\n', '\r\n')
    assert introduced(upper, {**upper, BRIEF: dos}, only=('contracts',)) == ['CON005']


SHIPPED = """\
version: 1
items:
  spec:
    path: specs/{item}
    registry: {file: SPECS.md, columns: {item: Spec, status: State}}
    states:
      Draft: {role: before}
      Review: {role: stage}
      Shipped: {role: done}
    transitions:
      - {from: nothing, to: Draft}
      - {from: Draft, to: Review}
      - {from: Review, to: Shipped}
    contracts:
      frozen: [Review, Shipped]
      files: {text: {paths: ['specs/{item}/spec.md']}}
"""


@pytest.mark.parametrize(
    ('state', 'expected'),
    [('Draft', []), ('Review', ['CON007']), ('Shipped', ['CON007'])],
)
def test_a_workflow_without_handoffs_freezes_as_well(
    state: str, expected: list[str]
) -> None:
    table = f'| Spec | State |\n|---|---|\n| One | {state} |\n'
    before: Files = {'SPECS.md': table, 'specs/One/spec.md': 'a\n'}
    after: Files = {**before, 'specs/One/spec.md': 'b\n'}
    by = workflow(SHIPPED)
    assert introduced(before, after, 'x', by=by) == expected
    assert introduced(before, {'SPECS.md': table}, 'x', by=by) == expected


def test_a_deleted_contract_is_restored_where_it_was() -> None:
    """Its folder may be gone, and so may be the one of its other path."""
    by = workflow(SHIPPED.replace("/spec.md'", "/spec.md', 'specs/{item}.md'"))
    table = '| Spec | State |\n|---|---|\n| One | Review |\n'
    before: Files = {'SPECS.md': table, 'specs/One.md': 'a\n'}
    (finding,) = found(before, {'SPECS.md': table}, 'x', by=by)
    assert finding.path == 'specs/One.md'
    assert finding.fix.command == 'git checkout HEAD -- specs/One.md'


def _renamed(files: Files) -> dict[str, str]:
    return {
        path.replace('Bravo', 'Zoë'): str(text)
        if '/.ideas/' in path
        else (str(text).replace('Bravo', 'Zoë'))
        for path, text in files.items()
    }


@pytest.mark.parametrize('before', [BARE, SEALED, at('Installed')])
def test_an_item_that_is_renamed_passes_without_a_word(before: Files) -> None:
    findings = found(before, _renamed(before), 'refactor: Bravo is Zoë')
    assert codes(findings) == []


def test_a_contract_that_is_rewritten_in_a_rename_needs_a_reason() -> None:
    brief = BRIEF.replace('Bravo', 'Zoë')
    after = {**_renamed(BARE), brief: 'x\n'}
    (finding,) = found(BARE, after, 'x', only=('contracts',))
    assert (finding.code, finding.item, finding.path) == ('CON007', 'Zoë', brief)
    assert finding.fix.command == f'git show HEAD:{BRIEF} >{brief}'
    sums = samples.checksums('Bravo')
    sums['creative_brief'] = samples.checksum('x\n')
    sealed: Files = {
        **_renamed(SEALED),
        brief: 'x\n',
        samples.handoff_path('Zoë'): samples.handoff('Zoë', sums=sums),
    }
    assert introduced(SEALED, sealed, 'x', only=('contracts',)) == ['CON006']
    assert introduced(SEALED, sealed, AMENDED, only=('contracts',)) == []


def _dropped(*files: str) -> dict[str, str]:
    return {**without(SEALED, *files), 'PLUGINS.md': samples.registry({})}


@pytest.mark.parametrize(
    ('before', 'after', 'message', 'expected'),
    [
        pytest.param(SEALED, _dropped(), 'x', ['REG019'], id='its files stay'),
        pytest.param(
            SEALED,
            {'PLUGINS.md': samples.registry({})},
            'x',
            ['REG019'],
            id='with all its files',
        ),
        pytest.param(
            BARE,
            {'PLUGINS.md': samples.registry({})},
            'x',
            ['REG019'],
            id='without a handoff',
        ),
        pytest.param(SEALED, _dropped(), DROPPED, [], id='with a reason'),
        pytest.param(
            SEALED,
            _dropped(),
            DROPPED.replace('nobody wants it', 'REASON'),
            ['REG019'],
            id='the placeholder is not a reason',
        ),
        pytest.param(SEALED, _dropped(), None, [], id='the message is not known yet'),
        pytest.param(
            at('Ideated'),
            {'PLUGINS.md': samples.registry({})},
            'x',
            [],
            id='before work began',
        ),
        pytest.param(
            at('Installed'),
            {'PLUGINS.md': samples.registry({})},
            'x',
            [],
            id='after work ended',
        ),
        pytest.param(
            SEALED,
            without(SEALED, 'PLUGINS.md'),
            'x',
            ['REG008'],
            id='the whole registry is gone',
        ),
        pytest.param(SEALED, _renamed(SEALED), 'x', [], id='renamed'),
        pytest.param(
            SEALED,
            {
                'PLUGINS.md': samples.registry({'Zoë': 'Ideated'}),
                'plugins/Zoë/.ideas/creative-brief.md': 'un autre\n' * 9,
            },
            'x',
            ['REG019'],
            id='another item comes',
        ),
    ],
)
def test_an_item_in_work_does_not_leave_the_registry(
    before: Files, after: Files, message: str | None, expected: list[str]
) -> None:
    findings = found(before, after, message, only=('registry',))
    errors = [f for f in findings if f.introduced and f.severity == ERROR]
    assert codes(errors) == expected


@pytest.mark.parametrize(
    ('before', 'after', 'severity'),
    [
        pytest.param(at('Ideated'), at('Stage 0'), WARNING, id='it begins'),
        pytest.param(at('Ideated'), at('Stage 0', '0'), '', id='with one'),
        pytest.param(at('Stage 0'), at('Stage 2'), ERROR, id='it ends'),
        pytest.param(at('Stage 1'), at('Stage 2', '2'), '', id='it ends with one'),
        pytest.param(at('Stage 4'), at('Working'), ERROR, id='work is done'),
        pytest.param(
            at('Stage 4', '4'),
            at('Working'),
            '',
            id='work is done, and the handoff deleted',
        ),
        pytest.param(at('Stage 2'), at('Ideated'), '', id='it is reset'),
        pytest.param(at('Stage 2'), at('Archived'), '', id='it is archived'),
        pytest.param(at('Working'), at('Installed'), '', id='after the end'),
        pytest.param(at('Stage 3'), at('Stage 3.1'), '', id='a phase is not the end'),
        pytest.param(at('Stage 2', '2'), at('Stage 2'), ERROR, id='gone'),
        pytest.param(at('Stage 2', '2'), at('Stage 3'), ERROR, id='gone at its end'),
        pytest.param(at('Stage 2', '2'), at('Ideated'), '', id='gone in a reset'),
        pytest.param(
            at('Ideated', 'ideation'),
            at('Stage 0'),
            WARNING,
            id='one in the old format, without stages is gone',
        ),
    ],
)
def test_a_stage_has_a_handoff(before: Files, after: Files, severity: str) -> None:
    for message in (None, PLAIN, AMENDED):
        findings = [
            f
            for f in found(before, after, message, only=('handoff',))
            if f.code == 'HND011' and f.introduced
        ]
        assert [f.severity for f in findings] == [severity] * bool(severity)


def test_a_handoff_that_is_gone_is_called_so(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({HANDOFF: None})
    message = project.path / 'message'
    message.write_text('docs: x\n\nContract-Amendment: why not\n')
    result = interlock.check('--message', str(message))
    assert result.code == 1
    (finding,) = [
        each for each in json.loads(result.out)['findings'] if each['severity'] == ERROR
    ]
    assert finding['code'] == 'HND011'
    assert finding['message'].startswith('the handoff of Bravo is gone')
    assert finding['fix']['command'] == 'interlock handoff restore Bravo'


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(at('Ideated'), at('Ideated', '4'), ['STG002'], id='far ahead'),
        pytest.param(at('Ideated'), at('Ideated', '0'), [], id='the next'),
        pytest.param(
            at('Ideated'), at('Ideated', 'ideation'), [], id='before the stages'
        ),
        pytest.param(
            at('Ideated', 'ideation'),
            at('Ideated', '4'),
            ['STG002'],
            id='the one in the old format, without stages moves far ahead',
        ),
        pytest.param({}, at('Ideated', '3'), ['STG002'], id='with its item'),
    ],
)
def test_a_handoff_that_appears_fits_the_registry(
    before: Files, after: Files, expected: list[str]
) -> None:
    findings = found(before, after, 'x', only=('stages',))
    assert [f.code for f in findings if f.code != 'STG005'] == expected


@pytest.mark.parametrize(
    ('before', 'fields', 'expected'),
    [
        pytest.param(at('Stage 3'), {}, [], id='with evidence'),
        pytest.param(at('Stage 3'), {'evidence': ''}, ['STG005'], id='without'),
        pytest.param(
            at('Stage 3', '3', evidence=''),
            {'evidence': ''},
            [],
            id='an old handoff had none',
        ),
        pytest.param(at('Ideated'), {'evidence': ''}, [], id='the first handoff'),
    ],
)
def test_a_handoff_made_again_keeps_evidence(
    before: Files, fields: dict[str, str], expected: list[str]
) -> None:
    after = at('Stage 3', '3', **fields)
    findings = found(before, after, 'x', only=('stages',))
    assert [
        f.code for f in findings if f.key == 'evidence' and f.severity == ERROR
    ] == expected
