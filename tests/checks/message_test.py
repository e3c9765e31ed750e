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

ONLY = ('message',)
HANDOFF = samples.handoff_path('Bravo')
MAIN = {'plugins/Bravo/Source/Main.cpp': '// 2\n'}


def arrived(state: str) -> dict[str, str]:
    """Bravo at a stage, in a registry and a handoff that both say so."""
    number = state.removeprefix('Stage ')
    stage, dot, _ = number.partition('.')
    return at(state, stage, number if dot else 'null')


# the forms of a subject, and the stage each of them names
FORMS = [
    ('feat(Bravo): Stage 3', 'Stage 3'),
    ('feat(Bravo): Stage 3 complete', 'Stage 3'),
    ('feat(Bravo): Stage 3 - moteur audio', 'Stage 3'),
    ('feat(Bravo): Stage 3: moteur [ATOMIC]', 'Stage 3'),
    ('feat(Bravo): Stage 3.1', 'Stage 3.1'),
    ('feat(Bravo): Stage 3.1 complete', 'Stage 3.1'),
    ('feat(Bravo): Stage 3 Phase 3.1 - core', 'Stage 3.1'),
    ('feat(Bravo): Phase 3.1 complete', 'Stage 3.1'),
    ('feat(Bravo): Stage 3.10 complete', 'Stage 3.10'),
    ('feat: Bravo Stage 3', 'Stage 3'),
    ('feat: Bravo Stage 3 complete - moteur', 'Stage 3'),
    ('feat: Bravo Stage 4.2 - boutons', 'Stage 4.2'),
    ('feat: Bravo Stage 4 Phase 4.2', 'Stage 4.2'),
    ('feat: Bravo Phase 4.2', 'Stage 4.2'),
    ('feat: Bravo stage 4 phase 4.2', 'Stage 4.2'),
    ('FEAT(Bravo): STAGE 5', 'Stage 5'),
    ('feat: Bravo   Stage   5', 'Stage 5'),
    ('feat: Bravo research & planning complete', 'Stage 0'),
    ('feat: Bravo build system ready', 'Stage 2'),
    ('feat: Bravo audio engine working', 'Stage 3'),
    ('feat: Bravo audio phase 3.1 - core processing', 'Stage 3.1'),
    ('feat: Bravo audio phase 3.2 - parameter modulation', 'Stage 3.2'),
    ('feat: Bravo UI integrated', 'Stage 4'),
    ('feat: Bravo UI phase 4.1 - layout and bindings', 'Stage 4.1'),
    ('feat: Bravo UI phase 4.2 - visual polish', 'Stage 4.2'),
    ('feat: Bravo validation complete', 'Stage 5'),
    ('feat(Bravo): Build System Ready', 'Stage 2'),
    ('feat: Bravo ui Phase 4.2', 'Stage 4.2'),
]


@pytest.mark.parametrize(('subject', 'state'), FORMS)
def test_a_stage_commit_with_its_state_files_passes(subject: str, state: str) -> None:
    before = at('Ideated', 'ideation')
    after = {**arrived(state), **MAIN}
    assert introduced(before, after, subject, only=ONLY) == []


@pytest.mark.parametrize(('subject', 'state'), FORMS)
def test_a_stage_commit_without_its_state_files_is_refused(
    subject: str, state: str
) -> None:
    before = arrived('Stage 6')
    (finding,) = found(before, {**before, **MAIN}, subject, only=ONLY)
    assert (finding.code, finding.severity) == ('COM002', ERROR)
    assert finding.item == 'Bravo'
    assert finding.message == (
        f'the subject ends {state}, but the commit does not change '
        f'{HANDOFF} and PLUGINS.md'
    )
    assert finding.fix.command.startswith(
        ('interlock commit-stage Bravo ', 'git commit -m ')
    )


@pytest.mark.parametrize(('subject', 'state'), FORMS)
def test_a_handoff_one_stage_behind_the_subject_is_refused(
    subject: str, state: str
) -> None:
    behind = {'Stage 0': '6'}.get(state, str(int(state[6]) - 1))
    before = at('Ideated', 'ideation')
    after: Files = {**at(state, behind), **MAIN}
    (finding,) = found(before, after, subject, only=ONLY)
    assert (finding.code, finding.severity) == ('COM004', ERROR)
    assert (finding.path, finding.line) == (HANDOFF, 3)
    assert finding.expected == state
    assert finding.found == f'Stage {behind}'


