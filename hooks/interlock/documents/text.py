from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.errors import Unreadable

LINK_RE = re.compile(r'\[([^\[\]]*)\]\([^()]*\)')
# bold, italics and code
STYLING = str.maketrans('', '', '*`')
# an underscore inside a word is a part of it, also with a backslash before it
EMPHASIS_RE = re.compile(r'(?<!\w)_+|_+(?!\w)')
STRUCK = '~~'
COMMENT_RE = re.compile(r'<!--.*?-->')
# a character that is shown as an emoji because a selector follows it
STYLED_RE = re.compile('[^\\s]\ufe0f\u20e3?')
# joins or separates two characters that most emoji and some scripts combine
JOINED_RE = re.compile('(?<=[^\x00-\xff])[\u200c\u200d](?=[^\x00-\xff])')
DATE_RE = re.compile(r'\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)')
TIMESTAMP_RE = re.compile(
    rf'{DATE_RE.pattern}'
    r'(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$'
)

# the byte order mark of UTF-8
BOM = b'\xef\xbb\xbf'
# the byte order marks of wide encodings, the longest first
MARKS = (
    (b'\xff\xfe\0\0', 'UTF-32'),
    (b'\0\0\xfe\xff', 'UTF-32'),
    (b'\xff\xfe', 'UTF-16'),
    (b'\xfe\xff', 'UTF-16'),
)


def wide_encoding(data: bytes) -> str:
    """The encoding of a text in wide characters, '' for any other bytes.

    Such a table has NUL bytes: its pipes are wide too.
    """
    found = _wide(data) if b'\0' in data else ''
    if found:
        try:
            data.decode(found)
        except UnicodeDecodeError:
            # only its beginning looks like it
            return ''
    return found


def _wide(data: bytes) -> str:
    for mark, name in MARKS:
        if data.startswith(mark):
            return name
    # without a mark: every other byte of western text is NUL
    for first, name in ((0, 'UTF-16BE'), (1, 'UTF-16LE')):
        if 2 * data[first::2].count(0) > len(data[first::2]) > 1:
            return name
    return ''


def _narrow(data: bytes) -> str:
    # Windows has printable characters where Latin-1 has none
    return 'CP1252' if any(0x80 <= byte < 0xA0 for byte in data) else 'LATIN1'


def encoding_of(data: bytes) -> str:
    """The likely encoding of text that is not UTF-8, as iconv names it."""
    wide = wide_encoding(data)
    if wide or b'\0' in data:
        return wide
    try:
        data.decode()
    except UnicodeDecodeError:
        return _narrow(data)
    return ''


def content(blob: Blob) -> bytes:
    """The bytes of a file that may be text."""
    if blob.data is None:
        raise Unreadable(f'is too large to be read ({blob.size} bytes)')
    elif b'\0' in blob.data:
        wide = wide_encoding(blob.data)
        if wide:
            raise Unreadable(f'is {wide} text, and has to be UTF-8', 1, wide)
        line = blob.data.count(b'\n', 0, blob.data.index(b'\0')) + 1
        raise Unreadable('holds a NUL byte', line)
    return blob.data


def decode(blob: Blob) -> str:
    data = content(blob)
    try:
        return data.decode()
    except UnicodeDecodeError as e:
        line = data.count(b'\n', 0, e.start) + 1
        raise Unreadable('is not UTF-8 text', line, _narrow(data)) from None


def _category(char: str) -> str:
    # most characters are ASCII, and have none of these categories
    if char.isascii():
        return ''
    import unicodedata

    return unicodedata.category(char)


def _is_emoji(char: str) -> bool:
    code = ord(char)
    if code < 0xA9:
        return False
    return (
        # symbols, and the format characters that join them or choose a form
        _category(char) in {'So', 'Cf'}
        or code in {0x20E3, 0xFE0E, 0xFE0F}
        or 0x1F3FB <= code <= 0x1F3FF
    )


# there are few statuses, and many items have each
@functools.lru_cache(maxsize=1024)
def emoji(text: str) -> str:
    """The emoji of a text, without the characters that only style them."""
    styled = {match.start() for match in STYLED_RE.finditer(text)}
    return ''.join(
        char
        for number, char in enumerate(text)
        if number in styled or _category(char) == 'So'
    )


def without_comments(text: str) -> str:
    # no comment ends after the last `-->`
    head, end, tail = text.rpartition('-->')
    return COMMENT_RE.sub('', head + end) + tail if end else text


@functools.lru_cache(maxsize=1024)
def plain(text: str) -> str:
    """A status or name as it is compared: no styling, no emoji, no link."""
    if not text.isascii():
        text = STYLED_RE.sub(' ', text)
        text = ''.join(' ' if _is_emoji(char) else char for char in text)
    if '<!--' in text:
        text = without_comments(text)
    if '](' in text:
        text = LINK_RE.sub(r'\1', text)
    if STRUCK in text:
        text = text.replace(STRUCK, '')
    text = text.translate(STYLING)
    if '_' in text:
        text = EMPHASIS_RE.sub('', text.replace('\\_', '_'))
    return ' '.join(text.split())


WRAPPING = (STRUCK, '`')


def name(text: str) -> str:
    """An item's name: an underscore inside it is not emphasis."""
    if '](' in text:
        text = LINK_RE.sub(r'\1', text)
    text = text.strip().strip('*').strip()
    for mark in WRAPPING:
        # a mark in the middle shows that only parts of the text are in such marks
        if text.startswith(mark) and text.endswith(mark):
            inner = text.strip(mark[0])
            text = text if mark in inner else inner.strip().strip('*').strip()
    if len(text) > 2 and text[0] == text[-1] == '_':
        text = text.strip('_')
    return text


def is_date(text: str) -> bool:
    return TIMESTAMP_RE.match(text) is not None


def date(text: str) -> str:
    """The first date in a text, or ''."""
    match = DATE_RE.search(text)
    return match[0] if match else ''


def one_line(text: str, most: int = 0) -> str:
    """Text of unknown origin on one line, cut to `most` characters if given."""
    if not text.isprintable():
        joined = {match.start() for match in JOINED_RE.finditer(text)}
        text = ''.join(
            char if char.isprintable() or at in joined else repr(char)[1:-1]
            for at, char in enumerate(text)
        )
    return text if not most or len(text) <= most else f'{text[: most - 3]}...'


def shown(text: str) -> str:
    """A value of unknown origin, for a message."""
    return one_line(text, 120)


def require_one_line(text: str) -> str:
    """The text, if it can be written as one line of a file."""
    if (text and text.splitlines() != [text]) or '\0' in text:
        raise Unreadable(f'cannot hold {text!r} in one line')
    return text
