from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.model.errors import Refusal
from interlock.model.finding import Finding, Fix
from interlock.operations import menu
from interlock.operations.menu import NoChoice, ShownMenu
from interlock.workflow.language import menu_files, menus
from interlock.workflow.language.menus import OTHER, Menu, Menus, Option
from tests import samples
from tests.operations.places import DAY, REGISTRY, Place
from tests.profiles import some

ITEM = 'Délay'
FIRST = Option('Go on', 'directive', recommended=True)
REVIEW = Option('Review it', keywords=('review', 'code'))
FOUND = Option('Save', discovery='Add to UI template library')
PAUSED = Option('Pause here', 'escape', ('pause',))
FOUR = Menu('four', (FIRST, REVIEW, FOUND, PAUSED, OTHER), statement='{item} done')
SHOWN = ShownMenu(FOUR, {'item': ITEM})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def shown(
    place: Place,
    status: str,
    handoff: str = '',
    outcome: str = 'success',
    context: str = '',
) -> ShownMenu:
    place.write({REGISTRY: samples.registry({ITEM: status})})
    if handoff:
        place.write({samples.handoff_path(ITEM): handoff})
    found = menu.checkpoint(place.at(ITEM), loaded(place), DAY, outcome, context)
    assert found is not None
    return found


def loaded(place: Place) -> Menus:
    return menus.build(
        menu_files.load(place.kind, '.interlock.yaml', lambda path: None).data
    )


def test_the_text_of_a_menu() -> None:
    assert menu.render(SHOWN) == (
        '✓ Délay done\n'
        '\n'
        "What's next?\n"
        '1. Go on (recommended)\n'
        '2. Review it\n'
        '3. Save ← Add to UI template library\n'
        '4. Pause here\n'
        '5. Other\n'
        '\n'
        'Choose (1-5): _'
    )


def test_recommended_stands_before_what_is_discovered() -> None:
    both = Option('A', recommended=True, discovery='B')
    text = menu.render(ShownMenu(Menu('m', (both,), 'x'), {}))
    assert '1. A (recommended) ← B\n' in text


def test_the_text_of_a_failure(place: Place) -> None:
    found = shown(
        place, 'Stage 2', samples.handoff(ITEM), 'build-failed', 'ld: undefined symbol'
    )
    assert menu.render(found) == (
        'Build error at Stage 3:\n'
        'ld: undefined symbol\n'
        '\n'
        'What would you like to do?\n'
        '1. Investigate (recommended)\n'
        '2. Show me the code\n'
        '3. Show full build output\n'
        '4. I\'ll fix it manually (say "resume automation" when ready)\n'
        '5. Other\n'
        '\n'
        'Choose (1-5): _'
    )


def test_a_menu_without_a_head_starts_with_the_question() -> None:
    text = menu.render(ShownMenu(FOUR._replace(statement=''), {}))
    assert text.startswith('What would you like to do?\n1. Go on')


def test_a_menu_may_have_a_question_of_its_own() -> None:
    asked = FOUR._replace(question='Et {item} ?')
    assert '\n\nEt Délay ?\n1. ' in menu.render(ShownMenu(asked, {'item': ITEM}))


@pytest.mark.parametrize(
    ('answer', 'option'),
    (
        pytest.param('1', FIRST, id='number'),
        pytest.param(' 4 ', PAUSED, id='number and spaces'),
        pytest.param('5', OTHER, id='the last'),
        pytest.param('continue', FIRST, id='continue'),
        pytest.param('CONTINUE', FIRST, id='in any case'),
        pytest.param('Pause', PAUSED, id='pause'),
        pytest.param('review', REVIEW, id='review'),
        pytest.param('Code', REVIEW, id='a keyword of its own'),
        pytest.param('other', OTHER, id='other'),
        pytest.param('Other', OTHER, id='Other'),
        pytest.param('review  IT', REVIEW, id='its label'),
    ),
)
def test_an_answer_is_a_number_a_keyword_or_a_label(
    answer: str, option: Option
) -> None:
    assert menu.read(SHOWN, answer) is option