@pytest.mark.parametrize(
    ('files', 'missing'),
    [
        pytest.param((HANDOFF, 'PLUGINS.md'), '', id='both'),
        pytest.param((HANDOFF,), 'PLUGINS.md', id='no registry'),
        pytest.param(('PLUGINS.md',), HANDOFF, id='no handoff'),
        pytest.param((), f'{HANDOFF} PLUGINS.md', id='neither'),
    ],
)
def test_a_stage_commit_names_the_state_file_it_lacks(
    files: tuple[str, ...], missing: str
) -> None:
    before, new = at('Stage 2', '2'), at('Stage 3', '3')
    after: Files = {**before, **MAIN, **{path: new[path] for path in files}}
    findings = found(before, after, 'feat(Bravo): Stage 3', only=ONLY)
    assert [f.found for f in findings] == [missing] * bool(missing)
    assert {f.code for f in findings} <= {'COM002'}


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        pytest.param(at('Stage 5', '5'), at('Working'), id='the handoff is deleted'),
        pytest.param(
            {
                **without(at('Stage 4', '4'), HANDOFF),
                'plugins/Bravo/.ideas/.continue-here.md': 'x',
            },
            at('Stage 5', '5'),
            id='the handoff is moved',
        ),
    ],
)
def test_deleting_or_moving_a_handoff_is_a_touch(before: Files, after: Files) -> None:
    message = 'feat(Bravo): Stage 5 complete'
    assert introduced(before, {**after, **MAIN}, message, only=ONLY) == []


@pytest.mark.parametrize(
    ('subject', 'stage', 'phase', 'expected'),
    [
        pytest.param('Stage 3', '3', 'null', [], id='same'),
        pytest.param('Stage 3.2', '3', '3.2', [], id='same phase'),
        pytest.param('Stage 3.2', '3.2', 'null', [], id='read as both'),
        pytest.param('Stage 3.3', '3', 'null', [], id='after the last phase'),
        pytest.param('Stage 3.2', '3', '3.1', ['COM004'], id='phase behind'),
        pytest.param('Stage 3', '3', '3.1', ['COM004'], id='still in a phase'),
        pytest.param('Stage 3.1', '3', '3.10', ['COM004'], id='3.1 and 3.10'),
        pytest.param('Stage 4', '3', 'null', ['COM004'], id='stage behind'),
        pytest.param('Stage 3', '4', 'null', ['COM004'], id='stage ahead'),
        pytest.param('Stage 0', 'idea', 'null', [], id='before the stages'),
    ],
)
def test_the_subject_names_the_stage_of_the_handoff(
    subject: str, stage: str, phase: str, expected: list[str]
) -> None:
    before = at('Ideated')
    after = {**at('Stage 3', stage, phase), **MAIN}
    message = f'feat(Bravo): {subject} complete'
    findings = found(before, after, message, only=ONLY)
    assert codes(findings) == expected


@pytest.mark.parametrize(
    ('subject', 'phase', 'expected'),
    [
        pytest.param('feat: Bravo Stage 3 - x', 'null', ['COM004'], id='3'),
        pytest.param(
            'feat: Bravo Stage 3.1', '3.1', [], id='the stage of a phase goes on'
        ),
        pytest.param('feat: Bravo Stage 3.3', 'null', ['COM004'], id='the last phase'),
        pytest.param('chore: Bravo begins Stage 3', 'null', [], id='begun'),
    ],
)
def test_work_that_goes_on_is_not_committed_as_done(
    subject: str, phase: str, expected: list[str]
) -> None:
    before = at('Stage 2', '2')
    after = at('Stage 3', '3', phase, progress='in_progress')
    findings = found(before, {**after, **MAIN}, subject, only=ONLY)
    assert codes(findings) == expected
    for finding in findings:
        assert finding.severity == ERROR
        assert '`status: in_progress`' in finding.message
        assert finding.fix.command == 'interlock handoff update Bravo 3'
    done = at('Stage 3', '3', phase)
    assert introduced(before, {**done, **MAIN}, subject, only=ONLY) == []


