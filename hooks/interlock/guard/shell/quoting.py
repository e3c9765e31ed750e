"""Quotes and escapes: what the shell makes of the text between them."""

from __future__ import annotations

from interlock.guard.shell.placeholders import active

SIMPLE = {
    'a': '\a',
    'b': '\b',
    'e': '\033',
    'E': '\033',
    'f': '\f',
    'n': '\n',
    'r': '\r',
    't': '\t',
    'v': '\v',
    '\\': '\\',
    "'": "'",
    '"': '"',
    '?': '?',
}
# letter -> how many hexadecimal digits may follow
HEX = {'x': 2, 'u': 4, 'U': 8}


def unquoted(text: str) -> str:
    """`a\\ b` and `*.py`: what a backslash protects is plain."""
    if '\\' not in text:
        return active(text)
    found, at = [], 0
    while at < len(text):
        if text[at] == '\\':
            at += 1
            found.append(text[at : at + 1].replace('\n', ''))
        else:
            found.append(active(text[at]))
        at += 1
    return ''.join(found)


def in_double_quotes(text: str, special: str = '$`"\\') -> str:
    if '\\' not in text:
        return text
    found, at = [], 0
    while at < len(text):
        after = text[at + 1 : at + 2]
        if text[at] == '\\' and after and after in special + '\n':
            found.append(after.replace('\n', ''))
            at += 1
        else:
            found.append(text[at])
        at += 1
    return ''.join(found)


def _digits(text: str, allowed: str, most: int) -> str:
    end = 0
    while end < min(len(text), most) and text[end] in allowed:
        end += 1
    return text[:end]


def _character(digits: str, base: int) -> str:
    code = int(digits, base)
    valid = code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if valid else '\ufffd'


def _escape(text: str) -> tuple[str, int]:
    """What stands behind a backslash, and how much of it was used."""
    letter = text[:1]
    if letter in HEX:
        digits = _digits(text[1:], '0123456789abcdefABCDEF', HEX[letter])
        if digits:
            return _character(digits, 16), 1 + len(digits)
    digits = _digits(text, '01234567', 3)
    if digits:
        return _character(digits, 8), len(digits)
    if letter in SIMPLE:
        return SIMPLE[letter], 1
    return '\\' + letter, 1


def escapes(text: str) -> str:
    """`$'…'`, `echo -e` and the format of printf."""
    if '\\' not in text:
        return text
    head, mark, rest = text.partition('\\')
    found = [head]
    while mark:
        one, used = _escape(rest)
        head, mark, rest = rest[used:].partition('\\')
        found += [one, head]
    return ''.join(found)


def quote(word: str) -> str:
    """A word as text that gives it again; marks come through."""
    return "'" + word.replace("'", "'\\''") + "'"
