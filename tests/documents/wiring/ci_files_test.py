from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from interlock.documents.wiring.ci_files import OURS, gitlab

CALL = {'script': ['interlock check --base auto']}


@pytest.mark.parametrize(
    'config',
    (
        pytest.param({'à': CALL}, id='a job'),
        pytest.param({'.b': CALL, 'a': {'extends': '.b'}}, id='extends'),
        pytest.param(
            {'.c': CALL, '.b': {'extends': ['.c']}, 'a': {'extends': ['.b', '.c']}},
            id='extends twice',
        ),
        pytest.param({'a': {'extends': 'a', **CALL}}, id='extends itself'),
    ),
)
def test_jobs_of_gitlab_that_call_us(config: Any) -> None:
    assert gitlab(config).checks == OURS.checks


@pytest.mark.parametrize(
    'config',
    (
        pytest.param({'.b': CALL}, id='a hidden job'),
        pytest.param({'.b': CALL, 'a': {'extends': '.c'}}, id='extends nothing'),
        pytest.param(
            {'.b': CALL, 'a': {'extends': '.b', 'when': 'manual'}}, id='by hand'
        ),
    ),
)
def test_jobs_of_gitlab_that_do_not(config: Any) -> None:
    assert gitlab(config).checks == frozenset()


def test_jobs_that_extend_many_others_are_read_in_time() -> None:
    """Each of ten levels extends all of the next: every job is read once."""
    levels = [[f'.{level}-{n}' for n in range(20)] for level in range(10)]
    config: Any = {'a': {'extends': levels[0]}}
    for above, below in pairwise(levels):
        config.update({name: {'extends': below} for name in above})
    config.update(dict.fromkeys(levels[-1], CALL))
    assert gitlab(config).checks == OURS.checks
