"""Records which process belongs to which session's client.

A client's hook writes the record below the common git directory, for clients
that do not tell their commands the session. A git hook or command that runs
below that process belongs to the session, whatever its environment says.
"""

from __future__ import annotations

import os

from interlock.files import process
from interlock.files.atomic_files import read
from interlock.model.clients import MARKS, PACKAGES, PROCESSES, SESSIONS
from interlock.model.errors import Refusal
from interlock.model.session_env import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Iterable

FOLDER = 'processes'


def _path(state: str, pid: int) -> str:
    return os.path.join(state, 'interlock', FOLDER, str(pid))


def _line(state: str, pid: int) -> str:
    """The start time of a recorded process, and its session."""
    try:
        return (read(_path(state, pid)) or b'').decode().strip()
    except (Refusal, ValueError):
        return ''


def _recorded(state: str, pid: int) -> str:
    """The session of a process, '' if unknown."""
    start, _, session = _line(state, pid).partition(' ')
    # another process may have reused its pid
    return session if start == process.start_time(pid) else ''


def record(state: str, session: str) -> None:
    """Record that the calling client is this session; failures are ignored."""
    pid = process.session_process()
    start = process.start_time(pid)
    line = f'{start} {session}'
    if not state or not start or _line(state, pid) == line.strip():
        return
    path = _path(state, pid)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='UTF-8') as f:
            f.write(f'{line}\n')
    except OSError:
        return


def forget_ended(state: str) -> None:
    """Remove the records of processes that ended."""
    try:
        names = os.listdir(os.path.join(state, 'interlock', FOLDER))
    except OSError:
        return
    for name in names:
        if name.isdigit() and not _recorded(state, int(name)):
            try:
                os.unlink(_path(state, int(name)))
            except OSError:
                continue


def client_of(words: Iterable[str]) -> str:
    """The client that a program or a script is, '' if it is not one."""
    for word in words:
        path = word.replace('\\', '/')
        name = path.rpartition('/')[2].partition('.')[0]
        for known, client in PROCESSES:
            if name == known:
                return client
        for package, client in PACKAGES:
            if f'/{package}/' in path:
                return client
    return ''


def running_client(state: str) -> tuple[bool, str]:
    """Whether a client runs us, and the session of the nearest one ('' if it
    is not recorded); a client may consist of several processes."""
    nearest = ''
    for pid in process.ancestors():
        session = identity(_recorded(state, pid)) if state else ''
        client = client_of(process.program(pid))
        if not session and not client:
            continue
        elif nearest and client != nearest:
            break
        elif session:
            return True, session
        nearest = client
    return bool(nearest), ''


def is_started_by_agent() -> bool:
    """Whether an agent started the client that calls us: another client is above it, or
    it started with a variable that clients give to their commands. A client may consist
    of several processes, one below the other."""
    own = top = None
    for pid in process.ancestors():
        client = client_of(process.program(pid))
        if own is None:
            own, top = client or None, pid
        elif client == own and top is not None:
            top = pid
        elif client or (top is not None and _has_mark(top)):
            return True
        else:
            top = None
    return top is not None and own is not None and _has_mark(top)


def _has_mark(pid: int) -> bool:
    told = (each.partition('=') for each in process.words(pid, 'environ'))
    return any(value and name in (*MARKS, *SESSIONS) for name, _, value in told)
