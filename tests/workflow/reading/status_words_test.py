from __future__ import annotations

import pytest

from interlock.model.state import State
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading import status_words
from tests.checks.trees import workflow

PLUGIN: Kind = workflow().kinds[0]


@pytest.mark.parametrize(
    ('raw', 'state', 'text', 'emoji'),
    [
        ('🚧 Stage 2', State('Stage 2'), 'Stage 2', '🚧'),
        ('🚧 **Stage 2**', State('Stage 2'), 'Stage 2', '🚧'),
        ('🚧 Stage 3.10', State('Stage 3', 10), 'Stage 3.10', '🚧'),
        ('Stage 2.1', None, 'Stage 2.1', ''),
        ('Stage 3.01', None, 'Stage 3.01', ''),
        ('stage 2', None, 'stage 2', ''),
        ('🎵 Processing Audio', State('Stage 3'), 'Stage 3', '🎵'),
        ('🎵 Processing Audio.2', State('Stage 3', 2), 'Stage 3.2', '🎵'),
        ('💡 Ideated (Brief)', State('Ideated'), 'Ideated (Brief)', '💡'),
        ('✅ Working, 🐛 Has Issues', State('Working'), 'Working Has Issues', '✅🐛'),
        ('🐛 Has Issues (Working)', State('Working'), 'Working Has Issues', '🐛'),
        ('🐛 Has Issues', State('Has Issues'), 'Has Issues', '🐛'),
        ('🗑️ Archived', State('Archived'), 'Archived', '🗑'),
        ('Nix (Brief)', None, 'Nix (Brief)', ''),
        ('', None, '', ''),
    ],
)
def test_a_status_is_read(raw: str, state: State | None, text: str, emoji: str) -> None:
    read = status_words.read(raw, PLUGIN)
    assert (read.state, read.text, read.emoji) == (state, text, emoji)
    assert read.raw == raw
    assert read.name == (state.name if state else '')


@pytest.mark.parametrize(
    ('raw', 'known'),
    [
        ('Ideated (Brief)', True),
        ('Working', True),
        ('Working (beta)', False),
        ('Stage 3 (of 5)', False),
        ('Concept Ready (Brief)', True),
        ('Nichts', False),
    ],
)
def test_only_some_states_take_a_remark(raw: str, known: bool) -> None:
    assert status_words.read(raw, PLUGIN).is_known is known


@pytest.mark.parametrize(
    ('raw', 'nearest'),
    [
        ('Stage3', 'Stage 3'),
        ('WORKING', 'Working'),
        ('instaled', 'Installed'),
        ('Working (beta)', 'Working'),
        ('Désigning Interface', 'Designing Interface'),
        ('design', 'Designing Interface'),
        ('zzzz', ''),
        ('', ''),
        # too short a beginning, and one of several states
        ('de', ''),
        ('Sta', ''),
        # a guess among states that are equally near would be a wrong step
        ('Stage 99', ''),
        ('Staeg', ''),
    ],
)
def test_the_nearest_word_is_named(raw: str, nearest: str) -> None:
    assert status_words.nearest(status_words.read(raw, PLUGIN), PLUGIN) == nearest


@pytest.mark.parametrize(
    ('raw', 'emoji'),
    [
        ('Stage 3', '🚧'),
        ('Stage 3.1', '🚧'),
        ('Processing Audio', '🎵'),
        ('Processing Audio.1', '🎵'),
        ('Working Has Issues', '✅🐛'),
        ('Ideated (Brief)', '💡'),
        ('Archived', '🗑'),
        ('Nichts', ''),
    ],
)
def test_the_emoji_of_a_word(raw: str, emoji: str) -> None:
    assert status_words.read(raw, PLUGIN).own_emoji == emoji


def test_every_word_stands_for_one_state() -> None:
    words = PLUGIN.words
    assert words['Validating'] == 'Stage 5'
    assert words['Ready to Install'] == 'Working'
    assert words['Concept Ready'] == 'Ideated'
    assert words['Building System'] == 'Stage 2'
    assert words['Designing Interface'] == 'Stage 4'
    assert set(words.values()) == set(PLUGIN.states)


@pytest.mark.parametrize(
    ('display', 'state', 'label'),
    [
        ('stages', State('Stage 3', 1), 'Stage 3.1'),
        ('milestones', State('Stage 3', 1), 'Processing Audio.1'),
        ('milestones', State('Stage 3'), 'Processing Audio'),
        ('milestones', State('Stage 6'), 'Stage 6'),
        ('milestones', State('Working'), 'Ready to Install'),
    ],
)
def test_how_reports_name_a_state(display: str, state: State, label: str) -> None:
    text = f'extends: plugin-workflow\ndisplay: {display}\n'
    (kind,) = workflow(text).kinds
    assert kind.label(state) == label


def test_states_are_shown_as_they_stand_by_default() -> None:
    assert PLUGIN.label(State('Stage 3')) == 'Stage 3'


@pytest.mark.parametrize('digits', [4, 5, 5000])
def test_a_phase_has_at_most_four_digits(digits: int) -> None:
    text = f'Stage 3.{"1" * digits}'
    read = status_words.read(text, PLUGIN)
    expected = State('Stage 3', 1111) if digits == 4 else None
    assert read.state == expected


@pytest.mark.parametrize('typed', ['in_progres', 'promised'])
def test_words_for_the_same_state_are_no_rivals(typed: str) -> None:
    words = {'Done': 'Done', 'in-progress': 'Doing', 'in progress': 'Doing'}
    words |= dict.fromkeys(
        ('promised to the customer', 'promised to a client'), 'Doing'
    )
    kind = PLUGIN._replace(words=words)
    read = status_words.read(typed, kind)
    assert words[status_words.nearest(read, kind)] == 'Doing'
