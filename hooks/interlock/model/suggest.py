from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, words: Iterable[str], cutoff: float = 0.6) -> str:
    """The most similar of some words, without regard to case, or ''."""
    # slow to import, and only mistakes need it
    import difflib

    known = {each.lower(): each for each in words}
    close = difflib.get_close_matches(word.lower(), known, 1, cutoff)
    return known[close[0]] if close else ''


def did_you_mean(word: str, words: Iterable[str]) -> str:
    near = nearest(word, words)
    return f'; did you mean `{near}`?' if near else ''
