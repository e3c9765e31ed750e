"""Words as text in which some characters are marks.

An expanded word is a `str`, with quoted text unchanged. Everything that still
has a meaning (a star that is a pattern, unknown text) is a character that
Unicode reserves for internal use. So options, paths and names are handled as
plain text, and quoted text is never mistaken for a pattern.
"""

from __future__ import annotations

from interlock.model import quick_re as re

# any text of any length, even several words
ANY = '\ufdd0'
# one word that is not an option: a date, a number, a branch name
SOME = '\ufdd1'
STAR = '\ufdd2'
ONE = '\ufdd3'
SET = '\ufdd4'
OPEN = '\ufdd5'
COMMA = '\ufdd6'
CLOSE = '\ufdd7'
# separates the words that one expansion produced
SPLIT = '\ufdd8'
# a pair of quotes was here: the word exists even if it is empty
QUOTED = '\ufdd9'
# the number of a heredoc, in place of a file
HERE = '\ufdda'
# part of a name that did not exist before, from mktemp or date
FRESH = '\ufddb'

# an array index that contains a command
SUBSCRIPT = re.compile(r'\w\[[^]]*(?:\$\(|`)')
LONGEST = 64 * 1024
# the largest number of words that one word with braces may become
MOST_WORDS = 200
PATTERNS = (ANY, SOME, STAR, ONE, SET, FRESH)

_GLOB_SIGNS = {STAR: '*', ONE: '?', SET: '['}
_BRACE_SIGNS = {OPEN: '{', COMMA: ',', CLOSE: '}'}
_SIGNS = {**_GLOB_SIGNS, **_BRACE_SIGNS}
_ACTIVE = str.maketrans({sign: mark for mark, sign in _SIGNS.items()})
_GLOBS = str.maketrans({sign: mark for mark, sign in _GLOB_SIGNS.items()})
_BRACES = str.maketrans(_BRACE_SIGNS)
_LITERAL = str.maketrans({**_SIGNS, SPLIT: ' ', QUOTED: None})
_UNKNOWN = {ANY: '**', SOME: '*'}
_SHOWN = str.maketrans({**_SIGNS, **_UNKNOWN, FRESH: '*', SPLIT: ' ', QUOTED: None})
_ESCAPED = str.maketrans(
    {'*': '[*]', '?': '[?]', '[': '[[]', **_GLOB_SIGNS, **_UNKNOWN}
)
_NOTHING = str.maketrans(dict.fromkeys((ANY, SOME, '/', '*', '.')))
_RESERVED = {code: '\ufffd' for code in range(0xFDD0, 0xFDF0)}

_BACKSLASH = re.compile(r'\\(.?)|[^\\]+', re.DOTALL)
_ESCAPE = re.compile(
    r'\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|(.?))',
    re.DOTALL | re.ASCII,
)
_LETTERS = dict(zip('abeEfnrtv\\\'"?', '\a\b\033\033\f\n\r\t\v\\\'"?', strict=True))


def clean(text: str) -> str:
    """Text from outside, without marks, that can be encoded."""
    text = text.translate(_RESERVED).replace('\0', '\ufffd')
    # half of a surrogate pair is not a character
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
    """The word as an assignment stores it: without patterns, unknown parts stay."""
    return word.translate(_LITERAL)


def shown(word: str) -> str:
    return word.translate(_SHOWN)


def escaped(word: str) -> str:
    """The word as a pattern of paths."""
    return word.translate(_ESCAPED)


def bounded(word: str) -> str:
    """The word, or ANY if it grew too long, as by doubling in each assignment."""
    while ANY * 2 in word:
        word = word.replace(ANY * 2, ANY)
    return word if len(word) <= LONGEST else ANY


def is_known(word: str) -> bool:
    return not any(mark in word for mark in (ANY, SOME, FRESH))


def is_plain(word: str) -> bool:
    return not any(mark in word for mark in PATTERNS)


def is_nothing(word: str) -> bool:
    """Whether everything known about a word is dots, slashes and stars."""
    return ANY in word and not literal(word).translate(_NOTHING)


def unquoted(text: str) -> str:
    """Unquoted text: a character after a backslash is plain, others stay active."""
    return _BACKSLASH.sub(
        lambda found: (
            active(found[0]) if found[1] is None else found[1].replace('\n', '')
        ),
        text,
    )


def in_double_quotes(text: str, special: str = '$`"\\') -> str:
    if '\\' not in text:
        return text
    pattern = rf'\\([{re.escape(special)}\n])'
    return re.sub(pattern, lambda found: found[1].replace('\n', ''), text)


def _character(digits: str, base: int) -> str:
    code = int(digits, base)
    valid = code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if valid else '\ufffd'


def _escape(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    if digits:
        return _character(digits, 16)
    if found[4]:
        return _character(found[4], 8)
    return _LETTERS.get(found[5], found[0])


def escapes(text: str) -> str:
    """Decode the escapes of `$'…'`, `echo -e` and the format of printf."""
    return _ESCAPE.sub(_escape, text)


def quote(word: str) -> str:
    """Text that the shell reads as this word; marks stay."""
    return "'" + word.replace("'", "'\\''") + "'"


def _number_range(text: str) -> list[str] | None:
    """The numbers of `1..5`; a longer range is some word."""
    first, dots, last = text.partition('..')
    if not dots or not (first and last):
        return None
    if re.fullmatch('[0-9]{2,11}', first + last):
        step = 1 if int(first) <= int(last) else -1
        numbers = range(int(first), int(last) + step, step)
        if len(numbers) <= MOST_WORDS:
            return [str(number) for number in numbers]
    return [SOME]


def _choices(word: str, start: int) -> tuple[list[str] | None, int]:
    """The choices in the braces at `start`, if there are any, and where they end."""
    depth, parts, begin = 0, [], start + 1
    for at in range(start, len(word)):
        if word[at] == OPEN:
            depth += 1
        elif word[at] == COMMA and depth == 1:
            parts.append(word[begin:at])
            begin = at + 1
        elif word[at] == CLOSE:
            depth -= 1
            if not depth:
                last = word[begin:at]
                return [*parts, last] if parts else _number_range(last), at
    return None, start


def expand_braces(word: str) -> list[str]:
    """All words that braces expand to; too many become one unknown part."""
    if word.count(OPEN) > MOST_WORDS:
        return [ANY]
    done: list[str] = []
    todo = [(word, 0)]
    while todo:
        word, start = todo.pop()
        start = word.find(OPEN, start)
        if start < 0:
            done.append(word.translate(_BRACES))
            continue
        parts, end = _choices(word, start)
        if parts is None:
            todo.append((word, start + 1))
            continue
        if len(done) + len(todo) + len(parts) > MOST_WORDS:
            parts = [SOME]
        head, tail = word[:start], word[end + 1 :]
        todo.extend((head + part + tail, start) for part in reversed(parts))
    return done
