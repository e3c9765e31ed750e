"""Finds the agreements that do not hold in a tree, item by item."""

from __future__ import annotations

from interlock.model.quick_typing import Iterator, Mapping, NamedTuple
from interlock.workflow.agreements.board import Board, KindBoard
from interlock.workflow.agreements.entries import ItemKey, RecordEntry
from interlock.workflow.agreements.readers import Reading
from interlock.workflow.agreements.spec import (
    ABSENT,
    PRESENT,
    UNKNOWN,
    UNREADABLE,
    Agreement,
    Allowed,
)


class Disagreement(NamedTuple):
    """One agreement that one item breaks because of one offender."""

    agreement: Agreement
    key: ItemKey
    # for example an open task, a subtask or a missing file
    offender: str
    # a description of what was found
    found: str
    path: str
    line: int


def holds(
    board: KindBoard, key: ItemKey, sides: tuple[Mapping[str, Allowed], ...]
) -> bool:
    """Whether any side holds; an unknown value never does."""
    return any(
        all(board.says(name, key) in allowed for name, allowed in side.items())
        for side in sides
    )


def _where(board: KindBoard, key: ItemKey, agreement: Agreement) -> RecordEntry:
    """The entry that the agreement starts from."""
    names = agreement.same or [name for side in agreement.when for name in side]
    for name in names:
        entry = board.first(name, key)
        if entry is not None:
            return entry
    return RecordEntry(ABSENT, '', 1, key.item, '', Reading('', '', '', 1))


def _said(entry: RecordEntry) -> str:
    word = entry.word.strip()
    return word if word and entry.value not in {word, UNKNOWN} else entry.value


def _differing(
    board: KindBoard, key: ItemKey, agreement: Agreement
) -> Iterator[Disagreement]:
    found = [board.first(name, key) for name in agreement.same]
    known = [
        entry
        for entry in found
        if entry is not None and entry.value not in {UNKNOWN, UNREADABLE}
    ]
    if len(known) == len(found) and len({entry.value for entry in known}) > 1:
        text = ', '.join(
            f'{name} says {_said(entry)}'
            for name, entry in zip(agreement.same, known, strict=True)
        )
        values = '/'.join(entry.value for entry in known)
        yield Disagreement(agreement, key, values, text, known[0].path, known[0].line)


def _unfulfilled(
    whole: Board, board: KindBoard, key: ItemKey, agreement: Agreement
) -> Iterator[Disagreement]:
    where = _where(board, key, agreement)
    for side, allowed in agreement.then.items():
        if '.' in side:
            for other in whole.related(board, side, key):
                if other.value not in allowed and other.value != UNKNOWN:
                    yield Disagreement(
                        agreement,
                        key,
                        other.label,
                        f'{other.label} is {other.value}' if allowed else other.label,
                        other.path or where.path,
                        other.line,
                    )
            continue
        entry = board.first(side, key)
        value = ABSENT if entry is None else entry.value
        if value in allowed or value == UNKNOWN:
            continue
        at = entry or where
        left = entry.reading.open if entry else ()
        if not left:
            path = board.missing_path(side, key) if PRESENT in allowed else ''
            found = f'{path} is missing' if path else f'{side} is {value}'
            yield Disagreement(
                agreement, key, f'{side} {value}', found, at.path, at.line
            )
        for child in left:
            yield Disagreement(
                agreement, key, child.label, child.label, at.path, child.line
            )


def disagreements(
    whole: Board, board: KindBoard, key: ItemKey, agreement: Agreement
) -> list[Disagreement]:
    """The disagreements in this tree, whatever the change was."""
    found: dict[tuple[str, str], Disagreement] = {}
    for at in range(board.times(key)):
        board.nth = at
        if agreement.same:
            wrong = _differing(board, key, agreement)
        elif holds(board, key, agreement.when):
            wrong = _unfulfilled(whole, board, key, agreement)
        else:
            continue
        found |= {(each.offender, f'{each.path}:{each.line}'): each for each in wrong}
    board.nth = 0
    return list(found.values())


def fill(template: str, **parts: str) -> str:
    """Fill the placeholders in a text of the workflow."""
    for name, value in parts.items():
        template = template.replace(f'{{{name}}}', value)
    return template
