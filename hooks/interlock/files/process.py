"""Information about processes, as far as the system provides it."""

from __future__ import annotations

import os

from interlock.files.atomic_files import read
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Iterator

# these come and go between a session and a command
SHELLS = frozenset({'sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'env'})
MAX_ANCESTORS = 20
# how many bytes of a command line or an environment are read
MAX_COMMAND = 131072


def machine() -> str:
    """The boot and the namespace in which a pid is unique, '' if unknown:
    containers and CI runners share host names."""
    try:
        with open('/proc/sys/kernel/random/boot_id', encoding='ascii') as f:
            boot = f.read().strip()
        return f'{boot} {os.readlink("/proc/self/ns/pid")}'
    except OSError:
        return _boot_session()


def _boot_session() -> str:
    """The boot id on macOS, where all processes share one namespace."""
    import sys

    if sys.platform != 'darwin':
        return ''
    import ctypes

    value, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
    call = ctypes.CDLL(None).sysctlbyname
    found = call(b'kern.bootsessionuuid', value, ctypes.byref(size), None, 0)
    return value.value.decode() if found == 0 else ''


def name_and_fields(pid: int) -> tuple[str, list[str]] | None:
    """The name of a process and the fields after it, on Linux."""
    try:
        data = read(f'/proc/{pid}/stat')
    except Refusal:
        return None
    if data is None:
        return None
    text = data.decode(errors='replace')
    # the name itself may contain spaces and parentheses
    head, _, tail = text.rpartition(')')
    return head.partition('(')[2], tail.split()


def start_time(pid: int) -> str:
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
    """Our ancestors, nearest first, then those of our session leader, which a process
    that lost its parent still has. Empty on systems that do not tell."""
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
    """The program of a process, and the script it runs."""
    return words(pid, 'cmdline')[:2]


def session_process() -> int:
    """The process that called us, skipping shells."""
    pid = first = os.getppid()
    for _ in range(MAX_ANCESTORS):
        stat = name_and_fields(pid)
        if stat is None or stat[0] not in SHELLS:
            break
        pid = _parent(pid)
    return pid if pid > 1 else first


def is_alive(pid: int, start: str) -> bool | None:
    """Whether the same process still runs; None if unknown."""
    if os.name != 'posix' or pid < 1:
        return None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        # it runs, but belongs to another user
        pass
    now = start_time(pid)
    return start == now if start and now else None
