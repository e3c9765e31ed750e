from __future__ import annotations

import pytest

from interlock.state.recovery_text import HOOK_LIMIT as LIMIT
from interlock.state.recovery_text import failure_text, keep_lines, start_text
from interlock.state.store import LoadedState
from tests.state.states import whole

FOUND = LoadedState(whole(), 'auto', 2.0)
OLD = LoadedState(None, 'checkpoint', 48.0)
NONE = LoadedState(None)


@pytest.mark.parametrize('source', ('compact', 'resume', 'fork'))
def test_the_block_comes_after_compact_resume_and_fork(source: str) -> None:
    assert start_text(source, FOUND).startswith('<workflow-recovery>')


@pytest.mark.parametrize('source', ('resume', 'fork'))
def test_the_block_comes_once_where_the_transcript_goes_on(source: str) -> None:
    assert start_text(source, FOUND._replace(given=True)) == ''


def test_after_a_compaction_it_comes_again() -> None:
    shown = start_text('compact', FOUND._replace(given=True))
    assert shown.startswith('<workflow-recovery>')


def test_at_startup_one_line_points_to_it() -> None:
    assert start_text('startup', FOUND) == (
        'A workflow state of this project was saved 2.0 h ago (auto). '
        'Show it with: interlock state show'
    )


@pytest.mark.parametrize('source', ('clear', '', 'größe'))
def test_nothing_is_said_elsewhere(source: str) -> None:
    assert start_text(source, FOUND) == ''


@pytest.mark.parametrize('found', (NONE, OLD))
@pytest.mark.parametrize('source', ('startup', 'resume', 'fork', 'clear'))
def test_without_a_state_there_is_silence(source: str, found: LoadedState) -> None:
    assert start_text(source, found) == ''


def test_after_a_compaction_it_is_said_that_there_is_none() -> None:
    assert start_text('compact', NONE) == (
        'No workflow state was saved for this project.'
    )
    assert '(checkpoint) is 48.0 h old' in start_text('compact', OLD)


def test_what_a_summary_keeps() -> None:
    assert keep_lines(whole()) == (
        'Keep: skill "implementing"\n'
        'Keep: position "Phase 3", "Task 7"\n'
        'Keep: open todo in_progress: "Add tests"\n'
        'Keep: decision "use sqlite"'
    )


def test_nothing_to_keep_is_nothing() -> None:
    assert keep_lines({}) == ''


def test_what_was_not_saved_is_said_first() -> None:
    shown = keep_lines(whole(), 'STA009 <x> is full')
    assert shown.startswith(
        'The workflow state was not saved: STA009 is full\nKeep: skill'
    )


def test_no_more_is_kept_than_may_be_said_and_of_each_something() -> None:
    shown = keep_lines(
        {
            'skill_stack': [{'name': 'é' * 500, 'phase': 'x' * 500}],
            'todos': {'explicit': [{'content': f'größe {n} ' * 9} for n in range(50)]},
            'decisions': {'binding': [{'decision': 'x' * 900}] * 9},
        }
    )
    assert len(shown) <= LIMIT
    assert shown.count('Keep: open todo pending: "größe') == 3
    assert '(47 more: open todos)' in shown
    assert 'Keep: decision "xxx' in shown
    assert shown.endswith('…')


def test_a_store_that_fails_is_one_sentence() -> None:
    assert failure_text('STA006 x is damaged', 'mv x y') == (
        'The saved workflow state cannot be loaded: STA006 x is damaged. Next: mv x y'
    )
    assert len(failure_text('é' * 1000, '')) <= LIMIT
