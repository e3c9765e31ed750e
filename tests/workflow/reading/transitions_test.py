from __future__ import annotations

import pytest

from interlock.model.finding import ERROR, INFO, WARNING
from interlock.model.state import State
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading import transitions

TEXT = """\
version: 1
items:
  lot:
    path: "lots/{item}"
    states:
      Neu: {role: before}
      Eins: {phased: true, aliases: {Anfang: ''}}
      Zwei: {phased: true}
      Drei: {}
      Fertig: {role: done}
    transitions:
      - {from: nothing, to: Neu}
      - {from: [nothing, Neu], to: Eins}
      - {from: Eins, to: [Zwei, Drei]}
      - {from: Zwei, to: Drei, severity: info, hint: besser über Eins}
      - {from: Zwei, to: Drei}
      - {from: any, to: Fertig, severity: warning, reason: Warum, hint: früh}
      - {from: any, to: Neu}
"""


def kind(text: str = TEXT) -> Kind:
    data, _ = compile_workflow('w', text.encode(), lambda path: None)
    (made,) = build(data, 'w', 'w').kinds
    return made


def state(text: str) -> State:
    name, _, phase = text.partition('.')
    return State(name, int(phase) if phase else None)


@pytest.mark.parametrize(
    ('old', 'new', 'severity'),
    [
        ('', 'Neu', ''),
        ('', 'Eins', ''),
        ('', 'Eins.1', ''),
        ('', 'Eins.2', ERROR),
        ('', 'Zwei', ERROR),
        ('', 'Fertig', ERROR),
        ('Neu', 'Eins', ''),
        ('Eins', 'Eins', ''),
        ('Eins', 'Eins.1', ''),
        ('Eins', 'Eins.2', ERROR),
        ('Eins.1', 'Eins.2', ''),
        ('Eins.2', 'Eins.1', ERROR),
        ('Eins.2', 'Eins', ''),
        ('Eins.2', 'Zwei', ''),
        ('Eins.2', 'Zwei.1', ''),
        ('Eins.2', 'Zwei.2', ERROR),
        ('Eins', 'Drei', ''),
        ('Drei', 'Drei.1', ERROR),
        ('Eins', 'Drei.1', ERROR),
        ('Fertig', 'Neu.1', ERROR),
        ('', 'Neu.1', ERROR),
        ('Zwei', 'Drei', INFO),
        ('Drei', 'Zwei', ERROR),
        ('Drei', 'Fertig', WARNING),
        ('Fertig', 'Neu', ''),
        ('Fertig', 'Drei', ERROR),
    ],
)
def test_the_first_line_that_matches_decides(old: str, new: str, severity: str) -> None:
    before = state(old) if old else None
    assert transitions.step(before, state(new), kind()).severity == severity


@pytest.mark.parametrize(
    ('old', 'new', 'why'),
    [
        ('', 'Drei', 'a new item begins with Neu or Eins'),
        ('Eins', 'Eins.4', 'the phase after Eins is Eins.1'),
        ('Eins.3', 'Eins.5', 'the phase after Eins.3 is Eins.4'),
        ('Drei', 'Drei.1', 'Drei has no phases'),
        ('Eins', 'Zwei.3', 'the first phase is Zwei.1'),
        # a step from every state is named only where there is no other
        ('Drei', 'Eins', 'after Drei comes Neu'),
        ('Zwei', 'Drei', 'besser über Eins'),
    ],
)
def test_a_step_says_why(old: str, new: str, why: str) -> None:
    before = state(old) if old else None
    assert transitions.step(before, state(new), kind()).why == why


def test_a_workflow_without_a_beginning_says_so() -> None:
    text = TEXT.replace('[nothing, Neu]', 'Neu').replace('from: nothing', 'from: Drei')
    assert transitions.step(None, State('Neu'), kind(text)).why == (
        'no item can be new, because no transition of the workflow is `from: nothing`'
    )


