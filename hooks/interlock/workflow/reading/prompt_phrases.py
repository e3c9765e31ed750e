"""Is a prompt one of the phrases that a workflow lists?

A missed approval costs one more prompt; a false one cannot be undone. So a
phrase is the whole prompt, but for case, punctuation and politeness; one that
asks or quotes does not count.
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
    """A phrase, and the ways in which it may name what it is about."""
    if '{item}' in phrase:
        return [expand(phrase, name) for name in names]
    around = [
        each for name in names for each in (f'{phrase} {name}', f'{name} {phrase}')
    ]
    return [phrase, *around]


def is_phrase(prompt: str, phrases: Iterable[str], names: Sequence[str] = ()) -> bool:
    """Whether a prompt is one of some phrases.

    `names` are those of what it may be about: a phrase has {item} in the place
    of a name, or the name stands before or after it.
    """
    if len(prompt) > MAX_PROMPT or SPEAKS_OF_RE.search(prompt):
        return False
    said = _bare(prompt)
    return bool(said) and any(
        said == _bare(form) for phrase in phrases for form in _forms(phrase, names)
    )


def mentions(prompt: str, phrases: Iterable[str]) -> bool:
    """Whether one of some phrases stands in a prompt at all."""
    text = f' {" ".join(_tokens(prompt))} '
    return any(f' {" ".join(_tokens(phrase))} ' in text for phrase in phrases)


def names(prompt: str, name: str) -> bool:
    """Whether a prompt names something by its whole name."""
    whole = rf'(?<![\w-]){re.escape(name.lower())}(?![\w-])'
    return re.search(whole, prompt.lower()) is not None
