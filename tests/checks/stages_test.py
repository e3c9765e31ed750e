from __future__ import annotations

import functools
import itertools

import pytest

from interlock.model.finding import ERROR, WARNING
from interlock.model.fixes import ours, say_why
from tests import samples
from tests.checks import trees
from tests.checks.trees import Files, at, codes, without, workflow
from tests.conftest import Interlock, Repo

ONLY = ('stages',)
# what was tried is judged in a test of its own
UNTRIED = workflow(samples.UNTRIED)
found = functools.partial(trees.found, by=UNTRIED)
introduced = functools.partial(trees.introduced, by=UNTRIED)
HANDOFF = samples.handoff_path('Bravo')
OLDER = 'plugins/Bravo/.ideas/.continue-here.md'
NOTHING = 'nothing'

STATES = (
    NOTHING,
    'Ideated',
    'Stage 0',
    'Stage 1',
    'Stage 2',
    'Stage 3',
    'Stage 4',
    'Stage 5',
    'Stage 6',
    'Working',
    'Installed',
    'Improving',
    'Has Issues',
    'Archived',
)
LEGAL = {
    (NOTHING, 'Ideated'),
    (NOTHING, 'Stage 0'),
    ('Ideated', 'Stage 0'),
    ('Ideated', 'Stage 1'),
    ('Stage 0', 'Stage 1'),
    ('Stage 0', 'Stage 2'),
    ('Stage 1', 'Stage 2'),
    ('Stage 2', 'Stage 3'),
    ('Stage 3', 'Stage 4'),
    ('Stage 4', 'Stage 5'),
    ('Stage 5', 'Stage 6'),
    ('Stage 4', 'Working'),
    ('Stage 5', 'Working'),
    ('Stage 6', 'Working'),
    ('Working', 'Installed'),
    ('Working', 'Improving'),
    ('Installed', 'Improving'),
    ('Improving', 'Installed'),
    ('Working', 'Has Issues'),
    ('Installed', 'Has Issues'),
    ('Improving', 'Has Issues'),
    ('Has Issues', 'Working'),
    ('Has Issues', 'Installed'),
    ('Has Issues', 'Improving'),
}
WARNED = {('Stage 5', 'Installed'), ('Stage 6', 'Installed')}


def _severity(old: str, new: str) -> str:
    if old == new or (old, new) in LEGAL:
        return ''
    elif (old, new) in WARNED:
        return WARNING
    elif old != NOTHING and new == 'Ideated':
        return WARNING
    elif old != NOTHING and new == 'Archived':
        return ''
    return ERROR


def _registered(status: str) -> dict[str, str]:
    if status == NOTHING:
        return {
            'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}),
            **samples.item_files('Bravo'),
        }
    statuses = {'Alpha': 'Ideated', 'Bravo': status}
    return {'PLUGINS.md': samples.registry(statuses), **samples.item_files('Bravo')}


@pytest.mark.parametrize(('old', 'new'), list(itertools.product(STATES, STATES[1:])))
def test_every_step_between_two_states_is_judged(old: str, new: str) -> None:
    before, after = _registered(old), _registered(new)
    findings = found(before, after, only=ONLY)
    severity = _severity(old, new)
    assert [(f.code, f.severity) for f in findings] == (
        [('STG001', severity)] if severity else []
    )
    for finding in findings:
        assert finding.item == 'Bravo'
        assert finding.path == 'PLUGINS.md'
        origin = 'not registered' if old == NOTHING else old
        assert finding.message.startswith(f'{origin} -> {new}: ')


@pytest.mark.parametrize('old', STATES[1:])
def test_an_item_may_leave_the_registry(old: str) -> None:
    before = _registered(old)
    assert introduced(before, _registered(NOTHING), only=ONLY) == []


