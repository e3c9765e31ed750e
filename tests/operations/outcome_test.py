from __future__ import annotations

import hashlib

from interlock.documents.text import decode
from interlock.model.overlay import Overlay
from tests.checks.trees import Tree

BASE = Tree({'a': 'eins\n', 'b': 'zwei\n', 'c': 'drei\n'})
OVER = Overlay(BASE, {'b': 'größer\n'.encode(), 'c': None, 'd': b'neu\n'})


def test_files_are_those_of_the_operation_or_of_the_tree() -> None:
    found = [OVER.blob(path) for path in ('a', 'b', 'c', 'd', 'e')]
    assert [blob and blob.data for blob in found] == [
        b'eins\n',
        'größer\n'.encode(),
        None,
        b'neu\n',
        None,
    ]
    assert found[1] is not None
    assert found[1].size == len('größer\n'.encode())


def test_paths_are_those_that_will_be() -> None:
    assert sorted(OVER.paths()) == ['a', 'b', 'd']


def test_parsed_is_what_will_be_read() -> None:
    OVER.prefetch(['a', 'b', 'd'])
    assert OVER.parsed('a', decode) == 'eins\n'
    assert OVER.parsed('b', decode) == 'größer\n'
    assert OVER.parsed('c', decode) is None
    # the tree below is not spoilt by it
    assert BASE.parsed('b', decode) == 'zwei\n'


def test_digests_are_of_what_will_be_written() -> None:
    assert OVER.digest('a', 'sha256') == BASE.digest('a', 'sha256')
    assert OVER.digest('b', 'sha256') == hashlib.sha256('größer\n'.encode()).hexdigest()
    assert OVER.digest('c', 'sha256') is None


def test_what_is_known_is_its_own() -> None:
    BASE.known['key'] = 1
    assert 'key' not in OVER.known
