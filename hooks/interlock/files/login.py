"""Whether a person opened the terminal that we run on.

A terminal alone proves nothing: `script`, tmux or a few lines of Python can
open one. So we follow the parents of the process that opened it, up to
something that only a person uses: a login, a terminal window, an attached
tmux, a container that was entered from outside. A process that was detached
from its parent leads to the first process of the system instead, and a client
on the way means an agent. A process can choose its name, so the file of its
program counts, in a place where only an administrator can write.
"""

from __future__ import annotations

import os
import sys

from interlock.files import process
from interlock.files.client_process import client_of
from interlock.model.clients import MARKS
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.model.session_env import SESSIONS

# programs that show a terminal in a window; not their interpreters, which can
# run anything
WINDOWS = frozenset(
    """
    Eterm Tabby WarpTerminal alacritty aterm blackbox code code-insiders codium contour
    cool-retro-term cosmic-term cursor deepin-terminal eterm flatpak-session-helper foot
    ghostty gnome-terminal-server hyper kgx kitty kmscon konsole lxterminal mate-terminal
    mlterm ptyxis ptyxis-agent qterminal rio roxterm rxvt rxvt-unicode sakura st stterm
    tabby terminology termite tilda tilix urxvt urxvtd warp waveterm wezterm-gui windsurf
    xfce4-terminal xterm yakuake zed zed-editor zutty
    clion goland idea phpstorm pycharm rider rubymine rustrover studio webstorm
    """.split()
)
# programs that let a person log in as another user; a server that a user runs
# proves nothing
SSH = frozenset({'sshd', 'sshd-session', 'dropbear'})
LOGINS = SSH | frozenset(
    """agetty getty login telnetd in.telnetd cockpit-session rserver Relay SessionLeader
    init""".split()
)
# these outlive their terminal: what counts is an attached client of this name
MULTIPLEXERS = {'tmux': 'tmux: client', 'screen': 'screen'}
# where an administrator installs programs; if we are root, the owner of a file
# says nothing
SYSTEM = ('/usr/', '/opt/', '/bin/', '/sbin/', '/snap/', '/nix/store/', '/app/')
SSH_PORT = 22
# the state of an open connection in /proc
ESTABLISHED = '01'
DELETED = ' (deleted)'
ALONE = 'nothing shows that a person opened this terminal'
WAY_ON = (
    'a person opens one on a console, by ssh from another machine, or in a terminal '
    'program that is installed for all users'
)
_AGENTS = frozenset((*MARKS, *SESSIONS))
# how deep multiplexers may be nested
_DEPTH = 4
# the mapping in which user ids were not changed
_ALL_USERS = [b'0', b'0', b'4294967295']


class Process(NamedTuple):
    pid: int
    name: str
    parent: int
    session: int
    # the number of its terminal, 0 if it has none
    terminal: int
    owner: int


class Program(NamedTuple):
    name: str
    # its path, '' if that is hidden
    path: str = ''
    # whether someone other than this user installed it
    installed: bool = True


def _bytes(path: str) -> bytes:
    try:
        with open(path, 'rb') as f:
            return f.read()
    except OSError:
        return b''


def _process(pid: int) -> Process | None:
    stat, status = process.name_and_fields(pid), _bytes(f'/proc/{pid}/status')
    if stat is None or not status:
        return None
    name, fields = stat
    parent, session, terminal = int(fields[1]), int(fields[3]), int(fields[4])
    # not the owner of its files in /proc, which is root if it must not be traced
    owner = int(status.partition(b'\nUid:')[2].split(None, 1)[0])
    return Process(pid, name, parent, session, terminal, owner)


def _processes() -> Iterator[Process]:
    found = map(_process, (int(name) for name in os.listdir('/proc') if name.isdigit()))
    yield from filter(None, found)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def has_terminal() -> bool:
    """Whether our session has a terminal and a living leader: a detached
    process (`setsid`, two forks) has none."""
    try:
        os.close(os.open('/dev/tty', os.O_RDWR | os.O_NOCTTY))
        # the leader may have ended
        return _exists(os.getsid(0))
    except (OSError, AttributeError):
        return False


