"""What the files of an item were when an agent started to work on it.

One JSON file per item, beside the journal. A record counts until a commit
changes the handoff of the item: from then on HEAD is what was before.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from interlock.files import atomic_files, records
from interlock.model.errors import Refusal, Unreadable
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading.item_paths import paths_of
from interlock.workflow.reading.records import Records

FOLDER = 'started'


class Started(NamedTuple):
    # the commit that was checked out, '' where there was none
    head: str
    # path -> checksum, of all files that the item had
    files: Mapping[str, str]


def checksum(top: str, path: str) -> str:
    """Of a file as it is on disk, '' where there is none."""
    data = atomic_files.read(os.path.join(top, path))
    return '' if data is None else hashlib.sha256(data).hexdigest()


def _below(top: str, folder: str) -> Iterator[str]:
    for where, _, names in os.walk(os.path.join(top, folder)):
        for name in names:
            path = os.path.relpath(os.path.join(where, name), top)
            yield path.replace(os.sep, '/')


def covers(at: Records, path: str) -> bool:
    """Whether a record of the item speaks of a path."""
    return path.startswith(expand(at.kind.path, at.item) + '/') or (
        path in _records(at)
    )


def _records(at: Records) -> set[str]:
    return {*paths_of(at.item, at.kind), at.registry_path} - {''}


def _name(directory: str, item: str) -> str:
    return os.path.join(directory, FOLDER, f'{item}.json')


def write(directory: str, top: str, at: Records, head: str) -> None:
    """Records the files of an item; `directory` is where the journal is."""
    paths = {*_below(top, expand(at.kind.path, at.item)), *_records(at)}
    sums = {path: checksum(top, path) for path in sorted(paths)}
    started = Started(head, {path: each for path, each in sums.items() if each})
    records.save(_name(directory, at.item), started._asdict())


def _parse(stored: Any) -> Started:
    sums = stored['files'].items()
    return Started(str(stored['head']), {str(path): str(each) for path, each in sums})


def read(directory: str, item: str) -> Started | None:
    name = _name(directory, item)
    try:
        return records.load(name, _parse)
    except Unreadable as e:
        raise Refusal(
            f'{e.message}: the files from when the agent started are not known',
            f"rm '{name}'",
        ) from None
