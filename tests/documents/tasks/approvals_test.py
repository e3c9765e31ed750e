from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents.tasks import approvals
from interlock.documents.tasks.approvals import Approval, Presented, TaskCheckpoint
from tests.profiles import some

TEXT = st.text()


@given(
    st.builds(Approval, st.sampled_from(['plan', 'changes']), TEXT, TEXT, TEXT, TEXT)
)
@settings(max_examples=some(100), deadline=None)
def test_a_record_is_read_as_it_was_written(record: Approval) -> None:
    data = [approvals.of_approval(record)]
    assert list(approvals.approvals(data)) == [record]


@given(st.builds(TaskCheckpoint, TEXT, TEXT, TEXT, st.booleans()))
@settings(max_examples=some(100), deadline=None)
def test_a_checkpoint_is_read_as_it_was_written(at: TaskCheckpoint) -> None:
    assert approvals.checkpoint(approvals.of_checkpoint(at)) == at


def test_what_was_presented_is_read_as_it_was_written() -> None:
    at = Presented('2026-01-02T03:04:05Z', 'é')
    assert approvals.presented(approvals.of_presented(at)) == at


@pytest.mark.parametrize(
    'data',
    (
        None,
        'yes',
        3,
        True,
        {},
        {'of': 'plan'},
        ['plan'],
        [None],
        [{'of': 'everything'}],
        [{}],
        [{'of': ['plan']}],
    ),
)
def test_an_invalid_record_is_not_an_approval(data: Any) -> None:
    assert list(approvals.approvals(data)) == []


@pytest.mark.parametrize('data', (None, True, 'yes', [], 3))
def test_a_value_that_is_not_an_object_is_nothing(data: Any) -> None:
    assert approvals.checkpoint(data) is None
    assert approvals.presented(data) is None


@pytest.mark.parametrize('approved', ('true', 1, 'yes', None, [True]))
def test_only_true_is_approved(approved: Any) -> None:
    found = approvals.checkpoint({'approved': approved})
    assert found is not None
    assert not found.approved


def test_values_of_a_wrong_kind_are_empty() -> None:
    (found,) = approvals.approvals([{'of': 'plan', 'by': 3, 'sha256': None}])
    assert found == Approval('plan', '', '', '', '')
