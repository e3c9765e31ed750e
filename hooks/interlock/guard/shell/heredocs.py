"""Takes heredocs out of the text before it is parsed.

The grammar fails if something follows a heredoc on its line. So each heredoc
is replaced by a redirection from a file that does not exist, and its text is
kept under its number. Continued lines are joined as well.
"""

from __future__ import annotations

from interlock.guard.shell.words import HERE, escapes, in_double_quotes
from interlock.model import quick_re as re
from interlock.model.quick_typing import NamedTuple

_TOKEN = re.compile(r"""\\\n|\\|\$\(\(|\$\(|\$\{|`|<<<|<<-?|\(\(|\)\)|[()}"'#\n]""")
# the scanner is inside the text of a heredoc
BODY = '\n'
# places where the shell recognises operators
SHELL = ('', ')', '`')
STOPS = ' \t\n;&|<>()'
# openings that count inside quotes too, and their closings
OPENING = {'$((': '((', '$(': ')', '${': '}'}


class Heredoc(NamedTuple):
    text: str
    # its delimiter was quoted, so nothing in it is expanded
    quoted: bool


class Pending(NamedTuple):
    delimiter: str
    quoted: bool
    tabs: bool


def _end(text: str, sign: str, at: int) -> int:
    """The position of the next `sign`, or the end of the text."""
    found = text.find(sign, at)
    return len(text) if found < 0 else found


def _behind_quote(text: str, at: int) -> int:
    """The position after the quote that closes the single quote at `at`."""
    if text[at - 1 : at] == '$':
        at += 1
        while at < len(text) and text[at] != "'":
            at += 2 if text[at] == '\\' else 1
        return at + 1
    return min(_end(text, "'", at + 1) + 1, len(text))


def _delimiter(text: str, at: int) -> tuple[str, bool, int]:
    """The word after `<<`, whether it was quoted, and where it ends."""
    while text[at : at + 1] in (' ', '\t') and at < len(text):
        at += 1
    found, quoted = '', False
    while at < len(text) and text[at] not in STOPS:
        if text[at] == "'":
            end = _behind_quote(text, at)
            part = text[at + 1 : end - 1]
            ansi = found.endswith('$')
            found = found.removesuffix('$') + (escapes(part) if ansi else part)
            quoted, at = True, end
        elif text[at] == '"':
            end = _end(text, '"', at + 1)
            found += in_double_quotes(text[at + 1 : end])
            quoted, at = True, end + 1
        else:
            if text[at] == '\\':
                quoted, at = True, at + 1
            found += text[at : at + 1]
            at += 1
    return found, quoted, at


class Scanner:
    def __init__(self, text: str, found: list[Heredoc], inside: str = '') -> None:
        self.text = text
        self.found = found
        self.at = 0
        self.kept: list[str] = []
        # everything before this position is already copied or left out
        self.start = 0
        # the closings of all constructs that are open
        self.stack = [inside]
        self.pending: list[Pending] = []

    def run(self) -> str:
        while sign := _TOKEN.search(self.text, self.at):
            self.at = sign.start()
            self.step(sign[0], self.stack[-1])
        return ''.join([*self.kept, self.text[self.start :]])

    def replace(self, end: int, new: str) -> None:
        self.kept += [self.text[self.start : self.at], new]
        self.start = self.at = end

    def push(self, kind: str, length: int) -> None:
        self.stack.append(kind)
        self.at += length

    def pop(self, length: int = 1) -> None:
        self.stack.pop()
        self.at += length

    def step(self, sign: str, inside: str) -> None:
        if inside == BODY and self.is_literal(sign):
            self.replace(self.at, '\\')
            self.at += 1
        elif sign == inside and inside in ('"', '}'):
            self.pop()
        elif sign == '))' and inside == '((':
            self.pop(2)
        elif sign == '\\\n':
            # the line continues
            self.replace(self.at + 2, '')
        elif sign == '\\':
            self.at += 2
        elif sign in OPENING:
            self.push(OPENING[sign], len(sign))
        elif sign == '`':
            self.backquote()
        elif inside in SHELL:
            self.shell(sign, inside)
        elif sign == '"' and inside == '}':
            self.push('"', 1)
        elif sign == "'" and inside == '}' and '"' not in self.stack:
            self.at = _behind_quote(self.text, self.at)
        else:
            self.at += 1

    def is_literal(self, sign: str) -> bool:
        """Whether a sign is literal in a heredoc: quotes are, and most backslashes."""
        after = self.text[self.at + 1 : self.at + 2]
        return sign == '"' or (sign == '\\' and (not after or after not in '$`\\'))

    def backquote(self) -> None:
        if '`' not in self.stack:
            self.push('`', 1)
            return
        while self.stack.pop() != '`':
            pass
        self.at += 1

    def shell(self, sign: str, inside: str) -> None:
        if sign == '\n':
            self.at += 1
            self.bodies()
        elif sign == "'":
            self.at = _behind_quote(self.text, self.at)
        elif sign == '((':
            self.push('((', 2)
        elif sign in ('"', '('):
            self.push(sign.replace('(', ')'), 1)
        elif sign[0] == ')' == inside:
            self.pop()
        elif sign == '#' and self.text[self.at - 1 : self.at] in STOPS:
            self.at = _end(self.text, '\n', self.at)
        elif sign == '<<<':
            self.at += 3
        elif sign in ('<<', '<<-'):
            delimiter, quoted, end = _delimiter(self.text, self.at + len(sign))
            number = len(self.found) + len(self.pending)
            self.pending.append(Pending(delimiter, quoted, sign == '<<-'))
            self.replace(end, f' <{HERE}{number} ')
        else:
            self.at += 1

    def bodies(self) -> None:
        """Read the bodies of all heredocs of a line, which follow it one by one."""
        if self.pending:
            self.replace(self.at, '')
        for each in self.pending:
            self.found.append(Heredoc(self.body(each), each.quoted))
        self.start = self.at if self.pending else self.start
        self.pending = []

    def body(self, each: Pending) -> str:
        lines = []
        while self.at < len(self.text):
            end = _end(self.text, '\n', self.at)
            line = self.text[self.at : end]
            line = line.lstrip('\t') if each.tabs else line
            self.at = min(end + 1, len(self.text))
            if line == each.delimiter:
                break
            lines.append(f'{line}\n')
        return ''.join(lines)


def take_out_heredocs(text: str, found: list[Heredoc]) -> str:
    """The text without its heredocs, which are appended to `found`."""
    if '<<' not in text and '\\\n' not in text:
        return text
    scanner = Scanner(text, found)
    without = scanner.run()
    # the text ends before their bodies begin
    found.extend(Heredoc('', True) for _ in scanner.pending)
    return without


def as_string(text: str, found: list[Heredoc]) -> str:
    """The text of an expanded heredoc, in double quotes."""
    return f'"{Scanner(text, found, BODY).run()}"'
