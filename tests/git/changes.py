"""Changes of the sample project, good and bad, for the tests beside it."""

from __future__ import annotations

from tests import samples
from tests.samples import STATUSES

Files = dict[str, str | bytes | None]


def registry(rows: dict[str, str] | None = None, **changed: str) -> str:
    return samples.registry({**STATUSES, **changed}, rows)


def bad_row(item: str = 'Alpha') -> Files:
    """REG001: the row of an item is behind its entry."""
    return {'PLUGINS.md': registry({item: 'Stage 0'})}


def stage(number: str, item: str = 'Bravo') -> Files:
    """A good stage commit, with whatever was the stage before."""
    return {
        'PLUGINS.md': registry(None, **{item: f'Stage {number}'}),
        samples.handoff_path(item): samples.handoff(item, number),
        f'plugins/{item}/Source/Main.cpp': f'// {number}\n',
    }
