"""Finds out who acts, from the environment."""

from __future__ import annotations

import os

from interlock.files import client_process
from interlock.files.process import session_process
from interlock.model.actor import Actor
from interlock.model.clients import MARKS, UNNAMED
from interlock.model.errors import Denied
from interlock.model.quick_typing import Mapping
from interlock.model.session_env import OURS, SESSIONS, identity

# the hint for an agent that may not do something
ON_TERMINAL = 'ask the user to run this on a terminal'


def agent(session: str, name: str = '') -> Actor:
    """The agent that a client's hook reports."""
    return Actor(session, name, _host(), session_process(), True)


def actor(environ: Mapping[str, str], state: str = '') -> Actor:
    """Who acts. `state` is the common git directory, where clients record
    their processes, since the environment may have been cleared."""
    said = [environ.get(name, '').strip() for name in SESSIONS]
    sessions = list(dict.fromkeys(filter(None, map(identity, said))))
    # even an invalid session id shows that an agent acts
    automated = any(map(environ.get, MARKS)) or any(said)
    # one client started another, which may not have a session variable
    nested = len(sessions) > 1 or (bool(sessions) and any(map(environ.get, UNNAMED)))
    if (nested or not sessions) and not identity(environ.get(OURS)):
        below, session = client_process.running_client(state)
        automated = automated or below
        sessions = [session]
    first = ''.join(sessions[:1])
    return Actor(first, '', _host(), session_process(), automated)


def _host() -> str:
    if hasattr(os, 'uname'):
        return os.uname().nodename
    import platform

    return platform.node()


def require_person(who: Actor, what: str, hint: str = ON_TERMINAL) -> None:
    """Refuse an agent: only a person on a terminal may do this."""
    if who.session or who.automated:
        raise Denied(f'only a person may {what}, not an agent', hint)
    from interlock.files import login

    if why := login.doubt():
        raise Denied(f'only a person may {what}, and {why}', f'{hint}; {login.WAY_ON}')


def user() -> str:
    """The name of the person, for records."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return str(os.getuid()) if hasattr(os, 'getuid') else 'unknown'
