from __future__ import annotations

from collections.abc import Mapping

import pytest

from interlock.model.finding import ERROR, WARNING
from interlock.model.fixes import say_why
from tests import samples
from tests.checks.trees import Files, at, codes, found, inherited, introduced, without
from tests.conftest import Interlock, Repo

ONLY = ('contracts',)
HANDOFF = samples.handoff_path('Bravo')
BRIEF = 'plugins/Bravo/.ideas/creative-brief.md'
SPEC = 'plugins/Bravo/.ideas/parameter-spec.md'
PLAN = 'plugins/Bravo/.ideas/plan.md'
OTHER_PLAN = 'plugins/Bravo/plan.md'
AMENDED = 'feat(Bravo): Stage 2\n\nContract-Amendment: le client a changé\n'
PLAIN = 'feat(Bravo): Stage 2\n\nA body is not an amendment.\n'


def item(
    stage: str = '2',
    status: str = 'Stage 2',
    sums: Mapping[str, str] | None = None,
    **changes: str,
) -> dict[str, str]:
    """Bravo, with checksums of its contracts of which some differ."""
    sums = {**samples.checksums('Bravo'), **changes} if sums is None else sums
    return {**at(status), HANDOFF: samples.handoff('Bravo', stage, sums=sums)}


GOOD = item()


def test_contracts_that_are_what_was_sealed_pass() -> None:
    assert introduced(None, GOOD, only=ONLY) == []


@pytest.mark.parametrize(
    'path', [f'plugins/Bravo/.ideas/{file}' for file in samples.CONTRACTS.values()]
)
def test_a_changed_contract_is_refused(path: str) -> None:
    (finding,) = found(GOOD, {**GOOD, path: 'réécrit\n'}, only=ONLY)
    assert (finding.code, finding.severity) == ('CON001', ERROR)
    assert (finding.item, finding.path) == ('Bravo', path)
    assert finding.message.startswith(
        f'the contract differs from its seal in {HANDOFF}:'
    )
    assert finding.expected.startswith('sha256:')
    assert finding.found == samples.checksum('réécrit\n')
    assert finding.fix.command == 'interlock contracts restore Bravo'


@pytest.mark.parametrize(
    'path', [f'plugins/Bravo/.ideas/{file}' for file in samples.CONTRACTS.values()]
)
def test_a_missing_contract_is_refused(path: str) -> None:
    (finding,) = found(GOOD, without(GOOD, path), only=ONLY)
    assert (finding.code, finding.severity) == ('CON002', ERROR)
    assert finding.path == path


def test_the_plan_may_lie_in_its_second_place() -> None:
    after = without(GOOD, PLAN)
    after[OTHER_PLAN] = GOOD[PLAN]
    assert introduced(GOOD, after, only=ONLY) == []
    after[OTHER_PLAN] = 'autre\n'
    (finding,) = found(GOOD, after, only=ONLY)
    assert (finding.code, finding.path) == ('CON001', OTHER_PLAN)


@pytest.mark.parametrize(
    'value',
    [
        pytest.param('null', id='null'),
        pytest.param('~', id='tilde'),
        pytest.param('', id='nothing'),
        pytest.param('"null"', id='the word null'),
    ],
)
def test_a_checksum_that_is_null_is_not_recorded(value: str) -> None:
    sums = samples.checksums('Bravo')
    before = item(sums={**sums, 'plan': value})
    after = {**before, PLAN: 'x\n'}
    assert introduced(before, after, only=ONLY) == []


def test_a_checksum_whose_key_is_missing_is_not_recorded() -> None:
    before = item(sums={'plan': samples.checksums('Bravo')['plan']})
    assert introduced(before, {**before, BRIEF: 'x\n'}, only=ONLY) == []


@pytest.mark.parametrize(
    'value',
    [
        pytest.param('sha256:pending', id='a word'),
        pytest.param('"sha256:"', id='no digits'),
        pytest.param(f'sha256:{"a" * 63}', id='63 digits'),
        pytest.param(f'sha256:{"a" * 65}', id='65 digits'),
        pytest.param(f'sha256:{"g" * 64}', id='no hex digits'),
        pytest.param('a' * 64, id='no algorithm'),
        pytest.param(f'sha1:{"a" * 40}', id='another algorithm'),
        pytest.param(f'md5:{"a" * 64}', id='another name'),
        pytest.param('12', id='a number'),
        pytest.param('[a, b]', id='a list'),
        pytest.param('{a: b}', id='a mapping'),
        pytest.param('"sha256:é"', id='not ASCII'),
    ],
)
def test_a_checksum_of_another_form_is_refused(value: str) -> None:
    (finding,) = found(GOOD, item(plan=value), only=ONLY)
    assert (finding.code, finding.severity) == ('CON003', ERROR)
    assert (finding.path, finding.item) == (HANDOFF, 'Bravo')
    assert finding.message.startswith('`plan: ')
    line = item(plan=value)[HANDOFF].split('\n')[finding.line - 1]
    assert line == f'  plan: {value}'


