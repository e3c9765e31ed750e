"""Writes what the plugin is wired by, from the table that `init` uses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from interlock.documents.wiring.client_entries import BY_DEFAULT, OPTIONS
from interlock.documents.wiring.client_settings import GUARD, PLUGIN_LAUNCHER
from interlock.guard.event import TIMEOUTS
from interlock.model import clients

FILE = Path(__file__).parent.parent / 'hooks' / 'hooks.json'
LAUNCHER = f'${{{clients.PLUGINS[0]}}}{PLUGIN_LAUNCHER}'


def _handler(event: str) -> dict[str, Any]:
    """A call that the client starts without a shell."""
    found = {
        'type': 'command',
        'command': 'python3',
        'args': [*OPTIONS, LAUNCHER, event],
        'timeout': TIMEOUTS.get(event, TIMEOUTS['']),
    }
    return found | ({'onFailure': 'block'} if event == GUARD else {})


def _groups(event: str, matchers: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        ({'matcher': matcher} if matcher else {}) | {'hooks': [_handler(event)]}
        for matcher in matchers
    ]


def hooks() -> str:
    return (
        json.dumps(
            {
                'description': 'One process of Interlock per event.',
                'hooks': {
                    event: _groups(event, matchers)
                    for event, matchers in BY_DEFAULT.items()
                },
            },
            indent=2,
        )
        + '\n'
    )


def main() -> int:
    FILE.write_text(hooks(), encoding='UTF-8')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
