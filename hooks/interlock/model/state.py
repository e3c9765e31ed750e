from __future__ import annotations

from interlock.model.quick_typing import NamedTuple


class State(NamedTuple):
    """A state, maybe with a phase: `Stage 3.1` is phase 1 of `Stage 3`."""

    name: str
    phase: int | None = None

    def __str__(self) -> str:
        return self.name if self.phase is None else f'{self.name}.{self.phase}'
