"""Settings files of clients: whether the client reads them, and whether they call us.

The adapters list these files and their shapes.
"""

from __future__ import annotations

from interlock.model import clients
from interlock.model.calling_files import ENV

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.model.quick_typing import Iterator, Mapping
    from interlock.model.schema_check import SchemaError

    Handler = dict[str, Any]
    # event -> our handlers there, each with its matcher
    Calls = dict[str, list[tuple[str, Handler]]]

# shapes: groups of handlers under matchers, with or without a schema; a flat list
# of handlers; variables; anything else, where only lines with some words are
# compared
STRICT = 'strict'
GROUPED = 'grouped'
FLAT = 'flat'
TEXT = 'text'
# the key for the lines of such a file
LINES = 'lines of a text'

SCHEMA = 'client-settings.schema.json'
GUARD = 'PreToolUse'
LAUNCHER = 'interlock/agents/launcher.py'
SCRIPT = 'interlock-agent'
PLUGIN_LAUNCHER = '/hooks/interlock_launcher.py'
# the texts that call us
CALLS = (LAUNCHER, SCRIPT, PLUGIN_LAUNCHER, *clients.CALLS)
# variables that say who acts, or keep hooks from running
POSING = (
    *clients.VARIABLES,
    *'SKIP GIT_DIR GIT_WORK_TREE GIT_EXEC_PATH GIT_TEMPLATE_DIR HOME'.split(),
    *'XDG_CONFIG_HOME XDG_STATE_HOME'.split(),
)
PREFIXES = ('INTERLOCK_', 'GIT_CONFIG', 'HUSKY', 'LEFTHOOK', 'PREK_', 'PRE_COMMIT_')
# parts of names of a client's variables that choose its settings
SETTINGS = tuple('SAFE SIMPLE BARE PURE CONFIG SETTINGS HOOK HOME PLUGIN'.split())
# matchers that match everything
ANY = ('', '*')
BOM = b'\xef\xbb\xbf'


# the words of the lines that count in a file without a shape
WORDS = ('hook', 'plugin', 'trust', 'feature', 'interlock')


def errors(settings: dict[str, Any]) -> Iterator[SchemaError]:
    import json

    from interlock.model.schema_check import SchemaCheck
    from interlock.model.schemas import schema_text

    return SchemaCheck(json.loads(schema_text(SCHEMA))).errors(settings)


def parsed(data: bytes | None, shape: str = STRICT) -> dict[str, Any]:
    """The settings in a file; Unreadable if the client drops the file."""
    from interlock.documents.json import parse_object
    from interlock.model.change import Blob
    from interlock.model.errors import Unreadable

    data = (data or b'').removeprefix(BOM)
    if not data.strip():
        # as the client does
        return {}
    elif shape == ENV:
        return {}
    elif shape == TEXT:
        return {LINES: _lines(data)}
    found = parse_object(Blob('', len(data), data))
    settings: dict[str, Any] = found.data
    # after one mistake, the client silently ignores the whole file
    mistakes = [*errors(settings)] if shape == STRICT else []
    if mistakes:
        from interlock.model.schema_check import where

        first = min(mistakes, key=lambda each: found.line(*each.path))
        line = found.line(*first.path)
        raise Unreadable(f'{where(first.path)} {first.mistake}', line)
    return settings


def calls_us(handler: Any) -> bool:
    """Whether a handler calls us, even if we did not write it."""
    if not isinstance(handler, dict) or handler.get('type', 'command') != 'command':
        return False
    args = handler.get('args')
    words = [handler.get('command'), *(args if isinstance(args, list) else ())]
    text = ' '.join(word for word in words if isinstance(word, str))
    text = text.replace('\\', '/')
    return any(each in text for each in CALLS)


def _lines(data: bytes) -> list[str]:
    """The lines of a text that may decide whether we are called."""
    text = data.decode(errors='replace')
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if any(word in line.lower() for word in WORDS)]