@pytest.mark.parametrize('value', ['none', '[]', 'sha256:abc'])
def test_checksums_that_are_no_mapping_are_refused(value: str) -> None:
    after = {
        **GOOD,
        HANDOFF: samples.handoff('Bravo', sums={}, contract_checksums=value),
    }
    (finding,) = found(GOOD, after, only=ONLY)
    assert (finding.code, finding.severity) == ('CON003', ERROR)
    assert finding.line == 12


@pytest.mark.parametrize(
    ('stage', 'progress', 'status', 'expected'),
    [
        pytest.param('0', 'in_progress', 'Stage 0', [], id='planning'),
        pytest.param('0', 'complete', 'Stage 0', ['CON004'], id='planned'),
        pytest.param('1', 'in_progress', 'Stage 1', ['CON004'], id='later'),
        pytest.param('5', 'complete', 'Stage 5', ['CON004'], id='last'),
        pytest.param('5', 'complete', 'Working', [], id='done'),
        pytest.param('ideation', 'complete', 'Ideated', [], id='before'),
    ],
)
@pytest.mark.parametrize(
    'sums',
    [pytest.param({}, id='no key'), pytest.param({'plan': 'null'}, id='only null')],
)
def test_an_old_handoff_without_checksums_is_only_warned_about(
    stage: str, progress: str, status: str, expected: list[str], sums: dict[str, str]
) -> None:
    after = {
        **at(status),
        HANDOFF: samples.handoff('Bravo', stage, 'null', progress, sums),
    }
    findings = found(None, after, only=ONLY)
    assert codes(findings) == expected
    assert {f.severity for f in findings} <= {WARNING}
    assert {f.fix.command for f in findings} <= {'interlock contracts seal Bravo'}


@pytest.mark.parametrize(
    ('stage', 'status', 'severity'),
    [
        pytest.param('0', 'Stage 0', WARNING, id='planning'),
        pytest.param('1', 'Stage 1', ERROR, id='stage 1'),
        pytest.param('2', 'Stage 2', ERROR, id='stage 2'),
        pytest.param('3', 'Stage 3', ERROR, id='stage 3'),
        pytest.param('4.3', 'Stage 4', ERROR, id='stage with its phase'),
        pytest.param('5', 'Stage 5', ERROR, id='stage 5'),
        pytest.param('6', 'Stage 6', ERROR, id='stage 6'),
        pytest.param('6', 'Working', WARNING, id='working'),
        pytest.param('5', 'Installed', WARNING, id='installed'),
        pytest.param('ideation', 'Ideated', WARNING, id='before the stages'),
    ],
)
def test_the_stage_of_the_handoff_decides_how_bad_a_mismatch_is(
    stage: str, status: str, severity: str
) -> None:
    before = item(stage, status)
    cases: dict[str, Files] = {
        'CON001': {**before, BRIEF: 'autre\n'},
        'CON002': without(before, BRIEF),
        'CON003': item(stage, status, creative_brief='sha256:pending'),
        'CON005': {**before, BRIEF: before[BRIEF].replace('\n', '\r\n')},
    }
    for code, after in cases.items():
        (finding,) = found(before, after, only=ONLY)
        assert (finding.code, finding.severity) == (code, severity)


def _crlf(text: str) -> str:
    return text.replace('\n', '\r\n')


TEXT = samples.contract('Bravo', 'creative_brief')


