"""Settings files of the client: whether it reads them, and whether they call us."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Handler = dict[str, Any]
    # event -> each of our handlers there, with the matcher that it is under
    Calls = dict[str, list[tuple[str, Handler]]]

FOLDER = '.claude'
SHARED = 'settings.json'
LOCAL = 'settings.local.json'
OFF = 'disableAllHooks'
GUARD = 'PreToolUse'
LAUNCHER = 'interlock/claude/launcher.py'
SCRIPT = 'interlock-claude'
PLUGIN_LAUNCHER = '/hooks/interlock_launcher.py'
# what says who acts, or keeps hooks from running
POSING = (
    'CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_PROJECT_DIR SKIP GIT_DIR GIT_WORK_TREE '
    'GIT_EXEC_PATH GIT_TEMPLATE_DIR HOME XDG_CONFIG_HOME XDG_STATE_HOME'
).split()
PREFIXES = ('INTERLOCK_', 'GIT_CONFIG', 'HUSKY', 'LEFTHOOK', 'PREK_', 'PRE_COMMIT_')
# matchers that match everything
ANY = ('', '*')
BOM = b'\xef\xbb\xbf'


def is_settings(path: str) -> bool:
    folder, name = os.path.split(path)
    return name in (SHARED, LOCAL) and os.path.basename(folder) == FOLDER


def where(path: tuple[str | int, ...]) -> str:
    """`hooks.PreToolUse[0].hooks[0].timeout`."""
    text = ''.join(
        f'[{part}]' if isinstance(part, int) else f'.{part}' for part in path
    )
    return text.lstrip('.')


def parsed(data: bytes | None) -> dict[str, Any]:
    """What a file says; raises Unreadable where the client drops it."""
    from interlock.documents.json import parse_object
    from interlock.documents.wiring.settings_validator import validate
    from interlock.model.change import Blob
    from interlock.model.errors import Unreadable
    from interlock.model.schema_errors import SchemaErrors

    data = (data or b'').removeprefix(BOM)
    if not data.strip():
        # as the client reads it
        return {}
    found = parse_object(Blob('', len(data), data))
    try:
        # one mistake, and the client silently takes nothing from the file
        validate(found.data)
    except SchemaErrors as e:
        first = min(e.errors, key=lambda each: found.line(*each.path))
        raise Unreadable(
            f'{where(first.path)} {first.mistake}', found.line(*first.path)
        ) from None
    settings: dict[str, Any] = found.data
    return settings


def calls_us(handler: Any) -> bool:
    """Whether a handler leads to us, also one that we did not write."""
    if not isinstance(handler, dict) or handler.get('type') != 'command':
        return False
    args = handler.get('args')
    words = [handler.get('command'), *(args if isinstance(args, list) else ())]
    text = ' '.join(word for word in words if isinstance(word, str))
    text = text.replace('\\', '/')
    return any(each in text for each in (LAUNCHER, SCRIPT, PLUGIN_LAUNCHER))


def our_calls(settings: Mapping[str, Any]) -> Calls:
    found: Calls = {}
    for event, groups in (settings.get('hooks') or {}).items():
        for group in groups:
            for handler in filter(calls_us, group['hooks']):
                matcher = group.get('matcher', '')
                found.setdefault(event, []).append((matcher, handler))
    return found


def is_off(settings: Mapping[str, Any]) -> bool:
    return settings.get(OFF) is True


def _names(matcher: str) -> set[str]:
    return {name.strip() for name in matcher.replace(',', '|').split('|')}


def covers(matcher: str, other: str) -> bool:
    """Whether it matches all that `other` matches; an expression only covers
    itself."""
    return (
        matcher in ANY
        or matcher == other
        or (other not in ANY and _names(matcher) >= _names(other))
    )


def lost(before: Calls, after: Calls) -> list[str]:
    """The events for which a call of ours is no longer made as it was."""
    return [
        event
        for event, calls in before.items()
        if not all(
            any(
                now == handler and covers(wide, matcher)
                for wide, now in after.get(event, ())
            )
            for matcher, handler in calls
        )
    ]


def taken_away(before: Calls, data: bytes | None) -> str:
    """How the content of a file would switch us off, '' if it would not;
    `before` is what it called of ours until now."""
    from interlock.model.errors import Unreadable

    if data is None:
        return 'the file that calls us is gone' if before else ''
    try:
        settings = parsed(data)
    except Unreadable as e:
        what = f'line {e.line}: {e.message}'
        return f'the client drops the whole file ({what})' if before else ''
    if is_off(settings):
        return f'`{OFF}` switches every hook off'
    env = settings.get('env')
    posing = [
        name
        for name in (env if isinstance(env, dict) else ())
        if name in POSING or name.startswith(PREFIXES)
    ]
    if posing:
        return f'`env` sets {", ".join(posing)} for all hooks and commands'
    gone = lost(before, our_calls(settings))
    if not gone:
        return ''
    return f'our entries for {", ".join(gone)} are removed or changed'


def switched_off(old: bytes | None, new: bytes | None) -> str:
    """How a new content of a settings file would keep us from being called,
    '' if it would not."""
    from interlock.model.errors import Unreadable

    try:
        before = our_calls(parsed(old))
    except Unreadable:
        # the client reads nothing from it
        before = {}
    return taken_away(before, new)
