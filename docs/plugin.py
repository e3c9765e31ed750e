"""Writes what the plugin is wired by, from the table that `init` uses."""

from __future__ import annotations

import json
from pathlib import Path

from interlock.documents.wiring.client_entries import plugin_form
from interlock.guard.event import TIMEOUTS

FILE = Path(__file__).parent.parent / 'hooks' / 'hooks.json'


def hooks() -> str:
    return (
        json.dumps(
            {
                'description': 'One process of Interlock per event.',
                'hooks': plugin_form(TIMEOUTS),
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
