"""What is wrong in a settings file of the client, so that it drops it.

One mistake in an entry of a guard, and the client takes nothing from the
whole file, without a word. `schemas/client-settings.schema.json` says the
same; a hook has no time to load what reads it, and a test compares the two.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    # where, and what is wrong there
    Mistake = tuple[tuple[str | int, ...], str]
    Path = tuple[str | int, ...]

MODES = (
    'acceptEdits',
    'auto',
    'bypassPermissions',
    'default',
    'dontAsk',
    'manual',
    'plan',
)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TEXT = 'a text'
OBJECT = 'an object'
LIST = 'a list'
TRUTH = 'true or false'
EITHER = 'true, false or an object'
NUMBER = 'a number'
SECONDS = 'a number above 0'
TEXTS = 'a list of texts'
KINDS: dict[str, Callable[[Any], bool]] = {
    TEXT: lambda value: isinstance(value, str),
    OBJECT: lambda value: isinstance(value, dict),
    LIST: lambda value: isinstance(value, list),
    TRUTH: lambda value: isinstance(value, bool),
    EITHER: lambda value: isinstance(value, (bool, dict)),
    NUMBER: _is_number,
    SECONDS: lambda value: _is_number(value) and value > 0,
    TEXTS: lambda value: (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    ),
}
# what the client demands of the keys that it knows
SETTINGS: dict[str, str | tuple[str, ...]] = {
    '$schema': TEXT,
    'allowManagedHooksOnly': TRUTH,
    'alwaysThinkingEnabled': TRUTH,
    'apiKeyHelper': TEXT,
    'attribution': EITHER,
    'cleanupPeriodDays': NUMBER,
    'companyAnnouncements': LIST,
    'disableAllHooks': TRUTH,
    'enableAllProjectMcpServers': TRUTH,
    'enabledPlugins': OBJECT,
    'env': OBJECT,
    'extraKnownMarketplaces': OBJECT,
    'hooks': OBJECT,
    'includeCoAuthoredBy': TRUTH,
    'language': TEXT,
    'model': TEXT,
    'outputStyle': TEXT,
    'permissions': OBJECT,
    'sandbox': OBJECT,
    'spinnerTipsEnabled': TRUTH,
    'statusLine': OBJECT,
}
PERMISSIONS: dict[str, str | tuple[str, ...]] = {
    'additionalDirectories': LIST,
    'allow': LIST,
    'ask': LIST,
    'defaultMode': MODES,
    'deny': LIST,
    'disableBypassPermissionsMode': ('disable',),
}
HANDLER: dict[str, str | tuple[str, ...]] = {
    'args': TEXTS,
    'async': TRUTH,
    'asyncRewake': TRUTH,
    'command': TEXT,
    'if': TEXT,
    'onFailure': ('block', 'continue'),
    'once': TRUTH,
    'prompt': TEXT,
    'server': TEXT,
    'shell': ('bash', 'powershell'),
    'statusMessage': TEXT,
    'timeout': SECONDS,
    'tool': TEXT,
    'url': TEXT,
}
# type of a handler -> the keys that it must have
TYPES = {
    'agent': ('prompt',),
    'command': ('command',),
    'http': ('url',),
    'mcp_tool': ('server', 'tool'),
    'prompt': ('prompt',),
}


def _of(
    value: Any, path: Path, wanted: dict[str, str | tuple[str, ...]]
) -> Iterator[Mistake]:
    for key, kind in wanted.items():
        if key not in value:
            continue
        elif isinstance(kind, str):
            if not KINDS[kind](value[key]):
                yield (*path, key), f'is not {kind}'
        elif value[key] not in kind:
            yield (*path, key), f'is none of {", ".join(kind)}'


def _handler(value: Any, path: Path) -> Iterator[Mistake]:
    if not isinstance(value, dict):
        yield path, f'is not {OBJECT}'
        return
    kind = value.get('type')
    if not isinstance(kind, str) or kind not in TYPES:
        at = (*path, 'type') if 'type' in value else path
        yield at, f'has no `type` of {", ".join(TYPES)}'
        return
    for key in TYPES[kind]:
        if key not in value:
            yield path, f'has no `{key}`'
    yield from _of(value, path, HANDLER)


def _group(value: Any, path: Path) -> Iterator[Mistake]:
    if not isinstance(value, dict):
        yield path, f'is not {OBJECT}'
        return
    if 'hooks' not in value:
        yield path, 'has no `hooks`'
    yield from _of(value, path, {'matcher': TEXT, 'hooks': LIST})
    handlers = value.get('hooks')
    for number, each in enumerate(handlers if isinstance(handlers, list) else ()):
        yield from _handler(each, (*path, 'hooks', number))


def mistakes(settings: dict[str, Any]) -> Iterator[Mistake]:
    yield from _of(settings, (), SETTINGS)
    permissions = settings.get('permissions')
    if isinstance(permissions, dict):
        yield from _of(permissions, ('permissions',), PERMISSIONS)
    hooks = settings.get('hooks')
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        if not isinstance(groups, list):
            yield ('hooks', event), f'is not {LIST}'
            continue
        for number, group in enumerate(groups):
            yield from _group(group, ('hooks', event, number))
