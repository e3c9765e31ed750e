"""Brace expansion, on words whose active braces are marks."""

from __future__ import annotations

from interlock.guard.shell.placeholders import ANY, CLOSE, COMMA, OPEN, SOME

MOST = 200


def _range(text: str) -> list[str] | None:
    """`1..5`; longer ones are some word."""
    first, dots, last = text.partition('..')
    if not dots or not (first and last):
        return None
    if first.isascii() and first.isdigit() and last.isascii():
        if last.isdigit() and len(first + last) < 12:
            step = 1 if int(first) <= int(last) else -1
            numbers = range(int(first), int(last) + step, step)
            if len(numbers) <= MOST:
                return [str(number) for number in numbers]
    return [SOME]


def _inside(word: str, start: int) -> tuple[list[str], int] | None:
    """The parts between the braces that open at `start`, and their end."""
    depth, parts, begin = 0, [], start + 1
    for at in range(start, len(word)):
        if word[at] == OPEN:
            depth += 1
        elif word[at] == COMMA and depth == 1:
            parts.append(word[begin:at])
            begin = at + 1
        elif word[at] == CLOSE:
            depth -= 1
            if not depth:
                return [*parts, word[begin:at]], at
    return None


def expand(word: str) -> list[str]:
    """All words that it stands for; at most so many are told apart."""
    if OPEN not in word:
        return [word]
    if word.count(OPEN) > MOST:
        return [ANY]
    done: list[str] = []
    todo = [(word, 0)]
    while todo:
        word, start = todo.pop()
        start = word.find(OPEN, start)
        found = _inside(word, start) if start >= 0 else None
        if start < 0:
            done.append(word)
            continue
        parts = _choices(*found) if found else None
        if parts is None or found is None:
            todo.append((word, start + 1))
            continue
        if len(done) + len(todo) + len(parts) > MOST:
            parts = [SOME]
        head, tail = word[:start], word[found[1] + 1 :]
        todo.extend((head + part + tail, start) for part in reversed(parts))
    return done


def _choices(parts: list[str], _: int) -> list[str] | None:
    return parts if len(parts) > 1 else _range(parts[0])
