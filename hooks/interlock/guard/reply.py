"""What the client is told, in the form that it honours."""

from __future__ import annotations

from interlock.model.quick_json import quoted

# nothing to say; refused; the user is asked; the agent is kept going; facts
# for the agent; text for the user; what a summary is to keep
NOTHING = ''
DENY = 'deny'
ASK = 'ask'
BLOCK = 'block'
CONTEXT = 'context'
SAY = 'say'
PLAIN = 'plain'

# characters; a whole workflow has to fit into a few thousand
LIMIT = 600
START = 2000
RECOVERY = 6000
REFUSED = 2


class Answer:
    __slots__ = ('kind', 'limit', 'text')

    def __init__(self, kind: str = NOTHING, text: str = '', limit: int = LIMIT) -> None:
        self.kind = kind if text else NOTHING
        self.text = text
        self.limit = limit


SILENCE = Answer()


class Output:
    __slots__ = ('code', 'err', 'out')

    def __init__(self, out: str = '', err: str = '', code: int = 0) -> None:
        self.out = out
        self.err = err
        self.code = code


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f'{text[: limit - 2]} …'


def _specific(event: str, **values: str) -> str:
    fields = {'hookEventName': event, **values}
    inner = ', '.join(f'"{key}": {quoted(v)}' for key, v in fields.items())
    return f'{{"hookSpecificOutput": {{{inner}}}}}'


def _decision(event: str, decision: str, text: str) -> str:
    return _specific(event, permissionDecision=decision, permissionDecisionReason=text)


def _blocked(text: str) -> str:
    return f'{{"decision": "block", "reason": {quoted(text)}}}'


def render(event: str, answer: Answer) -> Output:
    """A refusal in three forms: whichever the client honours, it holds."""
    text = cut(answer.text, answer.limit)
    if answer.kind == DENY:
        return Output(_decision(event, DENY, text), text, REFUSED)
    elif answer.kind == ASK:
        return Output(_decision(event, ASK, text))
    elif answer.kind == BLOCK:
        return Output(_blocked(text), text, REFUSED)
    elif answer.kind == CONTEXT:
        return Output(_specific(event, additionalContext=text))
    elif answer.kind == SAY:
        return Output(f'{{"systemMessage": {quoted(text)}}}')
    return Output(text if answer.kind == PLAIN else '')
