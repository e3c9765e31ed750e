"""Is the gate live? From files alone, for the start of a session.

A hook that is asked this was called, so something works; what may be missing
is the part that refuses.
"""

from __future__ import annotations

import os

from interlock.documents.wiring.claude_settings import (
    GUARD,
    OFF,
    is_off,
    our_calls,
    parsed,
)
from interlock.files.atomic_files import read
from interlock.files.settings_record import settings_files
from interlock.guard.observers.hook_probe import gate
from interlock.model.errors import Refusal, Unreadable
from interlock.model.probe import LIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PLUGIN = 'CLAUDE_PLUGIN_ROOT'
GUARDS = (GUARD, 'ConfigChange')


def _client(top: str, environ: Mapping[str, str]) -> Iterator[str]:
    events: set[str] = set(GUARDS) if environ.get(PLUGIN) else set()
    for path in settings_files(top, environ):
        name = os.path.relpath(path, top)
        name = path if name.startswith('..') else name
        try:
            settings = parsed(read(path))
        except Unreadable as e:
            yield (
                f'the client drops {name} (line {e.line}: {e.message}), and '
                f'all hooks in it'
            )
            continue
        except Refusal as e:
            yield e.message
            continue
        if is_off(settings):
            yield f'`{OFF}` in {name} switches every hook off'
        events.update(our_calls(settings))
    missing = [event for event in GUARDS if event not in events]
    if missing:
        yield f'nothing calls interlock at {" and ".join(missing)}'


def problems(top: str, environ: Mapping[str, str]) -> list[str]:
    """One sentence for each part of the gate that is dead or not wired."""
    git = gate(top, environ)
    found = [git.what] if git.verdict != LIVE else []
    return [*found, *_client(top, environ)]
