from __future__ import annotations

import hashlib
import os

import pytest

from interlock.files.disk_snapshot import DiskSnapshot
from interlock.model.change import Blob
from interlock.model.errors import Refusal
from tests.conftest import Repo


@pytest.fixture
def snapshot(repo: Repo) -> DiskSnapshot:
    repo.write({'é.md': 'naïf\n', 'd/a b': b'\xff\r\n', 'd/e/f': ''})
    return DiskSnapshot(str(repo.path))


def test_a_file_is_read_as_it_is_on_disk(snapshot: DiskSnapshot) -> None:
    blob = snapshot.blob('d/a b')
    assert blob is not None
    assert (blob.size, blob.data) == (3, b'\xff\r\n')
    empty = snapshot.blob('d/e/f')
    assert empty is not None and empty.data == b''
    assert snapshot.blob('néant') is None
    assert snapshot.blob('d') is None


def test_a_file_is_hashed_and_parsed(snapshot: DiskSnapshot) -> None:
    expected = hashlib.sha256('naïf\n'.encode()).hexdigest()
    assert snapshot.digest('é.md', 'sha256') == expected
    assert snapshot.digest('néant', 'sha256') is None
    assert snapshot.parsed('é.md', lambda blob: blob.size) == 6
    assert snapshot.parsed('néant', lambda blob: blob.size) is None


def test_a_file_that_changed_is_read_again(repo: Repo, snapshot: DiskSnapshot) -> None:
    first = snapshot.blob('é.md')
    repo.write({'é.md': 'autre\n'})
    second = snapshot.blob('é.md')
    assert first is not None and second is not None
    assert first.data == 'naïf\n'.encode()
    assert second.data == b'autre\n'
    assert first.oid != second.oid


def test_a_content_is_parsed_once(repo: Repo, snapshot: DiskSnapshot) -> None:
    made: list[int] = []

    def parse(blob: Blob) -> int:
        made.append(blob.size)
        return len(made)

    assert [snapshot.parsed('é.md', parse) for _ in range(3)] == [1, 1, 1]
    repo.write({'é.md': 'autre\n'})
    assert [snapshot.parsed('é.md', parse) for _ in range(2)] == [2, 2]


def test_paths_are_those_below_a_directory(snapshot: DiskSnapshot) -> None:
    assert {'d/a b', 'd/e/f', 'é.md'} <= set(snapshot.paths())


def test_a_file_that_cannot_be_read_is_a_refusal(
    repo: Repo, snapshot: DiskSnapshot
) -> None:
    os.symlink('boucle', repo.path / 'boucle')
    with pytest.raises(Refusal):
        snapshot.blob('boucle')
