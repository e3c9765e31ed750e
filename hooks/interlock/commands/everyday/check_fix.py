"""What `check --fix` mends: rows that are behind their entries."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import NamedTuple

from interlock.commands.items.project import project
from interlock.engine.open_repository import opened
from interlock.git.workflow_source import Governing
from interlock.model.change import Snapshot
from interlock.model.report import plural
from interlock.operations.outcome import Outcome, data_of
from interlock.operations.record_edit import fixed_records
from interlock.operations.registry.change import sync_all
from interlock.workflow.language.spec import Workflow

# seconds for another command that changes the same files
WAIT = 10.0


class Mended(NamedTuple):
    path: str
    old: bytes
    new: bytes
    rows: int


def _mended(snapshot: Snapshot, workflow: Workflow) -> Iterator[Mended]:
    """The registries that have rows to mend."""
    for kind in workflow.kinds:
        for path, new in sync_all(snapshot, kind).files.items():
            old = data_of(snapshot, path) or b''
            # a row stays one line, so that lines can be compared in pairs
            lines = zip(old.split(b'\n'), (new or b'').split(b'\n'), strict=True)
            rows = sum(one != two for one, two in lines)
            yield Mended(path, old, new or b'', rows)


def _diff(path: str, old: bytes, new: bytes) -> Iterator[str]:
    yield from difflib.unified_diff(
        old.decode(errors='replace').splitlines(),
        new.decode(errors='replace').splitlines(),
        f'a/{path}',
        f'b/{path}',
        lineterm='',
    )


def fix_rows(config: str, write: bool) -> Iterator[str]:
    """Says what is mended, or without `write` shows it as a diff."""
    with opened():
        # a check without a repository is refused before anything is written
        pass
    with project(config, WAIT) as here:
        for path, old, new, number in _mended(here.snapshot, here.workflow):
            if write:
                here.apply(Outcome({path: new}))
                rows = plural(number, 'row')
                yield f'mended {rows} of {path}; next: git add {path}'
            else:
                yield from _diff(path, old, new)


def fix_records(config: str, write: bool) -> Iterator[str]:
    """As `fix_rows`, for records of other formats."""
    with project(config, WAIT) as here:
        found = fixed_records(here.snapshot, here.workflow.recorded)
        for path, (old, new) in found.items():
            if write:
                here.apply(Outcome({path: new}))
                yield f'fixed {path}; next: git add {path}'
            else:
                yield from _diff(path, old, new)


def unstaged(config: str) -> Iterator[str]:
    """What is right on disk already, and only in the index is not."""
    with opened() as repository:
        workflow = Governing(repository, config).on_disk()
        index = repository.staged(None)[0].after
        for mended in _mended(index, workflow):
            yield f'nothing to mend on disk; next: git add {mended.path}'