@pytest.mark.parametrize(
    ('answer', 'sentence'),
    (
        pytest.param('0', 'Invalid choice: 0 is not in 1-5', id='nought'),
        pytest.param('6', 'Invalid choice: 6 is not in 1-5', id='beyond'),
        pytest.param('-1', "Invalid choice: '-1'", id='negative'),
        pytest.param('²', "Invalid choice: '²'", id='no decimal'),
        pytest.param(
            '9' * 5000,
            f'Invalid choice: {"9" * 20} is not in 1-5',
            id='a number longer than Python reads',
        ),
        pytest.param(
            'reviw',
            "Invalid choice: 'reviw'; did you mean `review`?",
            id='nearly a keyword',
        ),
        pytest.param('', "Invalid choice: ''", id='nothing'),
    ),
)
def test_an_unknown_option_is_an_error(answer: str, sentence: str) -> None:
    with pytest.raises(NoChoice) as caught:
        menu.read(SHOWN, answer)
    assert caught.value.message == sentence


def test_pause_leaves_a_menu_that_has_no_option_for_it() -> None:
    found = menu.read(ShownMenu(Menu('m', (FIRST, OTHER)), {}), 'pause')
    assert found is menu.LEAVE
    assert (found.kind, found.run, found.note) == ('escape', (), '')


@settings(max_examples=some(200), deadline=None)
@given(st.text(max_size=50))
@example('Q')
@example(' quit ')
def test_any_answer_is_an_option_or_an_error(answer: str) -> None:
    leaves = ' '.join(answer.split()).casefold() in menu.QUIT
    try:
        found = menu.read(SHOWN, answer)
        assert found is menu.LEAVE if leaves else found in FOUR.options
    except NoChoice as e:
        assert not leaves
        assert e.message.startswith('Invalid choice: ')


@settings(max_examples=some(200), deadline=None)
@given(
    st.lists(
        st.builds(Option, st.text('ab{}→'), recommended=st.booleans()),
        min_size=1,
        max_size=12,
    ),
    st.data(),
)
def test_every_number_that_is_shown_can_be_chosen(
    options: list[Option], data: st.DataObject
) -> None:
    found = ShownMenu(Menu('m', tuple(options)), {})
    number = data.draw(st.integers(1, len(options)))
    assert menu.read(found, str(number)) is options[number - 1]
    assert menu.render(found).endswith(f'\n\nChoose (1-{len(options)}): _')


def test_what_stands_in_a_value_is_not_filled_again() -> None:
    assert (
        ShownMenu(FOUR, {'item': '{code}', 'code': 'x'}).filled('{item} {nothing}')
        == '{code} '
    )


@pytest.mark.parametrize(
    ('status', 'handoff', 'statement', 'first'),
    (
        pytest.param(
            'Stage 2',
            samples.handoff(ITEM),
            'Stage 2 complete: Foundation complete - Build system operational',
            'Continue with Stage 3',
            id='stage',
        ),
        pytest.param(
            'Working',
            samples.handoff(ITEM, '5', status='workflow_complete'),
            'Délay is Working: Validation complete - ready for installation',
            'Install it',
            id='done, whatever the handoff says',
        ),
        pytest.param(
            'Stage 3',
            samples.handoff(
                ITEM, '3', next_action='run_validation', gui_type='headless'
            ),
            'Stage 3 complete: Audio engine complete',
            'Continue with Stage 4',
            id='headless',
        ),
        pytest.param('Installed', '', 'Délay is Installed', 'Improve it', id='at rest'),
    ),
)
def test_a_checkpoint_says_what_is_done_and_what_comes(
    place: Place, status: str, handoff: str, statement: str, first: str
) -> None:
    lines = menu.render(shown(place, status, handoff)).splitlines()
    assert lines[0] == f'✓ {statement}'
    assert lines[3] == f'1. {first} (recommended)'


