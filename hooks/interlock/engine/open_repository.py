from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator

from interlock.git.repository import Repository

# what is read of a repository is mostly kept: to look through it for rings
# after every few hundred objects takes a seventh of the time
OBJECTS = 50_000


@contextlib.contextmanager
def opened(directory: str | None = None) -> Iterator[Repository]:
    """The repository that we are called in, or that of a directory."""
    gc.set_threshold(OBJECTS)
    repository = Repository(os.environ, directory)
    try:
        yield repository
    finally:
        repository.close()
