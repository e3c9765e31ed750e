from __future__ import annotations

import json

import pytest

from interlock.checks.run import judge
from interlock.model.finding import ERROR, WARNING
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from tests import samples
from tests.checks.trees import (
    WORKFLOW_FILE,
    Files,
    at,
    change,
    codes,
    excusing,
    found,
    introduced,
    nowhere,
    without,
    workflow,
)
from tests.conftest import Interlock, Repo

ONLY = ('workflow',)
BASELINE = '.interlock-baseline.json'
GOOD = {WORKFLOW_FILE: samples.WORKFLOW, **at('Stage 2', '2')}


def test_a_change_that_leaves_the_workflow_alone_passes() -> None:
    after = {**GOOD, 'README.md': 'x'}
    assert introduced(GOOD, after, only=ONLY) == []


def test_a_first_workflow_is_not_a_change_of_one() -> None:
    before = without(GOOD, WORKFLOW_FILE)
    assert introduced(before, GOOD, only=ONLY) == []


def test_a_changed_workflow_is_pointed_out() -> None:
    text = f'{samples.WORKFLOW}severity: {{REG012: error}}\n'
    (finding,) = found(GOOD, {**GOOD, WORKFLOW_FILE: text}, only=ONLY)
    assert (finding.code, finding.severity) == ('CFG001', WARNING)
    assert (finding.path, finding.item) == (WORKFLOW_FILE, '*')
    assert finding.message == (
        'the workflow changes; it governs from the next commit on'
    )
    assert finding.fix.command == f'git diff HEAD -- {WORKFLOW_FILE}'


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        pytest.param('extend: x\n', 'unknown key `extend`', id='unknown key'),
        pytest.param('a: [\n', 'is not valid YAML', id='invalid YAML'),
        pytest.param('', 'is not a mapping', id='empty'),
        pytest.param('extends: nope\n', '`nope` is neither a', id='extends'),
        pytest.param(b'\xff', 'is not UTF-8', id='not UTF-8'),
        pytest.param(None, f'{WORKFLOW_FILE} is too large', id='huge'),
    ],
)
def test_a_workflow_that_becomes_invalid_is_refused(
    data: str | bytes | None, message: str
) -> None:
    after: Files = {**GOOD, WORKFLOW_FILE: data}
    findings = found(GOOD, after, only=ONLY)
    assert codes(findings) == ['CFG001', 'CFG002']
    (refused,) = (f for f in findings if f.code == 'CFG002')
    assert refused.severity == ERROR
    assert message in refused.message


def test_a_first_workflow_that_is_invalid_is_refused() -> None:
    before = without(GOOD, WORKFLOW_FILE)
    after = {**before, WORKFLOW_FILE: 'versoin: 1\n'}
    (finding,) = found(before, after, only=ONLY)
    assert finding.code == 'CFG002'
    assert 'did you mean `version`?' in finding.message


def test_what_a_workflow_extends_is_read_from_the_same_tree() -> None:
    text = 'extends: base/flow.yaml\n'
    after = {**GOOD, WORKFLOW_FILE: text}
    assert introduced(GOOD, after, only=ONLY) == ['CFG001', 'CFG002']
    after['base/flow.yaml'] = samples.WORKFLOW
    assert introduced(GOOD, after, only=ONLY) == ['CFG001']


def test_a_workflow_that_is_removed_is_refused() -> None:
    (finding,) = found(GOOD, without(GOOD, WORKFLOW_FILE), only=ONLY)
    assert (finding.code, finding.severity) == ('CFG003', ERROR)
    assert finding.fix.command == f'git checkout HEAD -- {WORKFLOW_FILE}'


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param({}, {BASELINE: excusing()}, ['CFG004'], id='first'),
        pytest.param(
            {BASELINE: excusing()},
            {BASELINE: f'{excusing()}\n'},
            ['CFG004'],
            id='changed',
        ),
        pytest.param({BASELINE: '{}'}, {}, ['CFG004'], id='removed'),
        pytest.param({BASELINE: '{}'}, {BASELINE: '{}'}, [], id='the same'),
    ],
)
def test_a_changed_baseline_is_pointed_out(
    before: Files, after: Files, expected: list[str]
) -> None:
    findings = found({**GOOD, **before}, {**GOOD, **after}, only=ONLY)
    assert codes(findings) == expected
    assert {f.severity for f in findings} <= {WARNING}
    for finding in findings:
        assert finding.fix.command == f'git diff HEAD -- {BASELINE}'


