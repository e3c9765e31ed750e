from __future__ import annotations

from interlock.documents.trailer_block import blocks, is_footer
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Message

# what git chooses from where core.commentChar is `auto`
COMMENTS = '#;@!$%^&|:'
AUTO_SCISSORS_RE = re.compile(rf'^([{re.escape(COMMENTS)}]) -+ >8 -+$', re.MULTILINE)
# people who had a part in it: `Co-Authored-By:`, `Reviewed-by:`
SIGNED_RE = re.compile(r'[A-Za-z-]+-by[ \t]*:', re.IGNORECASE)
BLANK_RE = re.compile(r'\n[ \t]*\n')
MAX_SUBJECT = 1000


def _chosen(text: str) -> str:
    scissors = AUTO_SCISSORS_RE.search(text)
    last = text.rstrip().rpartition('\n')[2][:1]
    if scissors is not None:
        return scissors[1]
    return last if last and last in COMMENTS else '#'


def without_template(text: str, comment: str) -> str:
    """The text of a message file without what git's editor put there.

    git drops lines that start with the comment character only where an
    editor was used, and says so in a block of them at the end.
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


# parsed several times for one commit
@functools.lru_cache(maxsize=16)
def parse(text: str) -> Message:
    """A commit message as git stores it; git reads it up to a NUL."""
    text = text.partition('\0')[0].replace('\r\n', '\n')
    paragraphs = _paragraphs(text)
    if not paragraphs:
        return Message('', '', {})
    subject = ' '.join(paragraphs[0].split())[:MAX_SUBJECT]
    if '\n' not in text.rstrip():
        # one line is a title
        return Message(subject, '', {})
    block = blocks(text)
    # the last one with a value wins
    trailers = {token.lower(): value for token, value in block.trailers if value}
    if block.trailers:
        paragraphs = _paragraphs(block.above)
    return Message(subject, '\n\n'.join(paragraphs[1:]), trailers)


def prose(message: Message) -> str:
    """The text below the subject, without trailers and footers of clients."""
    return '\n'.join(
        line
        for line in message.body.split('\n')
        if not is_footer(line) and not SIGNED_RE.match(line)
    ).strip()
