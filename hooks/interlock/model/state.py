from __future__ import annotations

from interlock.model.quick_typing import NamedTuple


class State(NamedTuple):
    """`Stage 3.1`: the state `Stage 3` in its phase 1."""

    name: str
    phase: int | None = None

    def __str__(self) -> str:
        return self.name if self.phase is None else f'{self.name}.{self.phase}'
