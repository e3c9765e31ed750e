"""What a client's events do to the saved state, and what the client is told.

Each function takes the event as the client sends it. Those that return a text
say in it why the store failed; the others raise, for the hook to log. A process
answers one event, so what only another event needs is imported late.
"""

from __future__ import annotations

import os
import time

from interlock.git.git_paths import project_of
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Callable, Mapping
from interlock.model.session_env import SESSIONS, session_of
from interlock.state.hook_texts import (
    COMPACTED,
    CONTINUED,
    FORKED,
    failure_text,
    keep_lines,
    start_text,
)
from interlock.state.store import (
    MAX_AGE,
    LoadedState,
    Owner,
    open_store,
    store_exists,
    store_path,
)
from interlock.state.validate import InvalidState, State, invalid_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.state.transcript import Transcript

Event = Mapping[str, Any]
Environ = Mapping[str, str]

# seconds: a hook holds up the session
WAIT = 2.0
# of a transcript, from its end
MAX_TRANSCRIPT = 32 * 1024 * 1024


def _text(event: Event, key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ''


def _directory(event: Event) -> str:
    return _text(event, 'cwd') or os.getcwd()


def owner_of(event: Event, environ: Environ) -> Owner:
    session = session_of(environ, SESSIONS, event.get('session_id'))
    return Owner(session, _text(event, 'agent_id') if session else '')


def _transcript_path(event: Event) -> str:
    path, agent = _text(event, 'transcript_path'), _text(event, 'agent_id')
    if not agent or not path:
        return path
    # the event of an agent names the transcript of its session
    return os.path.join(os.path.splitext(path)[0], 'subagents', f'agent-{agent}.jsonl')


def _transcript(event: Event) -> Transcript:
    from interlock.state.transcript import Transcript, read

    path = _transcript_path(event)
    try:
        with open(path, 'rb') as f:
            size = f.seek(0, os.SEEK_END)
            f.seek(max(size - MAX_TRANSCRIPT, 0))
            return read(f, agent=bool(_text(event, 'agent_id')))
    except (OSError, ValueError):
        return Transcript()


def uuid_of(owner: Owner) -> State:
    """The session as a state names it; not every client's is a UUID."""
    named: State = {'session_id': owner.session}
    return {} if invalid_values(named) else named


def _problem(refusal: Refusal) -> str:
    """A failure as an agent is told it, without words from the store."""
    if not isinstance(refusal, InvalidState):
        return refusal.message
    return f'{", ".join(refusal.codes)} the saved state is refused'


def on_pre_compact(event: Event, environ: Environ, wait: float = WAIT) -> str:
    """Save the whole state; returns what the summary is to keep."""
    from interlock.git.git_summary import start_summary
    from interlock.state.compaction_state import Session, compaction_state

    directory = _directory(event)
    # git runs while we read the transcript
    summary = start_summary(directory, environ)
    transcript = _transcript(event)
    owner = owner_of(event, environ)
    found = summary()
    about = Session(
        project_of(directory),
        uuid_of(owner).get('session_id', ''),
        time.time(),
        found.as_state() if found else {},
    )
    left_out: list[str] = []

    def make(saved: State) -> State:
        state, left = compaction_state(saved, transcript, about)
        left_out.extend(left)
        return state

    try:
        with open_store(environ, wait) as store:
            state = store.rewrite(about.project, make, 'auto', owner)
            if store.is_shared(about.project):
                send_later(directory)
        return keep_lines(state, left_out=left_out)
    except Refusal as e:
        return keep_lines(compaction_state({}, transcript, about)[0], _problem(e))


def send_later(directory: str) -> None:
    """Neither a hook nor a tool waits for a network: a process of its own does."""
    from interlock.files.background import start

    start(directory, 'state', 'send', '--quiet')


def _found(source: str, event: Event, environ: Environ, wait: float) -> LoadedState:
    goes_on = source in (COMPACTED, *CONTINUED)
    path = store_path(environ)
    # a session that begins has nothing to get back
    if not (store_exists(path) if goes_on else os.path.exists(path)):
        return LoadedState(None)
    project = project_of(_directory(event))
    owner = owner_of(event, environ)
    with open_store(environ, wait) as store:
        if store.is_shared(project):
            # what could not be sent when it was saved
            send_later(_directory(event))
        if goes_on:
            # a fork has a new name, and the conversation of its origin
            return store.give(project, owner, take_over=source == FORKED)
        return store.load(project, owner, MAX_AGE)


def on_session_start(event: Event, environ: Environ, wait: float = WAIT) -> str:
    """Returns what the session is told, '' for nothing."""
    source = _text(event, 'source')
    try:
        return start_text(source, _found(source, event, environ, wait))
    except Refusal as e:
        return failure_text(_problem(e), e.hint)


def on_tool_use(
    event: Event, environ: Environ, plans: str = '', wait: float = WAIT
) -> None:
    """Save what a tool call tells about the state.

    `plans` is the directory of the project's plans, or ''.
    """
    from interlock.state.skills import skill_instructions
    from interlock.state.tool_tracking import Sources, tool_used

    if not tool_used(event, {}, Sources(plans)):
        return
    project = project_of(_directory(event))
    sources = Sources(plans, lambda name: skill_instructions(name, project, environ))
    _update(
        project,
        owner_of(event, environ),
        environ,
        wait,
        lambda state: tool_used(event, state, sources),
    )


def on_subagent_stop(event: Event, environ: Environ, wait: float = WAIT) -> None:
    """Save in the session's state how the agent ended."""
    from interlock.state.tool_tracking import agent_stopped

    if agent_stopped(event, {}):
        owner = Owner(owner_of(event, environ).session)
        _update(
            project_of(_directory(event)),
            owner,
            environ,
            wait,
            lambda state: agent_stopped(event, state),
        )


def _update(
    project: str,
    owner: Owner,
    environ: Environ,
    wait: float,
    change: Callable[[State], State],
) -> None:
    from interlock.state.sanitize import sanitized

    def updates(state: State) -> State:
        return {**sanitized(change(state))[0], **uuid_of(owner)}

    with open_store(environ, wait) as store:
        store.update(project, updates, 'auto', owner)