@pytest.mark.parametrize(
    ('sealed', 'stored', 'code'),
    [
        pytest.param(TEXT, _crlf(TEXT), 'CON005', id='CRLF stored'),
        pytest.param(_crlf(TEXT), TEXT, 'CON005', id='CRLF sealed'),
        pytest.param(TEXT, f'\ufeff{TEXT}', 'CON005', id='BOM stored'),
        pytest.param(f'\ufeff{TEXT}', TEXT, 'CON005', id='BOM sealed'),
        pytest.param(TEXT, f'\ufeff{_crlf(TEXT)}', 'CON005', id='both stored'),
        pytest.param(f'\ufeff{_crlf(TEXT)}', TEXT, 'CON005', id='both sealed'),
        pytest.param(f'\ufeff{TEXT}', _crlf(TEXT), 'CON005', id='one for the other'),
        pytest.param(TEXT, f'{TEXT}\n', 'CON001', id='one more line'),
        pytest.param(TEXT, TEXT.rstrip('\n'), 'CON001', id='no last line'),
        pytest.param(TEXT, '', 'CON001', id='emptied'),
        pytest.param(TEXT, TEXT.upper(), 'CON001', id='upper case'),
    ],
)
def test_a_difference_of_line_endings_is_named_as_such(
    sealed: str, stored: str, code: str
) -> None:
    before = {**item(creative_brief=samples.checksum(sealed)), BRIEF: sealed}
    (finding,) = found(before, {**before, BRIEF: stored}, only=ONLY)
    assert finding.code == code


def test_a_seal_of_the_draft_is_hinted_at() -> None:
    draft = 'plugins/Bravo/.ideas/parameter-spec-draft.md'
    after: Files = {
        **item(parameter_spec=samples.checksum('ébauche\n')),
        draft: 'ébauche\n',
    }
    (finding,) = found(GOOD, after, only=ONLY)
    assert finding.code == 'CON001'
    assert finding.path == SPEC
    assert finding.message.endswith(f'; the checksum is that of the draft {draft}')


def test_a_contract_too_large_to_be_read_does_not_pass() -> None:
    assert introduced(GOOD, {**GOOD, BRIEF: None}, only=ONLY) == ['CON002']


# CON006: a contract that is changed and sealed again in one commit


def _amended(name: str, text: str = 'neu\n') -> dict[str, str]:
    path = f'plugins/Bravo/.ideas/{samples.CONTRACTS[name]}'
    sums = {name: samples.checksum(text)}
    return {**item('2', 'Stage 2', None, **sums), path: text}


@pytest.mark.parametrize(
    ('name', 'message', 'expected'),
    [
        pytest.param('creative_brief', AMENDED, [], id='brief, trailer'),
        pytest.param('creative_brief', PLAIN, ['CON006'], id='brief'),
        pytest.param('parameter_spec', AMENDED, [], id='spec, trailer'),
        pytest.param('parameter_spec', PLAIN, ['CON006'], id='spec'),
        pytest.param('architecture', AMENDED, [], id='architecture, trailer'),
        pytest.param('architecture', PLAIN, ['CON006'], id='architecture'),
        pytest.param('plan', AMENDED, [], id='plan, trailer'),
        pytest.param('plan', PLAIN, [], id='the plan is free'),
        pytest.param('creative_brief', None, [], id='no message is known yet'),
        pytest.param('creative_brief', AMENDED.lower(), [], id='trailer in lower case'),
        pytest.param(
            'creative_brief', 'x\n\nContract-Amendment:\n', ['CON006'], id='no reason'
        ),
        pytest.param(
            'creative_brief',
            'x\n\nContract-Amendment: REASON\n',
            ['CON006'],
            id='the placeholder is not a reason',
        ),
        pytest.param(
            'creative_brief',
            'x\n\nContract-Amendment: ...\n',
            ['CON006'],
            id='dots are no reason',
        ),
        pytest.param(
            'creative_brief',
            'x\n\nContract-Amendment: \u200b\n',
            ['CON006'],
            id='an invisible text is not a reason',
        ),
        pytest.param(
            'creative_brief',
            'x\n\nContract-Amendment: 依頼\n',
            [],
            id='a reason in another script',
        ),
        pytest.param(
            'creative_brief',
            'x\n\nContract-Amendment: REASON: tôt\n',
            [],
            id='a reason that starts like it',
        ),
        pytest.param(
            'creative_brief',
            'x\n\nContract-Amendement: y\n',
            ['CON006'],
            id='another trailer',
        ),
        pytest.param(
            'creative_brief',
            'Contract-Amendment: as the subject',
            ['CON006'],
            id='in the subject',
        ),
    ],
)
def test_a_contract_sealed_anew_needs_a_reason(
    name: str, message: str | None, expected: list[str]
) -> None:
    findings = found(GOOD, _amended(name), message, only=ONLY)
    assert codes(findings) == expected
    assert {f.severity for f in findings} <= {ERROR}


