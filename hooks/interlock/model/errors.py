from __future__ import annotations


class Refusal(Exception):
    """Judging is impossible for a reason the user can fix (exit 2).

    `hint` is the command or edit that comes next; `paths` are the files with
    which it ends, from the top of the repository.
    """

    def __init__(
        self, message: str, hint: str = '', paths: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.paths = paths


class Unreadable(Exception):
    """A document that makes no sense; a check makes a finding of it."""

    def __init__(self, message: str, line: int = 1, encoding: str = '') -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        # what text that is not UTF-8 looks like, '' where that is not the trouble
        self.encoding = encoding


class Denied(Refusal):
    """The workflow does not allow an operation: exit 1."""


class Busy(Refusal):
    """Another command is changing state, and we waited in vain: exit 75."""


class NoRepository(Refusal):
    """There is no git, or no repository: nothing can be judged."""


class NoWorkflow(Refusal):
    """Nothing governs here: a command is refused, a hook of git passes."""


class NoTasks(Refusal):
    """The workflow has no items that are locked."""


class InvalidWorkflow(Refusal):
    """A workflow file that makes no sense, and on which line."""

    def __init__(self, message: str, hint: str, line: int) -> None:
        super().__init__(message, hint)
        self.line = line
