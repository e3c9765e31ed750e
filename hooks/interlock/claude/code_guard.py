"""Code of other languages in a command: does it change what it names?

It is not parsed: a name and a word that writes have to meet in one statement,
or in one that speaks of a variable which got the name.
"""
from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator

# what a piece of code says that does more than to read
WRITING = re.compile(
    r'''write|unlink|remove|rename|os\.replace|\.replace\([^,()]*\)|dump\(|'''
    r'''rmtree|system|subprocess|popen|touch|copy|move|truncate|open\(my|'''
    r'''File\.open|spawn|exec|\.pop\(|\bdel |\bdelete |unsetenv|putenv|'''
    r'''\benv=|environ\.update|\]\s*=(?!=)|['"]>>?|mode=['"][ax]|'''
    # the modes of files; a single letter only where a file is opened
    r'''['"](?:w[bt]?\+?[bt]?|r[bt]?\+[bt]?|[ax](?:[bt]\+?|\+[bt]?))['"]|'''
    r'''open\((?:(?:[^()]|\([^()]*\))*,\s*)?['"][ax]['"]''',
)
# that is printed
PRINTING = re.compile(r'(?:stdout|stderr)(?:\.buffer)?\.write')
NAMED = (
    re.compile(r'^\s*(?:const |let |var |my )?[$@]?(\w+)\s*=(?!=)'),
    re.compile(r'\bas\s+(\w+)'),
    re.compile(r'\bfor\s+\(?(?:const |let )?(\w+)\s+(?:in|of)\b'),
)
WORD = re.compile(r'\w+')
CONTENT = re.compile(r'\.read|load|slurp|Sync\(')


def writes(code: str) -> bool:
    return bool(WRITING.search(PRINTING.sub('', code)))


def _statements(code: str) -> Iterator[str]:
    """Lines, and what semicolons part, but not within parentheses."""
    depth, start = 0, 0
    for at, char in enumerate(code):
        if char in '([':
            depth += 1
        elif char in ')]':
            depth = max(0, depth - 1)
        elif char in ';\n' and not depth:
            yield code[start:at]
            start = at + 1
    yield code[start:]


def _variables(statement: str) -> set[str]:
    """What gets the name, or the file; not what gets its content."""
    first, *others = NAMED
    found = {name for form in others for name in form.findall(statement)}
    match = first.search(statement)
    if match and not CONTENT.search(statement):
        found.add(match.group(1))
    return found


def changed(code: str, names: Iterable[str]) -> str:
    """The name of what this may change, '' for nothing."""
    wanted = [name for name in names if name and name in code]
    known: dict[str, str] = {}
    for statement in _statements(code) if wanted else ():
        met = [name for name in wanted if name in statement]
        met.extend(
            known[word] for word in WORD.findall(statement) if word in known
        )
        if met and writes(statement):
            return met[0]
        elif met:
            known.update(dict.fromkeys(_variables(statement), met[0]))
    return ''