def test_work_that_went_on_is_closed_by_its_handoff() -> None:
    before = at('Stage 3', '3', progress='in_progress')
    subject = 'feat: Bravo Stage 3 - x'
    assert introduced(before, at('Stage 3', '3'), subject, only=ONLY) == []
    # where the stage was done already, nothing is closed
    again = at('Stage 3', '3', last_updated='2026-01-03')
    assert introduced(at('Stage 3', '3'), again, subject, only=ONLY) == ['COM002']
    # and a registry that is behind has to move with it
    before = at('Stage 2', '3', progress='in_progress')
    after = at('Stage 2', '3')
    assert introduced(before, after, subject, only=ONLY) == ['COM002']


def test_a_handoff_that_is_not_part_of_the_commit_is_not_compared() -> None:
    before = at('Stage 2', '2')
    after: Files = {**at('Stage 3', '2'), **MAIN}
    message = 'feat(Bravo): Stage 3'
    assert introduced(before, after, message, only=ONLY) == ['COM002']


@pytest.mark.parametrize(
    ('subject', 'expected'),
    [
        pytest.param('feat(Bravo): Stage 3', [], id='item and stage'),
        pytest.param('feat(Bravo): fertig', [], id='item'),
        pytest.param('chore: bravo weiter', [], id='item in another case'),
        pytest.param('chore: move to Stage 3', [], id='stage'),
        pytest.param('chore: STAGE 3', [], id='stage in another case'),
        pytest.param('chore: Processing Audio', [], id='milestone word'),
        pytest.param('docs: README', ['COM005'], id='something else'),
        pytest.param('docs: Bravos README', ['COM005'], id='part of a word'),
        pytest.param('chore: Stage 30', ['COM005'], id='part of a number'),
        pytest.param('chore: Stage 4', ['COM005'], id='another stage'),
        pytest.param('', ['COM005'], id='empty'),
    ],
)
@pytest.mark.parametrize('handoff', ['', '3'])
def test_a_stage_change_is_named_by_the_subject(
    subject: str, expected: list[str], handoff: str
) -> None:
    before = at('Stage 2', '2' if handoff else '')
    after = {**at('Stage 3', handoff), 'README.md': 'x'}
    findings = found(before, after, subject, only=ONLY)
    mine = [f for f in findings if f.code == 'COM005']
    assert codes(mine) == expected
    assert {(f.item, f.severity) for f in mine} <= {('Bravo', ERROR)}
    for finding in mine:
        assert finding.message == (
            f'the item moves to Stage 3, but the subject `{subject}` names '
            f'neither the item nor its new status'
        )


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(at('Stage 2', '2'), at('Stage 2', '3'), ['COM005'], id='handoff'),
        pytest.param(
            at('Stage 3', '3', '3.1'), at('Stage 3', '3', '3.2'), [], id='a phase'
        ),
        pytest.param(at('Ideated'), at('Ideated (Draft Params)'), [], id='annotation'),
        pytest.param(at('Stage 2', '2'), at('Stage 2'), [], id='handoff deleted'),
        pytest.param(at('Stage 2'), at('Stage 2', '2'), [], id='handoff created'),
        pytest.param(at('Working'), at('Installed'), ['COM005'], id='installed'),
        pytest.param(
            at('Stage 2'),
            at('Stage 2', row='Stage 3'),
            [],
            id='a row that is not canonical',
        ),
        pytest.param(at('Stage 2', '2'), {**at('Stage 2', '2'), **MAIN}, [], id='code'),
    ],
)
def test_what_is_a_stage_change_in_a_commit_about_something_else(
    before: Files, after: Files, expected: list[str]
) -> None:
    assert introduced(before, after, 'docs: README', only=ONLY) == expected


