"""Whether a person opened the terminal that we run on.

A terminal alone proves nothing: `script`, tmux or a few lines of Python open one
for anybody. What opened it is followed upwards, from parent to parent, to
something that only a person uses: a login, the window of a terminal, an
attached tmux, a container that was entered from outside. A process that was cut
loose from its parent leads to the first process of the system instead, and a
client on the way is an agent.
"""

from __future__ import annotations

import os
import sys

from interlock.files import process
from interlock.files.client_process import client_of
from interlock.model.clients import MARKS
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.model.session_env import SESSIONS

# as the system shortens the name of a process
_LENGTH = 15
# what shows a terminal to a person, or lets one in
PEOPLES = frozenset(
    name[:_LENGTH]
    for name in """
    Eterm Tabby WarpTerminal alacritty aterm blackbox code code-insiders codium contour
    cool-retro-term cosmic-term cursor deepin-terminal eterm foot ghostty
    gnome-terminal gnome-terminal-server guake gvim hyper kgx kitty kmscon konsole
    lxterminal mate-terminal mlterm ptyxis ptyxis-agent qterminal rio roxterm rxvt sakura
    st tabby terminator terminology termite tilda tilix urxvt urxvtd warp waveterm
    wezterm-gui wezterm-mux-server windsurf xfce4-terminal xterm yakuake zed zutty
    com.termux flatpak-session-helper
    clion goland idea phpstorm pycharm rider rubymine rustrover studio webstorm
    agetty getty login sshd sshd-session sshd-auth dropbear mosh-server telnetd
    in.telnetd cockpit-bridge ttyd zellij emacs rsession
    """.split()
)
# how a word of what they were started as may say the same: editors are scripts
PARTS = ('--type=ptyHost', '/jbr/bin/java', '/jupyter-lab', '/jupyter-server')
# they outlive their terminal: it counts who is attached
MULTIPLEXERS = frozenset({'tmux: server', 'screen'})
ATTACHED = frozenset({'tmux: client', 'screen'})
_AGENTS = frozenset((*MARKS, *SESSIONS))
# a multiplexer runs inside another one, and that on a terminal
_DEPTH = 4


class Process(NamedTuple):
    pid: int
    name: str
    parent: int
    session: int
    # the number of its terminal, 0 if it has none
    terminal: int
    owner: int


def _process(pid: int) -> Process | None:
    stat = process.name_and_fields(pid)
    try:
        with open(f'/proc/{pid}/status', 'rb') as f:
            status = f.read()
    except OSError:
        return None
    if stat is None:
        return None
    name, fields = stat
    parent, session, terminal = int(fields[1]), int(fields[3]), int(fields[4])
    # not the owner of its files, which are root's if it must not be traced
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
    """Whether our session has a terminal, and a leader that has it too: a
    process that was cut loose (`setsid`, two forks) has none."""
    try:
        os.close(os.open('/dev/tty', os.O_RDWR | os.O_NOCTTY))
        # it may have ended
        return _exists(os.getsid(0))
    except (OSError, AttributeError):
        return False


def doubt() -> str:
    """Why nobody can tell that a person runs us, '' if one does. Systems that do
    not tell about processes are asked for the terminal only."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return 'there is no terminal here'
    elif not has_terminal():
        return 'this process has no login session'
    own = _process(os.getpid())
    if own is not None and not _leads_to_person(own, _DEPTH):
        return 'nothing shows that a person opened this terminal'
    return ''


def _leads_to_person(child: Process, depth: int) -> bool:
    for _ in range(process.MAX_ANCESTORS):
        pid = child.parent
        above = _process(pid)
        if _is_agents(child.pid):
            return False
        elif not pid:
            # started from outside of this container
            return child.session == child.pid and bool(child.terminal)
        elif above is None:
            # hidden, as the processes of other users may be
            return bool(child.terminal) and _exists(pid)
        elif pid == 1:
            # whatever was cut loose is below it; a container may have one session
            return child.session == above.session == 1 and bool(above.terminal)
        elif _is_peoples(above):
            return not _is_agents(pid) and not _is_from_here(child)
        elif child.terminal and above.owner != child.owner:
            return True
        elif above.name in MULTIPLEXERS and depth and _is_attached(pid, depth - 1):
            return not _is_agents(pid)
        child = above
    return False


def _is_agents(pid: int) -> bool:
    """A client, or something that the commands of one started."""
    told = (each.partition('=') for each in process.words(pid, 'environ'))
    return bool(
        client_of(process.program(pid))
        or any(value and name in _AGENTS for name, _, value in told)
    )


def _is_peoples(found: Process) -> bool:
    """By its name, or by how it was started; a script or a link to a shell has any
    name that its author likes."""
    words = process.words(found.pid, 'cmdline')
    if found.name not in PEOPLES:
        if not any(part in each for part in PARTS for each in words):
            return False
    try:
        program = os.path.basename(os.readlink(f'/proc/{found.pid}/exe'))
    except OSError:
        # another user's
        return True
    return program not in process.SHELLS


def _is_attached(server: int, depth: int) -> bool:
    """Whether a person looks at what a multiplexer shows: it keeps the terminals
    open of those who do."""
    folder = f'/proc/{server}/fd'
    shown = set()
    try:
        for name in os.listdir(folder):
            shown.add(os.stat(f'{folder}/{name}').st_rdev)
    except OSError:
        return False
    return any(
        each.terminal in shown and _leads_to_person(each, depth)
        for each in _processes()
        if each.name in ATTACHED and each.terminal
    )


def _is_from_here(shell: Process) -> bool:
    """A login over ssh that began on this machine, by a process of the same
    user: anybody's."""
    for each in process.words(shell.pid, 'environ'):
        name, _, value = each.partition('=')
        if name == 'SSH_CONNECTION':
            _, port, _, ours = f'{value} 0 0 0'.split()[:4]
            return _owner_of(int(port), int(ours)) == shell.owner
    return False


def _owner_of(port: int, peer: int) -> int | None:
    """Whose connection it is, by the ports at its ends."""
    for table in ('tcp', 'tcp6'):
        try:
            with open(f'/proc/net/{table}', encoding='ascii') as f:
                rows = [line.split() for line in f.readlines()[1:]]
        except OSError:
            continue
        for row in rows:
            ends = [int(end.rpartition(':')[2], 16) for end in row[1:3]]
            if ends == [port, peer]:
                return int(row[7])
    return None
