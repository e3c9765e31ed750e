"""Real git servers on loopback: a folder, git daemon, http-backend, sshd."""

from __future__ import annotations

import base64
import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from tests.fleet.postgres import free_port

# seconds until a server has to listen
START = 10.0
TRANSPORTS = ('file', 'git', 'http', 'ssh')


class ServerProcess:
    """A server and whatever it started, to be stopped and continued."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def signal(self, number: int) -> None:
        os.killpg(self._pid, number)


class GitServer(NamedTuple):
    """Serves every bare repository below `folder`."""

    folder: Path
    base: str
    # what a client needs in its environment
    env: dict[str, str]
    port: int = 0
    process: ServerProcess | None = None

    def url(self, name: str, port: int = 0) -> str:
        return f'{self.base.replace(str(self.port), str(port or self.port))}/{name}'


def await_port(port: int) -> None:
    end = time.monotonic() + START
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection(('127.0.0.1', port), 1).close()
            return
        assert time.monotonic() < end, f'nobody listens on port {port}'
        time.sleep(0.02)


@contextlib.contextmanager
def _running(command: list[str], port: int) -> Iterator[ServerProcess]:
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        await_port(port)
        yield ServerProcess(process.pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def _daemon(folder: Path) -> Iterator[GitServer]:
    port = free_port()
    command = [
        *('git', 'daemon', '--export-all', '--reuseaddr', '--enable=receive-pack'),
        *('--listen=127.0.0.1', f'--port={port}', f'--base-path={folder}', str(folder)),
    ]
    with _running(command, port) as process:
        yield GitServer(folder, f'git://127.0.0.1:{port}', {}, port, process)


class _Backend(BaseHTTPRequestHandler):
    """`git http-backend` as a CGI script."""

    folder: Path
    # `user:password` that it demands, '' for none
    demands = ''
    protocol_version = 'HTTP/1.1'

    def _body(self) -> bytes:
        if self.headers.get('Transfer-Encoding') != 'chunked':
            return self.rfile.read(int(self.headers.get('Content-Length') or 0))
        parts = []
        while size := int(self.rfile.readline().split(b';')[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b''.join(parts)

    def _is_let_in(self) -> bool:
        known = base64.b64encode(self.demands.encode()).decode()
        return self.headers.get('Authorization') == f'Basic {known}'

    def _serve(self) -> None:
        if self.demands and not self._is_let_in():
            self._body()
            self.send_response(401)
            self.send_header('WWW-Authenticate', 'Basic realm="x"')
            self.send_header('Content-Length', '0')
            self.end_headers()
            return
        path, _, query = self.path.partition('?')
        env = {
            **os.environ,
            'GIT_PROJECT_ROOT': str(self.folder),
            'GIT_HTTP_EXPORT_ALL': '1',
            'REMOTE_USER': 'tester',
            'REMOTE_ADDR': '127.0.0.1',
            'PATH_INFO': path,
            'QUERY_STRING': query,
            'REQUEST_METHOD': self.command,
            'CONTENT_TYPE': self.headers.get('Content-Type') or '',
            'HTTP_CONTENT_ENCODING': self.headers.get('Content-Encoding') or '',
            'GIT_PROTOCOL': self.headers.get('Git-Protocol') or '',
        }
        done = subprocess.run(
            ('git', 'http-backend'),
            input=self._body(),
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        head, _, body = done.stdout.partition(b'\r\n\r\n')
        fields = [line.split(': ', 1) for line in head.decode().splitlines()]
        status = next((value for name, value in fields if name == 'Status'), '200')
        self.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != 'Status':
                self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _serve

    def log_message(self, format: str, *args: object) -> None:
        return


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        # clients are cut off on purpose
        return


@contextlib.contextmanager
def _http(folder: Path, demands: str = '') -> Iterator[GitServer]:
    handler = type('Backend', (_Backend,), {'folder': folder, 'demands': demands})
    server = _QuietServer(('127.0.0.1', 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    port = server.server_port
    try:
        yield GitServer(folder, f'http://127.0.0.1:{port}', {}, port)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sshd() -> str | None:
    return shutil.which('sshd') or shutil.which(
        'sshd', path='/usr/sbin:/usr/local/sbin'
    )


@contextlib.contextmanager
def _ssh(folder: Path) -> Iterator[GitServer]:
    program = sshd()
    assert program, 'the caller has asked'
    home, port = folder.parent / 'ssh', free_port()
    home.mkdir(mode=0o700, exist_ok=True)
    for name in ('host', 'user'):
        subprocess.run(
            ('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', str(home / name)),
            check=True,
        )
    (home / 'user.pub').rename(home / 'authorized')
    if os.geteuid() == 0:
        # where sshd drops its privileges
        os.makedirs('/run/sshd', mode=0o755, exist_ok=True)
    config = home / 'config'
    config.write_text(
        f'Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/host\n'
        f'AuthorizedKeysFile {home}/authorized\nPidFile none\nStrictModes no\n'
        'PasswordAuthentication no\nPermitRootLogin yes\nMaxStartups 64\n'
        'PermitUserEnvironment no\nUsePAM no\nAcceptEnv GIT_*\nMaxSessions 64\n'
        # the start of the user's own shell is not what is tried
        f'SetEnv HOME={home}\n'
    )
    command = (
        f'ssh -F none -i {home}/user -o IdentitiesOnly=yes '
        '-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR'
    )
    with _running([program, '-D', '-e', '-f', str(config)], port) as process:
        user = getpass.getuser()
        base = f'ssh://{user}@127.0.0.1:{port}{folder}'
        yield GitServer(folder, base, {'GIT_SSH_COMMAND': command}, port, process)


@contextlib.contextmanager
def one_connection(server: GitServer) -> Iterator[dict[str, str]]:
    """What a client of ssh needs to ask by a connection that is open already.

    To open one takes ten times as long as to ask; the server still starts a
    process of git for every question.
    """
    folder = tempfile.mkdtemp(prefix='il-ssh-', dir='/tmp')
    command = f'{server.env["GIT_SSH_COMMAND"]} -o ControlPath={folder}/s'
    address = server.base.removeprefix('ssh://').partition('/')[0]
    user_and_host, _, port = address.partition(':')
    words = (*command.split(), '-p', port, user_and_host)
    master = subprocess.Popen((*words, '-M', '-N'))
    try:
        end = time.monotonic() + START
        while subprocess.run((*words, '-O', 'check'), capture_output=True).returncode:
            assert time.monotonic() < end, 'ssh opens no connection to share'
            time.sleep(0.05)
        yield {'GIT_SSH_COMMAND': command}
    finally:
        master.kill()
        master.wait()
        shutil.rmtree(folder)


@contextlib.contextmanager
def _file(folder: Path) -> Iterator[GitServer]:
    yield GitServer(folder, str(folder), {})


def missing(transport: str) -> str:
    """Why a transport cannot be served here, '' if it can."""
    if transport == 'ssh' and not (sshd() and shutil.which('ssh-keygen')):
        return 'sshd is not installed (Debian: openssh-server)'
    if transport == 'http':
        path = subprocess.run(
            ('git', '--exec-path'), capture_output=True, text=True, check=True
        )
        if not os.path.exists(f'{path.stdout.strip()}/git-http-backend'):
            return 'git http-backend is not installed'
    return ''


def demanding(
    folder: Path, demands: str
) -> contextlib.AbstractContextManager[GitServer]:
    """A server over http that asks for a user and a password."""
    return _http(folder, demands)


def serve(transport: str, folder: Path) -> contextlib.AbstractContextManager[GitServer]:
    """A server for the bare repositories that lie in a folder."""
    return {'file': _file, 'git': _daemon, 'http': _http, 'ssh': _ssh}[transport](
        folder
    )