def test_a_step_that_needs_a_reason_names_its_trailer() -> None:
    step = transitions.step(State('Drei'), State('Fertig'), kind())
    assert step == transitions.Legality(WARNING, 'früh', 'Warum')


@pytest.mark.parametrize(
    ('given', 'why'),
    (
        ('severity: warning, reason: Warum', 'asks for a reason for'),
        ('severity: warning', 'reports'),
        ('severity: error', 'forbids'),
    ),
)
def test_a_line_without_a_hint_says_something(given: str, why: str) -> None:
    line = 'severity: warning, reason: Warum, hint: früh'
    step = transitions.step(
        State('Drei'), State('Fertig'), kind(TEXT.replace(line, given))
    )
    assert step.why == f'the workflow {why} this step'


def test_states_are_named_by_their_milestones_on_demand() -> None:
    shown = kind(f'{TEXT}display: milestones\n')
    step = transitions.step(State('Eins', 1), State('Eins', 3), shown)
    assert step.why == 'the phase after Anfang.1 is Anfang.2'


def test_without_transitions_nothing_may_change() -> None:
    lines = TEXT.split('    transitions:')[0]
    none = kind(lines)
    assert transitions.step(None, State('Neu'), none).severity == ERROR
    assert transitions.step(State('Neu'), State('Neu'), none).severity == ''
    assert transitions.step(State('Eins'), State('Eins', 1), none).severity == ''


@pytest.mark.parametrize('old', ['', 'Neu', 'Eins.1', 'Zwei', 'Drei'])
def test_a_phase_where_there_are_none_is_illegal_from_everywhere(old: str) -> None:
    before = state(old) if old else None
    step = transitions.step(before, state('Drei.1'), kind())
    assert step == transitions.Legality(ERROR, 'Drei has no phases')


@pytest.mark.parametrize(
    ('old', 'new', 'expected'),
    [
        ('', 'Drei', True),
        ('Neu', 'Zwei.3', True),
        ('Eins.1', 'Eins.4', True),
        ('Drei', 'Eins', True),
        # only with a reason, and only by a line that forbids it
        ('Eins', 'Fertig', False),
        ('Neu', 'Drei.1', False),
        ('Zu', 'Drei', False),
        ('Zu', 'Neu', False),
    ],
)
def test_states_that_steps_lead_to(old: str, new: str, expected: bool) -> None:
    before = state(old) if old else None
    # a line that forbids a step stands before one that allows it to all
    text = TEXT.replace(
        '      Fertig: {role: done}\n',
        '      Fertig: {role: done}\n      Zu: {role: done}\n',
    ).replace(
        '    transitions:\n',
        '    transitions:\n'
        '      - {from: Zu, to: Neu, severity: error, hint: zu ist zu}\n',
    )
    assert transitions.reaches(before, state(new), kind(text)) is expected


def test_a_step_with_a_reason_of_its_own_leads_on() -> None:
    made = [(State('Eins'), State('Fertig'))]
    assert transitions.reaches(State('Neu'), State('Fertig'), kind(), made)


@pytest.mark.parametrize(
    ('old', 'new', 'expected'),
    (
        pytest.param('Neu', 'Drei', 'Eins', id='over another one'),
        pytest.param('Eins', 'Drei', 'Drei', id='at once'),
        pytest.param('Drei', 'Zwei', 'Neu', id='around'),
        pytest.param('', 'Zwei', 'Eins', id='new'),
        pytest.param('Neu', 'Fertig', 'Eins', id='not by a step that needs a reason'),
        pytest.param('Neu', '', 'Eins', id='nowhere'),
    ),
)
def test_the_first_step_on_a_way(old: str, new: str, expected: str) -> None:
    source, target = (state(text) if text else None for text in (old, new))
    assert transitions.first_step(source, target, kind()) == expected


def test_a_state_without_a_way_out_has_no_first_step() -> None:
    text = TEXT.replace('      - {from: any, to: Neu}\n', '')
    assert transitions.first_step(State('Drei'), State('Neu'), kind(text)) == ''
