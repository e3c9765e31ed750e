"""What a SKILL.md forbids and requires.

Under a heading, a label or in a tag of that name, the items of lists.
"""

from __future__ import annotations

import re

FORBIDDEN = 'forbidden'
REQUIRED = 'required'
MAX_ITEMS = 50
MAX_ITEM = 300

# `## Forbidden actions`, `**REQUIRED:**`, `FORBIDDEN:`, `<FORBIDDEN>`
HEADING_RE = re.compile(r'(#{1,6})\s+(.*?)\s*#*')
LABEL_RE = re.compile(r'\*{0,2}(forbidden|required)\b[^:]*:\*{0,2}', re.I)
TAG_RE = re.compile(r'<(/?)(forbidden|required)\b[^>]*>', re.I)
ITEM_RE = re.compile(r'\s*(?:[-*+]|\d+[.)])\s+(.*\S)\s*')
FENCE_RE = re.compile(r'\s*(```|~~~)')


def _named(text: str) -> str:
    word = text.strip(' *_:').partition(' ')[0].lower().strip(':*')
    return word if word in (FORBIDDEN, REQUIRED) else ''


class _Reader:
    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {FORBIDDEN: [], REQUIRED: []}
        # the list that items belong to now, '' for none
        self.under = ''
        self.tagged = False

    def line(self, line: str) -> None:
        tag = TAG_RE.fullmatch(line.strip())
        heading = HEADING_RE.fullmatch(line)
        item = ITEM_RE.fullmatch(line)
        label = LABEL_RE.fullmatch(line.strip())
        if tag:
            self.tagged = not tag[1]
            self.under = tag[2].lower() if self.tagged else ''
        elif heading and not self.tagged:
            self.under = _named(heading[2])
        elif label and not self.tagged:
            self.under = label[1].lower()
        elif item and self.under:
            listed = self.found[self.under]
            if len(listed) < MAX_ITEMS:
                listed.append(item[1][:MAX_ITEM])
        elif line.strip() and not line.startswith((' ', '\t')):
            # a paragraph ends a list that only a label had begun
            self.under = self.under if self.tagged else ''


def instructions(text: str) -> dict[str, list[str]]:
    """`{forbidden: […], required: […]}`, each in the order of the file."""
    reader, fenced = _Reader(), False
    for line in text.splitlines():
        if FENCE_RE.match(line):
            fenced = not fenced
        elif not fenced:
            reader.line(line)
    return reader.found
