"""PowerShell text, cut into commands of words.

Coarse: blocks and parentheses only end a command, so what stands in them is
read as if it ran.
"""
from __future__ import annotations

from collections.abc import Callable

from interlock.claude.shell.marks import active
from interlock.claude.shell.marks import ANY
from interlock.claude.shell.marks import COMMA

ENDS = ';|&\n\r(){}'
NAME = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:'

# a variable's value, or None
Lookup = Callable[[str], str | None]


class Cutter:
    def __init__(self, text: str, lookup: Lookup) -> None:
        self.text = text
        self.lookup = lookup
        self.at = 0
        self.commands: list[list[str]] = [[]]
        self.word: str | None = None

    def add(self, text: str) -> None:
        self.word = (self.word or '') + text

    def end_word(self) -> None:
        if self.word is not None:
            parts = self.word.split(COMMA)
            self.commands[-1].extend(
                part for part in parts if part or len(parts) == 1
            )
        self.word = None

    def end_command(self) -> None:
        self.end_word()
        if self.commands[-1]:
            self.commands.append([])

    def end(self, char: str) -> None:
        """One `&` calls what follows it."""
        self.end_command()
        self.at += 1
        if char == '&':
            if self.text.startswith('&', self.at):
                self.at += 1
            else:
                self.commands[-1].append('&')

    def run(self) -> list[list[str]]:
        while self.at < len(self.text):
            self.step(self.text[self.at])
        self.end_command()
        return [command for command in self.commands if command]

    def step(self, char: str) -> None:
        if self.text.startswith(("@'", '@"'), self.at):
            self.here_string()
        elif char in '\'"':
            self.quoted(char)
        elif char == '`':
            self.add(self.text[self.at + 1:self.at + 2].strip('\n'))
            self.at += 2
        elif char == '$':
            self.add(self.variable())
        elif char == '#' and self.word is None:
            self.comment()
        elif char in ENDS:
            self.end(char)
        elif char == '>':
            self.redirection()
        elif char.isspace():
            self.end_word()
            self.at += 1
        else:
            self.add(active(char))
            self.at += 1

    def here_string(self) -> None:
        mark = self.text[self.at + 1]
        end = self.text.find(f'\n{mark}@', self.at)
        end = end if end >= 0 else len(self.text)
        start = self.text.find('\n', self.at) + 1
        self.add(self.text[max(start, self.at):end])
        self.at = end + 3

    def quoted(self, mark: str) -> None:
        self.at += 1
        self.add('')
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == mark:
                if self.text[self.at + 1:self.at + 2] != mark:
                    break
                self.at += 1
            elif char == '$' and mark == '"':
                self.add(self.variable())
                continue
            elif char == '`' and mark == '"':
                self.at += 1
                char = self.text[self.at:self.at + 1]
            self.add(char)
            self.at += 1
        self.at += 1

    def variable(self) -> str:
        self.at += 1
        if self.text.startswith('(', self.at):
            # what it runs is read after it, as a command of its own
            return ANY
        braced = self.text.startswith('{', self.at)
        self.at += braced
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in NAME:
            self.at += 1
        name = self.text[start:self.at].lower()
        self.at += braced
        found = self.lookup(name)
        return ANY if found is None else found

    def comment(self) -> None:
        end = self.text.find('\n', self.at)
        self.at = end if end >= 0 else len(self.text)

    def redirection(self) -> None:
        """`2>&1` goes nowhere, all others to a file."""
        if self.word is not None and not self.word.isdecimal():
            self.end_word()
        self.word = None
        signs = '>>' if self.text.startswith('>>', self.at) else '>'
        self.at += len(signs)
        if self.text.startswith('&', self.at):
            self.at += 2
            return
        self.commands[-1].append(signs)


def cut(text: str, lookup: Lookup) -> list[list[str]]:
    return Cutter(text, lookup).run()