@pytest.mark.parametrize(
    ('subject', 'expected'),
    [
        pytest.param('feat(Bravo): finish stage 3', ['COM006'], id='later'),
        pytest.param('feat: Bravo phases 3 and 4', ['COM006'], id='plural'),
        pytest.param('feat(Bravo): Stage 9', ['COM006'], id='no such stage'),
        pytest.param('feat(Bravo): Stage 3.x', ['COM006'], id='no such phase'),
        pytest.param('fix(Bravo): Stage 3 complete', ['COM006'], id='another prefix'),
        pytest.param('feat: Bravo: Stage 3', ['COM006'], id='a colon more'),
        pytest.param('Bravo: Stage 3 complete', ['COM006'], id='no prefix at all'),
        pytest.param('feat(bravo): Stage 3', ['COM006'], id='another case'),
        pytest.param(
            'chore(Bravo): update state files after Stage 3',
            [],
            id='a stage in passing',
        ),
        pytest.param('feat(bravo): a knob', [], id='case, and no stage'),
        pytest.param('fix(Bravo): the knob', [], id='prefix, and no stage'),
        pytest.param('feat(Bravo): neue Bühne', [], id='no word of a stage'),
        pytest.param('feat(Bravo): backstage 3', [], id='part of a word'),
        pytest.param('feat(Bravo): stage fright', [], id='no number'),
        pytest.param('feat(Zulu): finish stage 3', [], id='no such item'),
        pytest.param('fix: stage 3 of the lights', [], id='no item'),
        pytest.param('feat: improve stage 3', [], id='no item in the open'),
    ],
)
def test_a_subject_that_is_not_understood_is_warned_about(
    subject: str, expected: list[str]
) -> None:
    before = at('Stage 2', '2')
    findings = found(before, {**before, **MAIN}, subject, only=ONLY)
    assert codes(findings) == expected
    for finding in findings:
        assert (finding.severity, finding.item) == (WARNING, 'Bravo')
        assert f'`{subject}`' in finding.message
        assert finding.fix.said.startswith('commit again with a subject')


@pytest.mark.parametrize(
    ('name', 'subject'),
    [
        pytest.param('Big Bravo', 'feat: Big Bravo Stage 3', id='space'),
        pytest.param('Big Bravo', 'feat(Big Bravo): Stage 3', id='brackets'),
        pytest.param('Zoë', 'feat: Zoë Stage 3', id='not ASCII'),
        pytest.param('R&B', 'feat(R&B): Stage 3', id='ampersand'),
        pytest.param('C++', 'feat: C++ Stage 3', id='plus'),
    ],
)
def test_names_of_items_are_recognised(name: str, subject: str) -> None:
    before = at('Stage 2', '2', item=name)
    after = {**before, f'plugins/{name}/Source/x': 'x'}
    (finding,) = found(before, after, subject, only=ONLY)
    assert (finding.code, finding.item) == ('COM002', name)


def test_the_longest_name_wins() -> None:
    one, two = at('Stage 2', '2'), at('Stage 2', '2', item='Bravo Two')
    registry = samples.registry({'Bravo': 'Stage 2', 'Bravo Two': 'Stage 2'})
    before = {**one, **two, 'PLUGINS.md': registry}
    after = {**before, **MAIN}
    subject = 'feat: Bravo Two Stage 3'
    (finding,) = found(before, after, subject, only=ONLY)
    assert finding.item == 'Bravo Two'


def test_an_item_that_only_its_files_tell_of_is_an_item() -> None:
    before = {'PLUGINS.md': samples.registry({'Alpha': 'Ideated'})}
    after = {**before, **MAIN}
    subject = 'feat(Bravo): Stage 2'
    assert introduced(before, after, subject, only=ONLY) == ['COM002']


def test_nothing_is_judged_without_a_message() -> None:
    before, after = at('Stage 2', '2'), at('Stage 4', '3')
    assert introduced(before, after, None, only=ONLY) == []


def test_milestone_words_are_used_where_the_workflow_says_so() -> None:
    by = workflow('extends: plugin-workflow\ndisplay: milestones\n')
    before = at('Stage 2', '2')
    after = {**before, **MAIN}
    message = 'feat(Bravo): Stage 3.1'
    (finding,) = found(before, after, message, only=ONLY, by=by)
    assert 'the subject ends Processing Audio.1' in finding.message
    named = 'chore: Processing Audio'
    moved = at('Stage 3', '3')
    assert introduced(before, moved, named, only=ONLY, by=by) == []


def test_a_kind_without_subjects_is_not_judged() -> None:
    by = workflow('extends: plugin-workflow\nitems: {plugin: {commit: null}}\n')
    before, after = at('Stage 2', '2'), at('Stage 3', '3')
    assert introduced(before, after, 'docs: x', only=ONLY, by=by) == []


