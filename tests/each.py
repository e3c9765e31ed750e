"""One test over many subjects.

A test that asserts the same of every module or rule is one test, not
hundreds: pytest's own work for each of them would take longer than the
assertion. The failure still names every subject that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar('T')


def each(
    subjects: Mapping[str, T],
) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    def decorate(test: Callable[[T], None]) -> Callable[[], None]:
        def run() -> None:
            assert subjects
            failed = []
            for name, subject in subjects.items():
                try:
                    test(subject)
                except Exception as e:
                    failed.append(f'{name}: {e or type(e).__name__}')
            assert not failed, '\n'.join(failed)

        run.__name__ = test.__name__
        run.__doc__ = test.__doc__
        return run

    return decorate