def test_the_baseline_lies_beside_the_workflow() -> None:
    data, _ = compile_workflow('x', samples.WORKFLOW.encode(), nowhere)
    inner = build(data, 'x', 'tools/audio/.interlock.yaml')
    assert inner.baseline == f'tools/audio/{BASELINE}'
    outside = build(data, 'x', '')
    assert introduced({BASELINE: '1'}, {BASELINE: '2'}, only=ONLY, by=outside) == []


def test_a_change_cannot_switch_its_own_gate_off(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    bad = samples.registry(statuses, {'Alpha': 'Stage 0'})
    project.stage(
        {
            WORKFLOW_FILE: f'{samples.WORKFLOW}severity: {{REG001: off}}\n',
            'PLUGINS.md': bad,
        }
    )
    result = interlock.check()
    assert (result.codes, result.code) == (['CFG001', 'CFG008', 'REG001'], 1)


def test_a_workflow_governs_from_the_next_commit_on(
    project: Repo, interlock: Interlock
) -> None:
    text = f'{samples.WORKFLOW}severity: {{REG001: "off"}}\n'
    project.commit({WORKFLOW_FILE: text})
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    bad = samples.registry(statuses, {'Alpha': 'Stage 0'})
    project.stage({'PLUGINS.md': bad})
    result = interlock.check()
    assert (result.codes, result.code) == ([], 0)


@pytest.mark.parametrize(
    ('twin', 'code'),
    (
        ('.Interlock.yaml', 'CFG003'),
        ('plugins.md', 'REG008'),
        ('plugins/Bravo/.Continue-Here.md', 'HND007'),
        ('Plugins/Bravo/.continue-here.md', 'HND007'),
        ('PLUGINS/bravo/.ideas/architecture.md', 'CON007'),
    ),
)
def test_a_second_file_that_differs_by_case_only_is_refused(
    project: Repo, interlock: Interlock, twin: str, code: str
) -> None:
    """It is checked out over the first one where case does not count."""
    before = project.git('rev-parse', 'HEAD')
    project.stage({twin: 'x\n'})
    text = project.path / 'message'
    text.write_text('chore: x\n', encoding='UTF-8')
    staged = interlock.check('--staged', '--message', str(text))
    assert (staged.codes, staged.code) == ([code], 1)
    project.git('commit', '-q', '--no-verify', '-m', 'x')
    assert interlock.check('--range', f'{before}..HEAD').codes == [code]
    # one that is there already is inherited, and another name is none
    project.stage({twin: 'y\n', 'plugins.txt': 'x\n'})
    assert interlock.check().codes == []
    project.stage({twin: None})
    assert interlock.check().codes == []


@pytest.mark.parametrize('mode', ('120000', '160000'))
@pytest.mark.parametrize(
    ('path', 'expected'),
    (
        (WORKFLOW_FILE, ['CFG001', 'CFG003']),
        ('PLUGINS.md', ['REG008']),
        (samples.handoff_path('Bravo'), ['HND002']),
        ('plugins/Bravo/.ideas/architecture.md', ['CON007']),
        ('plugins/Bravo/Source/Main.cpp', []),
    ),
)
def test_a_record_stays_a_file(
    project: Repo, interlock: Interlock, path: str, expected: list[str], mode: str
) -> None:
    """A link or a submodule may name the same object: who checks it out lacks it."""
    blob = project.git('rev-parse', f'HEAD:{path}')
    project.git('update-index', '--cacheinfo', f'{mode},{blob},{path}')
    project.git('commit', '-q', '--no-verify', '-m', 'chore: x')
    for args in (('--commit', 'HEAD'), ('--range', 'HEAD~1..HEAD')):
        assert interlock.check(*args).codes == expected
    # it may become a file again
    project.git('update-index', '--cacheinfo', f'100644,{blob},{path}')
    project.git('commit', '-q', '--no-verify', '-m', 'chore: x')
    again = interlock.check('--commit', 'HEAD')
    assert (again.code, again.codes) == (
        0,
        [each for each in expected if each == 'CFG001'],
    )


def test_a_removed_workflow_is_refused_by_git_objects(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({WORKFLOW_FILE: None})
    result = interlock.check()
    assert (result.codes, result.code) == (['CFG003'], 1)


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        pytest.param(samples.WORKFLOW, [], id='the same'),
        pytest.param(
            f'{samples.WORKFLOW}display: milestones\n', ['CFG001'], id='changed'
        ),
        pytest.param('items: [\n', ['CFG001', 'CFG002'], id='broken'),
        pytest.param(None, ['CFG001', 'CFG002'], id='removed'),
    ],
)
def test_a_file_that_the_workflow_extends_is_a_part_of_it(
    repo: Repo, interlock: Interlock, text: str | None, expected: list[str]
) -> None:
    repo.commit(
        {
            WORKFLOW_FILE: 'extends: [base/flow.yaml]\n',
            'base/flow.yaml': samples.WORKFLOW,
        }
    )
    repo.stage({'base/flow.yaml': text})
    result = interlock.check()
    assert result.codes == expected
    assert result.code == ('CFG002' in expected)


