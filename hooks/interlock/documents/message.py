"""Commit messages, and the trailers at their end.

Trailers are found as `git interpret-trailers` does. The rules are those of git's
trailer.c, with its default settings: no setting of one machine may decide what a
commit says on another.
"""

from __future__ import annotations

from interlock.documents.markdown import whole_lines
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Message
from interlock.model.quick_typing import NamedTuple

COMMENT = '#'
SEPARATOR = ':'
# white space according to git; Python's `isspace` knows more
SPACE = ' \t\n\r'
GENERATED = ('Signed-off-by: ', '(cherry picked from commit ')
SCISSORS = f'{COMMENT} {"-" * 24} >8 {"-" * 24}\n'
CONFLICTS = 'Conflicts:\n'
TOKEN_RE = re.compile(rf'[A-Za-z0-9-]+[ \t]*{SEPARATOR}')
FOLD_RE = re.compile(rf'\n[{SPACE}]*')
# footers with which clients sign commits: `Generated with [Some Client](address)`;
# and what platforms put around their own trailers
FOOTER_RE = re.compile(
    r'[^\w\n]*(?:co-?)?(?:generated|created|written|made|authored|assisted)'
    r'[ -](?:with|by|using|via)\b[^\n]*|-{9}|See merge request \S+'
    r'|(?:Closes|Related work items:) [^\n]*#\d+',
    re.IGNORECASE,
)
# where the message of each commit begins, as platforms and git list them in a squash
LISTED_RE = re.compile(r'\n[ \t]*\n(?=\* \S)')
SQUASHED = 'Squashed commit of the following:\n'
COMMIT_RE = re.compile('^commit [0-9a-f]{40,64}$', re.MULTILINE)
INDENT_RE = re.compile('^    ', re.MULTILINE)
# the characters from which git chooses if core.commentChar is `auto`
COMMENTS = '#;@!$%^&|:'
AUTO_SCISSORS_RE = re.compile(rf'^([{re.escape(COMMENTS)}]) -+ >8 -+$', re.MULTILINE)
# people who took part: `Co-Authored-By:`, `Reviewed-by:`
SIGNED_RE = re.compile(r'[A-Za-z-]+-by[ \t]*:', re.IGNORECASE)
BLANK_RE = re.compile(r'\n[ \t]*\n')
MAX_SUBJECT = 1000


class Block(NamedTuple):
    # the text above the trailers
    above: str
    # in their order, folded values on one line
    trailers: tuple[tuple[str, str], ...]


def _is_blank(line: str) -> bool:
    return not line.strip(SPACE)


def _token(line: str) -> str:
    """The text before the separator of a trailer, '' if it is not a trailer."""
    match = TOKEN_RE.match(line) if SEPARATOR in line else None
    return match[0][:-1].strip(SPACE) if match else ''


def _before_divider(lines: list[str]) -> list[str]:
    """The lines without a patch: git takes `---` and the rest for one."""
    for number, line in enumerate(lines):
        if line.startswith('---') and line[3:4] and line[3] in SPACE:
            return lines[:number]
    return lines


def _before_comments(lines: list[str]) -> list[str]:
    """The lines without comments, blank lines and conflicts at the end."""
    if SCISSORS in lines:
        lines = lines[: lines.index(SCISSORS)]
    end, in_conflicts = 0, False
    for number, line in enumerate(lines):
        if line.startswith(COMMENT) or line == '\n':
            continue
        elif line == CONFLICTS:
            in_conflicts = True
        elif not (in_conflicts and line.startswith('\t')):
            end, in_conflicts = number + 1, False
    return lines[:end]


def _title_end(lines: list[str]) -> int:
    for number, line in enumerate(lines):
        if not line.startswith(COMMENT) and _is_blank(line):
            return number
    return len(lines)


def _start(lines: list[str]) -> int:
    """The first line of the block: after a blank line that is not the title's.

    All lines of a block are trailers, or git generated one and at least every fourth
    is a trailer.
    """
    found = others = folded = 0
    generated = seen = False
    for number in range(len(lines) - 1, _title_end(lines) - 1, -1):
        line = lines[number]
        if line.startswith(COMMENT):
            others, folded = others + folded, 0
        elif _is_blank(line):
            if not seen:
                continue
            others += folded
            whole = found and not others
            mixed = generated and found * 3 >= others
            return number + 1 if whole or mixed else len(lines)
        elif line.startswith(GENERATED) or _token(line):
            generated = generated or line.startswith(GENERATED)
            found, folded, seen = found + 1, 0, True
        elif line[0] in SPACE:
            folded, seen = folded + 1, True
        else:
            others, folded, seen = others + folded + 1, 0, True
    return len(lines)


