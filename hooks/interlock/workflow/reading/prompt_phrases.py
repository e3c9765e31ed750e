"""Is a prompt one of the phrases that a workflow lists?

A missed approval costs one more prompt; a false one cannot be undone. So a
phrase must be the whole prompt, apart from case, punctuation and politeness. A
prompt that asks or quotes does not count.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterable, Sequence
from interlock.workflow.language.patterns import expand

# a longer prompt is about something else
MAX_PROMPT = 300
# questions, quotations, code and commands of the client
SPEAKS_OF_RE = re.compile(r"""[?\uff1f\u061f"“”„«»\u2018`>]|^\s*/|(?<!\w)'|'(?!\w)""")
TOKEN_RE = re.compile(r"[^\W_]+(?:['_-][^\W_]+)*")
POLITE = frozenset({'please', 'the', 'now', 'thanks', 'ok', 'okay', 'yes'})


def _tokens(text: str) -> list[str]:
    plain = text.replace('\u2019', "'").lower().replace('thank you', 'thanks')
    return TOKEN_RE.findall(plain)


def _bare(text: str) -> list[str]:
    return [token for token in _tokens(text) if token not in POLITE]


def _forms(phrase: str, names: Sequence[str]) -> list[str]:
    """A phrase with each name that it may be about."""
    if '{item}' in phrase:
        return [expand(phrase, name) for name in names]
    around = [
        each for name in names for each in (f'{phrase} {name}', f'{name} {phrase}')
    ]
    return [phrase, *around]


def is_phrase(prompt: str, phrases: Iterable[str], names: Sequence[str] = ()) -> bool:
    """Whether a prompt is one of some phrases.

    `names` are the things it may be about: a phrase has {item} in place of a
    name, or the name comes before or after the phrase.
    """
    if len(prompt) > MAX_PROMPT or SPEAKS_OF_RE.search(prompt):
        return False
    said = _bare(prompt)
    return bool(said) and any(
        said == _bare(form) for phrase in phrases for form in _forms(phrase, names)
    )


def mentions(prompt: str, phrases: Iterable[str]) -> bool:
    """Whether a prompt contains one of some phrases."""
    text = f' {" ".join(_tokens(prompt))} '
    return any(f' {" ".join(_tokens(phrase))} ' in text for phrase in phrases)


def names(prompt: str, name: str) -> bool:
    """Whether a prompt names something by its whole name."""
    whole = rf'(?<![\w-]){re.escape(name.lower())}(?![\w-])'
    return re.search(whole, prompt.lower()) is not None
