"""Answers one event of a client in a short-lived process.

If a guard fails, it refuses. If an observer fails, it logs the failure, and
the client continues. The process runs without `site`, which takes longer than
most answers: dependencies are found when one is first imported.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _thread
import os
import sys
import time

from interlock import model
from interlock.agents import adapter_of
from interlock.agents.adapter import Adapter, Output, event_name
from interlock.files import module_cache
from interlock.files.users_cache import compiled_folder
from interlock.guard import dispatch, hook_log
from interlock.guard.context import Context
from interlock.guard.decision import BLOCK, DENY, SILENCE, Decision
from interlock.guard.event import (
    CONFIG_CHANGE,
    GUARDS,
    PATIENCE,
    POST_TOOL,
    PRE_COMPACT,
    PRE_TOOL,
    PROMPT,
    SESSION_START,
    Event,
    Fields,
)
from interlock.model.errors import Refusal
from interlock.model.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USAGE = 2
# the dependencies that an answer may need
DEPENDENCIES = frozenset(
    'frontmatter jsonschema tomli tree_sitter tree_sitter_bash yaml'.split()
)


def _failure(client: Adapter, called: str, why: str) -> Output:
    kind = client.kind(called)
    if kind and kind not in GUARDS:
        return Output()
    text = (
        f'the guard failed ({why}), so the call is blocked; a person can fix it '
        f"or take Interlock's hooks out of the settings of {client.title}"
    )
    refusal = BLOCK if kind == CONFIG_CHANGE else DENY
    decision = Decision(refusal, text, 'CLD014', 'interlock doctor')
    return client.output(called or client.called(PRE_TOOL), None, decision)


def _write(descriptor: int, text: str) -> None:
    data = f'{text}\n'.encode(errors='backslashreplace') if text else b''
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        # the reader has gone, but the exit code still tells the result
        return


def _say(output: Output) -> int:
    _write(1, output.out)
    _write(2, output.err)
    return output.code


def _watch(client: Adapter, called: str) -> None:
    """Answer in time, even if the main thread hangs."""
    time.sleep(PATIENCE.get(client.kind(called), PATIENCE['']))
    os._exit(_say(_failure(client, called, 'it took too long')))


def _why(error: BaseException) -> str:
    if isinstance(error, Refusal):
        hint = f' ({error.hint})' if error.hint else ''
        return f'{error.message}{hint}'
    first = str(error).partition('\n')[0]
    if isinstance(error, UnicodeEncodeError) or first == 'embedded null byte':
        return 'the input holds a name that no file can have'
    return f'{type(error).__name__}: {first}'


def _observes_twice(client: Adapter, context: Context) -> bool:
    """Whether a guest also calls us through its own wiring, which then answers."""
    own = os.path.join(context.top or context.base, client.settings)
    return context.event.kind not in GUARDS and os.path.exists(own)


def _after_compaction(context: Context, found: Decision) -> Decision:
    """For a client without an event after compaction, add the facts to the first
    event that follows it."""
    kind = context.event.kind
    if kind == PRE_COMPACT:
        hook_log.compacts(context)
    elif kind in (PROMPT, POST_TOOL) and hook_log.was_compacted(context):
        from interlock.guard.observers.session_start import after_compaction

        return after_compaction(context, found)
    return found


def _data(raw: bytes) -> Fields:
    try:
        data = loads(raw.decode(errors='replace'))
    except ValueError:
        raise Refusal('the input is not JSON') from None
    if not isinstance(data, dict):
        raise Refusal('the input is not a JSON object')
    return data


def _event(client: Adapter, name: str, raw: bytes) -> tuple[Adapter, str, Event]:
    """The event, and the adapter of the client that sent it."""
    try:
        data = _data(raw)
        called = event_name(name, data)
    except Refusal:
        if client.kind(name) != PRE_COMPACT:
            raise
        # the conversation will be gone, so save what is known without this input
        called, data = name, {}
    for field, guest in client.guests.items():
        if field in data:
            client = adapter_of(guest)
    return client, called, client.event(called, data, os.environ)


def respond(client: Adapter, name: str, raw: bytes) -> Output:
    state = ''
    try:
        host = client
        client, name, event = _event(client, name, raw)
        context = Context(event)
        state = context.state
        if not event.data:
            hook_log.failed(state, client.name, name, 'the input is empty')
        found = SILENCE
        is_guest = client is not host
        if dispatch.is_ours(context) and not (
            is_guest and _observes_twice(client, context)
        ):
            found = dispatch.answer(context)
            if not client.resumes:
                found = _after_compaction(context, found)
            if event.kind == SESSION_START or not (
                client.tells_session or event.tool in dispatch.FILE_TOOLS
            ):
                # a tool that writes files starts no command that asks for the session
                from interlock.files import client_process

                client_process.record(state, event.session)
            hook_log.record_answer(context, found.kind)
        return client.output(name, event, found)
    except (KeyboardInterrupt, Exception) as error:
        hook_log.failed(state, client.name, name or 'no event', _why(error))
        return _failure(client, name, _why(error))


def _patterns() -> dict[str, Any]:
    from interlock.files import pattern_cache

    return pattern_cache.read_patterns(compiled_folder())


def main(arguments: list[str]) -> int:
    """`CLIENT [EVENT]`; without an event, the input names it."""
    try:
        client = adapter_of(''.join(arguments[:1]))
    except Refusal as error:
        _write(2, f'interlock: {error.message}')
        return USAGE
    if len(arguments) > 2:
        # the first argument might not be the intended event
        _write(2, f'interlock: expected one event, not {arguments[1:]}')
        return USAGE
    name = ''.join(arguments[1:])
    model.pattern_source = _patterns
    _thread.start_new_thread(_watch, (client, name))
    if hasattr(_signal, 'alarm'):
        # if that thread cannot run, the alarm ends us, and the shell refuses
        _signal.alarm(int(PATIENCE.get(client.kind(name), PATIENCE[''])) + 2)
    try:
        raw = sys.stdin.buffer.read()
    except (OSError, ValueError, AttributeError):
        raw = b''
    return _say(respond(client, name, raw))


def _of_environment() -> str:
    """The packages of the virtual environment that we run in, '' if there is none."""
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
    if not os.path.exists(os.path.join(prefix, 'pyvenv.cfg')):
        return ''
    version = f'python{sys.version_info[0]}.{sys.version_info[1]}'
    return os.path.join(prefix, 'lib', version, 'site-packages')


class Packages:
    """Finds our dependencies when the first of them is imported."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if name not in DEPENDENCIES:
            return None
        sys.meta_path.remove(Packages)  # type: ignore[arg-type]
        folder = _of_environment()
        if folder and os.path.isdir(os.path.join(folder, 'yaml')):
            sys.path.append(folder)
        else:
            import site

            site.main()
        from importlib.machinery import PathFinder

        return PathFinder.find_spec(name)


def start(arguments: list[str]) -> None:
    """Run the process that a client starts, from its beginning to its end."""
    sys.meta_path.append(Packages)  # type: ignore[arg-type]
    code = main(arguments)
    try:
        if 'interlock.model.quick_re' in sys.modules:
            from interlock.files import pattern_cache

            pattern_cache.keep(compiled_folder())
        module_cache.keep()
    finally:
        # a client treats any other code as a failure, and lets the call pass
        os._exit(code)


def script() -> None:
    raise SystemExit(main(sys.argv[1:]))
