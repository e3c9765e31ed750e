"""Patterns with `{item}` and other named parts.

A pattern is literal text with `*`, `**` and named parts; a backslash escapes
the next character. The language has no regular expressions, so none can run
for ever.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.quick_typing import Callable, Mapping, Sequence

# the regular expression for each named part
PARTS = {
    # a word may not directly follow a number
    'n': r'\d+(?:[A-Za-z](?![A-Za-z]))?(?:\.\d+)*',
    'nn': r'\d+',
    'letter': r'[A-Za-z]',
    # a letter or nothing
    'suffix': r'(?:[A-Za-z](?![A-Za-z]))?',
    'slug': r'[^/]*?',
    'text': r'.+?',
    'date': r'\d{4}-\d{2}-\d{2}',
    'in': r'.+?',
}
ITEM, INSIDE, DATE = 'item', 'in', 'date'
NUMBER, CASE, SEPARATOR = 'number', 'case', 'separator'
_SEPARATORS = str.maketrans('._', '--')
MAX_TEXT = 400
SPLIT_RE = re.compile(r'(\\.|\{[a-z_]+\}|\*\*/|\*\*|\*)')
PART_RE = re.compile(r'\{([a-z_]*)\}')
_DIGITS = re.compile(r'\d+')
# how many lines are kept for each list of patterns, in a long history
KNOWN_LINES = 8192

# the values of a part that a project defines: prefix -> (back, task)
Lets = Mapping[str, Sequence[str]]


def _part(name: str, item: str, lets: Lets) -> str:
    if name == ITEM:
        return item
    elif name in lets:
        # nothing matches if the project defines no values
        return f'(?i:{"|".join(map(re.escape, lets[name])) or "(?!)"})'
    return PARTS[name]


def _source(pattern: str, item: str, lets: Lets, star: str, at: int = -1) -> str:
    """A regular expression; the parts of pattern number `at` become groups."""
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
            is_group = at >= 0 and name not in seen
            seen.add(name)
            group = f'?P<{name}_{at}>' if is_group else '?:'
            found.append(f'({group}{_part(name, item, lets)})')
        else:
            found.append(re.escape(piece))
    return ''.join(found)


class Patterns:
    """Several patterns as one expression; the first one that matches counts."""

    def __init__(
        self, patterns: tuple[str, ...], name: str, lets: Lets, is_path: bool
    ) -> None:
        self._name, self._patterns = name, patterns
        star = '[^/]*' if is_path else '.*'
        # an item name is never empty
        item = '[^/]+?' if name == '{slug}' else _source(name, '', lets, '[^/]*')
        # an empty group at the end of each pattern shows which one matched
        sources = (
            rf'{_source(pattern, item, lets, star, at)}\Z(?P<_{at}>)'
            for at, pattern in enumerate(patterns)
        )
        # a record without patterns matches nothing
        self._expression = re.compile(
            '|'.join(sources) or '(?!)', 0 if is_path else re.IGNORECASE
        )
        ends = [literal_ends(pattern) for pattern in patterns]
        self.heads = tuple(dict.fromkeys(head for head, _ in ends))
        self.tails = tuple(dict.fromkeys(tail for _, tail in ends))

    @functools.cached_property
    def _by_end(self) -> Mapping[int | None, tuple[int, dict[str, int], bool]]:
        """Last group of a pattern -> its number, its parts with their groups,
        and whether the parts form a name that the pattern does not contain."""
        found: dict[int | None, tuple[int, dict[str, int], bool]] = {}
        parts: dict[str, int] = {}
        for group, number in self._expression.groupindex.items():
            name, _, at = group.rpartition('_')
            if name:
                parts[name] = number
                continue
            is_made = ITEM not in parts and names_by_parts(
                self._name, self._patterns[int(at)]
            )
            found[number] = int(at), parts, is_made
            parts = {}
        return found

    def of_path(self, path: str) -> tuple[int, Mapping[str, str]] | None:
        # most paths need no regular expression
        if path.startswith(self.heads) and path.endswith(self.tails):
            return self.fitting(path)
        return None

    def fitting(self, text: str) -> tuple[int, Mapping[str, str]] | None:
        """The number of the matching pattern, and its parts. If the pattern contains
        all parts of a name but not the name itself, the name is built from them."""
        match = self._expression.match(text)
        if match is None:
            return None
        at, parts, is_made = self._by_end[match.lastindex]
        found = {name: match[number] for name, number in parts.items()}
        if is_made:
            found[ITEM] = expanded(self._name, found)
        return (at, found) if found.get(ITEM, '-') else None


@functools.lru_cache(maxsize=KNOWN_LINES)
def _folded(item: str, fold: tuple[str, ...]) -> str:
    if NUMBER in fold:
        item = _DIGITS.sub(lambda number: str(int(number[0])), item)
    if SEPARATOR in fold:
        item = item.translate(_SEPARATORS)
    return item.casefold() if CASE in fold else item


class Names:
    """The names of the items of a kind, and their other spellings."""

    def __init__(
        self, name: str, fold: Sequence[str] = (), lets: Lets | None = None
    ) -> None:
        self.name = name
        self.fold = tuple(fold)
        self._lets = lets or {}
        self._made: dict[tuple[tuple[str, ...], bool], Patterns] = {}
        self._lines: dict[
            tuple[str, ...], Callable[[str], Mapping[str, str] | None]
        ] = {}

    def patterns(self, patterns: tuple[str, ...], is_path: bool = True) -> Patterns:
        key = patterns, is_path
        if key not in self._made:
            self._made[key] = Patterns(patterns, self.name, self._lets, is_path)
        return self._made[key]

    def path(
        self, patterns: tuple[str, ...], path: str
    ) -> tuple[int, Mapping[str, str]] | None:
        """The number of the first pattern that matches a path, and its parts."""
        return self.patterns(patterns).of_path(path)

    def line(self, patterns: tuple[str, ...], text: str) -> Mapping[str, str] | None:
        """The parts of the first pattern that matches the whole text."""
        return self.lines(patterns)(text)

    def lines(
        self, patterns: tuple[str, ...]
    ) -> Callable[[str], Mapping[str, str] | None]:
        """Like `line`, for many texts."""
        if patterns not in self._lines:

            def parts(text: str) -> Mapping[str, str] | None:
                found = self.patterns(patterns, False).fitting(text[:MAX_TEXT])
                return found[1] if found else None

            # most lines of a file are unchanged from its previous version
            remembered = functools.lru_cache(maxsize=KNOWN_LINES)(parts)
            self._lines[patterns] = remembered
        return self._lines[patterns]

    def folded(self, item: str) -> str:
        """One text for all spellings of a name."""
        return _folded(item, self.fold) if self.fold else item

    def may_name(
        self, patterns: tuple[str, ...], paths: Sequence[str], item: str
    ) -> Sequence[str]:
        """The paths that may contain a folded name in any spelling."""
        pieces = [item]
        if NUMBER in self.fold or SEPARATOR in self.fold:
            # apart from leading zeros, each number appears in the path unchanged
            pieces = [each for each in _DIGITS.findall(item) if each not in self.name]
        elif not all(f'{{{ITEM}}}' in pattern for pattern in patterns):
            # the path contains only the parts of the name
            return paths
        is_lower = CASE in self.fold
        for piece in pieces:
            paths = [
                path
                for path in paths
                if piece in (path.lower() if is_lower else path) or not path.isascii()
            ]
        return paths


@functools.cache
def literal_ends(pattern: str) -> tuple[str, str]:
    """The text that every matching path begins with, and ends with."""
    pieces = SPLIT_RE.split(pattern)
    return pieces[0], pieces[-1]


@functools.cache
def names_by_parts(name: str, pattern: str) -> bool:
    """Whether a pattern contains all parts of a name."""
    parts = set(PART_RE.findall(name))
    return bool(parts) and parts <= set(PART_RE.findall(pattern))


def expanded(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with its parts replaced by the matched values."""
    for name, value in parts.items():
        pattern = pattern.replace(f'{{{name}}}', value)
    return pattern