def test_an_amendment_without_reason_says_how_to_give_one() -> None:
    (finding,) = found(GOOD, _amended('creative_brief'), PLAIN, only=ONLY)
    assert finding.code == 'CON006'
    assert finding.path == BRIEF
    assert finding.message == (
        'the contract is frozen at Stage 2 and was sealed again, and the message has '
        'no trailer `Contract-Amendment: REASON`'
    )
    assert finding.fix == say_why('Contract-Amendment')


@pytest.mark.parametrize('message', [AMENDED, PLAIN, None])
def test_the_trailer_alone_is_not_an_amendment(message: str | None) -> None:
    after = {**GOOD, BRIEF: 'neu\n'}
    assert introduced(GOOD, after, message, only=ONLY) == ['CON001']


@pytest.mark.parametrize(('message', 'expected'), [(AMENDED, []), (PLAIN, ['CON006'])])
@pytest.mark.parametrize('value', ['null', ''])
def test_a_seal_that_is_dropped_is_a_change(
    value: str, message: str, expected: list[str]
) -> None:
    after = {**item(creative_brief=value), BRIEF: 'neu\n'}
    findings = found(GOOD, after, message, only=ONLY)
    assert codes(findings) == expected
    for finding in findings:
        assert 'was no longer sealed' in finding.message


def test_all_seals_dropped_at_once_are_each_named() -> None:
    after = item(sums={})
    findings = found(GOOD, after, PLAIN, only=ONLY)
    assert codes(findings) == ['CON004', 'CON006', 'CON006', 'CON006']


def _gone(status: str) -> dict[str, str]:
    statuses = {'Alpha': 'Ideated', **({'Bravo': status} if status else {})}
    return {**without(GOOD, HANDOFF), 'PLUGINS.md': samples.registry(statuses)}


@pytest.mark.parametrize(
    ('after', 'message', 'expected'),
    [
        pytest.param(_gone('Stage 2'), PLAIN, [], id='it stays at work: HND011'),
        pytest.param(_gone('Ideated'), PLAIN, [], id='it is reset'),
        pytest.param(
            without(_gone('Stage 2'), *samples.item_files('Bravo')),
            PLAIN,
            ['CON007'] * 3,
            id='its files are gone too',
        ),
        pytest.param(_gone('Stage 2'), AMENDED, [], id='with the trailer'),
        pytest.param(_gone('Stage 2'), None, [], id='no message is known yet'),
        pytest.param(_gone('Working'), PLAIN, [], id='it is done'),
        pytest.param(_gone('Installed'), PLAIN, [], id='it is installed'),
        pytest.param(_gone(''), PLAIN, [], id='it left the registry'),
    ],
)
def test_seals_go_with_the_item_and_not_with_the_handoff_alone(
    after: Files, message: str | None, expected: list[str]
) -> None:
    before: Files = {
        **GOOD,
        'PLUGINS.md': samples.registry({'Alpha': 'Ideated', 'Bravo': 'Stage 2'}),
    }
    assert introduced(before, after, message, only=ONLY) == expected


def test_seals_that_move_with_the_handoff_are_kept() -> None:
    after: Files = {
        **without(GOOD, HANDOFF),
        'plugins/Bravo/.ideas/.continue-here.md': GOOD[HANDOFF],
    }
    assert introduced(GOOD, after, PLAIN, only=ONLY) == []


@pytest.mark.parametrize(
    ('stage', 'status', 'expected'),
    [
        pytest.param('0', 'Stage 0', [], id='while planning'),
        pytest.param('1', 'Stage 1', ['CON006'], id='first frozen stage'),
        pytest.param('6', 'Stage 6', ['CON006'], id='last frozen stage'),
        pytest.param('6', 'Working', [], id='done'),
    ],
)
def test_contracts_are_frozen_in_the_stages_of_the_workflow(
    stage: str, status: str, expected: list[str]
) -> None:
    before = item(stage, status)
    after: Files = {
        **item(stage, status, creative_brief=samples.checksum('neu\n')),
        BRIEF: 'neu\n',
    }
    assert introduced(before, after, PLAIN, only=ONLY) == expected


def test_a_first_seal_needs_no_reason() -> None:
    before = item(sums={})
    assert introduced(before, GOOD, PLAIN, only=ONLY) == []


