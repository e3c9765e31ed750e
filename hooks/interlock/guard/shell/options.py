"""The options of a program, as getopt and git read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Options(NamedTuple):
    # in their order; a value is '' where none was given
    flags: list[tuple[str, str]]
    operands: list[str]
    # how many of the operands stand behind `--`
    behind: int = 0

    def has(self, *names: str) -> bool:
        """Long ones may be cut short."""
        return any(is_one(name, names) for name, _ in self.flags)

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.flags if is_one(name, names)]


def is_one(name: str, names: Sequence[str]) -> bool:
    """A long option may be cut short."""
    return name in names or (
        len(name) > 3 and any(each.startswith(name) for each in names)
    )


def _group(
    word: str, letters: str, attached: str
) -> tuple[list[tuple[str, str]], bool]:
    """The letters of `-anm`, and whether the last wants the next word."""
    found = []
    for at, letter in enumerate(word[1:], 2):
        if letter in letters or letter in attached:
            found.append((f'-{letter}', word[at:]))
            return found, letter in letters and not word[at:]
        found.append((f'-{letter}', ''))
    return found, False


def parse(
    args: Sequence[str],
    letters: str = '',
    longs: Sequence[str] = (),
    attached: str = '',
    *,
    first: bool = False,
) -> Options:
    """`letters` and `longs` take a value, `attached` only in the same word.

    With `first` the first operand ends the options: it is a command.
    """
    flags: list[tuple[str, str]] = []
    operands: list[str] = []
    at = 0
    while at < len(args):
        word, at = args[at], at + 1
        wants = False
        if word == '--':
            return Options(flags, [*operands, *args[at:]], len(args) - at)
        if word.startswith('--'):
            name, equals, value = word.partition('=')
            flags.append((name, value))
            wants = not equals and is_one(name, longs)
        elif word.startswith('-') and len(word) > 1:
            found, wants = _group(word, letters, attached)
            flags.extend(found)
        elif first:
            return Options(flags, [word, *args[at:]])
        else:
            operands.append(word)
        if wants and at < len(args):
            flags[-1] = (flags[-1][0], args[at])
            at += 1
    return Options(flags, operands)