@pytest.mark.parametrize(
    ('old', 'new', 'severity'),
    [
        pytest.param('Stage 3', 'Stage 3.1', '', id='first phase'),
        pytest.param('Stage 2', 'Stage 3.1', '', id='first phase of the next'),
        pytest.param('Stage 3', 'Stage 4.1', '', id='3 to 4.1'),
        pytest.param('Stage 4', 'Stage 5.1', '', id='4 to 5.1'),
        pytest.param('Stage 3.1', 'Stage 3.2', '', id='next phase'),
        pytest.param('Stage 3.9', 'Stage 3.10', '', id='tenth phase'),
        pytest.param('Stage 3.2', 'Stage 3', '', id='stage complete'),
        pytest.param('Stage 3.2', 'Stage 4', '', id='next stage'),
        pytest.param('Stage 3.2', 'Stage 4.1', '', id='its first phase'),
        pytest.param('Stage 4.2', 'Working', '', id='phase to working'),
        pytest.param('Stage 5.3', 'Stage 6', '', id='5.3 to 6'),
        pytest.param('Stage 5.3', 'Installed', WARNING, id='5.3 to installed'),
        pytest.param('Stage 3', 'Stage 3.2', ERROR, id='skipped first phase'),
        pytest.param('Stage 2', 'Stage 3.2', ERROR, id='not the first phase'),
        pytest.param('Stage 3.1', 'Stage 3.3', ERROR, id='skipped phase'),
        pytest.param('Stage 3.2', 'Stage 3.1', ERROR, id='phase back'),
        pytest.param('Stage 3.1', 'Stage 3.10', ERROR, id='3.1 to 3.10'),
        pytest.param('Stage 3.1', 'Stage 4.2', ERROR, id='4.2 from outside'),
        pytest.param('Stage 4.1', 'Stage 3.2', ERROR, id='stage back'),
        pytest.param('Stage 3.2', 'Stage 5', ERROR, id='skipped stage'),
        pytest.param('Stage 3.2', 'Working', ERROR, id='too early'),
        pytest.param('Stage 2', 'Stage 3.0', ERROR, id='phase zero'),
        pytest.param('Working', 'Stage 3.1', ERROR, id='out of working'),
    ],
)
def test_phases_follow_each_other(old: str, new: str, severity: str) -> None:
    findings = found(_registered(old), _registered(new), only=ONLY)
    assert [(f.code, f.severity) for f in findings] == (
        [('STG001', severity)] if severity else []
    )


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    [
        pytest.param('Stage 2', 'Stage 4', 'after Stage 2 comes Stage 3', id='skip'),
        pytest.param(
            'Stage 3.1',
            'Stage 3.3',
            'the phase after Stage 3.1 is Stage 3.2',
            id='phase',
        ),
        pytest.param(
            'Stage 2', 'Stage 3.2', 'the first phase is Stage 3.1', id='first phase'
        ),
        pytest.param(
            'Stage 3',
            'Stage 5',
            'after Stage 3 comes Stage 4 or Stage 3.1 if it has phases',
            id='phased',
        ),
        pytest.param(
            'Stage 3.1',
            'Stage 5',
            'after Stage 3.1 comes Stage 3.2 or Stage 4',
            id='in a phase',
        ),
        pytest.param(
            NOTHING, 'Working', 'a new item begins with Ideated or Stage 0', id='new'
        ),
        pytest.param('Archived', 'Working', 'comes no other state', id='archived'),
        pytest.param(
            'Working',
            'Stage 3',
            'a finished item is changed as Improving',
            id='improve',
        ),
        pytest.param(
            'Stage 6', 'Installed', 'is Working before it is Installed', id='installed'
        ),
        pytest.param('Stage 4', 'Ideated', 'this resets the item', id='reset'),
    ],
)
def test_the_message_says_what_would_be_legal(old: str, new: str, said: str) -> None:
    (finding,) = found(_registered(old), _registered(new), only=ONLY)
    assert finding.message.endswith(said)
    # what is only unusual need not be corrected
    assert finding.fix.command == (
        'git diff HEAD -- PLUGINS.md'
        if finding.severity == WARNING
        else ours(
            'registry', 'set-status', 'Bravo', 'Ideated' if old == 'nothing' else old
        )
    )


