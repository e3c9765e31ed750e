"""What an agent changed in the files of an item since it started.

When it starts, the checksums of the files are recorded: one JSON file per
item, beside the journal. A record counts until a commit changes the handoff of
the item; from then on the files are compared with HEAD.
"""

from __future__ import annotations

import os

from interlock.files import atomic_files, records
from interlock.git.repository import Repository
from interlock.model import quick_hash
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal, Unreadable
from interlock.model.fixes import quoted
from interlock.model.quick_typing import Any, Iterator, Mapping, NamedTuple
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading.item_paths import paths_of
from interlock.workflow.reading.records import Records

ALGORITHM = 'sha256'
FOLDER = 'started'


class StartRecord(NamedTuple):
    # the commit that was checked out, '' where there was none
    head: str
    # path -> checksum, of all files that the item had
    files: Mapping[str, str]


def checksum(top: str, path: str) -> str:
    """The checksum of a file on disk, '' if there is no file."""
    data = atomic_files.read(os.path.join(top, path))
    return '' if data is None else quick_hash.sha256(data).hexdigest()


def _below(top: str, folder: str) -> Iterator[str]:
    for where, _, names in os.walk(os.path.join(top, folder)):
        for name in names:
            path = os.path.relpath(os.path.join(where, name), top)
            yield path.replace(os.sep, '/')


def covers(at: Records, path: str) -> bool:
    """Whether a start record says anything about a path."""
    return path.startswith(expand(at.kind.path, at.item) + '/') or (
        path in _record_paths(at)
    )


def _record_paths(at: Records) -> set[str]:
    return {*paths_of(at.item, at.kind), at.registry_path} - {''}


def _file(directory: str, item: str) -> str:
    return os.path.join(directory, FOLDER, f'{item}.json')


def record_start(directory: str, top: str, at: Records, head: str) -> None:
    """Record the files of an item; `directory` is where the journal is."""
    paths = {*_below(top, expand(at.kind.path, at.item)), *_record_paths(at)}
    sums = {path: checksum(top, path) for path in sorted(paths)}
    record = StartRecord(head, {path: each for path, each in sums.items() if each})
    records.save(_file(directory, at.item), record._asdict())


def _parse(stored: Any) -> StartRecord:
    sums = stored['files'].items()
    return StartRecord(
        str(stored['head']), {str(path): str(each) for path, each in sums}
    )


def start_record(directory: str, item: str) -> StartRecord | None:
    name = _file(directory, item)
    try:
        return records.load(name, _parse)
    except Unreadable as e:
        raise Refusal(
            f'{e.message}: the files from when the agent started are not known',
            f'rm {quoted([name])}',
        ) from None


def _unless_committed(
    record: StartRecord | None, repository: Repository, at: Records, head: Snapshot
) -> StartRecord | None:
    """The record, unless the handoff was committed since."""
    spec = at.kind.handoff
    if record is None or not spec:
        return record
    old = repository.git.resolve(record.head) if record.head else None
    commit = repository.git.commit(old) if old else None
    if record.head and commit is None:
        return None
    then = repository.tree_of(commit)
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
    # None if the files before the agent's work are unknown
    head: Snapshot | None
    record: StartRecord | None

    def find(self, name: str) -> list[str]:
        """The files that a name means: from the top, or anywhere below the item."""
        if self.at.snapshot.blob(name) or self.contents.blob(name):
            return [name]
        folder = expand(self.at.kind.path, self.at.item)
        return [
            path
            for path in self.contents.paths()
            if path.startswith(f'{folder}/') and path.endswith(f'/{name}')
        ]

    def changed(self, path: str) -> bool:
        if self.record is not None and covers(self.at, path):
            now = checksum(self.top, path)
            return now != self.record.files.get(path, '')
        elif self.head is None:
            return True
        now = self.contents.digest(path, ALGORITHM) or checksum(self.top, path)
        return now != self.head.digest(path, ALGORITHM)


def in_repository(
    repository: Repository, at: Records, contents: Snapshot, record: StartRecord | None
) -> AgentWork:
    """Compare with the record of the start, else with HEAD."""
    head = repository.tree_of(repository.head())
    record = _unless_committed(record, repository, at, head)
    return AgentWork(at, repository.facts.top, contents, head, record)
