"""Who acts, by what the environment says."""

from __future__ import annotations

import os

from interlock.files import client_process
from interlock.files.process import session_process
from interlock.model.actor import Actor
from interlock.model.clients import MARKS, UNNAMED
from interlock.model.errors import Denied
from interlock.model.quick_typing import Mapping
from interlock.model.session_env import OURS, SESSIONS, identity


def agent(session: str, name: str = '') -> Actor:
    """The agent that the hook of a client speaks of."""
    return Actor(session, name, _host(), session_process(), True)


def actor(environ: Mapping[str, str], state: str = '') -> Actor:
    """`state` is the common git directory, where clients record their
    processes; the environment alone may have been emptied."""
    said = [environ.get(name, '').strip() for name in SESSIONS]
    sessions = list(dict.fromkeys(filter(None, map(identity, said))))
    # an invalid session id is not a person's
    automated = any(map(environ.get, MARKS)) or any(said)
    # those of a client and of the one that started it, which may name none
    nested = len(sessions) > 1 or (bool(sessions) and any(map(environ.get, UNNAMED)))
    if (nested or not sessions) and not identity(environ.get(OURS)):
        below, session = client_process.found(state)
        automated = automated or below
        sessions = [session]
    first = ''.join(sessions[:1])
    return Actor(first, '', _host(), session_process(), automated)


def _host() -> str:
    if hasattr(os, 'uname'):
        return os.uname().nodename
    import platform

    return platform.node()


def require_person(who: Actor, what: str, hint: str) -> None:
    """Some things only a person may do, on a terminal."""
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
