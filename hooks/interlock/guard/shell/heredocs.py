"""Heredocs, taken out of the text before it is parsed.

The grammar loses its way where something follows a heredoc on its line. So
each is replaced by a redirection from a file that does not exist, and its
text is kept by its number. Lines that go on are joined as well.
"""

from __future__ import annotations

from typing import NamedTuple

from interlock.guard.shell.words import HERE, escapes, in_double_quotes

# at the level of the text of a heredoc
BODY = '\n'
# where the shell looks for operators
SHELL = ('', ')', '`')
STOPS = ' \t\n;&|<>()'


class Heredoc(NamedTuple):
    text: str
    # its delimiter was quoted: nothing in it is expanded
    quoted: bool


class Pending(NamedTuple):
    delimiter: str
    quoted: bool
    tabs: bool
    number: int


def _single(text: str, at: int) -> int:
    """Behind the quote that closes the one at this place."""
    if text[at - 1 : at] == '$':
        at += 1
        while at < len(text) and text[at] != "'":
            at += 2 if text[at] == '\\' else 1
        return at + 1
    end = text.find("'", at + 1)
    return len(text) if end < 0 else end + 1


def _delimiter(text: str, at: int) -> tuple[str, bool, int]:
    """The word behind `<<`, was it quoted, and where it ends."""
    while text[at : at + 1] in (' ', '\t') and at < len(text):
        at += 1
    found, quoted = '', False
    while at < len(text) and text[at] not in STOPS:
        if text[at] == "'":
            end = _single(text, at)
            part = text[at + 1 : end - 1]
            found = found.removesuffix('$') + (
                escapes(part) if found.endswith('$') else part
            )
            quoted, at = True, end
        elif text[at] == '"':
            end = text.find('"', at + 1)
            end = len(text) if end < 0 else end
            found += in_double_quotes(text[at + 1 : end])
            quoted, at = True, end + 1
        else:
            if text[at] == '\\':
                quoted, at = True, at + 1
            found += text[at : at + 1]
            at += 1
    return found, quoted, at


class Scanner:
    def __init__(self, text: str, found: list[Heredoc]) -> None:
        self.text = text
        self.found = found
        self.at = 0
        self.kept: list[str] = []
        self.start = 0
        self.stack = ['']
        self.pending: list[Pending] = []

    def run(self) -> str:
        while self.at < len(self.text):
            inside = self.stack[-1]
            if inside == '((':
                self.arithmetic()
            elif inside == BODY:
                self.in_body()
            elif inside in SHELL:
                self.shell()
            else:
                self.quoted()
        return ''.join([*self.kept, self.text[self.start :]])

    def starts(self, *signs: str) -> bool:
        return self.text.startswith(signs, self.at)

    def push(self, kind: str, length: int) -> None:
        self.stack.append(kind)
        self.at += length

    def pop(self, kind: str, length: int = 1) -> None:
        if self.stack[-1] == kind:
            self.stack.pop()
        self.at += length

    def opens(self) -> bool:
        """What begins something else, in quotes as well."""
        if self.starts('\\\n'):
            # the line goes on
            self.kept.append(self.text[self.start : self.at])
            self.at += 2
            self.start = self.at
        elif self.starts('\\'):
            self.at += 2
        elif self.starts('$(('):
            self.push('((', 3)
        elif self.starts('$('):
            self.push(')', 2)
        elif self.starts('${'):
            self.push('}', 2)
        elif self.starts('`'):
            if '`' in self.stack:
                while self.stack.pop() != '`':
                    pass
                self.at += 1
            else:
                self.push('`', 1)
        else:
            return False
        return True

    def arithmetic(self) -> None:
        if self.starts('))'):
            self.pop('((', 2)
        elif not self.opens():
            self.at += 1

    def in_body(self) -> None:
        """Quotes mean nothing there, and backslashes little."""
        escaped = self.starts('\\') and not self.starts('\\$', '\\`', '\\\\', '\\\n')
        if escaped or self.starts('"'):
            self.kept += [self.text[self.start : self.at], '\\']
            self.start = self.at
            self.at += 1
        elif not self.opens():
            self.at += 1

    def quoted(self) -> None:
        """In double quotes, or in `${…}`."""
        end = self.stack[-1]
        if self.starts(end):
            self.pop(end)
        elif self.opens():
            pass
        elif end == '}' and self.starts('"'):
            self.push('"', 1)
        elif end == '}' and '"' not in self.stack and self.starts("'"):
            self.at = _single(self.text, self.at)
        else:
            self.at += 1

    def shell(self) -> None:
        if self.starts('\n'):
            self.at += 1
            self.bodies()
        elif self.opens():
            pass
        elif self.starts("'"):
            self.at = _single(self.text, self.at)
        elif self.starts('"'):
            self.push('"', 1)
        elif self.starts('(('):
            self.push('((', 2)
        elif self.starts('('):
            self.push(')', 1)
        elif self.starts(')'):
            self.pop(')')
        elif self.starts('#') and self.text[self.at - 1 : self.at] in STOPS:
            end = self.text.find('\n', self.at)
            self.at = len(self.text) if end < 0 else end
        elif self.starts('<<<'):
            self.at += 3
        elif self.starts('<<'):
            self.operator()
        else:
            self.at += 1

    def operator(self) -> None:
        tabs = self.starts('<<-')
        delimiter, quoted, end = _delimiter(self.text, self.at + (3 if tabs else 2))
        number = len(self.found) + len(self.pending)
        self.pending.append(Pending(delimiter, quoted, tabs, number))
        self.kept += [self.text[self.start : self.at], f' <{HERE}{number} ']
        self.at = self.start = end

    def bodies(self) -> None:
        """All heredocs of a line come after it, one by one."""
        if not self.pending:
            return
        self.kept.append(self.text[self.start : self.at])
        for each in self.pending:
            self.found.append(Heredoc(self.body(each), each.quoted))
        self.start = self.at
        self.pending = []

    def body(self, each: Pending) -> str:
        lines = []
        while self.at < len(self.text):
            end = self.text.find('\n', self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[self.at : end]
            line = line.lstrip('\t') if each.tabs else line
            self.at = min(end + 1, len(self.text))
            if line == each.delimiter:
                break
            lines.append(f'{line}\n')
        return ''.join(lines)


def taken_out(text: str, found: list[Heredoc]) -> str:
    """The text without its heredocs, which are added to those found."""
    if '<<' not in text and '\\\n' not in text:
        return text
    scanner = Scanner(text, found)
    without = scanner.run()
    # a line that ends before they begin
    found.extend(Heredoc('', True) for _ in scanner.pending)
    return without


def as_string(text: str, found: list[Heredoc]) -> str:
    """The text of a heredoc that is expanded, in double quotes."""
    scanner = Scanner(text, found)
    scanner.stack = [BODY]
    return f'"{scanner.run()}"'
