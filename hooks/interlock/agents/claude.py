"""One process per event: read it, answer it, never let it pass in silence.

A guard that fails refuses; whoever only looks on logs the failure and lets
the client go on.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from interlock.guard import hook_log
from interlock.guard.context import Scene
from interlock.guard.dispatch import HANDLERS
from interlock.guard.event import (
    CONFIG_CHANGE,
    GUARDS,
    PRE_COMPACT,
    PRE_TOOL,
    Event,
    parse,
)
from interlock.guard.reply import BLOCK, DENY, SILENCE, Answer, Output, render
from interlock.guard.timeouts import PATIENCE
from interlock.model.errors import Refusal

DOCTOR = 'interlock doctor'
WAY_OUT = (
    'a person can go on by mending it, or by taking the hooks of Interlock '
    'out of the settings of the client'
)


def _is_guard(name: str) -> bool:
    return not name or name in GUARDS


def _refused(name: str, why: str) -> Output:
    text = f'CLD014 {why}, so nothing was passed; {WAY_OUT}\nnext: {DOCTOR}'
    kind = BLOCK if name == CONFIG_CHANGE else DENY
    return render(name or PRE_TOOL, Answer(kind, text))


def _failure(name: str, scene: Scene | None, why: str) -> Output:
    hook_log.failed(scene.state if scene else '', name or 'no event', why)
    return _refused(name, why) if _is_guard(name) else Output()


def _write(descriptor: int, text: str) -> None:
    data = text.encode(errors='backslashreplace')
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        # nobody listens any more; the exit code still says it
        return


def _say(output: Output) -> int:
    if output.out:
        _write(1, output.out + '\n')
    if output.err:
        _write(2, output.err + '\n')
    return output.code


def _watch(name: str) -> None:
    """Answers in time, whatever the rest of us is doing."""
    time.sleep(PATIENCE.get(name, PATIENCE['']))
    output = Output()
    if _is_guard(name):
        output = _refused(name, 'the hook took too long')
    os._exit(_say(output))


def _why(error: BaseException) -> str:
    if isinstance(error, Refusal):
        hint = f' ({error.hint})' if error.hint else ''
        return f'{error.message}{hint}'
    first = str(error).partition('\n')[0]
    return f'the hook failed ({type(error).__name__}: {first})'


def _answered(scene: Scene) -> Answer:
    handler = HANDLERS.get(scene.event.name)
    if handler is None or not scene.file:
        # an event that we do not know, or a directory that is not ours
        return SILENCE
    elif scene.is_bare and scene.event.name not in GUARDS:
        return SILENCE
    answer = handler(scene)
    hook_log.answered(scene, answer.kind)
    return answer


def _event(name: str, raw: bytes) -> Event:
    try:
        return parse(name, raw, os.environ)
    except Refusal:
        if name != PRE_COMPACT:
            raise
        # the context is gone afterwards: what is known without it is kept
        return Event(name, {}, os.environ)


def respond(name: str, raw: bytes) -> Output:
    scene = None
    try:
        event = _event(name, raw)
        name = event.name
        scene = Scene(event)
        if not event.data:
            hook_log.failed(scene.state, name, 'what the client sent says nothing')
        return render(name, _answered(scene))
    except (KeyboardInterrupt, Exception) as error:
        return _failure(name, scene, _why(error))


def main() -> int:
    if len(sys.argv) > 2:
        # the first could say another event than the one that is meant
        _write(2, f'interlock: one event is named, not {sys.argv[1:]}\n')
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
