"""Types into a client that draws on a terminal: waits for a text, then for a
moment, and sends keys. Its arguments are a file for all that is drawn, seconds,
pairs of a text and keys, `--`, and the command."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

DRAWN = re.compile(r'\x1b(?:\[[0-9;?<>=]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78M])')
# from when a question is drawn to when it is answered
PAUSE = 1.0


def _bare(data: bytes) -> str:
    """What a person reads, without blanks: they are often drawn as moves."""
    return ''.join(DRAWN.sub('', data.decode('UTF-8', 'replace')).split())


def main(log: str, seconds: str, *words: str) -> None:
    at = words.index('--')
    steps = list(zip(words[0:at:2], words[1:at:2], strict=True))
    child, terminal = pty.fork()
    if not child:
        os.execvp(words[at + 1], words[at + 1 :])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 50, 160, 0, 0))
    data, seen, shown = b'', 0, 0.0
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                data += os.read(terminal, 65536)
            except OSError:
                break
        if not steps:
            continue
        text, keys = steps[0]
        if not shown and ''.join(text.split()) in _bare(data[seen:]):
            shown = time.monotonic()
        if shown and time.monotonic() - shown > PAUSE:
            os.write(terminal, keys.encode().decode('unicode_escape').encode())
            steps.pop(0)
            seen, shown = len(data), 0.0
    os.kill(child, 9)
    with open(log, 'wb') as file:
        file.write(data)
    sys.exit(f'not seen: {steps}' if steps else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])