def test_work_that_goes_on_is_not_said_to_be_complete(place: Place) -> None:
    handoff = samples.handoff(ITEM, status='in_progress')
    found = shown(place, 'Stage 2', handoff)
    lines = menu.render(found).splitlines()
    assert lines[:4] == [
        'Délay is at Stage 2, and work on it is in progress',
        '',
        "What's next?",
        '1. Continue with Stage 2 (recommended)',
    ]
    assert 'complete' not in '\n'.join(lines)
    pause = menu.read(found, 'pause')
    assert found.filled(pause.note) == 'Paused at Stage 2: work continues'


def test_a_finished_item_is_finished_whatever_its_handoff_says(place: Place) -> None:
    found = shown(place, 'Working', samples.handoff(ITEM, '5', status='in_progress'))
    assert found.menu.name == 'finished'


PLAN = '# Plan\n\n### Phase 3.1: Core ✓\n\n### Phase 3.2: Rest\n'


def test_a_phase_is_followed_by_the_next_one(place: Place) -> None:
    place.write({f'plugins/{ITEM}/.ideas/plan.md': PLAN})
    found = shown(
        place,
        'Stage 3',
        samples.handoff(
            ITEM,
            '3',
            '3.1',
            'in_progress',
            phased_implementation='true',
            complexity_score='4.0',
            next_action='',
        ),
    )
    lines = menu.render(found).splitlines()
    assert lines[0].startswith('✓ Stage 3.1 complete: ')
    assert lines[3] == '1. Continue with Stage 3.2 (recommended)'
    assert found.filled('{action}') == 'continue_dsp_phase_3.2'


def test_shown_again_it_says_what_was_done(place: Place) -> None:
    handoff = samples.handoff(ITEM).replace(
        '**Stage 0:** yes\n', '**Stage 0:** yes\n- **Stage 2:** Ça bâtit\n'
    )
    found = shown(place, 'Stage 2', handoff)
    assert menu.render(found).startswith('✓ Stage 2 complete: Ça bâtit\n')
    # a state that a stage becomes is told by that stage
    handoff = samples.handoff(ITEM, '5').replace('Stage 0', 'Stage 5')
    found = shown(place, 'Working', handoff)
    assert menu.render(found).startswith(f'✓ {ITEM} is Working: yes\n')


@pytest.mark.parametrize(
    ('status', 'stage', 'fields', 'name', 'first'),
    (
        pytest.param('Stage 4', '4', {}, 'interface', 'Continue with Stage 5', id='4'),
        pytest.param(
            'Stage 4',
            '4',
            {'gui_type': 'headless'},
            'stage',
            'Continue with Stage 5',
            id='no template of what is not there',
        ),
        pytest.param(
            'Improving', '', {}, 'improving', 'Finish the improvement', id='improving'
        ),
        pytest.param('Installed', '', {}, 'at-rest', 'Improve it', id='installed'),
        pytest.param(
            'Archived', '', {}, 'archived', 'Leave it as it is', id='archived'
        ),
    ),
)
def test_what_is_offered_can_be_done(
    place: Place, status: str, stage: str, fields: dict[str, str], name: str, first: str
) -> None:
    handoff = ''
    if stage:
        handoff = samples.handoff(ITEM, stage, sums=None, **fields)
    found = shown(place, status, handoff)
    assert found.menu.name == name
    assert f'\n1. {first} (recommended)\n' in menu.render(found)


def test_what_was_done_may_be_said(place: Place) -> None:
    found = shown(place, 'Stage 2', samples.handoff(ITEM), context='Ça bâtit')
    assert menu.render(found).startswith('✓ Stage 2 complete: Ça bâtit\n')


