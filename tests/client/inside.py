"""Run in a namespace of its own: the model, the client, and nobody else.

This process is the first of a process namespace: when it ends, the kernel
kills whatever the client has started.
"""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from tests.client.model import Model
from tests.client.script import Script
from tests.client.server import Server

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


class Job(NamedTuple):
    script: Script
    command: tuple[str, ...]
    environ: dict[str, str]
    project: Path
    # sent over its input; without any the prompt is an argument
    turns: tuple[str, ...]
    # seconds after which the client is killed
    limit: float
    out: Path


def _links() -> list[str]:
    lines = Path('/proc/net/dev').read_text().splitlines()[2:]
    return [line.partition(':')[0].strip() for line in lines]


def _raise_loopback() -> None:
    form = '16sH14s'
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        ask = struct.pack(form, b'lo', 0, b'')
        found = fcntl.ioctl(device, SIOCGIFFLAGS, ask)
        flags = struct.unpack(form, found)[1] | IFF_UP
        fcntl.ioctl(device, SIOCSIFFLAGS, struct.pack(form, b'lo', flags, b''))


def _is_result(line: bytes) -> bool:
    try:
        return bool(json.loads(line)['type'] == 'result')
    except (ValueError, KeyError, TypeError):
        return False


def _send(stdin: IO[bytes], turns: Iterator[str]) -> None:
    """The user's next message, or the end of the conversation."""
    for text in turns:
        said = {'role': 'user', 'content': text}
        line = json.dumps({'type': 'user', 'message': said}) + '\n'
        try:
            stdin.write(line.encode())
            stdin.flush()
        except BrokenPipeError:
            pass
        return
    stdin.close()


def _talk(process: subprocess.Popen[bytes], job: Job) -> None:
    assert process.stdin is not None and process.stdout is not None
    turns = iter(job.turns)
    _send(process.stdin, turns)
    with open(job.out / 'stream.jsonl', 'wb') as stream:
        for line in process.stdout:
            stream.write(line)
            stream.flush()
            if _is_result(line) and not process.stdin.closed:
                _send(process.stdin, turns)


def _run(job: Job) -> dict[str, Any]:
    killed = threading.Event()
    with open(job.out / 'stderr', 'wb') as stderr:
        process = subprocess.Popen(
            job.command,
            cwd=job.project,
            env=job.environ,
            stderr=stderr,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def kill() -> None:
        killed.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(job.limit, kill)
    timer.start()
    _talk(process, job)
    code = process.wait()
    timer.cancel()
    return {'code': code, 'killed': killed.is_set()}


def main() -> None:
    job: Job = pickle.load(sys.stdin.buffer)
    links = _links()
    assert links == ['lo'], f'not alone: {links}'
    _raise_loopback()
    model = Model(job.script)
    server = Server(model, job.out / 'requests.jsonl')
    threading.Thread(target=server.serve_forever, daemon=True).start()
    outcome = {**_run(job), 'left': model.left()}
    (job.out / 'outcome.json').write_text(json.dumps(outcome))


if __name__ == '__main__':
    main()
