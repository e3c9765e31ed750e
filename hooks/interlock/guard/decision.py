"""One reason not to let an agent do something."""

from __future__ import annotations

from interlock.guard.reply import ASK, DENY, Answer


class Objection:
    __slots__ = ('ask', 'code', 'hint', 'message')

    def __init__(
        self, code: str, message: str, hint: str = '', ask: bool = False
    ) -> None:
        self.code = code
        self.message = message
        # the one command that comes next
        self.hint = hint
        # the user decides
        self.ask = ask

    def __str__(self) -> str:
        hint = f'\nnext: {self.hint}' if self.hint else ''
        return f'{self.code} {self.message}{hint}'

    def answer(self) -> Answer:
        return Answer(ASK if self.ask else DENY, str(self))