def test_another_mismatch_of_the_same_contract_is_a_new_finding() -> None:
    before = {**GOOD, BRIEF: 'un\n'}
    same = {**before, 'plugins/Bravo/Source/Main.cpp': '// 2\n'}
    findings = found(before, same, only=ONLY)
    assert (codes(findings), inherited(findings)) == ([], ['CON001'])
    other = {**before, BRIEF: 'deux\n'}
    findings = found(before, other, only=ONLY)
    assert (codes(findings), inherited(findings)) == (['CON001'], [])


def test_a_contract_that_is_restored_passes() -> None:
    assert introduced({**GOOD, BRIEF: 'un\n'}, GOOD, only=ONLY) == []


def test_a_contract_of_a_leftover_handoff_is_still_judged() -> None:
    older = 'plugins/Bravo/.ideas/.continue-here.md'
    before: Files = {**without(GOOD, HANDOFF), older: GOOD[HANDOFF]}
    after: Files = {**before, BRIEF: 'neu\n'}
    assert introduced(before, after, only=ONLY) == ['CON001']


def test_the_blob_is_hashed_and_not_the_checkout(
    project: Repo, interlock: Interlock
) -> None:
    project.git('config', 'core.autocrlf', 'true')
    file = project.path / BRIEF
    file.write_bytes(file.read_bytes().replace(b'\n', b'\r\n'))
    project.stage({'plugins/Bravo/Source/Main.cpp': '// 2\n'})
    assert interlock.check().codes == []


def test_an_amendment_passes_through_git(project: Repo, interlock: Interlock) -> None:
    project.stage(_amended('architecture'))
    message = project.path / 'message'
    message.write_text(PLAIN)
    args = ('--message', str(message), '--only', 'contracts')
    result = interlock.check(*args)
    assert (result.codes, result.code) == (['CON006'], 1)
    message.write_text(AMENDED)
    assert interlock.check(*args).code == 0


@pytest.mark.parametrize(
    ('key', 'hint'),
    [
        pytest.param('creative_breif', '; did you mean `creative_brief`?', id='near'),
        pytest.param('Plan', '; did you mean `plan`?', id='case'),
        pytest.param('été', '', id='none near'),
    ],
)
def test_a_checksum_of_no_contract_seals_nothing(key: str, hint: str) -> None:
    sums = {**samples.checksums('Bravo'), key: samples.checksum('x')}
    after = item(sums=sums)
    (finding,) = found(GOOD, after, only=ONLY)
    assert (finding.code, finding.severity) == ('CON003', ERROR)
    assert finding.path == HANDOFF
    assert finding.message == (f'`{key}` is not a contract, so it seals nothing{hint}')
    assert after[HANDOFF].split('\n')[finding.line - 1].strip().startswith(key)


@pytest.mark.parametrize(
    ('stage', 'status', 'severity'),
    [
        pytest.param('2', 'Stage 2', ERROR, id='both'),
        pytest.param('ideation', 'Stage 2', ERROR, id='by the registry'),
        pytest.param('ideation', 'Ideated', WARNING, id='not frozen'),
        pytest.param('2', 'Installed', WARNING, id='done'),
    ],
)
def test_the_registry_says_the_stage_where_the_handoff_does_not(
    stage: str, status: str, severity: str
) -> None:
    before = item(stage, status)
    (finding,) = found(before, {**before, BRIEF: 'x\n'}, only=ONLY)
    assert (finding.code, finding.severity) == ('CON001', severity)


def test_a_contract_is_frozen_by_the_stage_of_the_registry() -> None:
    before = item('ideation')
    after = {**item('2', creative_brief=samples.checksum('neu\n')), BRIEF: 'neu\n'}
    assert introduced(before, after, PLAIN, only=ONLY) == ['CON006']
    assert introduced(before, after, AMENDED, only=ONLY) == []


def test_a_stage_that_is_hidden_for_one_commit_opens_nothing(
    project: Repo, interlock: Interlock
) -> None:
    sums = {**samples.checksums('Bravo'), 'creative_brief': samples.checksum('neu\n')}
    project.commit(
        {BRIEF: 'neu\n', HANDOFF: samples.handoff('Bravo', 'ideation', sums=sums)},
        'chore(Bravo): en bref',
    )
    first = interlock.check('--commit', 'HEAD')
    assert first.code == 1
    assert {'CON006', 'STG002'} <= set(first.codes)
    project.commit({HANDOFF: samples.handoff('Bravo', '2', sums=sums)})
    result = interlock.check('--range', 'HEAD~2..HEAD')
    assert result.code == 1
