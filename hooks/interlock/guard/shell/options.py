"""The options of a program, as getopt and git read them."""

from __future__ import annotations

from interlock.model.quick_typing import Iterable, NamedTuple


class Options(NamedTuple):
    # in their order; the value is '' if none was given
    flags: list[tuple[str, str]]
    operands: list[str]
    # the words as they were given
    args: list[str]
    # how many of the operands follow `--`
    behind: int = 0
    # the options with values of this program, by their full names
    full: tuple[str, ...] = ()

    def has(self, names: str) -> bool:
        return bool(self.values(names))

    def values(self, names: str) -> list[str]:
        wanted = names.split()
        return [
            value
            for name, value in self.flags
            if name in wanted or (name not in self.full and _is_one(name, wanted))
        ]

    @property
    def paths(self) -> list[str]:
        """The operands after `--`."""
        return self.operands[len(self.operands) - self.behind :]

    def last(self, names: str) -> str:
        return ''.join(self.values(names)[-1:])


def _is_one(name: str, names: Iterable[str]) -> bool:
    """Whether a name is one of the options; a long option may be abbreviated."""
    return name in names or (
        len(name) > 3 and any(each.startswith(name) for each in names)
    )


def _group(
    word: str, letters: str, attached: str
) -> tuple[list[tuple[str, str]], bool]:
    """The letters of `-anm`, and whether the last takes the next word."""
    found = []
    for at, letter in enumerate(word[1:], 2):
        if letter in letters or letter in attached:
            found.append((f'-{letter}', word[at:]))
            return found, letter in letters and not word[at:]
        found.append((f'-{letter}', ''))
    return found, False


def parse(
    args: list[str], values: str = '', attached: str = '', *, first: bool = False
) -> Options:
    """Parse options; `values` names those that take a value: `'ks --signal'`.

    The letters in `attached` take a value only in the same word. With `first`,
    the first operand ends the options, because it is a command.
    """
    longs = values.split()
    full = tuple(longs)
    letters = longs.pop(0) if longs and longs[0][0] != '-' else ''
    flags: list[tuple[str, str]] = []
    operands: list[str] = []
    at = 0
    while at < len(args):
        word, at = args[at], at + 1
        takes_next = False
        if word == '--':
            return Options(flags, [*operands, *args[at:]], args, len(args) - at, full)
        if word.startswith('--'):
            name, equals, value = word.partition('=')
            flags.append((name, value))
            takes_next = not equals and _is_one(name, longs)
        elif word.startswith('-') and len(word) > 1:
            found, takes_next = _group(word, letters, attached)
            flags.extend(found)
        elif first:
            return Options(flags, [word, *args[at:]], args, 0, full)
        else:
            operands.append(word)
        if takes_next and at < len(args):
            flags[-1] = (flags[-1][0], args[at])
            at += 1
    return Options(flags, operands, args, 0, full)
