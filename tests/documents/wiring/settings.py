"""Settings of the client, sound and not."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies

from interlock.documents.wiring.client_entries import Entries, Wiring, machine_form

TIMEOUTS = {'SessionEnd': 2, '': 20}
PYTHON = '/opt/é nv/bin/python'
LAUNCHER = '/opt/é nv/lib/interlock/agents/launcher.py'
WIRING = Wiring('claude', closing={'onFailure': 'block'})
FOREIGN: dict[str, Any] = {'type': 'command', 'command': 'écho 1'}


def ours(python: str = PYTHON) -> Entries:
    return copy.deepcopy(machine_form(WIRING, python, LAUNCHER, TIMEOUTS))


def group(*handlers: Any, **more: Any) -> dict[str, Any]:
    return {**more, 'hooks': list(handlers)}


def hooks(event: str, *groups: Any) -> dict[str, Any]:
    return {'hooks': {event: list(groups)}}


def pre(**fields: Any) -> dict[str, Any]:
    """A guard of somebody else, with some fields of its own."""
    return hooks('PreToolUse', group({**FOREIGN, **fields}))


# as the client 2.1.325 judges them
SOUND: dict[str, dict[str, Any]] = {
    'nothing': {},
    'an empty hooks': {'hooks': {}},
    'a foreign hook': pre(),
    'no handler': hooks('PreToolUse', group(matcher='Write')),
    'an unknown event': hooks('Événement', group(FOREIGN)),
    'an unknown key': {'zzz': 3},
    'an unknown field': pre(zzz=1),
    'half a second': pre(timeout=0.5),
    'onFailure': pre(onFailure='continue'),
    'onFailure beside the matcher': hooks(
        'PreToolUse', group(FOREIGN, onFailure='zzz')
    ),
    'an empty command': pre(command=''),
    'http': hooks('Stop', group({'type': 'http', 'url': 'http://x'})),
    'prompt': hooks('Stop', group({'type': 'prompt', 'prompt': 'é'})),
    'agent': hooks('Stop', group({'type': 'agent', 'prompt': 'é'})),
    'mcp_tool': hooks('Stop', group({'type': 'mcp_tool', 'server': 'a', 'tool': 'b'})),
    'numbers in env': {'env': {'A': 1}},
    'a mode': {'permissions': {'defaultMode': 'auto'}},
    'the old name of a mode': {'permissions': {'defaultMode': 'manual'}},
    'an unknown permission': {'permissions': {'zzz': 3}},
    'attribution': {'attribution': False},
    'switched off': {'disableAllHooks': True},
}
# what is wrong -> (settings, where)
MALFORMED: dict[str, tuple[Any, str]] = {
    'hooks is a list': ({'hooks': []}, 'hooks'),
    'hooks is null': ({'hooks': None}, 'hooks'),
    'event is an object': ({'hooks': {'PreToolUse': {}}}, 'hooks.PreToolUse'),
    'event is null': ({'hooks': {'Stop': None}}, 'hooks.Stop'),
    'flat': ({'hooks': {'PreToolUse': [FOREIGN]}}, 'hooks.PreToolUse[0]'),
    'no hooks': (hooks('Stop', {'matcher': 'x'}), 'hooks.Stop[0]'),
    'a group of text': (hooks('Stop', 'x'), 'hooks.Stop[0]'),
    'a handler of text': (hooks('Stop', group('x')), 'hooks.Stop[0].hooks[0]'),
    'matcher is a number': (hooks('Stop', group(matcher=3)), 'hooks.Stop[0].matcher'),
    'matcher is null': (hooks('Stop', group(matcher=None)), 'hooks.Stop[0].matcher'),
    **{
        name: (pre(**fields), f'hooks.PreToolUse[0].hooks[0].{key}')
        for name, key, fields in (
            ('unknown type', 'type', {'type': 'zzz'}),
            ('type is a list', 'type', {'type': []}),
            ('command is a number', 'command', {'command': 3}),
            ('args is a text', 'args', {'args': 'x'}),
            ('args has a number', 'args[0]', {'args': [1]}),
            ('timeout is zero', 'timeout', {'timeout': 0}),
            ('timeout is below', 'timeout', {'timeout': -1}),
            ('timeout is a text', 'timeout', {'timeout': '5'}),
            ('timeout is null', 'timeout', {'timeout': None}),
            ('timeout is true', 'timeout', {'timeout': True}),
            ('onFailure is mistyped', 'onFailure', {'onFailure': 'blok'}),
            ('async is a text', 'async', {'async': 'yes'}),
            ('once is a text', 'once', {'once': 'yes'}),
            ('if is a number', 'if', {'if': 3}),
            ('shell is unknown', 'shell', {'shell': 'fish'}),
            ('status is a number', 'statusMessage', {'statusMessage': 3}),
        )
    },
    **{
        f'{kind} lacks what it needs': (
            hooks('Stop', group({'type': kind})),
            'hooks.Stop[0].hooks[0]',
        )
        for kind in ('command', 'http', 'prompt', 'agent', 'mcp_tool')
    },
    'no type': (hooks('Stop', group({'command': 'x'})), 'hooks.Stop[0].hooks[0]'),
    'env is a text': ({'env': 'x'}, 'env'),
    'disableAllHooks is a text': ({'disableAllHooks': 'true'}, 'disableAllHooks'),
    'disableAllHooks is one': ({'disableAllHooks': 1}, 'disableAllHooks'),
    'permissions is a text': ({'permissions': 'x'}, 'permissions'),
    'unknown mode': (
        {'permissions': {'defaultMode': 'zzz'}},
        'permissions.defaultMode',
    ),
    'allow is a text': ({'permissions': {'allow': 'x'}}, 'permissions.allow'),
    'bypass': (
        {'permissions': {'disableBypassPermissionsMode': 'x'}},
        'permissions.disableBypassPermissionsMode',
    ),
    **{
        f'{key} is {value!r}': ({key: value}, key)
        for key, value in (
            ('model', 3),
            ('cleanupPeriodDays', '3'),
            ('statusLine', 'x'),
            ('outputStyle', 3),
            ('enabledPlugins', []),
            ('sandbox', 'x'),
            ('attribution', 'x'),
            ('apiKeyHelper', 3),
            ('$schema', 3),
            ('includeCoAuthoredBy', 'x'),
            ('companyAnnouncements', 'x'),
        )
    },
}

# any JSON at all
VALUES: strategies.SearchStrategy[Any] = strategies.recursive(
    strategies.none()
    | strategies.booleans()
    | strategies.integers()
    | strategies.floats(allow_nan=False, allow_infinity=False)
    | strategies.text(max_size=8),
    lambda inner: (
        strategies.lists(inner, max_size=3)
        | strategies.dictionaries(strategies.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
_HANDLERS = strategies.one_of(
    strategies.sampled_from(
        [
            FOREIGN,
            *(each['hooks'][0] for groups in ours().values() for each in groups),
            *(
                each['hooks'][0]
                for groups in ours('/old/python').values()
                for each in groups
            ),
            {'type': 'http', 'url': 'http://é'},
        ]
    )
)
_GROUPS = strategies.builds(
    lambda handlers, more: {**more, 'hooks': handlers},
    strategies.lists(_HANDLERS, max_size=3),
    strategies.sampled_from([{}, {'matcher': 'Write'}, {'matcher': '*'}]),
)
# sound settings, with handlers of ours and of others anywhere
SETTINGS: strategies.SearchStrategy[dict[str, Any]] = strategies.builds(
    lambda hooks, more, last: {**({} if last else hooks), **more, **hooks},
    strategies.just({})
    | strategies.builds(
        lambda events: {'hooks': events},
        strategies.dictionaries(
            strategies.sampled_from(['PreToolUse', 'Stop', 'Événement']),
            strategies.lists(_GROUPS, max_size=3),
            max_size=3,
        ),
    ),
    strategies.dictionaries(
        strategies.sampled_from(['zzz', 'é', 'model2']), VALUES, max_size=2
    ),
    strategies.booleans(),
)
