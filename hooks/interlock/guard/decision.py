"""The answer to an event, the same for every client."""

from __future__ import annotations

NOTHING = ''
# the tool call is refused, or the user is asked about it
DENY = 'deny'
ASK = 'ask'
# the agent must continue, or changed settings are rejected
BLOCK = 'block'
# facts for the agent, a message to the user, instructions for a summary
CONTEXT = 'context'
SAY = 'say'
PLAIN = 'plain'

# the largest number of characters in an answer to the client
LIMIT = 600
START = 2000
RECOVERY = 6000


# shown to the user who is asked, and to the agent whose call was denied
ASKED = 'the user decides; without an answer, '
WRITE_OUT = f'{ASKED}write the command out, or change files with the tool for edits'
LEAVE = f'{ASKED}leave it, and say what you would change'


class Decision:
    __slots__ = ('code', 'hint', 'kind', 'limit', 'message')

    def __init__(
        self,
        kind: str = NOTHING,
        message: str = '',
        code: str = '',
        hint: str = '',
        limit: int = LIMIT,
    ) -> None:
        self.kind = kind if message else NOTHING
        self.message = message
        self.code = code
        # the one command to run next
        self.hint = hint
        self.limit = limit

    @property
    def asks(self) -> bool:
        return self.kind == ASK

    @property
    def text(self) -> str:
        code = f'{self.code} ' if self.code else ''
        hint = f'\nnext: {self.hint}' if self.hint else ''
        return f'{code}{self.message}{hint}'


SILENCE = Decision()


def deny(code: str, message: str, hint: str = '') -> Decision:
    return Decision(DENY, message, code, hint)


def ask(code: str, message: str, hint: str = '') -> Decision:
    return Decision(ASK, message, code, hint)


def unsure(why: str) -> Decision:
    """Ask the user about a command that cannot be judged."""
    known = ' (`**` stands for what is known only when it runs)' if '**' in why else ''
    return ask('CLD010', f'cannot tell what this command does: {why}{known}', WRITE_OUT)


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f'{text[: limit - 2]} …'
