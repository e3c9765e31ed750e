"""Commands that need no parser: words, quotes, and `&&` between them.

Most commands of agents are that plain, and loading the parser takes longer
than the rest of an answer. Text that may have another meaning (a variable, a
pattern, a redirection, a keyword) is left to the parser, and a test compares
both.
"""

from __future__ import annotations

from interlock.model import quick_re as re

# one character or one pair of quotes: nested repetition would be exponential
_PIECE = r"""[A-Za-z0-9_./:@%+,=-]|'[^']*'|"[^"$`\\!]*\""""
# in characters; for a longer text the parser is worth its time
LONGEST = 2_000
_WORD = f'(?:{_PIECE})+'
_COMMAND = rf'{_WORD}(?:[ \t]+{_WORD})*'
_BETWEEN = r'[ \t]*(?:&&|\|\||;|\n)[ \t]*'
PLAIN_RE = re.compile(rf'[ \t\n]*{_COMMAND}(?:{_BETWEEN}{_COMMAND})*[ \t]*;?[ \t\n]*')
# a word, or a separator of two commands
PART_RE = re.compile(rf'({_WORD})|(&&|\|\||;|\n)')
PIECE_RE = re.compile(_PIECE)
ASSIGNMENT_RE = re.compile('[A-Za-z_][A-Za-z0-9_]*[+]?=')
# words with a special meaning at the beginning of a command
KEYWORDS = frozenset(
    """case coproc declare do done elif else esac export fi for function if in let
    local readonly select then time typeset unset until while""".split()
)


def plain_commands(text: str) -> list[list[str]] | None:
    """The words of each command; None if a parser must read the text."""
    if len(text) > LONGEST or '<<' in text or not PLAIN_RE.fullmatch(text):
        return None
    found: list[list[str]] = [[]]
    for part in PART_RE.finditer(text):
        word, between = part.groups()
        if between:
            found.append([])
        elif word[0] == '=' or (word[0] == '-' and not found[-1]):
            # the parser reads `=x` as a sign only, and `-a-b=c` as a variable
            return None
        elif not found[-1] and (word in KEYWORDS or ASSIGNMENT_RE.match(word)):
            return None
        else:
            found[-1].append(_unquoted(word))
    return [words for words in found if words]


def _unquoted(word: str) -> str:
    pieces = PIECE_RE.findall(word)
    return ''.join(each[1:-1] if each[0] in '\'"' else each for each in pieces)
