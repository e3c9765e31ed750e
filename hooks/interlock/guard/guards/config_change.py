"""ConfigChange: refuses settings that would stop the client from calling our hooks."""

from __future__ import annotations

from interlock.documents.wiring.client_settings import (
    STRICT,
    our_calls,
    parsed,
    taken_away,
)
from interlock.files.atomic_files import read
from interlock.files.settings_record import (
    key_of,
    recorded_calls,
    remember,
    settings_files,
)
from interlock.guard.context import Context
from interlock.guard.decision import BLOCK, Decision
from interlock.model.calling_files import shape_of

# policies cannot be refused, and skills are not settings
OTHERS = ('policy_settings', 'skills')


def handle(context: Context) -> Decision | None:
    event = context.event
    if event.text('source') in OTHERS:
        return None
    known, given = recorded_calls(context.state), event.text('file_path')
    # the file that changed, or all of them if the client does not name one
    files = settings_files(context.top or context.base, event.environ, event.client)
    for path in (given,) if given else files:
        data = read(path)
        shape = shape_of(path) or STRICT
        why = taken_away(known.get(key_of(path), {}), data, shape)
        if why:
            return Decision(
                BLOCK,
                f'{path}: {why}; this session keeps the settings from before',
                'CLD013',
                f'undo the change to {path}, or let a person make it outside of the '
                f'session',
            )
        if data is not None and key_of(path) not in known:
            _learn(context.state, path, data)
    return None


def _learn(state: str, path: str, data: bytes) -> None:
    """Guard a settings file from now on, once it calls us."""
    from interlock.model.errors import Unreadable

    try:
        calls = our_calls(parsed(data, shape_of(path) or STRICT))
    except Unreadable:
        return
    if calls:
        remember(state, path, calls)
