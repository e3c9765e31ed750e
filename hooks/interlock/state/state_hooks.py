"""How a client's events change the saved state, and what the client is told.

Each function takes the event as the client sends it. Those that return a text
use it to say why the store failed; the others raise, and the hook logs it. A process
answers one event, so modules that only other events need are imported late.
"""

from __future__ import annotations

import os
import time

from interlock.git.git_paths import project_of
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Callable, Mapping
from interlock.model.session_env import SESSIONS, session_of
from interlock.state.recovery_text import (
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
    Store,
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

# in seconds: a hook holds up the session
WAIT = 2.0
# how much of a transcript is read, from its end
MAX_TRANSCRIPT = 32 * 1024 * 1024


def _text(event: Event, key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ''


def _directory(event: Event) -> str:
    return _text(event, 'cwd') or os.getcwd()


def owner_of(event: Event, environ: Environ) -> Owner:
    session = session_of(environ, SESSIONS, event.get('session_id'))
    return Owner(session, _text(event, 'agent_id') if session else '')


def _transcript(event: Event) -> Transcript:
    from interlock.state.transcript import Transcript, read

    path, agent = _text(event, 'transcript_path'), _text(event, 'agent_id')
    if agent and path:
        # the event of an agent names the transcript of the session
        folder = os.path.join(os.path.splitext(path)[0], 'subagents')
        path = os.path.join(folder, f'agent-{agent}.jsonl')
    try:
        with open(path, 'rb') as f:
            size = f.seek(0, os.SEEK_END)
            f.seek(max(size - MAX_TRANSCRIPT, 0))
            return read(f, agent=bool(agent))
    except (OSError, ValueError):
        return Transcript()


def uuid_of(owner: Owner) -> State:
    """The session id as a state holds it; not every client uses a UUID."""
    named: State = {'session_id': owner.session}
    return {} if invalid_values(named) else named


def _problem(refusal: Refusal) -> str:
    """A failure in words for an agent, without text from the store."""
    if not isinstance(refusal, InvalidState):
        return refusal.message
    return f'{", ".join(refusal.codes)} the saved state is refused'


def on_pre_compact(event: Event, environ: Environ, wait: float = WAIT) -> str:
    """Save the whole state; return what the summary must keep."""
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
            state = store.save(about.project, make, 'auto', owner).state
            if store.is_shared(about.project):
                send_later(directory)
        return keep_lines(state, left_out=left_out)
    except Refusal as e:
        return keep_lines(compaction_state({}, transcript, about)[0], _problem(e))


def send_later(directory: str) -> None:
    """Send states in another process: neither a hook nor a tool waits for a network."""
    from interlock.files.background import start

    start(directory, 'state', 'send', '--quiet')


def _found(source: str, event: Event, environ: Environ, wait: float) -> LoadedState:
    goes_on = source in (COMPACTED, *CONTINUED)
    path = store_path(environ)
    # a new session has nothing to get back
    if not (store_exists(path) if goes_on else os.path.exists(path)):
        return LoadedState(None)
    project = project_of(_directory(event))
    owner = owner_of(event, environ)
    with open_store(environ, wait) as store:
        if store.is_shared(project):
            # retry what could not be sent when it was saved
            send_later(_directory(event))
        if goes_on:
            # a fork has a new id, and the conversation of its origin
            return store.give(project, owner, take_over=source == FORKED)
        return store.load(project, owner, MAX_AGE)


def on_session_start(event: Event, environ: Environ, wait: float = WAIT) -> str:
    """Return the text for a session that starts, '' for none."""
    source = _text(event, 'source')
    try:
        return start_text(source, _found(source, event, environ, wait))
    except Refusal as e:
        return failure_text(_problem(e), e.hint)


def on_tool_use(
    event: Event, environ: Environ, plans: str = '', wait: float = WAIT
) -> None:
    """Save what a tool call says about the state.

    `plans` is the directory of the project's plans, or ''.
    """
    from interlock.state.skills import skill_instructions
    from interlock.state.tool_tracking import Sources, tool_used

    if not tool_used(event, {}, Sources(plans)):
        return
    project = project_of(_directory(event))
    sources = Sources(plans, lambda name: skill_instructions(name, project, environ))
    owner = owner_of(event, environ)
    with open_store(environ, wait) as store:
        _update(store, project, owner, lambda state: tool_used(event, state, sources))


def on_subagent_stop(event: Event, environ: Environ, wait: float = WAIT) -> None:
    """Save in the session's state how the agent ended."""
    from interlock.state.tool_tracking import agent_stopped

    if not agent_stopped(event, {}):
        return
    owner, project = owner_of(event, environ), project_of(_directory(event))
    with open_store(environ, wait) as store:
        session = Owner(owner.session)
        _update(store, project, session, lambda state: agent_stopped(event, state))


def _update(
    store: Store, project: str, owner: Owner, change: Callable[[State], State]
) -> None:
    from interlock.state.sanitize import sanitized

    def updates(state: State) -> State:
        return {**sanitized(change(state))[0], **uuid_of(owner)}

    store.update(project, updates, 'auto', owner)
