from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Words(NamedTuple):
    """What is said of work that was done; what is not given is derived."""

    # what the timeline says
    text: str = ''
    # what the handoff lists as completed
    completed: str = ''
    steps: tuple[str, ...] = ()
    current: str = ''
    # as NAME=PATH, or NAME where the workflow knows the path
    artifacts: tuple[str, ...] = ()
    # tests that passed
    tests: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    # fields of the frontmatter
    fields: Mapping[str, str] = {}
