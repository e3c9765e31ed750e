"""Writes `docs/images`: pictures of a terminal, from what is really printed.

The pictures show the path of the README; each command of it is run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

TOP = Path(__file__).parent.parent
FOLDER = TOP / 'docs/images'
SCRIPTS = Path(sys.executable).parent
BLOCK_RE = re.compile('^```sh.*\n((?:.*\n)*?)^```$', re.MULTILINE)
COLOUR_RE = re.compile('\033\\[([0-9;]*)m')
COLOURS = {'31;1': '#ff7b72', '33;1': '#d29922', '32;1': '#3fb950', '36;1': '#79c0ff'}
# of a picture, in pixels and characters
CHARACTER, LINE, MARGIN, WIDEST = 8.43, 20, 18, 88
REFUSED = "git commit -qam 'Search is shipped'"
BOARD = 'interlock status'


def _path() -> list[str]:
    readme = (TOP / 'README.md').read_text('UTF-8')
    path = readme.partition('<!-- path -->')[2].partition('<!-- end of the path -->')[0]
    return BLOCK_RE.findall(path)


def _environ(home: str) -> dict[str, str]:
    who = {
        f'GIT_{role}_{key}': value
        for role in ('AUTHOR', 'COMMITTER')
        for key, value in (('NAME', 'Ana'), ('EMAIL', 'ana@example.invalid'))
    }
    kept = {key: os.environ[key] for key in ('LANG', 'LC_ALL') if key in os.environ}
    path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
    return {**kept, **who, 'PATH': path, 'HOME': home, 'FORCE_COLOR': '1'}


def outputs() -> dict[str, str]:
    """What the commands that are shown print, with their colours."""
    found = {}
    with tempfile.TemporaryDirectory() as directory:
        environ = _environ(directory)
        for block in _path():
            for name in (REFUSED, BOARD):
                if name in block:
                    # what comes before it is not part of the picture
                    block = block.replace(name, f'echo SHOWN; {name}')
            process = subprocess.run(
                ['bash', '-c', f'cd shop 2>/dev/null; {block}'],
                cwd=directory,
                env=environ,
                # on a terminal `init` would ask
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for name in (REFUSED, BOARD):
                if name in block:
                    found[name] = process.stdout.partition('SHOWN\n')[2]
    return found


def _wrapped(line: str) -> list[str]:
    """A line of a terminal that is as wide as the picture."""
    found, length = [''], 0
    for part in re.split('(\033\\[[0-9;]*m| )', line):
        if not part.startswith('\033') and length + len(part) > WIDEST:
            found.append('      ')
            length = 6
            part = part.lstrip()
        found[-1] += part
        length += 0 if part.startswith('\033') else len(part)
    return found


def _spans(line: str) -> str:
    parts, colour = [], ''
    pieces = COLOUR_RE.split(line)
    for at, piece in enumerate(pieces):
        if at % 2:
            colour = COLOURS.get(piece, '')
        elif piece:
            style = f' fill="{colour}"' if colour else ''
            parts.append(f'<tspan{style}>{escape(piece)}</tspan>')
    return ''.join(parts)


def picture(command: str, output: str, title: str) -> str:
    lines = [
        f'$ {command}',
        *(w for line in output.rstrip().splitlines() for w in _wrapped(line)),
    ]
    width = round(WIDEST * CHARACTER + 2 * MARGIN)
    height = len(lines) * LINE + 2 * MARGIN + 14
    rows = [
        f'<text x="{MARGIN}" y="{MARGIN + 28 + LINE * at}" xml:space="preserve">'
        f'{_spans(line)}</text>'
        for at, line in enumerate(lines)
    ]
    dots = [
        f'<circle cx="{MARGIN + 4 + 16 * at}" cy="15" r="5" fill="{colour}"/>'
        for at, colour in enumerate(('#ff5f57', '#febc2e', '#28c840'))
    ]
    return '\n'.join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img">',
            f'<title>{escape(title)}</title>',
            f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
            *dots,
            '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, '
            'DejaVu Sans Mono, monospace" font-size="14" fill="#e6edf3">',
            *rows,
            '</g>',
            '</svg>',
            '',
        ]
    )


def files() -> dict[str, str]:
    said = outputs()
    return {
        'refused.svg': picture(
            REFUSED, said[REFUSED], 'A commit that skips a step is refused'
        ),
        'board.svg': picture(BOARD, said[BOARD], 'The board in the terminal'),
    }


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding='UTF-8')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
