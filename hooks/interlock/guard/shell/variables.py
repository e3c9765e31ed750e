"""The values of `$x` and `${x…}`."""

from __future__ import annotations

from interlock.guard.shell.path_patterns import fits, parts_of
from interlock.guard.shell.placeholders import ANY, SOME, is_plain
from interlock.guard.shell.state import State

# no text that could be an option or a path of ours
HARMLESS = frozenset(
    (
        '?',
        '$',
        '!',
        '#',
        '-',
        '0',
        'RANDOM',
        'LINENO',
        'SECONDS',
        'UID',
        'EUID',
        'PPID',
        'HOSTNAME',
        'EPOCHSECONDS',
        'BASHPID',
        'SRANDOM',
    )
)
ALL = ('@', '*')
# a value that is worth trimming
SHORT = 300


def listed(state: State, name: str) -> list[str]:
    """The values of an array, of the parameters, or the one of a name."""
    if name in state.arrays:
        return state.arrays[name]
    found = None if name in ALL else state.value(name)
    return [ANY] if found is None else [found]


def value(state: State, name: str) -> str:
    if name in HARMLESS:
        return SOME
    if name.isdigit():
        given = state.arrays.get('@')
        at = int(name[:6]) - 1
        return given[at] if given and at < len(given) else ANY
    if name in ALL or name in state.arrays:
        found = listed(state, name)
        return ' '.join(found) if name in ALL else ''.join(found[:1])
    known = state.value(name)
    return ANY if known is None else known


def element(state: State, name: str, index: str) -> str:
    """`${a[1]}` of an array that was given as a whole."""
    found = state.arrays.get(name, [])
    at = int(index[:6]) if index.isdecimal() else len(found)
    return found[at] if at < len(found) else ANY


def is_set(state: State, name: str) -> bool | None:
    """None where nobody knows."""
    found = value(state, name)
    return None if ANY in found else bool(found)


def trimmed(text: str, operator: str, pattern: str) -> str:
    """`${x%.md}` and its kind; a star matches slashes, too."""
    if len(text) > SHORT or not (is_plain(text) and is_plain(pattern)):
        return ANY
    parts = ['**' if part == '*' else part for part in parts_of(pattern)]
    sizes = range(len(text) + 1)
    for size in sizes if len(operator) == 1 else reversed(sizes):
        part = text[:size] if operator[0] == '#' else text[len(text) - size :]
        if fits(parts, part):
            rest = len(text) - size
            return text[size:] if operator[0] == '#' else text[:rest]
    return text