def doubt() -> str:
    """Why we cannot be sure that a person runs us, '' if one does. On systems
    without information about processes only the terminal counts."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return 'there is no terminal here'
    elif not has_terminal():
        return 'this process has no login session'
    elif _renumbers_users():
        return 'in a user namespace a process can pose as any user'
    own = _process(os.getpid())
    return '' if own is None else _doubt(own, _DEPTH)


def _renumbers_users() -> bool:
    """Whether the user ids of this process differ from those of the first one."""
    own, first = (_bytes(f'/proc/{pid}/uid_map').split() for pid in ('self', 1))
    return own not in ([], first, _ALL_USERS)


def _doubt(child: Process, depth: int) -> str:
    why, shells = ALONE, [child]
    for _ in range(process.MAX_ANCESTORS):
        pid = child.parent
        above = _process(pid)
        if _is_agents(child.pid):
            return ALONE
        elif not pid:
            # started from outside of this container
            return _unless(child.session == child.pid and bool(child.terminal))
        elif pid == 1:
            return '' if above and _is_one_session(child, above) else why
        elif above is None:
            # hidden, as processes of other users may be; that of `su` is one
            return _unless(bool(child.terminal) and _session(pid) == child.session)
        program = _program(above)
        if program.name in WINDOWS and _is_opened(child, above):
            if program.installed:
                return _unless(not _is_agents(pid))
            why = f'this user can replace {program.path}, which opened this terminal'
        elif _is_login(above, program) and _is_opened(child, above):
            here = above.name in SSH and _is_from_here(shells)
            return _unless(not _is_agents(pid) and not here)
        elif child.terminal and above.owner != child.owner:
            # `sudo` or `su`; but a daemon may give its child a new terminal
            if child.terminal == above.terminal:
                return ''
        elif program.name in MULTIPLEXERS and program.installed and depth:
            if not _is_agents(pid) and _is_attached(above, program, depth - 1):
                return ''
        child = above
        shells.append(child)
    return why


def _unless(person: bool) -> str:
    return '' if person else ALONE


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def _is_opened(child: Process, above: Process) -> bool:
    """Whether a terminal was opened for it: it leads its session, or is still in that
    of the login. A process that lost its parent may have been adopted."""
    return bool(child.terminal) and child.session in (child.pid, above.session)


def _is_one_session(child: Process, first: Process) -> bool:
    """Whether a container has a single session, which a person started. Detached
    processes, including those of a client, are also children of its first process."""
    return (
        child.session == first.session == 1
        and bool(first.terminal)
        and not any(_is_agents(each.pid) for each in _processes() if each.session == 1)
    )


def _is_agents(pid: int) -> bool:
    """Whether it is a client, or was started by a command of one."""
    told = (each.partition('=') for each in process.words(pid, 'environ'))
    return bool(
        client_of(process.program(pid))
        or any(value and name in _AGENTS for name, _, value in told)
    )


def _program(found: Process) -> Program:
    """The program that a process runs, by its file."""
    link = f'/proc/{found.pid}/exe'
    try:
        path, status = os.readlink(link), os.stat(link)
    except OSError:
        # the path is hidden for other users' processes; our own may hide it too
        named = found.owner != os.getuid()
        return Program(found.name.partition('(')[0] if named else '')
    # a newer version may have replaced it
    gone = path.endswith(DELETED)
    path = path.removesuffix(DELETED)
    name = os.path.basename(path).removeprefix('.').removesuffix('-wrapped')
    # another file may be mounted over it, invisible to us
    same = gone or (os.path.exists(path) and os.path.samestat(status, os.stat(path)))
    return Program(name, path, same and _is_installed(path, status))


def _is_installed(path: str, status: os.stat_result) -> bool:
    user = os.getuid()
    if not user:
        return path.startswith(SYSTEM)
    while status.st_uid != user and not os.access(path, os.W_OK):
        if path == os.sep:
            return True
        path = os.path.dirname(path)
        status = os.stat(path)
    return False


def _is_login(found: Process, program: Program) -> bool:
    if found.owner != os.getuid() or program.path:
        return (
            program.name in LOGINS
            and program.installed
            and (found.owner != os.getuid() or not found.owner)
        )
    # a user's process below root's, which may be hidden
    above = _process(found.parent)
    return found.name in SSH and (
        _exists(found.parent)
        if above is None
        else above.owner != found.owner and above.name in SSH
    )


def _is_attached(server: Process, program: Program, depth: int) -> bool:
    """Whether a person is attached to a multiplexer: it keeps the terminals of
    its viewers open."""
    folder = f'/proc/{server.pid}/fd'
    shown = set()
    try:
        for name in os.listdir(folder):
            shown.add(os.stat(f'{folder}/{name}').st_rdev)
    except OSError:
        return False
    return any(
        each.terminal in shown and not _doubt(each, depth)
        for each in _processes()
        if each.name == MULTIPLEXERS[program.name] and each.terminal
    )


def _is_from_here(shells: list[Process]) -> bool:
    """Whether an ssh login may come from this machine, from a process of the
    same user, which may be an agent. A shell's variables can name any
    connection, so all connections to its port, or to the usual one, count."""
    owners = _connections()
    told = [port for each in shells if (port := _port(each, owners))]
    return not told or any(
        int(there.rpartition(':')[2], 16) in (*told, SSH_PORT)
        and owner == shells[0].owner
        and (there, here) in owners
        for (here, there), owner in owners.items()
    )


def _port(shell: Process, owners: dict[tuple[str, str], int]) -> int:
    """The server port of the connection that a shell's variables name, 0 if none."""
    for word in process.words(shell.pid, 'environ'):
        name, _, value = word.partition('=')
        ends = value.split()[1::2] if name == 'SSH_CONNECTION' else []
        if len(ends) == 2 and all(map(str.isdigit, ends)):
            there, here = (f':{int(end):04X}' for end in ends)
            if any(a.endswith(here) and b.endswith(there) for a, b in owners):
                return int(ends[1])
    return 0


def _connections() -> dict[tuple[str, str], int]:
    """The two ends of each connection on this machine -> its owner."""
    found = {}
    for table in ('tcp', 'tcp6'):
        for line in _bytes(f'/proc/net/{table}').decode('ascii').splitlines()[1:]:
            words = line.split()
            if words[3] == ESTABLISHED:
                # an IPv4 address may be written as IPv6
                here, there = (end.rpartition(':') for end in words[1:3])
                ends = f'{here[0][-8:]}:{here[2]}', f'{there[0][-8:]}:{there[2]}'
                found[ends] = int(words[7])
    return found
