"""Words for progress in tables: `progress_words.yaml`."""

from __future__ import annotations

import os

from interlock.documents import yaml
from interlock.workflow.language.spec import BEFORE, DONE, STAGE


def _words() -> dict[str, list[str]]:
    path = os.path.join(os.path.dirname(__file__), 'progress_words.yaml')
    return {key: text.split(', ') for key, text in yaml.of_file(path).items()}


WORDS = _words()
# headers in other languages than English
FOREIGN_HEADERS = WORDS['status-headers']
FOREIGN_WORK = frozenset(WORDS['work-headers'])
PAUSED, GIVEN_UP, REPORTED = (
    frozenset(WORDS[key]) for key in ('paused', 'given-up', 'reported')
)
# word -> its position in the order, and its role
KNOWN: dict[str, tuple[int, str]] = {}
for _role in (BEFORE, STAGE, DONE):
    for _word in WORDS[_role]:
        KNOWN.setdefault(_word, (len(KNOWN), _role))


def common(word: str) -> str:
    """The word in the spelling of the list."""
    text = ' '.join(word.lower().replace('-', ' ').replace('_', ' ').split())
    return text.replace('\u2019', "'")


def known(word: str) -> tuple[int, str] | None:
    """The position of a word in the usual order, and its role; None if not listed."""
    return KNOWN.get(common(word))
