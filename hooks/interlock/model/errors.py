from __future__ import annotations


class Refusal(Exception):
    """We cannot judge, for a reason the user can mend: exit 2, one sentence.

    `hint` is the command or edit that comes next.
    """

    def __init__(self, message: str, hint: str = '') -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Unreadable(Exception):
    """A document that makes no sense; a check makes a finding of it."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
