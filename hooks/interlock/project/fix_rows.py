"""What `check --fix` fixes: rows behind their entries, registries not in UTF-8."""

from __future__ import annotations

import difflib

from interlock.documents.text import wide_encoding
from interlock.git.repository import opened
from interlock.git.workflow_source import Governing
from interlock.model.change import Snapshot, data_of
from interlock.model.fixes import quoted
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.model.report import plural
from interlock.operations.outcome import Outcome
from interlock.operations.registry.change import sync_all
from interlock.project.project import open_project
from interlock.report.terminal import hint_here
from interlock.workflow.agreements.record_edit import fixed_records
from interlock.workflow.language.spec import Kind, Workflow


class FixedFile(NamedTuple):
    path: str
    old: bytes
    new: bytes

    # what was done to it
    how: str

    def diff(self) -> Iterator[str]:
        yield from difflib.unified_diff(
            self.old.decode(errors='replace').splitlines(),
            self.new.decode(errors='replace').splitlines(),
            f'a/{self.path}',
            f'b/{self.path}',
            lineterm='',
        )


def _rows(old: bytes, new: bytes) -> int:
    # a row stays one line, so that lines can be compared in pairs
    lines = zip(old.split(b'\n'), new.split(b'\n'), strict=True)
    return sum(one != two for one, two in lines)


def _converted(snapshot: Snapshot, kind: Kind) -> FixedFile | None:
    """A registry in another encoding, in UTF-8."""
    path = kind.registry.file
    old = (data_of(snapshot, path) if path else None) or b''
    encoding = wide_encoding(old)
    if not encoding:
        return None
    try:
        new = old.decode(encoding).encode()
    except UnicodeError:
        return None
    return FixedFile(path, old, new, f'converted {path} from {encoding} to UTF-8')


def _fixed(snapshot: Snapshot, workflow: Workflow) -> Iterator[FixedFile]:
    """The registries that have rows to fix, or another encoding; and records."""
    for kind in workflow.kinds:
        converted = _converted(snapshot, kind)
        if converted:
            # its rows are read by the next run
            yield converted
            continue
        for path, new in sync_all(snapshot, kind).files.items():
            old, new = data_of(snapshot, path) or b'', new or b''
            how = f'fixed {plural(_rows(old, new), "row")} of {path}'
            yield FixedFile(path, old, new, how)
    # records of other formats
    for path, data in fixed_records(snapshot, workflow.recorded).items():
        yield FixedFile(path, *data, f'fixed {path}')


def _staging(path: str) -> str:
    return hint_here(f'git add {quoted([path])}', (path,))


def fix_rows(config: str, wait: float, write: bool) -> Iterator[str]:
    """Fix the rows and say so, or without `write` show them as a diff."""
    with opened():
        # a check without a repository is refused before anything is written
        pass
    with open_project(config, wait) as here:
        for fixed in _fixed(here.snapshot, here.workflow):
            if write:
                here.apply(Outcome({fixed.path: fixed.new}))
                yield f'{fixed.how}; next: {_staging(fixed.path)}'
            else:
                yield from fixed.diff()


def unstaged(config: str) -> Iterator[str]:
    """What is already right on disk and wrong only in the index."""
    with opened() as repository:
        workflow = Governing(repository, config).on_disk()
        index = repository.staged(None)[0].after
        for fixed in _fixed(index, workflow):
            yield f'nothing to fix on disk; next: {_staging(fixed.path)}'
