"""A TCP proxy that loses, delays, repeats and cuts what passes.

A fault strikes the connection on which the client sends the fault's `trigger`;
everything else passes untouched. Over http the trigger is the request line,
because git compresses bodies.
"""

from __future__ import annotations

import contextlib
import enum
import select
import socket
import threading
from collections.abc import Callable
from typing import NamedTuple

SIZE = 1 << 16


class Kind(enum.Enum):
    # the server acts, and its answer never arrives
    LOSE_ANSWER = 'lose the answer'
    # the server never hears of it
    LOSE_REQUEST = 'lose the request'
    # the client is cut off, and the server hears of it later
    DELAY = 'delay the request'
    # the server hears it twice
    REPEAT = 'repeat the request'
    # nothing passes any more, and nobody is told
    SILENCE = 'fall silent'
    # both ends are cut off while the answer is on its way
    CUT = 'cut the answer'


class Fault(NamedTuple):
    kind: Kind
    trigger: bytes
    seconds: float = 0.0


def _close(*sockets: socket.socket | None) -> None:
    for each in sockets:
        if each is not None:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def _drain(server: socket.socket, seconds: float) -> None:
    """Read until the server ends the connection, or nothing more comes."""
    server.settimeout(seconds)
    with contextlib.suppress(OSError):
        while server.recv(SIZE):
            pass


class _Connection:
    def __init__(self, proxy: Proxy, client: socket.socket) -> None:
        self.proxy = proxy
        self.client = client
        self.server: socket.socket | None = None
        self.sent = b''
        self.kind: Kind | None = None

    def run(self) -> None:
        try:
            self.server = socket.create_connection(self.proxy.target)
            while not self.proxy.stopped.is_set() and self._step():
                pass
        except OSError:
            pass
        finally:
            _close(self.client, self.server)
            self.proxy.ended(self)

    def _step(self) -> bool:
        assert self.server is not None
        ready, _, _ = select.select([self.client, self.server], [], [], 0.05)
        if self.client in ready and not self._from_client(self.server):
            return False
        return self.server not in ready or self._from_server(self.server)

    def _from_client(self, server: socket.socket) -> bool:
        data = self.client.recv(SIZE)
        if not data:
            return False
        self.sent += data
        fault = self.proxy.strike(self.sent) if self.kind is None else None
        if fault is not None:
            self.kind = fault.kind
            return self._struck(server, fault, data)
        if self.kind is not Kind.SILENCE:
            server.sendall(data)
        return True

    def _struck(self, server: socket.socket, fault: Fault, data: bytes) -> bool:
        if fault.kind is Kind.LOSE_REQUEST:
            return False
        elif fault.kind is Kind.DELAY:
            # the rest of the request has to come before the client is cut off
            self._rest_of_request()
            _close(self.client)
            self.proxy.stopped.wait(fault.seconds)
            server.sendall(data + self.rest)
            _drain(server, 2.0)
            return False
        elif fault.kind is not Kind.SILENCE:
            server.sendall(data)
        return True

    rest = b''

    def _rest_of_request(self) -> None:
        self.client.settimeout(0.2)
        with contextlib.suppress(OSError):
            while more := self.client.recv(SIZE):
                self.rest += more

    def _from_server(self, server: socket.socket) -> bool:
        data = server.recv(SIZE)
        if self.kind is Kind.LOSE_ANSWER:
            # the rest of the request still has to arrive
            return bool(data) and not self._answered(server)
        elif self.kind is Kind.CUT:
            return False
        elif self.kind is Kind.SILENCE:
            return bool(data)
        elif not data:
            self._repeat()
            return False
        self.client.sendall(data)
        if self.kind is Kind.REPEAT:
            self._repeat()
        return True

    def _answered(self, server: socket.socket) -> bool:
        _drain(server, 0.3)
        return True

    def _repeat(self) -> None:
        if self.kind is Kind.REPEAT:
            self.kind = None
            with socket.create_connection(self.proxy.target) as again:
                again.sendall(self.sent)
                _drain(again, 0.5)


class Proxy:
    """Stands before a server; use it as a context manager."""

    def __init__(self, port: int) -> None:
        self.target = ('127.0.0.1', port)
        self.stopped = threading.Event()
        # asked for every chunk that a client sends
        self.choose: Callable[[bytes], Fault | None] = lambda sent: None
        self._listener = socket.create_server(('127.0.0.1', 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._open: set[_Connection] = set()
        self._threads: list[threading.Thread] = []

    def once(self, kind: Kind, trigger: bytes, seconds: float = 0.0) -> None:
        """Strike the next connection that sends the trigger, and no other."""
        waiting = [Fault(kind, trigger, seconds)]

        def choose(sent: bytes) -> Fault | None:
            return waiting.pop() if waiting and trigger in sent else None

        self.choose = choose

    def strike(self, sent: bytes) -> Fault | None:
        with self._lock:
            return self.choose(sent)

    def ended(self, connection: _Connection) -> None:
        with self._lock:
            self._open.discard(connection)

    def _accept(self) -> None:
        while not self.stopped.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            connection = _Connection(self, client)
            with self._lock:
                self._open.add(connection)
            thread = threading.Thread(target=connection.run, daemon=True)
            self._threads.append(thread)
            thread.start()

    def __enter__(self) -> Proxy:
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stopped.set()
        # a listener that is closed while a thread accepts on it gives its
        # descriptor to somebody else
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()
        for thread in self._threads:
            thread.join(5)
