"""How a push is judged, and what its parts are found to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from interlock.git.parse import Commit
from interlock.model.finding import Finding

if TYPE_CHECKING:
    from interlock.engine.confirmation import Confirming


class Course(NamedTuple):
    """How the commits of a push are judged."""

    commits: Sequence[Commit]
    # told the number of each commit, and which one it is, before
    expect: Callable[[int, Commit], None]
    confirming: Confirming | None
    # whether what the last one only inherits is said
    inherited: bool


class Judged(NamedTuple):
    """What another process says of its share."""

    findings: list[Finding]
    suppressed: int
    commits: int
    stale: set[str]
    # the commits that no workflow governs yet
    adopting: list[str]


class Whole(NamedTuple):
    """What a push as one change shows."""

    # where no commit was found to bring it
    left: list[Finding]
    # what governs, and what it governs
    together: list[Finding]