def test_a_stage_hidden_in_a_commit_is_refused_by_git_objects(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 3', 'Charlie': 'Installed'}
    project.commit(
        {
            'PLUGINS.md': samples.registry(statuses),
            HANDOFF: samples.handoff('Bravo', '3'),
            'README.md': 'x\n',
        },
        'docs: README',
    )
    result = interlock.check('--commit', 'HEAD')
    assert (result.codes, result.code) == (['COM005'], 1)
    ranged = interlock.check('--range', 'HEAD~1..HEAD')
    assert (ranged.codes, ranged.code) == (['COM005'], 1)


def test_comments_of_a_commit_template_do_not_count(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Stage 0', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.stage({'PLUGINS.md': samples.registry(statuses)})
    file = project.path / 'message'
    args = ('--message', str(file), '--only', 'message')
    file.write_text('# feat(Alpha): Stage 0\n\ndocs: README\n# please\n')
    assert interlock.check(*args).codes == ['COM005']
    file.write_text('# please\n\nchore(Alpha): to Stage 0\n# please\n')
    assert interlock.check(*args).codes == []


SUBJECT = 'feat(Bravo): Stage 2'


@pytest.mark.parametrize(
    ('subject', 'amended', 'expected'),
    [
        pytest.param(SUBJECT, SUBJECT, [], id='the same subject'),
        pytest.param(f'{SUBJECT} - mieux dit', SUBJECT, [], id='reworded'),
        pytest.param('feat: Bravo Stage 2', SUBJECT, [], id='in another form'),
        pytest.param(SUBJECT, None, ['COM002'], id='no commit before'),
        pytest.param(SUBJECT, 'feat(Bravo): Stage 1', ['COM002'], id='another stage'),
        pytest.param(SUBJECT, 'feat(Bravo): Stage 2.1', ['COM002'], id='a phase'),
        pytest.param(SUBJECT, 'feat(Alpha): Stage 2', ['COM002'], id='another item'),
        pytest.param(SUBJECT, 'docs: é', ['COM002'], id='no stage'),
        pytest.param(SUBJECT, '', ['COM002'], id='no subject'),
    ],
)
def test_an_amended_stage_commit_has_its_state_files(
    subject: str, amended: str | None, expected: list[str]
) -> None:
    before = at('Stage 2', '2')
    after: Files = {**before, 'README.md': 'à lire\n'}
    made = change(before, after, subject)._replace(
        amended=None if amended is None else parse(amended)
    )
    assert codes(judge([made], workflow(), ONLY)) == expected


def test_an_amended_stage_commit_names_the_stage_of_the_handoff() -> None:
    before, after = at('Stage 2', '2'), at('Stage 2', '3')
    made = change(before, after, SUBJECT)._replace(amended=parse(SUBJECT))
    assert codes(judge([made], workflow(), ONLY)) == ['COM004']


def test_the_mark_of_a_breaking_change_hides_no_stage() -> None:
    before = at('Stage 2', '2')
    subject = 'feat(Bravo)!: Stage 3'
    after = {**before, **MAIN}
    assert introduced(before, after, subject, only=ONLY) == ['COM002']
    assert introduced(before, arrived('Stage 3'), subject, only=ONLY) == []


def test_a_name_in_another_case_counts_if_its_files_are_touched() -> None:
    before = at('Stage 2', '2')
    subject = 'feat(bravo): Stage 3'
    elsewhere = {**before, 'README.md': 'é'}
    assert introduced(before, elsewhere, subject, only=ONLY) == []


@pytest.mark.parametrize('stage', ['2', '3', '4'])
def test_a_subject_that_names_two_stages_is_refused(stage: str) -> None:
    """Whichever of them the handoff is at."""
    before = at('Stage 2', '2')
    after = at(f'Stage {stage}', stage, gui_type='webview')
    text = 'feat(Bravo): Stage 2 Phase 4.2 - x'
    (finding,) = [
        f
        for f in found(before, after, text, only=ONLY)
        if f.code in {'COM004', 'COM006'}
    ]
    assert (finding.code, finding.severity) == ('COM004', ERROR)
    assert finding.message.endswith('Stage 2, and a phase of another stage')
