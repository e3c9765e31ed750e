"""Patterns of a workflow file: literal text with a few placeholders.

The language has no regular expressions, so none can run for ever. For the same
reason a pattern has few placeholders, and long texts never match.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.quick_typing import Iterable, Sequence

# the regular expression for each placeholder
_PARTS = {
    '{item}': r'[^/]+',
    '{phase}': r'[0-9A-Za-z_-]+\.[0-9]+',
    '{stage}': r'[0-9A-Za-z_-]+',
    '**': r'.+',
    '*': r'[^/]*',
}
MAX_PLACEHOLDERS = 3
MAX_TEXT = 200
# matches no text
NOTHING = '(?!)'
_SPLIT_RE = re.compile(r'(\{item\}|\{phase\}|\{stage\}|\*\*|\*)')
# each placeholder as `re.escape` leaves it, its group name ('' if none) and
# its expression
_ESCAPED = [
    (re.escape(part), part.strip('{*}'), source) for part, source in _PARTS.items()
]


def _sources(patterns: Sequence[str]) -> list[str]:
    """The regular expressions of patterns; group names are unique across all
    of them."""
    # neither paths nor patterns contain a zero byte
    found = re.escape('\0'.join(patterns)).split('\0')
    for number, source in enumerate(found):
        for part, name, matching in _ESCAPED:
            first, *others = source.split(part)
            group = f'{name}{number or ""}'
            if name and others:
                # a repeated placeholder matches the same text
                again = f'(?P={group})'.join(others)
                source = f'{first}(?P<{group}>{matching}){again}'
            else:
                source = matching.join((first, *others))
        found[number] = source
    return found


def _source(pattern: str) -> str:
    return _sources((pattern,))[0]


def placeholders(pattern: str) -> int:
    """The number of texts of any length in a pattern."""
    found = [part for part in _SPLIT_RE.split(pattern) if part in _PARTS]
    named = {part for part in found if part.startswith('{')}
    return len(named) + sum(part not in named for part in found)


@functools.cache
def path_re(pattern: str) -> re.Pattern[str]:
    return re.compile(_source(pattern) + r'\Z', re.DOTALL)


def _any_source(patterns: tuple[str, ...]) -> str:
    sources = '|'.join(_sources(patterns)) if patterns else NOTHING
    return f'(?:{sources})\\Z'


@functools.cache
def any_path_re(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Matches any of the patterns, the first one first."""
    return re.compile(_any_source(patterns), re.DOTALL)


def item_in(path: str, patterns: tuple[str, ...]) -> str:
    """The item that a path names by the first matching pattern, '' if none."""
    match = any_path_re(patterns).match(path)
    groups = match.groupdict().items() if match else ()
    return next((text for name, text in groups if text and name[:4] == 'item'), '')


def matching_paths(paths: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The paths that match one of the patterns."""
    fits = any_path_re(tuple(patterns)).match
    return [path for path in paths if fits(path)]


@functools.cache
def below_re(pattern: str) -> re.Pattern[str]:
    """Matches every path below the directory that a pattern names."""
    return re.compile(_source(pattern) + '/', re.DOTALL)


@functools.cache
def _any_value_re(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_any_source(patterns))


def is_one_of(text: str, patterns: tuple[str, ...]) -> bool:
    """Whether a value matches one of the patterns."""
    if text in patterns and '{' not in text:
        # most patterns are plain text
        return len(text) <= MAX_TEXT
    return len(text) <= MAX_TEXT and _any_value_re(patterns).match(text) is not None


@functools.cache
def _subject_re(pattern: str) -> re.Pattern[str]:
    source = _source(' '.join(pattern.split())).replace('\\ ', r'\s+')
    return re.compile(source + r'(?![\w.]*\w)', re.IGNORECASE)


def match_start(text: str, pattern: str) -> re.Match[str] | None:
    """Matches the start of a subject, up to the end of a word."""
    return _subject_re(pattern).match(text[:MAX_TEXT])


def expand(pattern: str, item: str) -> str:
    return pattern.replace('{item}', item)


def expand_each(patterns: Iterable[str], item: str) -> list[str]:
    return [expand(each, item) for each in dict.fromkeys(patterns)]


def is_wild(pattern: str) -> bool:
    """Whether a path must be searched for: the item's name alone does not give it."""
    return '*' in pattern


def item_path(pattern: str, item: str, agent: str = '') -> str:
    """A path of an item, or of an agent that works on it."""
    return expand(pattern, item).replace('{agent}', agent)
