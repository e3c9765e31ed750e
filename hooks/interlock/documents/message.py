from __future__ import annotations

import functools
import re

from interlock.model.change import Message

# what git chooses from where core.commentChar is `auto`
COMMENTS = '#;@!$%^&|:'
AUTO_SCISSORS_RE = re.compile(
    rf'^([{re.escape(COMMENTS)}]) -+ >8 -+$', re.MULTILINE,
)
TRAILER_RE = re.compile(r'([A-Za-z][A-Za-z0-9-]*):[ \t]+(\S.*)$')
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
    scissors = rf'^{re.escape(comment)} -+ >8 -+$'
    text = re.split(scissors, text, maxsplit=1, flags=re.MULTILINE)[0]
    lines = text.rstrip().split('\n')
    if not lines[-1].startswith(comment):
        return text
    kept = '\n'.join(line for line in lines if not line.startswith(comment))
    return kept if kept.strip() else text


# of one commit it is asked several times
@functools.lru_cache(maxsize=16)
def parse(text: str) -> Message:
    """A commit message as git stores it."""
    text = text.replace('\r\n', '\n')
    paragraphs = [
        part.strip('\n')
        for part in re.split(r'\n[ \t]*\n', text)
        if part.strip()
    ]
    if not paragraphs:
        return Message('', '', {})
    subject = ' '.join(paragraphs[0].split())[:MAX_SUBJECT]
    body = paragraphs[1:]
    trailers: dict[str, str] = {}
    if body:
        for line in body[-1].split('\n'):
            match = TRAILER_RE.match(line)
            if match:
                trailers[match[1].lower()] = match[2].strip()
        if trailers:
            body = body[:-1]
    return Message(subject, '\n\n'.join(body), trailers)
