"""The line that the message of a reviewing agent ends with."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.documents.text import plain

# the hyphen, and two dashes
DASHES = ('-', '\u2013', '\u2014')


def decision(message: str, head: str, words: Iterable[str]) -> str:
    """The decision of a review, '' where it gives no decision or no reason."""
    lines = [line for line in map(plain, message.splitlines()) if line]
    if not lines or not lines[-1].startswith(plain(head)):
        return ''
    word, _, rest = lines[-1][len(plain(head)) :].strip().partition(' ')
    dash, _, reason = rest.partition(' ')
    return word if word in words and dash in DASHES and reason else ''
