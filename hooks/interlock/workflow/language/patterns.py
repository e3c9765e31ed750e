"""Patterns of a workflow file: literal text with a few placeholders.

There are no regular expressions in the language, so none can run for ever;
for the same reason a pattern has few placeholders, and long texts match none.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools

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


def _source(pattern: str) -> str:
    seen = set()
    parts = []
    for part in _SPLIT_RE.split(pattern):
        if part in seen:
            parts.append(f'(?P={part[1:-1]})')
        else:
            parts.append(_PARTS.get(part) or re.escape(part))
        if part.startswith('{'):
            seen.add(part)
    return ''.join(parts)


def placeholders(pattern: str) -> int:
    """How many texts of any length a pattern holds."""
    found = [part for part in _SPLIT_RE.split(pattern) if part in _PARTS]
    named = {part for part in found if part.startswith('{')}
    return len(named) + sum(part not in named for part in found)


@functools.cache
def path_re(pattern: str) -> re.Pattern[str]:
    return re.compile(_source(pattern) + r'\Z', re.DOTALL)


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


def is_wild(pattern: str) -> bool:
    """Whether a path has to be looked for: no text of the item's makes it."""
    return '*' in pattern


def place(pattern: str, item: str, agent: str = '') -> str:
    """A path of an item, or of an agent that works on it."""
    return expand(pattern, item).replace('{agent}', agent)
