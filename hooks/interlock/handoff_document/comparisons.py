"""Texts of a handoff document in the form in which they are compared."""

from __future__ import annotations

import datetime

from interlock.documents import timestamps
from interlock.handoff_document.outline import Outline
from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Mapping

BRACKETED_RE = re.compile(r'\[[^\[\]]*\]\Z')
ALTERNATIVES_RE = re.compile(r'[\w-]+(?:\|[\w-]+)+\Z')
# `Phase[N].Task[M]`, `--plan [path]`: words in brackets, not a list
INNER_RE = re.compile(r"""\[[A-Za-z][\w .:/'<>-]*\]|\[\d,[\d,]*\]""")
# `[Tech/framework]`, `~[N]`, `[anti-pattern 1]`: a word of its own, and
# neither a link, nor a box to tick, nor a range of characters
LEFT_RE = re.compile(
    r'(?<![^\s~(])\[(?!\w-\w\])(?!x\])(?![A-Z]{3,}\])'
    r"[A-Za-z][A-Za-z/+'<> .-]*(?: \d)?\](?![\w(\[]|: ?\w+://)"
)
BOX_RE = re.compile(r'^\s*(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]\]')
NULLS = {'', '-', '\u2013', '\u2014', 'none', 'null', 'n/a'}


def flat(text: str) -> str:
    """The text on one line, without invisible characters."""
    return ' '.join(''.join(c if c.isprintable() else ' ' for c in text).split())


def value(row: Mapping[str, Any], key: str, nothing: str = '-') -> str:
    """The value of a row as text, `nothing` if there is none."""
    found = row.get(key)
    return nothing if found is None or found == '' else str(found)


def norm(text: str) -> str:
    """The text without emphasis, case, and kinds of quotes and spaces."""
    text = text.replace('`', '').replace('*', '').replace("'", '"')
    return ' '.join(text.split()).strip('" ').casefold()


def same(first: str, second: str) -> bool:
    return norm(first) == norm(second)


def is_null(text: str) -> bool:
    return norm(text) in NULLS


def is_placeholder(text: str, outline: Outline) -> bool:
    """Whether a template left the value open, or it is a marked gap."""
    text = text.strip()
    if text in outline.markers.genuine:
        return False
    return BRACKETED_RE.match(text) is not None


def is_choice(text: str) -> bool:
    return ALTERNATIVES_RE.match(text) is not None


def inner_placeholder(text: str) -> str:
    """The first placeholder in a command, or ''."""
    found = INNER_RE.search(text)
    return found[0] if found else ''


def placeholders(line: str, outline: Outline) -> list[str]:
    """The placeholders in a line of text or code."""
    return [
        found[0]
        for found in LEFT_RE.finditer(BOX_RE.sub('', line))
        if found[0] not in outline.markers.genuine
    ]


def moment(text: object) -> datetime.datetime | None:
    """An ISO time with a zone; None if it is not one."""
    return timestamps.parse(text.strip().upper()) if isinstance(text, str) else None
