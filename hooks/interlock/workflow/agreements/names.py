"""Patterns in which `{item}` and other named parts are matched.

A pattern is literal text with `*`, `**` and named parts; a backslash takes the
meaning from the character behind it. There are no regular expressions in the
language, so none can run for ever.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.quick_typing import Mapping, Sequence

# what the named parts match
PARTS = {
    'n': r'\d+[A-Za-z]?(?:\.\d+)*',
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
PART_RE = re.compile(r'\{([a-z_]*)\}')
_DIGITS = re.compile(r'\d+')
# leading zeros are folded away, so each run still ends one as it is written
_RUNS = re.compile(r'\d+|\D+')
# of each list of patterns, in a long history
KNOWN_LINES = 8192

# the values of a part that a project names itself: prefix -> (back, task)
Lets = Mapping[str, Sequence[str]]


def _part(name: str, item: str, lets: Lets) -> str:
    if name == ITEM:
        return item
    elif name in lets:
        # nothing fits where the project names none
        return f'(?i:{"|".join(map(re.escape, lets[name])) or "(?!)"})'
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


@functools.lru_cache(maxsize=KNOWN_LINES)
def _folded(item: str, fold: tuple[str, ...]) -> str:
    if NUMBER in fold:
        item = _DIGITS.sub(lambda number: str(int(number[0])), item)
    return item.casefold() if CASE in fold else item


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
        self._lines: dict[tuple[str, ...], dict[str, Mapping[str, str] | None]] = {}

    def path(self, pattern: str, path: str) -> Mapping[str, str] | None:
        head, tail = literal_ends(pattern)
        # most paths need no regular expression
        if not (path.startswith(head) and path.endswith(tail)):
            return None
        return self._matched(pattern, path, True)

    def line(self, patterns: tuple[str, ...], text: str) -> Mapping[str, str] | None:
        """The first of the patterns that the whole text fits."""
        text = text[:MAX_TEXT]
        # most lines of a file are those of the version before
        known = self._lines.setdefault(patterns, {})
        if text not in known:
            if len(known) >= KNOWN_LINES:
                known.clear()
            known[text] = self._fitting(patterns, text)
        return known[text]

    def _fitting(self, patterns: Sequence[str], text: str) -> Mapping[str, str] | None:
        for pattern in patterns:
            found = self._matched(pattern, text, False)
            if found is not None:
                return found
        return None

    def _matched(
        self, pattern: str, text: str, is_path: bool
    ) -> Mapping[str, str] | None:
        """What the parts of a pattern stand for; where it has every part of a
        name, but not the name itself, the parts make the name."""
        match = _compiled(pattern, self.name, self._lets, is_path).match(text)
        if match is None:
            return None
        found: dict[str, str] = match.groupdict()
        if ITEM not in found and names_by_parts(self.name, pattern):
            found[ITEM] = expanded(self.name, found)
        return found if found.get(ITEM, '-') else None

    def folded(self, item: str) -> str:
        """The same text for all spellings of one name."""
        return _folded(item, self.fold) if self.fold else item

    def may_name(self, paths: Sequence[str], item: str) -> Sequence[str]:
        """The paths in which a name, which is folded, may be spelt somehow."""
        pieces = _RUNS.findall(item) if NUMBER in self.fold else [item]
        for piece in pieces:
            if CASE in self.fold:
                paths = [
                    path
                    for path in paths
                    if piece in path.lower() or not path.isascii()
                ]
            else:
                paths = [path for path in paths if piece in path or not path.isascii()]
        return paths


@functools.cache
def literal_ends(pattern: str) -> tuple[str, str]:
    """What every path that fits begins and ends with."""
    pieces = SPLIT_RE.split(pattern)
    return pieces[0], pieces[-1]


@functools.cache
def names_by_parts(name: str, pattern: str) -> bool:
    """Whether a pattern has every part that a name consists of."""
    parts = set(PART_RE.findall(name))
    return bool(parts) and parts <= set(PART_RE.findall(pattern))


def expanded(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with its parts as they were matched."""
    for name, value in parts.items():
        pattern = pattern.replace(f'{{{name}}}', value)
    return pattern
