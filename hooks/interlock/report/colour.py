from __future__ import annotations

from collections.abc import Mapping

CODES = {'error': '31', 'warning': '33', 'info': '36', 'ok': '32'}


def wants_colour(environ: Mapping[str, str], terminal: bool) -> bool:
    if environ.get('FORCE_COLOR', '') not in {'', '0'}:
        return True
    elif environ.get('NO_COLOR', ''):
        return False
    return terminal and environ.get('TERM') != 'dumb'


def paint(text: str, style: str, colour: bool) -> str:
    return f'\033[{CODES[style]};1m{text}\033[m' if colour else text