@pytest.mark.parametrize(
    ('message', 'severity'),
    [
        pytest.param(None, WARNING, id='no message known yet'),
        pytest.param('chore(Bravo): reset', ERROR, id='no reason'),
        pytest.param(
            'chore(Bravo): reset\n\nReset-Reason: autre idée\n', WARNING, id='trailer'
        ),
        pytest.param('chore(Bravo): reset\n\nThe idea was bad.\n', WARNING, id='body'),
        pytest.param(
            'chore(Bravo): reset\n\nSigned-off-by: Zoë <z@example>\n',
            ERROR,
            id='only another trailer',
        ),
    ],
)
def test_a_reset_needs_a_reason_in_the_message(
    message: str | None, severity: str
) -> None:
    before, after = _registered('Stage 3'), _registered('Ideated')
    (finding,) = found(before, after, message, only=ONLY)
    assert (finding.code, finding.severity) == ('STG001', severity)
    if severity == ERROR:
        assert finding.fix == say_why('Reset-Reason')
        assert '`Reset-Reason: REASON`' in finding.message


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        pytest.param('Ideated', 'Ideated (Draft Params)', id='annotation'),
        pytest.param('Ideated (Draft Params)', 'Stage 0', id='to stage 0'),
        pytest.param('Ideated (Draft Params)', 'Stage 1', id='to stage 1'),
        pytest.param('Stage 2', 'Building System', id='alias'),
        pytest.param('Building System', 'Processing Audio', id='aliases'),
        pytest.param('Working', 'Working Has Issues', id='beside'),
        pytest.param('Nowhere', 'Stage 5', id='from an unknown status'),
        pytest.param('Stage 5', 'Nowhere', id='to an unknown status'),
    ],
)
def test_legal_steps_pass(old: str, new: str) -> None:
    assert introduced(_registered(old), _registered(new), only=ONLY) == []


def test_a_row_that_is_not_the_canonical_record_makes_no_step() -> None:
    before, after = at('Stage 2'), at('Stage 2', row='Working')
    assert introduced(before, after, only=ONLY) == []


def test_the_row_is_canonical_where_there_are_no_entries() -> None:
    head = samples.HEAD
    before = {'PLUGINS.md': head + samples.row('Bravo', 'Stage 2')}
    after = {'PLUGINS.md': head + samples.row('Bravo', 'Stage 4')}
    assert introduced(before, after, only=ONLY) == ['STG001']


# the same for the handoff


def _handoff(stage: str, phase: str = 'null') -> Files:
    return {
        **samples.item_files('Bravo'),
        HANDOFF: samples.handoff('Bravo', stage, phase),
    }


@pytest.mark.parametrize(
    ('old', 'new', 'severity'),
    [
        *(
            pytest.param(
                (str(old), 'null'),
                (str(new), 'null'),
                '' if new in {old, old + 1} or (old, new) == (0, 2) else ERROR,
                id=f'{old} to {new}',
            )
            for old in range(7)
            for new in range(7)
        ),
        pytest.param(('3', 'null'), ('3', '3.1'), '', id='first phase'),
        pytest.param(('2', 'null'), ('3', '3.1'), '', id='2 to 3.1'),
        pytest.param(('3', '3.1'), ('3', '3.2'), '', id='next phase'),
        pytest.param(('3', '3.9'), ('3', '3.10'), '', id='tenth phase'),
        pytest.param(('3', '3.2'), ('3', 'null'), '', id='complete'),
        pytest.param(('3', '3.2'), ('4', '4.1'), '', id='3.2 to 4.1'),
        pytest.param(('4.3', 'null'), ('5', 'null'), '', id='4.3 to 5'),
        pytest.param(('4.3', 'null'), ('4', '4.4'), '', id='4.3 to 4.4'),
        pytest.param(('3', '3.2'), ('3', '3.1'), ERROR, id='phase back'),
        pytest.param(('3', '3.1'), ('3', '3.3'), ERROR, id='phase skipped'),
        pytest.param(('3', '3.1'), ('4', '4.2'), ERROR, id='3.1 to 4.2'),
        pytest.param(('2', 'null'), ('2', '2.1'), ERROR, id='unphased'),
        pytest.param(('ideation', 'null'), ('3', 'null'), '', id='a word'),
        pytest.param(('3', 'null'), ('9', 'null'), ERROR, id='no stage'),
        pytest.param(('3', 'null'), ('ideation', 'null'), ERROR, id='to a word'),
        pytest.param(('3', 'null'), ('null', 'null'), ERROR, id='to null'),
        pytest.param(('1', 'null'), ('2', '2.1'), ERROR, id='1 to 2.1'),
        pytest.param(('9', 'null'), ('ideation', 'null'), '', id='words'),
    ],
)
def test_the_steps_of_a_handoff(
    old: tuple[str, str], new: tuple[str, str], severity: str
) -> None:
    findings = found(_handoff(*old), _handoff(*new), only=ONLY)
    assert [(f.code, f.severity) for f in findings] == (
        [('STG002', severity)] if severity else []
    )
    for finding in findings:
        assert (finding.path, finding.line) == (HANDOFF, 3)
        assert finding.fix.command == f'git checkout HEAD -- {HANDOFF}'


