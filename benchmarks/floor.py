"""The least that any check of one staged item has to do.

It asks git for the staged paths, reads the touched blobs, parses the touched
frontmatter with the C loader, hashes the touched contracts and scans the
lines of the registry; of the formats of others it reads what their readers
read. It judges nothing.
"""

from __future__ import annotations

import hashlib
import json
import subprocess

import yaml

# rows of tables, boxes and headings
MARKS = (b'|', b'- [', b'#')


def main() -> None:
    names = subprocess.run(
        ('git', 'diff', '--cached', '--name-only', '-z'),
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.split(b'\0')
    wanted = b''.join(b':0:' + name + b'\n' for name in names if name)
    out = subprocess.run(
        ('git', 'cat-file', '--batch'), input=wanted, stdout=subprocess.PIPE, check=True
    ).stdout
    rows = 0
    for name in filter(None, names):
        header, _, out = out.partition(b'\n')
        size = int(header.rsplit(b' ', 1)[1])
        data, out = out[:size], out[size + 1 :]
        if name.endswith(b'.continue-here.md'):
            block = data.split(b'---\n')[1]
            yaml.load(block, Loader=yaml.CSafeLoader)
        elif b'/.ideas/' in name:
            hashlib.sha256(data).hexdigest()
        elif name.endswith(b'.json'):
            json.loads(data)
        elif name.endswith((b'.yaml', b'.yml')):
            yaml.load(data, Loader=yaml.CSafeLoader)
        elif name.endswith(b'.md'):
            block = data.split(b'---\n')[1] if data.startswith(b'---\n') else b''
            yaml.load(block, Loader=yaml.CSafeLoader)
            rows = sum(line.lstrip().startswith(MARKS) for line in data.split(b'\n'))
    assert rows >= 0


if __name__ == '__main__':
    main()
