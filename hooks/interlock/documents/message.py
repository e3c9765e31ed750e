from __future__ import annotations

import re

from interlock.model.change import Message

SCISSORS_RE = re.compile(r'^. -+ >8 -+$', re.MULTILINE)
TRAILER_RE = re.compile(r'([A-Za-z][A-Za-z0-9-]*):[ \t]+(\S.*)$')
MAX_SUBJECT = 1000


def parse(text: str) -> Message:
    """A commit message as git keeps it; lines of a template are dropped."""
    text = SCISSORS_RE.split(text.replace('\r\n', '\n'), maxsplit=1)[0]
    lines = [line for line in text.split('\n') if not line.startswith('#')]
    paragraphs = [
        part.strip('\n')
        for part in re.split(r'\n[ \t]*\n', '\n'.join(lines))
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