def test_the_step_of_an_unphased_stage_says_so() -> None:
    (finding,) = found(_handoff('2'), _handoff('2', '2.1'), only=ONLY)
    assert finding.message == 'Stage 2 -> Stage 2.1: Stage 2 has no phases'


TWO = samples.handoff('Bravo', '2')
FOUR = samples.handoff('Bravo', '4')


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param({HANDOFF: TWO}, {}, [], id='deleted'),
        pytest.param({}, {HANDOFF: FOUR}, [], id='created'),
        pytest.param({OLDER: TWO}, {HANDOFF: TWO}, [], id='moved'),
        pytest.param({OLDER: TWO}, {HANDOFF: FOUR}, ['STG002'], id='moved and skipped'),
        pytest.param({HANDOFF: TWO}, {OLDER: FOUR}, ['STG002'], id='moved back'),
        pytest.param(
            {HANDOFF: FOUR, OLDER: TWO},
            {OLDER: TWO},
            [],
            id='a leftover is not a step back',
        ),
        pytest.param(
            {HANDOFF: TWO, OLDER: FOUR},
            {HANDOFF: TWO, OLDER: TWO},
            [],
            id='a leftover is not read beside the other',
        ),
        pytest.param(
            {OLDER: TWO}, {OLDER: FOUR}, ['STG002'], id='only the older place'
        ),
    ],
)
def test_the_older_place_is_read_only_where_the_file_is_absent(
    before: Files, after: Files, expected: list[str]
) -> None:
    files = samples.item_files('Bravo')
    assert introduced({**files, **before}, {**files, **after}, only=ONLY) == expected


# gates

IDEAS = 'plugins/Bravo/.ideas'
BRIEF = f'{IDEAS}/creative-brief.md'
SPEC = f'{IDEAS}/parameter-spec.md'
ARCHITECTURE = f'{IDEAS}/architecture.md'
PLAN = f'{IDEAS}/plan.md'


@pytest.mark.parametrize(
    ('old', 'new', 'missing', 'refused'),
    [
        pytest.param('Stage 0', 'Stage 1', (), (), id='1 with all'),
        pytest.param('Stage 0', 'Stage 1', (PLAN,), (), id='1 without plan'),
        pytest.param('Stage 0', 'Stage 1', (BRIEF,), (BRIEF,), id='1, brief'),
        pytest.param('Ideated', 'Stage 1', (SPEC,), (SPEC,), id='1, spec'),
        pytest.param(
            'Stage 0', 'Stage 1', (ARCHITECTURE,), (ARCHITECTURE,), id='1, architecture'
        ),
        pytest.param('Stage 1', 'Stage 2', (), (), id='2 with all'),
        pytest.param('Stage 1', 'Stage 2', (PLAN,), (PLAN,), id='2, plan'),
        pytest.param(
            'Stage 0',
            'Stage 2',
            (BRIEF, SPEC, ARCHITECTURE, PLAN),
            (ARCHITECTURE, BRIEF, SPEC, PLAN),
            id='2 with none',
        ),
        pytest.param('Stage 2', 'Stage 2', (BRIEF,), (), id='already there'),
        pytest.param('Stage 2', 'Stage 3', (BRIEF,), (), id='later'),
        pytest.param('Ideated', 'Stage 0', (BRIEF, SPEC), (), id='planning'),
    ],
)
@pytest.mark.parametrize('record', ['registry', 'handoff', 'both'])
def test_an_item_enters_a_stage_only_with_its_contracts(
    old: str, new: str, missing: tuple[str, ...], refused: tuple[str, ...], record: str
) -> None:
    stages = {f'Stage {n}': str(n) for n in range(4)}
    before, after = without(at(old), *missing), without(at(new), *missing)
    if record == 'handoff':
        after['PLUGINS.md'] = before['PLUGINS.md']
    if record != 'registry':
        before[HANDOFF] = samples.handoff('Bravo', stages.get(old, 'ideation'))
        after[HANDOFF] = samples.handoff('Bravo', stages[new])
    findings = found(before, after, only=ONLY)
    assert {f.code for f in findings} <= {'STG005'}
    assert sorted(f.path for f in findings) == sorted(refused)
    assert {f.severity for f in findings} <= {ERROR}


