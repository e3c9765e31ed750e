from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from interlock.world.repository import Repository


@contextlib.contextmanager
def opened() -> Iterator[Repository]:
    """The repository that we are called in."""
    repository = Repository(os.environ)
    try:
        yield repository
    finally:
        repository.close()