def calling_lines(settings: Mapping[str, Any]) -> list[str]:
    """The lines that call us, in a file without a shape."""
    found = settings.get(LINES)
    lines = found if isinstance(found, list) else []
    return [
        line
        for line in lines
        if isinstance(line, str) and any(each in line for each in CALLS)
    ]


def _handlers(group: Any) -> list[tuple[str, Handler]]:
    """The handlers of a group, with its matcher; a handler may be without a group."""
    if not isinstance(group, dict):
        return []
    inner = group.get('hooks')
    if not isinstance(inner, list):
        return [('', group)]
    matcher = group.get('matcher')
    return [(matcher if isinstance(matcher, str) else '', each) for each in inner]


def our_calls(settings: Mapping[str, Any]) -> Calls:
    found: Calls = {}
    hooks = settings.get('hooks')
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            for matcher, handler in _handlers(group):
                if calls_us(handler):
                    found.setdefault(event, []).append((matcher, handler))
    return found


def switch(settings: Mapping[str, Any]) -> str:
    """The key that switches off every hook, or ours by name; '' for none."""
    for name, value in clients.OFF:
        found: Any = settings
        for key in name.split('.'):
            found = found.get(key) if isinstance(found, dict) else None
        if found is value or (isinstance(found, list) and _names_us(found)):
            return name
    return ''


def _names_us(listed: list[Any]) -> bool:
    return any(call in str(each) for each in listed for call in CALLS)


def _names(matcher: str) -> set[str]:
    return {name.strip() for name in matcher.replace(',', '|').split('|')}


def covers(matcher: str, other: str) -> bool:
    """Whether a matcher covers another one; an expression covers only itself."""
    return (
        matcher in ANY
        or matcher == other
        or (other not in ANY and _names(matcher) >= _names(other))
    )


def _posing(env: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in env.items()
        if name in POSING or name.startswith(PREFIXES)
    }


def posing_variables(data: bytes | None) -> dict[str, Any]:
    """The variables of a file that say who acts, or affect hooks."""
    from interlock.documents.wiring.env_files import variables

    found = variables(data)
    chosen = {name: found[name] for name in found if chooses_settings(name)}
    return {**_posing(found), **chosen}


def chooses_settings(name: str) -> bool:
    """Whether a variable may start a client with other settings, or without hooks."""
    return name.startswith(clients.PREFIXES) and any(part in name for part in SETTINGS)


def lost_events(before: Calls, after: Calls) -> list[str]:
    """The events at which one of our calls is no longer made as before."""
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


def taken_away(before: Calls, data: bytes | None, shape: str = STRICT) -> str:
    """How the new content of a file would switch us off, '' if it would not; `before`
    are our calls in it until now."""
    from interlock.model.errors import Unreadable

    if data is None:
        return 'the file that calls Interlock is gone' if before else ''
    try:
        settings = parsed(data, shape)
    except Unreadable as e:
        what = f'line {e.line}: {e.message}'
        return f'the client ignores the whole file ({what})' if before else ''
    off = switch(settings)
    if off:
        return f'`{off}` switches every hook off'
    env = settings.get('env')
    posing = _posing(env) if isinstance(env, dict) else ()
    if posing:
        return f'`env` sets {", ".join(posing)} for all hooks and commands'
    gone = lost_events(before, our_calls(settings))
    if not gone:
        return ''
    return f"Interlock's entries for {', '.join(gone)} are removed or changed"


def switched_off(old: bytes | None, new: bytes | None, shape: str = STRICT) -> str:
    """How new content of a settings file would keep us from being called, '' if it
    would not."""
    from interlock.model.errors import Unreadable

    if shape == ENV:
        before, after = posing_variables(old), posing_variables(new)
        names = [
            name for name in {**before, **after} if before.get(name) != after.get(name)
        ]
        return (
            f'it changes {", ".join(names)} for all hooks and commands' if names else ''
        )
    elif shape == TEXT:
        same = _lines(old or b'') == _lines(new or b'')
        return '' if same else 'it defines which hooks the client runs or trusts'
    try:
        before = our_calls(parsed(old, shape))
    except Unreadable:
        # the client reads nothing from the file
        before = {}
    return taken_away(before, new, shape)