@pytest.mark.parametrize(
    ('status', 'working'),
    (
        pytest.param('complete', 'Stage 3', id='done: the next one'),
        pytest.param('in_progress', 'Stage 2', id='open: the same'),
    ),
)
def test_what_fails_is_the_state_that_is_worked_on(
    place: Place, status: str, working: str
) -> None:
    handoff = samples.handoff(ITEM, '2', status=status)
    found = shown(place, 'Stage 2', handoff, 'tests-failed')
    lines = menu.render(found).splitlines()
    assert lines[0] == f'Tests failed at {working}:'
    assert lines[1] == 'no details were given'
    assert found.filled('{stage}') == working[-1]


def test_milestones_are_shown_instead_of_stages(place: Place) -> None:
    place.write({'.interlock.yaml': f'{samples.WORKFLOW}display: milestones\n'})
    text = menu.render(shown(place, 'Stage 2', samples.handoff(ITEM)))
    assert text.startswith('✓ Building System complete: ')
    assert '1. Continue with Processing Audio (recommended)\n' in text
    assert 'Stage' not in text
    failed = shown(place, 'Stage 2', samples.handoff(ITEM), 'build-failed', 'x')
    assert menu.render(failed).startswith('Build error at Processing Audio:\n')


def test_every_word_of_an_item_is_filled_in(place: Place) -> None:
    found = shown(place, 'Stage 2', samples.handoff(ITEM)).given('x')
    finding = {'code', 'fix', 'line'}
    assert menu_files.WORDS - finding == set(found.words)
    assert {
        key: found.words[key]
        for key in (
            'path',
            'handoff',
            'place',
            'registry',
            'registry_state',
            'handoff_state',
            'date',
            'phase',
            'stage',
            'action',
        )
    } == {
        'path': f'plugins/{ITEM}',
        'handoff': samples.handoff_path(ITEM),
        'place': samples.handoff_path(ITEM),
        'registry': REGISTRY,
        'registry_state': 'Stage 2',
        'handoff_state': 'Stage 2',
        'date': DAY,
        'phase': '',
        'stage': '3',
        'action': 'invoke_dsp_agent',
    }


def test_an_item_that_is_nowhere_has_words_too(place: Place) -> None:
    place.write({REGISTRY: samples.registry({})})
    words = menu.words_of(place.at(ITEM), DAY)
    assert (words['state'], words['working']) == ('nothing', 'nothing')
    assert words['next'] == 'the next step'
    assert (words['stage'], words['done']) == ('', '')


def test_a_workflow_without_checkpoints_has_no_menu(place: Place) -> None:
    place.write(
        {
            '.interlock.yaml': f'{samples.WORKFLOW}items: {{plugin: {{menus: null}}}}\n',
            REGISTRY: samples.registry({ITEM: 'Stage 2'}),
        }
    )
    assert menu.checkpoint(place.at(ITEM), loaded(place), DAY) is None


def test_an_unknown_outcome_is_refused_with_the_nearest(place: Place) -> None:
    with pytest.raises(Refusal) as caught:
        menu.refuse_outcome(loaded(place), 'test-failed')
    assert caught.value.message.endswith('did you mean `tests-failed`?')
    assert '`validation-failed`' in caught.value.hint


def test_a_remedy_speaks_of_its_finding(place: Place) -> None:
    finding = Finding(
        'REG005',
        'registry',
        'error',
        ITEM,
        REGISTRY,
        7,
        'a status',
        'x',
        'y',
        Fix('correct it', 'vi +7 PLUGINS.md'),
    )
    found = menu.remedy(finding, loaded(place), {'path': 'elsewhere'}, None, True)
    assert found.menu.name == 'by-hand'
    labels = {option.label for option in found.menu.options}
    same = menu.remedy(finding, loaded(place), {}, None, False)
    # nothing to review, and nothing that the last commit would bring back
    assert labels - {option.label for option in same.menu.options} == {
        'Review the change',
        'Take the file from the last commit',
    }
    assert found.filled('{item} {path} {line} {code} {fix} {context}') == (
        f'{ITEM} {REGISTRY} 7 REG005 vi +7 PLUGINS.md a status'
    )
