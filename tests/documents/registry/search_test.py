from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.documents.registry.diff import changed
from interlock.documents.registry.table import ItemPieces, Registry
from interlock.model.change import Blob
from tests.documents.shapes import SHAPE
from tests.profiles import some

TABLE = b'| Plugin Name | Status |\n|---|---|\n'
PARTS = (
    b'| A | x |\n',
    b'| A B | x |\n',
    b'| **A** | y |\n',
    b'| | |\n',
    b'| A \\| B | x |\n',
    b'\n',
    b'### A\n',
    b'###\tA B\n',
    b'## C\n',
    b'### C\n',
    b'#### A\n',
    b'**Status:** x\n',
    b'text about A\n',
    b'```\n',
    b'<!--\n',
    b'-->\n',
    b'- ~~~\n',
    b'~~~\n',
    b'\r\n',
    b'A | B\n',
    b'### A ###\n',
    b'\xff\n',
    '### Été\n'.encode(),
)
NAMES = ('A', 'A B', 'B', 'C', 'Été', 'x', '')

parts = st.lists(st.sampled_from(PARTS), max_size=14).map(b''.join)


def _read(before: bytes, after: bytes) -> Registry:
    data = before + TABLE + after
    return Registry(Blob('', len(data), data), SHAPE)


def _bytes(place: ItemPieces) -> tuple[list[bytes], list[bytes]]:
    return (
        [piece.data for piece in place.rows],
        [piece.data for piece in place.entries],
    )


@settings(max_examples=some(400), deadline=None)
@given(parts, parts)
def test_an_item_is_found_by_search_as_by_the_index(
    before: bytes, after: bytes
) -> None:
    searched, indexed = _read(before, after), _read(before, after)
    for name in {*NAMES, *indexed.places} - {''}:
        assert searched.place(name) == indexed.places.get(name, ItemPieces())
    assert searched.has_entries == any(
        place.entries for place in indexed.places.values()
    )


@settings(max_examples=some(400), deadline=None)
@given(parts, parts, parts, parts)
@example(
    b'### \xc3\x89t\xc3\xa9\n**Status:** x\n<!--\n### C\n-->\n',
    b'',
    b'| A | x |\n',
    b'',
)
def test_what_changed_is_what_differs_in_the_index(
    top: bytes, one: bytes, two: bytes, end: bytes
) -> None:
    old, new = _read(top, one + end), _read(top, two + end)
    expected = {
        name
        for name in {*old.places, *new.places}
        if _bytes(old.places.get(name, ItemPieces()))
        != _bytes(new.places.get(name, ItemPieces()))
    }
    found = changed(_read(top, two + end), _read(top, one + end))
    assert found >= expected
    # more may be named only where the whole file is compared
    assert found == expected or found == {*old.places, *new.places}