@pytest.mark.parametrize(
    ('path', 'maker'),
    [
        (BRIEF, 'the ideation'),
        (SPEC, 'the UI mockup'),
        (ARCHITECTURE, 'the research of Stage 0'),
        (PLAN, 'the planning of Stage 0 or 1'),
    ],
)
def test_a_closed_gate_names_the_file_and_what_makes_it(path: str, maker: str) -> None:
    before = without(at('Stage 1'), path)
    (finding,) = found(before, without(at('Stage 2'), path), only=ONLY)
    assert (finding.code, finding.path) == ('STG005', path)
    assert finding.message == (
        f'Stage 2 needs this file, which is missing; {maker} makes it'
    )


def test_the_plan_in_its_second_place_opens_the_gate() -> None:
    before = without(at('Stage 1'), PLAN)
    after: Files = {**without(at('Stage 2'), PLAN), 'plugins/Bravo/plan.md': 'x\n'}
    assert introduced(before, after, only=ONLY) == []


def test_a_gate_of_a_project_may_name_no_maker() -> None:
    by = workflow(
        'extends: plugin-workflow\n'
        'items: {plugin: {contracts: {files: {licence:'
        ' {paths: ["plugins/{item}/LICENSE"]}}},'
        ' gates: {Stage 4: {contracts: [licence], evidence: []}}}}\n'
    )
    before, after = at('Stage 3'), at('Stage 4')
    (finding,) = found(before, after, only=ONLY, by=by)
    assert (finding.code, finding.path) == ('STG005', 'plugins/Bravo/LICENSE')
    assert finding.message == 'Stage 4 needs this file, which is missing'


def test_milestone_words_are_used_where_the_workflow_says_so() -> None:
    by = workflow('extends: plugin-workflow\ndisplay: milestones\n')
    before, after = _registered('Stage 3.1'), _registered('Stage 5')
    (finding,) = found(before, after, only=ONLY, by=by)
    assert finding.message == (
        'Processing Audio.1 -> Validating: after Processing Audio.1 comes '
        'Processing Audio.2 or Designing Interface'
    )
    # what is compared stays what the registry means
    assert (finding.expected, finding.found) == ('Stage 3.1', 'Stage 5')
    (same,) = found(before, after, only=ONLY)
    assert same.fingerprint == finding.fingerprint


