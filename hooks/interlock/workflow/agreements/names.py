"""Patterns in which `{item}` and other named parts are matched.

A pattern is literal text with `*`, `**` and named parts; a backslash takes the
meaning from the character behind it. There are no regular expressions in the
language, so none can run for ever.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.quick_typing import Iterable, Mapping, Sequence

# what the named parts match
PARTS = {
    'n': r'\d+(?:\.\d+)*',
    'nn': r'\d+',
    'slug': r'[^/]*?',
    'text': r'.+?',
    'date': r'\d{4}-\d{2}-\d{2}',
    'in': r'.+?',
}
ITEM, INSIDE = 'item', 'in'
NUMBER, CASE = 'number', 'case'
MAX_TEXT = 400
SPLIT_RE = re.compile(r'(\\.|\{[a-z_]+\}|\*\*/|\*\*|\*)')
_DIGITS = re.compile(r'\d+')

# the values of a part that a project names itself: prefix -> (back, task)
Lets = Mapping[str, Sequence[str]]


def _part(name: str, item: str, lets: Lets) -> str:
    if name == ITEM:
        return item
    elif name in lets:
        return f'(?i:{"|".join(re.escape(value) for value in lets[name])})'
    return PARTS[name]


def _source(pattern: str, item: str, lets: Lets, star: str, named: bool) -> str:
    seen = set[str]()
    found = []
    for piece in SPLIT_RE.split(pattern):
        if piece == '**/':
            found.append('(?:.*/)?')
        elif piece == '**':
            found.append('.+')
        elif piece == '*':
            found.append(star)
        elif piece.startswith('\\'):
            found.append(re.escape(piece[1:]))
        elif piece.startswith('{'):
            name = piece[1:-1]
            source = _part(name, item, lets)
            if named and name not in seen:
                seen.add(name)
                source = f'(?P<{name}>{source})'
            found.append(source if named else f'(?:{source})')
        else:
            found.append(re.escape(piece))
    return ''.join(found)


@functools.cache
def _compiled(
    pattern: str,
    name: str,
    lets: tuple[tuple[str, tuple[str, ...]], ...],
    is_path: bool,
) -> re.Pattern[str]:
    known = dict(lets)
    item = _source(name, '', known, '[^/]*', named=False)
    star = '[^/]*' if is_path else '.*'
    source = _source(pattern, f'(?:{item})', known, star, named=True)
    flags = 0 if is_path else re.IGNORECASE
    return re.compile(source + r'\Z', flags)


class Names:
    """How the items of a kind are called, and the same name in other words."""

    def __init__(
        self, name: str, fold: Sequence[str] = (), lets: Lets | None = None
    ) -> None:
        self.name = name
        self.fold = tuple(fold)
        self._lets = tuple(
            (part, tuple(values)) for part, values in sorted((lets or {}).items())
        )

    def path(self, pattern: str, path: str) -> Mapping[str, str] | None:
        match = _compiled(pattern, self.name, self._lets, True).match(path)
        return None if match is None else match.groupdict()

    def line(self, patterns: Iterable[str], text: str) -> Mapping[str, str] | None:
        """The first of the patterns that the whole text fits."""
        text = text[:MAX_TEXT]
        for pattern in patterns:
            match = _compiled(pattern, self.name, self._lets, False).match(text)
            if match is not None and match.groupdict().get(ITEM, '-'):
                return match.groupdict()
        return None

    def folded(self, item: str) -> str:
        """The same text for all spellings of one name."""
        if NUMBER in self.fold:
            item = _DIGITS.sub(lambda number: str(int(number[0])), item)
        if CASE in self.fold:
            item = item.casefold()
        return item


def literal_start(pattern: str) -> str:
    """What every path that fits begins with."""
    first = SPLIT_RE.search(pattern)
    return pattern if first is None else pattern[: first.start()]


def literal_ends(pattern: str) -> tuple[str, str]:
    """What every path that fits begins and ends with."""
    head = pattern.replace('{', '*').partition('*')[0]
    tail = pattern.replace('}', '*').rpartition('*')[2]
    return head, tail


def expanded(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with its parts as they were matched."""
    for name, value in parts.items():
        pattern = pattern.replace(f'{{{name}}}', value)
    return pattern
