"""Patterns of a workflow file: literal text with a few placeholders.

There are no regular expressions in the language, so none can run for ever.
"""
from __future__ import annotations

import functools
import re

# what each placeholder of a pattern matches
_PARTS = {
    '{item}': r'(?P<item>[^/]+)',
    '{phase}': r'(?P<phase>[0-9A-Za-z_-]+\.[0-9]+)',
    '{stage}': r'(?P<stage>[0-9A-Za-z_-]+)',
    '**': r'.+',
    '*': r'[^/]*',
}
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


@functools.cache
def path_re(pattern: str) -> re.Pattern[str]:
    return re.compile(_source(pattern) + r'\Z', re.DOTALL)


@functools.cache
def below_re(pattern: str) -> re.Pattern[str]:
    """Matches everything below the directory that a pattern names."""
    return re.compile(_source(pattern) + '/', re.DOTALL)


@functools.cache
def value_re(pattern: str) -> re.Pattern[str]:
    return re.compile(_source(pattern) + r'\Z')


@functools.cache
def subject_re(pattern: str) -> re.Pattern[str]:
    """Matches the start of a text, up to the end of a word."""
    source = r'\s+'.join(_source(part) for part in pattern.split())
    return re.compile(source + r'(?![\w.]*\w)', re.IGNORECASE)


def expand(pattern: str, item: str) -> str:
    return pattern.replace('{item}', item)
