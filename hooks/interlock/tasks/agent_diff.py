"""The files of an item, against those from when an agent started."""

from __future__ import annotations

from typing import NamedTuple

from interlock.git.repository import Repository
from interlock.model.change import Nothing, Snapshot
from interlock.tasks import agent_start_record
from interlock.tasks.agent_start_record import Started
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading.records import Records

ALGORITHM = 'sha256'


def _counts(
    record: Started | None, repository: Repository, at: Records, head: Snapshot
) -> Started | None:
    """The record, unless the handoff was committed since."""
    spec = at.kind.handoff
    if record is None or spec is None:
        return record
    old = repository.git.resolve(record.head) if record.head else None
    commit = repository.git.commit(old) if old else None
    if record.head and commit is None:
        return None
    then: Snapshot = repository.tree(commit.tree) if commit else Nothing()
    paths = [expand(path, at.item) for path in spec.places]
    same = all(
        then.digest(path, ALGORITHM) == head.digest(path, ALGORITHM) for path in paths
    )
    return record if same else None


class AgentWork(NamedTuple):
    at: Records
    top: str
    # the files as git would store them
    contents: Snapshot
    # None where nothing is known of before
    head: Snapshot | None
    record: Started | None

    def find(self, name: str) -> list[str]:
        """The files of a name: from the top, or anywhere below the item."""
        if self.at.snapshot.blob(name) or self.contents.blob(name):
            return [name]
        folder = expand(self.at.kind.path, self.at.item)
        return [
            path
            for path in self.contents.paths()
            if path.startswith(f'{folder}/') and path.endswith(f'/{name}')
        ]

    def changed(self, path: str) -> bool:
        if self.record is not None and agent_start_record.covers(self.at, path):
            now = agent_start_record.checksum(self.top, path)
            return now != self.record.files.get(path, '')
        elif self.head is None:
            return True
        now = self.contents.digest(path, ALGORITHM) or (
            agent_start_record.checksum(self.top, path)
        )
        return now != self.head.digest(path, ALGORITHM)


def in_repository(
    repository: Repository, at: Records, contents: Snapshot, record: Started | None
) -> AgentWork:
    """Against the record of the start, else against HEAD."""
    commit = repository.head()
    head: Snapshot = repository.tree(commit.tree) if commit else Nothing()
    record = _counts(record, repository, at, head)
    return AgentWork(at, repository.facts.top, contents, head, record)