BROKEN = 'version: 1\n\ndisplay: nix\n'


def test_an_invalid_workflow_is_pointed_at_by_its_line() -> None:
    findings = found(GOOD, {**GOOD, WORKFLOW_FILE: BROKEN}, only=ONLY)
    (refused,) = (f for f in findings if f.code == 'CFG002')
    assert (refused.path, refused.line) == (WORKFLOW_FILE, 3)
    assert refused.fix.label.startswith('correct it by hand; ')
    assert refused.fix.command.startswith('interlock config explain ')


def test_a_change_that_repairs_the_workflow_is_judged_by_its_own(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({WORKFLOW_FILE: BROKEN})
    project.stage({'README.md': 'à lire\n'})
    other = interlock.check()
    assert (other.code, other.codes) == (2, [])
    assert f'{WORKFLOW_FILE}:3: the workflow is invalid' in other.err
    project.stage({WORKFLOW_FILE: samples.WORKFLOW})
    result = interlock.check()
    assert result.code == 0
    assert 'CFG005' in result.codes
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.stage({'PLUGINS.md': samples.registry(statuses, {'Alpha': 'Stage 0'})})
    result = interlock.check()
    assert result.code == 1
    assert {'CFG005', 'REG001'} <= set(result.codes)
    project.stage({WORKFLOW_FILE: BROKEN.replace('nix', 'nul')})
    assert interlock.check().code == 2


def test_in_a_history_an_invalid_workflow_is_a_finding(
    project: Repo, interlock: Interlock
) -> None:
    start = project.git('rev-parse', 'HEAD')
    broken = project.commit({WORKFLOW_FILE: BROKEN})
    lost = project.commit({'README.md': 'à lire\n'})
    repaired = project.commit({WORKFLOW_FILE: samples.WORKFLOW})
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    last = project.commit(
        {'PLUGINS.md': samples.registry(statuses, {'Alpha': 'Stage 0'})}
    )
    one = interlock.check('--commit', lost)
    assert (one.codes, one.code) == (['CFG002'], 1)
    (finding,) = json.loads(one.out)['findings']
    assert (finding['line'], finding['commit']) == (3, lost)
    # each commit by the workflow before it, a push by the one of its base
    for result, expected in (
        (
            interlock('audit', f'{start}..HEAD', '--format', 'json'),
            {('CFG002', lost), ('CFG005', repaired), ('REG001', last)},
        ),
        (
            interlock.check('--range', f'{start}..HEAD'),
            {('CFG002', broken), ('REG001', last)},
        ),
    ):
        assert result.code == 1
        by_commit = {
            (finding['code'], finding['commit'])
            for finding in json.loads(result.out)['findings']
        }
        assert expected <= by_commit


WIRED = 'repos:\n- repo: local\n  hooks: [{id: interlock}]\n'


def test_a_push_that_changes_what_governs_it_is_told_apart(
    project: Repo, interlock: Interlock
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.commit({'.pre-commit-config.yaml': WIRED})
    wired = project.git('rev-parse', 'HEAD')
    project.commit({'.pre-commit-config.yaml': f'{WIRED}# mehr\n'})
    project.commit({BASELINE: '{"version": 1, "findings": []}\n'})
    alone = interlock.check('--range', f'{wired}..HEAD')
    assert (alone.code, alone.codes) == (0, ['CFG004'])
    project.commit({'plugins/Bravo/Source/Main.cpp': '// 2\n'})
    first = interlock.check('--range', f'{base}..HEAD')
    assert (first.code, first.codes) == (0, ['CFG004', 'CFG007'])
    both = interlock.check('--range', f'{wired}..HEAD')
    assert (both.code, both.codes) == (0, ['CFG004', 'CFG007', 'CFG007'])
    messages = {
        finding['message']
        for finding in json.loads(both.out)['findings']
        if finding['code'] == 'CFG007'
    }
    assert messages == {
        f'{path} changes in the same push as the state of Bravo; the push is '
        f'judged by the rules from before it'
        for path in (BASELINE, '.pre-commit-config.yaml')
    }


LAX = f'{samples.WORKFLOW}severity: {{REG001: info, REG010: "off"}}\n'
REASON = 'chore: x\n\nInterlock-Rules: the old registry\n'


@pytest.mark.parametrize(
    ('message', 'severities'),
    (
        pytest.param('chore: x\n', [ERROR], id='no reason'),
        pytest.param(
            'chore: x\n\nInterlock-Rules: REASON\n',
            [ERROR],
            id='as the hint is printed',
        ),
        pytest.param('chore: x\n\nwords\nInterlock-Rules: x\n', [ERROR], id='in prose'),
        pytest.param(None, [ERROR], id='no message'),
        pytest.param(REASON, [], id='a reason'),
        pytest.param(f'{REASON}\nCo-Authored-By: A <a@b>\n', [], id='a neighbour'),
    ),
)
def test_rules_are_loosened_with_a_reason(
    message: str | None, severities: list[str]
) -> None:
    after = {**GOOD, WORKFLOW_FILE: LAX}
    findings = [
        each for each in found(GOOD, after, message, only=ONLY) if each.code == 'CFG008'
    ]
    assert [each.severity for each in findings] == severities
    for each in findings:
        assert each.key == 'severity.REG001 severity.REG010'
        assert each.message.startswith(
            'severity.REG001 and severity.REG010 are looser than before'
        )


@pytest.mark.parametrize(
    ('after', 'before_message', 'without_one'),
    (
        pytest.param(LAX, ['CFG001'], ['CFG001', 'CFG008'], id='loosened'),
        pytest.param(None, ['CFG003'], ['CFG003'], id='removed'),
    ),
)
def test_what_the_message_decides_is_not_refused_before_it(
    after: str | None, before_message: list[str], without_one: list[str]
) -> None:
    """commit-msg, which calls us too, gives the verdict."""
    files = {**GOOD, WORKFLOW_FILE: after}
    pair = change(GOOD, {path: text for path, text in files.items() if text})
    waiting = pair._replace(message_follows=lambda: True)
    findings = judge([waiting], workflow(), ONLY)
    assert codes(findings) == before_message
    assert not any(each.refuses for each in findings)
    findings = judge([pair], workflow(), ONLY)
    assert codes(findings) == without_one
    refused = [each.message for each in findings if each.refuses]
    assert 'the message needs a trailer' in refused[0]


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    (
        pytest.param(LAX, samples.WORKFLOW, ['CFG001'], id='tightened'),
        pytest.param(LAX, f'# é\n{LAX}', ['CFG001'], id='a comment'),
        pytest.param(None, LAX, [], id='the adoption'),
        pytest.param('x: y\n', LAX, ['CFG001'], id='an invalid one repaired'),
        pytest.param(
            'extends: base.yaml\n',
            'extends: plugin-workflow\n',
            ['CFG001'],
            id='what it extends, written otherwise',
        ),
    ),
)
def test_what_is_not_looser_needs_no_reason(
    before: str | None, after: str, expected: list[str]
) -> None:
    old: Files = {
        **without(GOOD, WORKFLOW_FILE),
        'base.yaml': ('version: 1\nextends: plugin-workflow\n'),
    }
    if before is not None:
        old = {**old, WORKFLOW_FILE: before}
    assert (
        introduced(old, {**old, WORKFLOW_FILE: after}, 'chore: x', only=ONLY)
        == expected
    )


TABLE = {'PLUGINS.md': samples.registry({'Bravo': 'Building System'})}
SETTINGS = f'{samples.WORKFLOW}items: {{plugin: {{%s}}}}\n'
MOVED_ALIAS = (
    'states: {Stage 2: {aliases: null, begun: null}, '
    'Stage 3: {aliases: {Building System: x}}}'
)


@pytest.mark.parametrize(
    ('files', 'text', 'said'),
    (
        pytest.param(
            GOOD,
            'registry: {columns: {status: Version}, entry: {fields: {status: Type}}}',
            'Bravo is at Stage 2, but the new workflow does not know its state',
            id='another column',
        ),
        pytest.param(
            GOOD,
            'registry: {columns: {item: Version}, entry: {heading: 5}}',
            'Bravo is at Stage 2, but the new workflow does not know its state',
            id='another column of names',
        ),
        pytest.param(
            TABLE,
            MOVED_ALIAS,
            'Bravo is at Stage 2, but the new workflow reads it as Stage 3',
            id='the word of another state',
        ),
        pytest.param(GOOD, MOVED_ALIAS, '', id='a word that no item has'),
        pytest.param(
            GOOD, 'registry: {columns: {updated: Day}}', '', id='a column beside it'
        ),
        pytest.param(
            GOOD, 'states: {Stage 2: {aliases: {Bau: x}}}', '', id='a word more'
        ),
    ),
)
def test_a_workflow_goes_on_reading_the_states_of_items(
    files: Files, text: str, said: str
) -> None:
    before = {**files, WORKFLOW_FILE: samples.WORKFLOW}
    after = {**before, WORKFLOW_FILE: SETTINGS % text}

    def messages(message: str) -> list[str]:
        findings = found(before, after, message, only=ONLY)
        return [each.message for each in findings if each.refuses]

    lost = [each for each in messages('chore: x') if 'could lead anywhere' in each]
    assert [each.partition(', so its next step')[0] for each in lost] == (
        [said] if said else []
    )
    assert messages(REASON) == []


def test_a_workflow_is_removed_with_a_reason() -> None:
    gone = without(GOOD, WORKFLOW_FILE)
    (finding,) = found(GOOD, gone, REASON, only=ONLY)
    assert (finding.code, finding.severity) == ('CFG003', WARNING)


WRONG = {
    **GOOD,
    'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}, {'Bravo': 'Stage 3'}),
}
EXISTING = [
    each.fingerprint
    for each in found(None, WRONG, only=('registry',), everything=True)
    if each.code == 'REG001'
]


@pytest.mark.parametrize(
    ('before', 'after', 'message', 'expected'),
    (
        pytest.param([], EXISTING, 'chore: x', ['CFG004', 'CFG008'], id='no reason'),
        pytest.param([], EXISTING, REASON, ['CFG004'], id='a reason'),
        pytest.param(
            [], ['0' * 20], REASON, ['CFG004', 'CFG009'], id='what does not exist'
        ),
        pytest.param(
            EXISTING,
            [*EXISTING, '0' * 20],
            'x',
            ['CFG004', 'CFG009'],
            id='what does not exist beside what does',
        ),
        pytest.param(EXISTING, [], 'x', ['CFG004'], id='an entry less'),
        pytest.param(
            ['0' * 20, '1' * 20],
            ['0' * 20],
            'x',
            ['CFG004'],
            id='one that never existed less',
        ),
    ),
)
def test_a_baseline_excuses_what_exists_with_a_reason(
    before: list[str], after: list[str], message: str, expected: list[str]
) -> None:
    old = {**WRONG, BASELINE: excusing(*before)}
    new = {**WRONG, BASELINE: excusing(*after)}
    assert introduced(old, new, message, only=ONLY) == expected


@pytest.mark.parametrize('text', ('', '{', '[]', '{"x": 1}'))
def test_a_baseline_that_nobody_can_read_is_refused(text: str) -> None:
    new = {**WRONG, BASELINE: text}
    assert introduced(WRONG, new, REASON, only=ONLY) == ['CFG004', 'CFG009']


def test_a_baseline_comes_with_the_workflow() -> None:
    before = without(WRONG, WORKFLOW_FILE)
    after = {**WRONG, BASELINE: excusing(*EXISTING)}
    assert introduced(before, after, 'x', only=ONLY) == ['CFG004']