def test_an_illegal_step_is_refused_by_git_objects(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 4', 'Charlie': 'Installed'}
    project.stage(
        {
            'PLUGINS.md': samples.registry(statuses),
            HANDOFF: samples.handoff('Bravo', '4'),
        }
    )
    result = interlock.check('--only', 'stages')
    assert (result.codes, result.code) == (['STG001', 'STG002'], 1)


def test_a_registry_brought_in_line_with_the_handoff_is_judged() -> None:
    before, after = at('Stage 2', '4'), at('Stage 4', '4')
    assert introduced(before, after, only=ONLY) == ['STG001']


def test_a_merge_is_refused_only_for_what_no_parent_has(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.git('checkout', '-q', '-b', 'side')
    project.commit({'PLUGINS.md': samples.registry({**statuses, 'Alpha': 'Stage 0'})})
    project.commit({'PLUGINS.md': samples.registry({**statuses, 'Alpha': 'Stage 2'})})
    project.git('checkout', '-q', 'main')
    project.commit({'README.md': 'x\n'})
    project.git('merge', '-q', '--no-ff', '-m', 'merge', 'side')
    assert interlock.check('--commit', 'HEAD').codes == []


def test_codes_of_stages_are_all_of_its_prefix() -> None:
    before, after = at('Stage 1', '1'), at('Stage 4', '4')
    assert codes(found(before, after, only=ONLY)) == ['STG001', 'STG002']


@pytest.mark.parametrize(
    'before',
    [
        pytest.param(None, id='the first commit'),
        pytest.param({'README.md': 'à lire\n'}, id='no registry'),
        pytest.param({'PLUGINS.md': '# rien\n'}, id='no table'),
    ],
)
@pytest.mark.parametrize('status', ['Ideated', 'Stage 3', 'Installed'])
def test_without_a_registry_before_there_is_no_step(
    before: Files | None, status: str
) -> None:
    after = {'PLUGINS.md': samples.registry({'Bravo': status})}
    assert introduced(before, after, only=ONLY) == []


def test_without_a_registry_before_a_handoff_is_judged_all_the_same() -> None:
    before = without(at('Stage 2', '2'), 'PLUGINS.md')
    findings = found(before, at('Stage 4', '4'), only=ONLY)
    assert codes(findings) == ['STG002']


def test_a_comment_of_the_template_is_not_a_reason(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Ideated', 'Charlie': 'Installed'}
    project.stage({'PLUGINS.md': samples.registry(statuses)})
    file = project.path / 'message'
    args = ('--only', 'stages', '--message', str(file))
    file.write_text('chore(Bravo): reset\n\n# Please enter a message\n')
    result = interlock.check(*args)
    assert (result.codes, result.code) == (['STG001'], 1)
    file.write_text('chore(Bravo): reset\n\nAutre idée.\n# Please\n')
    result = interlock.check(*args)
    assert (result.codes, result.code) == (['STG001'], 0)


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(
            at('Stage 1', '2'), at('Stage 2', '2'), [], id='the handoff was there'
        ),
        pytest.param(
            at('Stage 2', '1'), at('Stage 2', '2'), [], id='the registry was there'
        ),
        pytest.param(at('Stage 1', '1'), at('Stage 2', '2'), ['STG005'], id='neither'),
        pytest.param(
            at('Stage 1', '1'),
            at('Stage 1', '2'),
            ['STG005'],
            id='the handoff comes first',
        ),
    ],
)
def test_a_gate_is_passed_once_for_all_records(
    before: dict[str, str], after: dict[str, str], expected: list[str]
) -> None:
    assert (
        introduced(without(before, PLAN), without(after, PLAN), only=ONLY) == expected
    )


def _renamed(files: dict[str, str], name: str) -> dict[str, str]:
    """The files of Bravo under another name; its contracts stay."""
    return {
        path.replace('Bravo', name): text
        if '/.ideas/' in path
        else text.replace('Bravo', name)
        for path, text in files.items()
    }


def test_a_renamed_item_keeps_its_state() -> None:
    before = at('Stage 4')
    assert introduced(before, _renamed(before, 'Zoë'), only=ONLY) == []
    skipped = _renamed(at('Stage 6'), 'Zoë')
    (finding,) = found(before, skipped, only=ONLY)
    assert (finding.code, finding.item) == ('STG001', 'Zoë')
    assert finding.message.startswith('Stage 4 -> Stage 6: ')


def test_an_item_with_other_contracts_is_a_new_one() -> None:
    before = at('Stage 4')
    after = {
        path: f'Zoë {number}\n' * 30 if '/.ideas/' in path else text
        for number, (path, text) in enumerate(at('Stage 4', item='Zoë').items())
    }
    (finding,) = found(before, after, only=ONLY)
    assert (finding.code, finding.item) == ('STG001', 'Zoë')
    assert finding.message.startswith('not registered -> Stage 4: ')
    both = {**before, **_renamed(before, 'Zoë')}
    both['PLUGINS.md'] = samples.registry({'Bravo': 'Stage 4', 'Zoë': 'Stage 4'})
    assert introduced(before, both, only=ONLY) == ['STG001']
