"""Processes, as far as the system tells about them."""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Iterator

# they come and go between a session and a command
SHELLS = frozenset({'sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'env'})
MAX_ANCESTORS = 20
# bytes of a command line or of an environment that are read
MAX_COMMAND = 131072


def machine() -> str:
    """The boot and the namespace in which a pid names one process, '' if
    unknown: host names are shared by containers and by runners of CI."""
    try:
        with open('/proc/sys/kernel/random/boot_id', encoding='ascii') as f:
            boot = f.read().strip()
        return f'{boot} {os.readlink("/proc/self/ns/pid")}'
    except OSError:
        return _boot_session()


def _boot_session() -> str:
    """As macOS has it; all processes are in one namespace there."""
    import sys

    if sys.platform != 'darwin':
        return ''
    import ctypes

    value, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
    call = ctypes.CDLL(None).sysctlbyname
    found = call(b'kern.bootsessionuuid', value, ctypes.byref(size), None, 0)
    return value.value.decode() if found == 0 else ''


def name_and_fields(pid: int) -> tuple[str, list[str]] | None:
    """The name of a process and the fields behind it, on Linux."""
    try:
        data = read(f'/proc/{pid}/stat')
    except Refusal:
        return None
    if data is None:
        return None
    text = data.decode(errors='replace')
    # the name may hold spaces and parentheses itself
    head, _, tail = text.rpartition(')')
    return head.partition('(')[2], tail.split()


def started(pid: int) -> str:
    """When a process started, in units of the system; '' if unknown."""
    stat = name_and_fields(pid)
    return stat[1][19] if stat and len(stat[1]) > 19 else ''


def _parent(pid: int) -> int:
    stat = name_and_fields(pid)
    return int(stat[1][1]) if stat and len(stat[1]) > 1 else 0


def _upwards(pid: int) -> Iterator[int]:
    for _ in range(MAX_ANCESTORS):
        if pid < 2:
            return
        yield pid
        pid = _parent(pid)


def ancestors() -> Iterator[int]:
    """The processes that lead to us, the nearest first; then those that lead
    to the leader of our session, which a process that was left by its parent
    still has. None on systems that do not tell them."""
    pids = [*_upwards(os.getppid())]
    if hasattr(os, 'getsid'):
        pids += _upwards(os.getsid(0))
    own = os.getpid()
    yield from (pid for pid in dict.fromkeys(pids) if pid != own)


def words(pid: int, name: str) -> list[str]:
    """The command line of a process, or its environment when it started."""
    try:
        with open(f'/proc/{pid}/{name}', 'rb') as f:
            data = f.read(MAX_COMMAND)
    except OSError:
        return []
    return [os.fsdecode(word) for word in data.split(b'\0') if word]


def program(pid: int) -> list[str]:
    """What a process was started as: its program, and the script it runs."""
    return words(pid, 'cmdline')[:2]


def session_process() -> int:
    """The process that called us, shells in between left out."""
    pid = first = os.getppid()
    for _ in range(MAX_ANCESTORS):
        stat = name_and_fields(pid)
        if stat is None or stat[0] not in SHELLS:
            break
        pid = _parent(pid)
    return pid if pid > 1 else first


def is_alive(pid: int, start: str) -> bool | None:
    """Does the same process still run? None: unknown."""
    if os.name != 'posix' or pid < 1:
        return None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        # it runs, and belongs to somebody else
        pass
    now = started(pid)
    return start == now if start and now else None
