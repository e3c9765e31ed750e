"""Does a prompt say yes to what was presented?

Whoever is misread as silent says it once more; whoever is misread as having
agreed is not asked again. So what hedges, asks, quotes or wants something
else is no assent, and neither is a word that stands in a longer text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# a longer prompt is about something else
MAX_PROMPT = 300
MAX_TOKENS = 30

LEFT, RIGHT = '\u2018', '\u2019'
QUESTIONS = '?\uff1f\u061f'
CODE_RE = re.compile(r'```.*?(?:```|\Z)|`[^`\n]*`?', re.DOTALL)
QUOTED_RE = re.compile(
    r'"[^"]*"?|“[^”]*”?|„[^“”]*[“”]?|«[^»]*»?|'
    r"(?<!\w)'[^'\n]*'(?!\w)|(?<!\w)\u2018[^\u2019\n]*\u2019(?!\w)"
)
QUOTED_LINE_RE = re.compile(r'^[ \t]*>.*$', re.MULTILINE)
TOKEN_RE = re.compile(r"[^\W_]+(?:['_-][^\W_]+)*")
CLAUSE_RE = re.compile(r'[.!;:,\n()…]+|\s[-\u2013—]+\s')
# to have nothing against it is no hedge
NO_OBJECTION_RE = re.compile(
    r'\bno (?:further |more |other )?(?:changes?|comments?|questions?|'
    r'concerns?|objections?|notes?|feedback|issues?)'
    r'(?: needed| required| from me)?\b'
)
ALLOWED_RE = re.compile(r'\byou (?:can|may)\b')
QUALIFIED_RE = re.compile(
    r'\bwith (?:changes|edits|comments|conditions|remarks)\b|'
    r'\bfor now\b|\bso far\b'
)

# what turns a word round, puts it off or leaves it open
HEDGES = frozenset(
    """
    not no never nor none cannot neither without false denied reject rejected
    refuse refused revoke revoked withdraw cancel cancelled stop wait hold
    pause yet if unless until till when whenever once after before while
    provided assuming assume suppose but except however though although
    almost nearly partially partly mostly later tomorrow should shall would
    could might must whether maybe perhaps what why how who which where
    instead first rather only pending
""".split()
)
# a clause that starts like this is a question, even without its mark
OPENERS = frozenset(
    """
    is are am was were do does did can could may should shall would will have
    has had
""".split()
)
# beside an assent these ask for something else than what was presented
CHANGES = frozenset(
    """
    change changes changing fix fixes rename replace add remove drop delete
    update revise rewrite rework adjust modify amend edit use make move
    reconsider redo split merge skip also too more less another different
    ask check confirm explain show tell review verify let
""".split()
)
# what may stand in the clause that assents
FILLERS = frozenset(
    """
    a an and as at by for i i'm it it's its let's me my of on ok okay our so
    that that's the then this to us we with yes yep yeah sure you your please
    thanks thank great good perfect nice fine excellent lgtm looks sounds all
    fully hereby now go ahead is are am plan plans planned task tasks change
    changes work checkpoint implementation implementing implement presented
    proposed stage phase step next commit everything here full user review
""".split()
)


def _plain(prompt: str) -> str:
    """The prompt without what somebody else said."""
    text = prompt
    if LEFT not in text:
        text = text.replace(RIGHT, "'")
    for pattern in (CODE_RE, QUOTED_LINE_RE, QUOTED_RE):
        text = pattern.sub(' ', text)
    text = text.replace(RIGHT, "'").replace('*', ' ').lower()
    text = NO_OBJECTION_RE.sub(' ', text)
    return ALLOWED_RE.sub('you', text)


def _without(text: str, names: Iterable[str]) -> str:
    for name in names:
        text = re.sub(rf'(?<![\w-]){re.escape(name.lower())}(?![\w-])', ' ', text)
    return text


def _has(tokens: Sequence[str], phrase: Sequence[str]) -> bool:
    length = len(phrase)
    return any(
        list(tokens[at : at + length]) == list(phrase)
        for at in range(len(tokens) - length + 1)
    )


def _says(tokens: Sequence[str], words: Sequence[str]) -> bool:
    """One of the words, and nothing that it does not go with."""
    phrases = [word.lower().split() for word in words]
    found = [phrase for phrase in phrases if _has(tokens, phrase)]
    known = {part for phrase in phrases for part in phrase}
    return (
        bool(found)
        and tokens[0] not in OPENERS
        and all(token in known or token in FILLERS for token in tokens)
    )


def _asks(text: str) -> bool:
    return any(mark in text for mark in QUESTIONS)


def _hedges(tokens: Iterable[str]) -> bool:
    return any(token in HEDGES or token.endswith("n't") for token in tokens)


def assents(prompt: str, words: Sequence[str], names: Iterable[str] = ()) -> bool:
    """Whether a prompt says one of the words, and means it.

    `names` are those of what is asked about: to name it changes nothing.
    """
    if len(prompt) > MAX_PROMPT or prompt.startswith('/'):
        return False
    text = _without(_plain(prompt), names)
    tokens = TOKEN_RE.findall(text)
    if (
        _asks(text)
        or len(tokens) > MAX_TOKENS
        or _hedges(tokens)
        or (QUALIFIED_RE.search(text))
    ):
        return False
    clauses = [
        found for clause in CLAUSE_RE.split(text) if (found := TOKEN_RE.findall(clause))
    ]
    said = [_says(clause, words) for clause in clauses]
    if not any(said):
        return False
    # what else is said comes behind it, and asks for nothing else
    before = clauses[: said.index(True)]
    others = [
        clause
        for clause, says in zip(clauses, said, strict=True)
        if not says and not FILLERS.issuperset(clause)
    ]
    return all(clause not in others for clause in before) and not any(
        CHANGES.intersection(clause) for clause in others
    )


def mentions(prompt: str, words: Sequence[str]) -> bool:
    """Whether one of the words stands in a prompt at all."""
    tokens = TOKEN_RE.findall(prompt.lower())
    return any(_has(tokens, word.lower().split()) for word in words)


def names(prompt: str, name: str) -> bool:
    """Whether a prompt names something by its whole name."""
    text = prompt.lower()
    return _without(text, [name]) != text


def is_phrase(prompt: str, phrases: Sequence[str]) -> bool:
    """Whether a prompt is one of some phrases, and politeness."""
    tokens = _bare(prompt)
    return bool(tokens) and any(tokens == _bare(phrase) for phrase in phrases)


POLITE = frozenset({'please', 'the', 'now', 'thanks', 'ok', 'okay', 'yes'})


def _bare(text: str) -> list[str]:
    if len(text) > MAX_PROMPT or _asks(text):
        return []
    return [token for token in TOKEN_RE.findall(text.lower()) if token not in POLITE]
