"""Patterns of a workflow file: literal text with a few placeholders.

There are no regular expressions in the language, so none can run for ever;
for the same reason a pattern has few placeholders, and long texts match none.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.quick_typing import Iterable

# what each placeholder of a pattern matches
_PARTS = {
    '{item}': r'(?P<item>[^/]+)',
    '{phase}': r'(?P<phase>[0-9A-Za-z_-]+\.[0-9]+)',
    '{stage}': r'(?P<stage>[0-9A-Za-z_-]+)',
    '**': r'.+',
    '*': r'[^/]*',
}
MAX_PLACEHOLDERS = 3
MAX_TEXT = 200
_SPLIT_RE = re.compile(r'(\{item\}|\{phase\}|\{stage\}|\*\*|\*)')
# each as it is escaped, what it matches first, and what it matches again
_SOURCES = [
    (re.escape(part), source, f'(?P={part[1:-1]})' if part[0] == '{' else source)
    for part, source in _PARTS.items()
]


def _source(pattern: str) -> str:
    found = re.escape(pattern)
    for part, source, again in _SOURCES:
        first, *others = found.split(part)
        if others:
            found = first + source + again.join(others)
    return found


def placeholders(pattern: str) -> int:
    """How many texts of any length a pattern holds."""
    found = [part for part in _SPLIT_RE.split(pattern) if part in _PARTS]
    named = {part for part in found if part.startswith('{')}
    return len(named) + sum(part not in named for part in found)


@functools.cache
def path_re(pattern: str) -> re.Pattern[str]:
    return re.compile(_source(pattern) + r'\Z', re.DOTALL)


def fitting(paths: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The paths that fit one of the patterns."""
    known = [path_re(pattern) for pattern in patterns]
    return [path for path in paths if any([each.match(path) for each in known])]


@functools.cache
def below_re(pattern: str) -> re.Pattern[str]:
    """Matches everything below the directory that a pattern names."""
    return re.compile(_source(pattern) + '/', re.DOTALL)


@functools.cache
def _value_re(pattern: str) -> re.Pattern[str]:
    return re.compile(_source(pattern) + r'\Z')


def is_value(text: str, pattern: str) -> bool:
    return len(text) <= MAX_TEXT and _value_re(pattern).match(text) is not None


@functools.cache
def _subject_re(pattern: str) -> re.Pattern[str]:
    source = _source(' '.join(pattern.split())).replace('\\ ', r'\s+')
    return re.compile(source + r'(?![\w.]*\w)', re.IGNORECASE)


def start(text: str, pattern: str) -> re.Match[str] | None:
    """Matches the start of a subject, up to the end of a word."""
    return _subject_re(pattern).match(text[:MAX_TEXT])


def expand(pattern: str, item: str) -> str:
    return pattern.replace('{item}', item)


def expand_each(patterns: Iterable[str], item: str) -> list[str]:
    return [expand(each, item) for each in dict.fromkeys(patterns)]


def is_wild(pattern: str) -> bool:
    """Whether a path has to be looked for: no text of the item's makes it."""
    return '*' in pattern


def place(pattern: str, item: str, agent: str = '') -> str:
    """A path of an item, or of an agent that works on it."""
    return expand(pattern, item).replace('{agent}', agent)
