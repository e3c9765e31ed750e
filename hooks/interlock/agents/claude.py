"""The adapter of Claude Code: one process per event.

A guard that fails refuses. An observer that fails logs it, and the client
goes on.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from interlock.guard import dispatch, hook_log
from interlock.guard.context import Context
from interlock.guard.decision import (
    ASK,
    BLOCK,
    CONTEXT,
    DENY,
    PLAIN,
    SAY,
    SILENCE,
    Decision,
    cut,
)
from interlock.guard.event import (
    CONFIG_CHANGE,
    GUARDS,
    PATIENCE,
    PRE_COMPACT,
    PRE_TOOL,
    Event,
    parse,
)
from interlock.model.errors import Refusal
from interlock.model.quick_json import quoted

REFUSED = 2


class Output:
    """A decision in the form that the client honours."""

    __slots__ = ('code', 'err', 'out')

    def __init__(self, out: str = '', err: str = '', code: int = 0) -> None:
        self.out = out
        self.err = err
        self.code = code


def _specific(event: str, **values: str) -> str:
    fields = {'hookEventName': event, **values}
    inner = ', '.join(f'"{key}": {quoted(v)}' for key, v in fields.items())
    return f'{{"hookSpecificOutput": {{{inner}}}}}'


def render(event: str, decision: Decision) -> Output:
    """A refusal takes three forms: the client may honour any one of them."""
    text, kind = cut(decision.text, decision.limit), decision.kind
    if kind in (DENY, ASK):
        out = _specific(event, permissionDecision=kind, permissionDecisionReason=text)
        return Output(out, text, REFUSED) if kind == DENY else Output(out)
    elif kind == BLOCK:
        out = f'{{"decision": "block", "reason": {quoted(text)}}}'
        return Output(out, text, REFUSED)
    elif kind == CONTEXT:
        return Output(_specific(event, additionalContext=text))
    elif kind == SAY:
        return Output(f'{{"systemMessage": {quoted(text)}}}')
    return Output(text if kind == PLAIN else '')


def _failure(name: str, why: str) -> Output:
    if name and name not in GUARDS:
        return Output()
    text = (
        f'the guard failed ({why}), so the call is blocked; a person can fix it '
        f"or take Interlock's hooks out of the settings in .claude"
    )
    kind = BLOCK if name == CONFIG_CHANGE else DENY
    return render(name or PRE_TOOL, Decision(kind, text, 'CLD014', 'interlock doctor'))


def _write(descriptor: int, text: str) -> None:
    data = f'{text}\n'.encode(errors='backslashreplace') if text else b''
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        # nobody listens any more; the exit code still says it
        return


def _say(output: Output) -> int:
    _write(1, output.out)
    _write(2, output.err)
    return output.code


def _watch(name: str) -> None:
    """Answers in time, whatever the main thread is doing."""
    time.sleep(PATIENCE.get(name, PATIENCE['']))
    os._exit(_say(_failure(name, 'it took too long')))


def _why(error: BaseException) -> str:
    if isinstance(error, Refusal):
        hint = f' ({error.hint})' if error.hint else ''
        return f'{error.message}{hint}'
    first = str(error).partition('\n')[0]
    return f'{type(error).__name__}: {first}'


def _decision(context: Context) -> Decision:
    name = context.event.name
    if name not in dispatch.HANDLERS or not context.file:
        # an event that we do not know, or a directory that is not ours
        return SILENCE
    elif context.is_bare and name not in GUARDS:
        return SILENCE
    found = dispatch.answer(context)
    hook_log.answered(context, found.kind)
    return found


def _event(name: str, raw: bytes) -> Event:
    try:
        return parse(name, raw, os.environ)
    except Refusal:
        if name != PRE_COMPACT:
            raise
        # the conversation is gone afterwards: save what is known without it
        return Event(name, {}, os.environ)


def respond(name: str, raw: bytes) -> Output:
    state = ''
    try:
        event = _event(name, raw)
        name = event.name
        context = Context(event)
        state = context.state
        if not event.data:
            hook_log.failed(state, name, 'the input is empty')
        return render(name, _decision(context))
    except (KeyboardInterrupt, Exception) as error:
        hook_log.failed(state, name or 'no event', _why(error))
        return _failure(name, _why(error))


def main() -> int:
    if len(sys.argv) > 2:
        # the first could be another event than the one that is meant
        _write(2, f'interlock: expected one event, not {sys.argv[1:]}')
        return 2
    name = sys.argv[1] if len(sys.argv) > 1 else ''
    _thread.start_new_thread(_watch, (name,))
    try:
        raw = sys.stdin.buffer.read()
    except (OSError, ValueError, AttributeError):
        raw = b''
    return _say(respond(name, raw))


def script() -> None:
    raise SystemExit(main())