def _unfolded(lines: list[str]) -> list[str]:
    found: list[str] = []
    is_trailer = False
    for line in lines:
        if is_trailer and line[0] in SPACE:
            found[-1] += line
        else:
            found.append(line)
            is_trailer = bool(_token(line))
    return found


def last_block(text: str) -> Block:
    """What `git interpret-trailers --parse` reads, and the text above it."""
    text = text.partition('\0')[0]
    lines = _before_comments(_before_divider(whole_lines(text)))
    start = _start(lines)
    trailers = []
    for line in _unfolded(lines[start:]):
        token = _token(line)
        if token:
            value = line.partition(SEPARATOR)[2].strip(SPACE)
            trailers.append((token, FOLD_RE.sub(' ', value)))
    return Block(''.join(lines[:start]), tuple(trailers))


def is_footer(line: str) -> bool:
    """Whether a line only names a program that helped."""
    return FOOTER_RE.fullmatch(line.strip()) is not None and not _token(line)


def _without_footers(text: str) -> str:
    lines = whole_lines(text)
    title = _title_end(lines)
    kept = [
        line for line in lines[title:] if not (line[0] not in SPACE and is_footer(line))
    ]
    return ''.join((*lines[:title], *kept))


def blocks(text: str) -> Block:
    """All trailers at the end of a message.

    `git commit -m` makes a paragraph of each trailer, and clients sign below
    them. So git's rule is applied again to the text above a block.
    """
    block = last_block(_without_footers(text))
    while True:
        above = last_block(block.above)
        if not above.trailers:
            return block
        block = Block(above.above, (*above.trailers, *block.trailers))


def _squashed(text: str) -> list[str]:
    """The messages of the commits that a squash lists below its own title."""
    _, is_listed, below = text.partition(SQUASHED)
    if is_listed:
        return [INDENT_RE.sub('', part) for part in COMMIT_RE.split(below)[1:]]
    return LISTED_RE.split(text)[1:]


def _values(block: Block) -> dict[str, str]:
    """The trailers by name; the last one with a value wins."""
    return {token.lower(): value for token, value in block.trailers if value}


def _chosen(text: str) -> str:
    scissors = AUTO_SCISSORS_RE.search(text)
    last = text.rstrip().rpartition('\n')[2][:1]
    if scissors is not None:
        return scissors[1]
    return last if last and last in COMMENTS else '#'


def without_template(text: str, comment: str) -> str:
    """The text of a message file without what git's editor put there.

    git drops lines that start with the comment character only if an editor was used,
    and says so in a block of such lines at the end.
    """
    text = text.replace('\r\n', '\n')
    if comment == 'auto':
        comment = _chosen(text)
    scissors = re.compile(rf'^{re.escape(comment)} -+ >8 -+$', re.MULTILINE)
    text = scissors.split(text, maxsplit=1)[0]
    lines = text.rstrip().split('\n')
    if not lines[-1].startswith(comment):
        return text
    kept = '\n'.join(line for line in lines if not line.startswith(comment))
    return kept if kept.strip() else text


def _paragraphs(text: str) -> list[str]:
    return [part.strip('\n') for part in BLANK_RE.split(text) if part.strip()]


# one commit's message is parsed several times
@functools.lru_cache(maxsize=16)
def parse(text: str) -> Message:
    """A commit message as git stores it; git reads it up to a NUL."""
    text = text.partition('\0')[0].replace('\r\n', '\n')
    paragraphs = _paragraphs(text)
    if not paragraphs:
        return Message('', '', {})
    subject = ' '.join(paragraphs[0].split())[:MAX_SUBJECT]
    if '\n' not in text.rstrip():
        # a single line is the title
        return Message(subject, '', {})
    block = blocks(text)
    if block.trailers:
        paragraphs = _paragraphs(block.above)
    squashed: dict[str, str] = {}
    for part in _squashed(text):
        squashed |= _values(blocks(part))
    body = '\n\n'.join(paragraphs[1:])
    return Message(subject, body, _values(block), squashed)


def prose(message: Message) -> str:
    """The text below the subject, without trailers and footers of clients."""
    return '\n'.join(
        line
        for line in message.body.split('\n')
        if not is_footer(line) and not SIGNED_RE.match(line)
    ).strip()
