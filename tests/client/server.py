"""The model's side of the API, on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from tests.client import messages
from tests.client.dialects import chat, gemini, responses
from tests.client.model import Model

# free in a network namespace that is ours alone
PORT = 8080
OTHER = 'other'
Body = dict[str, Any]


class Dialect(NamedTuple):
    normal: Callable[[Body], Body]
    answer: Callable[[Body, Body], tuple[str, bytes]]


# by the end of the address
DIALECTS: dict[str, Dialect] = {
    messages.PATH: Dialect(messages.normal, messages.answer),
    chat.PATH: Dialect(chat.normal, chat.answer),
    responses.PATH: Dialect(responses.normal, responses.answer),
    gemini.PATH: Dialect(gemini.normal, gemini.answer),
}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model, log: Path) -> None:
        super().__init__(('127.0.0.1', PORT), Handler)
        self.model = model
        self._log = log
        self._lock = threading.Lock()
        self.requests = 0

    def note(self, **row: Any) -> int:
        """One line per request, there even if all is killed."""
        with self._lock, self._log.open('a', encoding='UTF-8') as file:
            file.write(json.dumps(row) + '\n')
            self.requests += 1
            return self.requests


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = 'HTTP/1.1'
    # else each answer waits some 40 ms for the client's acknowledgement
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _send(self, code: int, kind: str, data: bytes) -> None:
        self.send_response(code)
        self.send_header('content-type', kind)
        self.send_header('content-length', str(len(data)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(data)
        self.wfile.flush()

    def _json(self, code: int, value: Any) -> None:
        self._send(code, 'application/json', json.dumps(value).encode())

    def _unknown(self) -> None:
        path = f'{self.command} {self.path}'
        self.server.note(kind=OTHER, lane='', over=False, body={'path': path})
        error = {'type': 'not_found_error', 'message': path}
        self._json(404, {'type': 'error', 'error': error})

    do_GET = do_HEAD = _unknown

    def _read(self) -> bytes:
        if 'chunked' not in self.headers.get('transfer-encoding', ''):
            return self.rfile.read(int(self.headers['content-length'] or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b''.join(parts)

    def do_POST(self) -> None:
        raw = self._read()
        path = self.path.partition('?')[0]
        for ending, dialect in DIALECTS.items():
            if path.endswith(ending):
                body = json.loads(raw)
                # only the address says it in one of them
                body.setdefault('stream', 'stream' in path)
                self._send(200, *self._answer(dialect, body))
                return
        if path.endswith('/count_tokens'):
            self._json(200, {'input_tokens': len(raw) // 4})
        elif path.endswith(':countTokens'):
            self._json(200, {'totalTokens': len(raw) // 4})
        else:
            self._unknown()

    def _answer(self, dialect: Dialect, body: Body) -> tuple[str, bytes]:
        known = dialect.normal(body)
        kind, lane, step, over = self.server.model.answer(known)
        number = self.server.note(kind=kind, lane=lane, over=over, body=known)
        whole = messages.message(step, number, known.get('model', ''))
        return dialect.answer(whole, body)
