"""Patterns of a workflow file: literal text with a few placeholders.

There are no regular expressions in the language, so none can run for ever;
for the same reason a pattern has few placeholders, and long texts match none.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.quick_typing import Iterable, Sequence

# what each placeholder of a pattern matches
_PARTS = {
    '{item}': r'[^/]+',
    '{phase}': r'[0-9A-Za-z_-]+\.[0-9]+',
    '{stage}': r'[0-9A-Za-z_-]+',
    '**': r'.+',
    '*': r'[^/]*',
}
MAX_PLACEHOLDERS = 3
MAX_TEXT = 200
# what no text matches
NOTHING = '(?!)'
_SPLIT_RE = re.compile(r'(\{item\}|\{phase\}|\{stage\}|\*\*|\*)')
# each as it is escaped, and the name of its group, '' if it has none
_ESCAPED = [
    (re.escape(part), part.strip('{*}'), source) for part, source in _PARTS.items()
]


def _sources(patterns: Sequence[str]) -> list[str]:
    """The regular expressions of patterns; in all of them together no group has
    the name of another one."""
    # no path and no pattern has a zero byte
    found = re.escape('\0'.join(patterns)).split('\0')
    for number, source in enumerate(found):
        for part, name, matching in _ESCAPED:
            first, *others = source.split(part)
            group = f'{name}{number or ""}'
            if name and others:
                # the same text again
                again = f'(?P={group})'.join(others)
                source = f'{first}(?P<{group}>{matching}){again}'
            else:
                source = matching.join((first, *others))
        found[number] = source
    return found


def _source(pattern: str) -> str:
    return _sources((pattern,))[0]


def placeholders(pattern: str) -> int:
    """How many texts of any length a pattern holds."""
    found = [part for part in _SPLIT_RE.split(pattern) if part in _PARTS]
    named = {part for part in found if part.startswith('{')}
    return len(named) + sum(part not in named for part in found)


@functools.cache
def path_re(pattern: str) -> re.Pattern[str]:
    return re.compile(_source(pattern) + r'\Z', re.DOTALL)


@functools.cache
def any_path_re(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Matches what one of the patterns does, the first one first."""
    sources = '|'.join(_sources(patterns)) if patterns else NOTHING
    return re.compile(f'(?:{sources})\\Z', re.DOTALL)


def item_in(path: str, patterns: tuple[str, ...]) -> str:
    """The item that a path names by the first pattern that fits, '' if none."""
    match = any_path_re(patterns).match(path)
    groups = match.groupdict().items() if match else ()
    return next((text for name, text in groups if text and name[:4] == 'item'), '')


def fitting(paths: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The paths that fit one of the patterns."""
    fits = any_path_re(tuple(patterns)).match
    return [path for path in paths if fits(path)]


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
