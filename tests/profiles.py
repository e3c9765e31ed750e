"""How many examples hypothesis tries.

Tests ask for `settings(max_examples=some(N))`: all N of them in the profile
`deep` (`make test-slow`), a fifth of them in `fast`, the one people run.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from hypothesis import settings

VARIABLE = 'INTERLOCK_TESTS'
DEEP = os.environ.get(VARIABLE) == 'deep'
# a run of CI tries the same examples each time; people look for new ones
SAME = bool(os.environ.get('CI'))


def some(examples: int) -> int:
    return examples if DEEP else max(examples // 5, 20)


def some_of(numbers: Sequence[int]) -> list[object]:
    """Parameters of which the same fifth is tried by `make test`."""
    return [
        pytest.param(number, marks=() if index % 5 == 0 else pytest.mark.slow)
        for index, number in enumerate(numbers)
    ]


def load() -> None:
    for name, examples in (('fast', some(100)), ('deep', 100)):
        settings.register_profile(
            name, deadline=None, max_examples=examples, derandomize=SAME
        )
    settings.load_profile('deep' if DEEP else 'fast')
