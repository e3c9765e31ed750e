from __future__ import annotations


class Refusal(Exception):
    """Judging is impossible for a reason the user can fix (exit 2).

    `hint` is the next command or edit; `paths` are the files at its end,
    relative to the top of the repository. `meant` is a word as it was typed,
    and the known word that it resembles: the command line then suggests the
    same command with that word.
    """

    def __init__(
        self,
        message: str,
        hint: str = '',
        paths: tuple[str, ...] = (),
        meant: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.paths = paths
        self.meant = meant


class Unreadable(Exception):
    """A document that cannot be parsed; a check turns it into a finding."""

    def __init__(self, message: str, line: int = 1, encoding: str = '') -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        # the likely encoding of text that is not UTF-8, '' if that is not the problem
        self.encoding = encoding


class MergeConflict(Unreadable):
    """A document with the markers of a merge: only a person can decide it."""


class Denied(Refusal):
    """The workflow does not allow an operation (exit 1)."""


class Busy(Refusal):
    """Another command is changing state, and we waited too long (exit 75)."""


class NoRepository(Refusal):
    """There is no git, or no repository, so nothing can be judged."""


# most often the user is in the wrong folder
OUTSIDE = 'this is not a git repository: go to the folder of one, or begin one here'


class NoWorkflow(Refusal):
    """No workflow governs here: a command is refused, a git hook passes."""


class NoTasks(Refusal):
    """The workflow has no locked items."""


class InvalidWorkflow(Refusal):
    """An invalid workflow file, with the line of the mistake."""

    def __init__(self, message: str, hint: str, line: int) -> None:
        super().__init__(message, hint)
        self.line = line
