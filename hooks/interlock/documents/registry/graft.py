"""One item's row and entry, taken from one registry into another.

Everything else stays byte for byte: other items, their order, line ends.
"""

from __future__ import annotations

from interlock.documents.registry.diff import changed
from interlock.documents.registry.edits import insert_entry, splice
from interlock.documents.registry.table import ItemPieces, Piece, Registry
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Callable

ENDS = b'\r\n'
# the rows or the entries of an item
Pieces = Callable[[ItemPieces], 'tuple[Piece, ...]']


def _only(pieces: tuple[Piece, ...], item: str) -> Piece | None:
    if len(pieces) > 1:
        raise Unreadable(f'holds {item} twice')
    return pieces[0] if pieces else None


def _newline(registry: Registry) -> bytes:
    return b'\r\n' if registry.table.header.endswith(b'\r\n') else b'\n'


def _text(piece: Piece, source: Registry, base: Registry) -> bytes:
    """A piece without its end, with the line ends of the other registry."""
    text = piece.data.rstrip(ENDS)
    if _newline(source) == _newline(base):
        return text
    return text.replace(b'\r\n', b'\n').replace(b'\n', _newline(base))


def _behind(source: Registry, base: Registry, item: str, pieces: Pieces) -> int | None:
    """Where in `base` the item ends that precedes this one in both."""
    found = None
    for name, place in sorted(source.places.items(), key=lambda each: pieces(each[1])):
        if not pieces(place):
            continue
        elif name == item:
            break
        for piece in pieces(base.place(name)):
            found = piece.offset + len(piece.data)
    return found


def _insert_row(base: Registry, source: Registry, item: str, row: Piece) -> bytes:
    text, newline = _text(row, source, base), _newline(base)
    at = _behind(source, base, item, lambda place: place.rows)
    at = base.table.rows.start if at is None else at
    head, tail = base.data[:at], base.data[at:]
    if head and not head.endswith(b'\n'):
        return head + newline + text
    return head + text + newline + tail


def _insert_entry(base: Registry, source: Registry, item: str, new: Piece) -> bytes:
    at = _behind(source, base, item, lambda place: place.entries)
    if at is None:
        following = source.data[new.offset + len(new.data) :]
        # without an entry: before what follows it, where that is the same
        same = base.data.endswith(following)
        end = len(base.data) - len(following) if same else len(base.data)
        entries = [piece for place in base.places.values() for piece in place.entries]
        at = min((piece.offset for piece in entries), default=end)
    return insert_entry(base.data, at, _text(new, source, base))


def _graft(
    base: Registry,
    source: Registry,
    item: str,
    pieces: Pieces,
    insert: Callable[[Registry, Registry, str, Piece], bytes],
) -> Registry:
    new = _only(pieces(source.place(item)), item)
    old = _only(pieces(base.place(item)), item)
    data = base.data
    if new and old:
        end = old.data[len(old.data.rstrip(ENDS)) :]
        data = splice(data, {old: _text(new, source, base) + end})
    elif old:
        data = splice(data, {old: b''})
    elif new:
        data = insert(base, source, item, new)
    return Registry(Blob('', len(data), data), base.shape)


def graft(base: Registry, source: Registry, item: str) -> bytes:
    """`base` with the row and the entry that `source` has of an item."""
    for registry in (base, source):
        if registry.problem is not None:
            raise registry.problem
    headers, others = (
        [header.rstrip(ENDS) for header in each.headers] for each in (base, source)
    )
    if headers != others:
        raise Unreadable('has other columns')
    result = _graft(base, source, item, lambda place: place.rows, _insert_row)
    result = _graft(result, source, item, lambda place: place.entries, _insert_entry)
    place, wanted = result.place(item), source.place(item)
    if [*map(len, place)] != [*map(len, wanted)] or not changed(result, base) <= {item}:
        # a fence that is never closed hides what stands behind it
        raise Unreadable(f'cannot hold {item} without other changes')
    return result.data


def alone(source: Registry, item: str) -> bytes:
    """A registry that holds one item of another one and no other."""
    if source.problem is not None:
        raise source.problem
    others = [place for name, place in source.places.items() if name != item]
    return splice(
        source.data,
        {piece: b'' for place in others for piece in (*place.rows, *place.entries)},
    )


def replaced(old: Registry, new: Registry, item: str) -> list[tuple[bytes, bytes]]:
    """The pieces of an item that differ, before and after."""
    pairs = [
        pair
        for before, after in zip(old.place(item), new.place(item), strict=True)
        for pair in zip(before, after, strict=False)
    ]
    return [(one.data, two.data) for one, two in pairs if one.data != two.data]
