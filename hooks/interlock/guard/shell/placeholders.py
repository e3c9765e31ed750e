"""Words as text in which some characters are marks.

A word that was expanded is a `str`: what was quoted stands in it as it is,
and what still has a meaning (a star that is a pattern, text that nobody
knows) is a character that Unicode reserves for such use. So options, paths
and names are handled as plain text, and nothing that was quoted is mistaken
for a pattern.
"""

from __future__ import annotations

# any text, of any length, even several words
ANY = '\ufdd0'
# one word that is no option: a date, a number, the name of a branch
SOME = '\ufdd1'
STAR = '\ufdd2'
ONE = '\ufdd3'
SET = '\ufdd4'
OPEN = '\ufdd5'
COMMA = '\ufdd6'
CLOSE = '\ufdd7'
# between the words that one expansion gave
SPLIT = '\ufdd8'
# a pair of quotes was here: the word exists even if it is empty
QUOTED = '\ufdd9'
# the text of a heredoc, by its number: it stands in place of a file
HERE = '\ufdda'
# part of a name that nobody had before: of mktemp, of a date
FRESH = '\ufddb'

LONGEST = 64 * 1024
PATTERNS = (ANY, SOME, STAR, ONE, SET, FRESH)
RESERVED = {code: '\ufffd' for code in range(0xFDD0, 0xFDF0)}

_ACTIVE = str.maketrans(
    {'*': STAR, '?': ONE, '[': SET, '{': OPEN, ',': COMMA, '}': CLOSE}
)
_GLOBS = str.maketrans({'*': STAR, '?': ONE, '[': SET})
_LITERAL = str.maketrans(
    {
        STAR: '*',
        ONE: '?',
        SET: '[',
        OPEN: '{',
        COMMA: ',',
        CLOSE: '}',
        SPLIT: ' ',
        QUOTED: None,
    }
)
_SHOWN = str.maketrans(
    {
        ANY: '**',
        SOME: '*',
        STAR: '*',
        ONE: '?',
        SET: '[',
        OPEN: '{',
        COMMA: ',',
        CLOSE: '}',
        SPLIT: ' ',
        QUOTED: None,
        FRESH: '*',
    }
)
_ESCAPED = str.maketrans(
    {
        '*': '[*]',
        '?': '[?]',
        '[': '[[]',
        ANY: '**',
        SOME: '*',
        STAR: '*',
        ONE: '?',
        SET: '[',
    }
)


def clean(text: str) -> str:
    """Text from outside: it has no marks, and can be encoded."""
    text = text.translate(RESERVED).replace('\0', '\ufffd')
    # half of a pair is no character
    data = text.encode('UTF-16-LE', 'surrogatepass')
    return data.decode('UTF-16-LE', 'replace')


def active(text: str) -> str:
    """Text that was not quoted."""
    return text.translate(_ACTIVE)


def split(text: str) -> str:
    """The value of an expansion that was not quoted."""
    text = text.translate(_GLOBS)
    if not text.strip():
        return ''
    head = SPLIT if text[0].isspace() else ''
    tail = SPLIT if text[-1].isspace() else ''
    return head + SPLIT.join(text.split()) + tail


def literal(word: str) -> str:
    """As an assignment keeps it: no patterns, only what is unknown."""
    return word.translate(_LITERAL)


def shown(word: str) -> str:
    return word.translate(_SHOWN)


def escaped(word: str) -> str:
    """As a pattern."""
    return word.translate(_ESCAPED)


def bounded(word: str) -> str:
    """A value that doubles with each assignment is no longer known."""
    while ANY * 2 in word:
        word = word.replace(ANY * 2, ANY)
    return word if len(word) <= LONGEST else ANY


def is_known(word: str) -> bool:
    return not any(mark in word for mark in (ANY, SOME, FRESH))


def is_plain(word: str) -> bool:
    return not any(mark in word for mark in PATTERNS)


def is_nothing(word: str) -> bool:
    """No character of it is known, but for dots, slashes and stars."""
    return ANY in word and not literal(word).translate(_NOTHING)


_NOTHING = str.maketrans(dict.fromkeys((ANY, SOME, '/', '*', '.')))
