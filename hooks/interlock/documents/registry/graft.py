"""One item's row and entry, taken from one registry into another.

Everything else of the other one stays as it is, byte for byte: what it says
of other items, its order, its line ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from interlock.documents.registry.cell_edit import splice
from interlock.documents.registry.diff import changed
from interlock.documents.registry.entry_edit import insert_entry
from interlock.documents.registry.table import Piece, Place, Registry
from interlock.model.change import Blob
from interlock.model.errors import Unreadable

ENDS = b'\r\n'
Pieces = Callable[[Place], 'tuple[Piece, ...]']


def _rows(place: Place) -> tuple[Piece, ...]:
    return place.rows


def _entries(place: Place) -> tuple[Piece, ...]:
    return place.entries


def _again(data: bytes, like: Registry) -> Registry:
    return Registry(Blob('', len(data), data), like.shape)


def _only(pieces: tuple[Piece, ...], item: str) -> Piece | None:
    if len(pieces) > 1:
        raise Unreadable(f'holds {item} twice')
    return pieces[0] if pieces else None


def _newline(registry: Registry) -> bytes:
    return b'\r\n' if registry.table.header.endswith(b'\r\n') else b'\n'


def _headers(registry: Registry) -> list[bytes]:
    return [header.rstrip(ENDS) for header in registry.headers]


def _text(piece: Piece, source: Registry, base: Registry) -> bytes:
    """A piece without its end, with the line ends of the other registry."""
    text = piece.data.rstrip(ENDS)
    if _newline(source) == _newline(base):
        return text
    return text.replace(b'\r\n', b'\n').replace(b'\n', _newline(base))


def _end(piece: Piece) -> bytes:
    return piece.data[len(piece.data.rstrip(ENDS)) :]


def _behind(source: Registry, base: Registry, item: str, pieces: Pieces) -> int | None:
    """Where in `base` the item ends that stands before it in both."""
    found = None
    for name, place in sorted(source.places.items(), key=lambda each: pieces(each[1])):
        if not pieces(place):
            continue
        elif name == item:
            break
        for piece in pieces(base.place(name)):
            found = piece.offset + len(piece.data)
    return found


def _graft_row(base: Registry, source: Registry, item: str) -> bytes:
    new = _only(source.place(item).rows, item)
    old = _only(base.place(item).rows, item)
    if new is None:
        return splice(base.data, {old: b''}) if old else base.data
    text = _text(new, source, base)
    if old is not None:
        return splice(base.data, {old: text + _end(old)})
    at = _behind(source, base, item, _rows)
    at = base.table.rows.start if at is None else at
    head, tail = base.data[:at], base.data[at:]
    if head and not head.endswith(b'\n'):
        return head + _newline(base) + text
    return head + text + _newline(base) + tail


def _graft_entry(base: Registry, source: Registry, item: str) -> bytes:
    new = _only(source.place(item).entries, item)
    old = _only(base.place(item).entries, item)
    if new is None:
        return splice(base.data, {old: b''}) if old else base.data
    text = _text(new, source, base)
    if old is not None:
        return splice(base.data, {old: text + _end(old)})
    at = _behind(source, base, item, _entries)
    if at is None:
        at = _first_entry(base, source.data[new.offset + len(new.data) :])
    return insert_entry(base.data, at, text)


def _first_entry(base: Registry, following: bytes) -> int:
    """Where an entry goes that none stands before."""
    starts = [piece.offset for place in base.places.values() for piece in place.entries]
    if starts:
        return min(starts)
    # no entry yet: before what follows it, where that is the same
    same = base.data.endswith(following)
    return len(base.data) - len(following) if same else len(base.data)


def graft(base: Registry, source: Registry, item: str) -> bytes:
    """`base` with the row and the entry that `source` has of an item."""
    for registry in (base, source):
        if registry.problem is not None:
            raise registry.problem
    if _headers(base) != _headers(source):
        raise Unreadable('has other columns')
    result = _again(_graft_row(base, source, item), base)
    result = _again(_graft_entry(result, source, item), base)
    place, wanted = result.place(item), source.place(item)
    if (
        len(place.rows) != len(wanted.rows)
        or len(place.entries) != len(wanted.entries)
        or not changed(result, base) <= {item}
    ):
        # a fence that is never closed hides what stands behind it
        raise Unreadable(f'cannot hold {item} without other changes')
    return result.data


def alone(source: Registry, item: str) -> bytes:
    """A registry that holds one item of another one and no other."""
    if source.problem is not None:
        raise source.problem
    others: Mapping[Piece, bytes] = {
        piece: b''
        for name, place in source.places.items()
        if name != item
        for piece in (*place.rows, *place.entries)
    }
    return splice(source.data, others)


def replaced(old: Registry, new: Registry, item: str) -> list[tuple[bytes, bytes]]:
    """The pieces of an item that differ, before and after."""
    before, after = old.place(item), new.place(item)
    pairs = [
        *zip(before.rows, after.rows, strict=False),
        *zip(before.entries, after.entries, strict=False),
    ]
    return [(one.data, two.data) for one, two in pairs if one.data != two.data]
