"""A project on disk, without git: operations need none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.workflow_source import without_repository
from interlock.operations.outcome import Outcome
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.records import Records, records
from tests import samples

REGISTRY = 'PLUGINS.md'
DAY = '2026-03-04'
# of every workflow that a test wrote: it extends presets only, so it is the same in
# any folder
KINDS: dict[bytes, Kind] = {}


class Place:
    def __init__(self, path: Path, workflow: str = samples.WORKFLOW) -> None:
        self.path = path
        self.write({'.interlock.yaml': workflow})

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            data = content.encode() if isinstance(content, str) else content
            file.write_bytes(data)

    @property
    def snapshot(self) -> SteadySnapshot:
        return SteadySnapshot(str(self.path))

    @property
    def kind(self) -> Kind:
        file = self.path / '.interlock.yaml'
        text = file.read_bytes()
        if text not in KINDS:
            workflow, _ = without_repository(str(file))
            KINDS[text] = workflow.kinds[0]
        return KINDS[text]

    def at(self, item: str) -> Records:
        return records(self.snapshot, self.kind, item)

    def done(self, outcome: Outcome) -> None:
        self.write(outcome.files)

    def text(self, name: str = REGISTRY) -> str:
        return (self.path / name).read_bytes().decode()


def changed(old: str, new: str) -> list[str]:
    """The lines that are gone, and those that came, as in a diff."""
    import difflib

    return [
        line
        for line in difflib.ndiff(
            old.splitlines(keepends=True), new.splitlines(keepends=True)
        )
        if line[0] in '+-'
    ]
