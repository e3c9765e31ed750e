"""Our entries in the settings of the client: which, how, merged, removed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping

from interlock.documents.wiring.claude_settings import (
    GUARD,
    LAUNCHER,
    PLUGIN_LAUNCHER,
    SCRIPT,
)
from interlock.model.quick_typing import Any

Settings = dict[str, Any]
Handler = dict[str, Any]
# event -> the groups that we put there
Entries = dict[str, list[dict[str, Any]]]

_WRITES = 'Edit|Write|NotebookEdit'
_RUNS = 'Bash|PowerShell'
_AGENTS = 'Agent|Task'
_TRACKED = 'Skill|TodoWrite|TaskCreate|TaskUpdate|Read'
# by which some modes hand over what an agent reports
_HANDBACK = 'SubagentHandback'
# event -> what it is asked for, '' for all there is
MATCHERS = {
    'SessionStart': 'startup|resume|clear|compact|fork',
    'UserPromptSubmit': '',
    'PreToolUse': f'{_WRITES}|{_RUNS}|{_AGENTS}',
    'PostToolUse': f'{_WRITES}|{_RUNS}|{_AGENTS}|{_TRACKED}|{_HANDBACK}',
    # a build that fails is one too
    'PostToolUseFailure': _RUNS,
    'SubagentStop': '',
    'Stop': '',
    'PreCompact': 'manual|auto',
    'SessionEnd': '',
    'ConfigChange': '',
}
# in a group of its own: beside an expression, names are read as expressions too
MORE = {GUARD: ('mcp__.*',)}
# to fail is to refuse; the client takes `onFailure` for the first alone
GUARDS = (GUARD, 'ConfigChange')
OPTIONS = ['-I', '-S']
REFUSE = ['||', 'exit', '2']
MISSING = 'interlock is not installed on this machine'
SERVER = 'interlock'
PLUGIN = f'${{CLAUDE_PLUGIN_ROOT}}{PLUGIN_LAUNCHER}'


def exec_form(python: str, launcher: str, timeouts: Mapping[str, int]) -> Entries:
    """No shell between the client and us, and no PATH."""

    def handler(event: str) -> Handler:
        found = {
            'type': 'command',
            'command': python,
            'args': [*OPTIONS, launcher, event],
            'timeout': timeouts.get(event, timeouts['']),
        }
        return found | ({'onFailure': 'block'} if event == GUARD else {})

    return _entries(handler)


def shell_form(
    python: str, launcher: str, timeouts: Mapping[str, int], with_timeout: bool = True
) -> Entries:
    """For clients that do not know `onFailure`: the shell refuses instead."""

    def handler(event: str) -> Handler:
        seconds = timeouts.get(event, timeouts[''])
        words = ['timeout', str(seconds)] if with_timeout else []
        command = shlex.join([*words, python, *OPTIONS, launcher, event])
        if event in GUARDS:
            command = f'{command} {" ".join(REFUSE)}'
        # the client waits longer than that: what it gives up on has passed
        return {'type': 'command', 'command': command, 'timeout': seconds + 5}

    return _entries(handler)


def _shared_command(event: str) -> str:
    missing = f'{MISSING}: pipx install interlock-hooks'
    command = (
        f"command -v {SCRIPT} >/dev/null || echo '{missing}' >&2; {SCRIPT} {event}"
    )
    return f'{command} {" ".join(REFUSE)}' if event in GUARDS else command


def shared_form(timeouts: Mapping[str, int]) -> Entries:
    """For every machine of a team: no path, and a guard that is not installed
    refuses."""

    def handler(event: str) -> Handler:
        found = {
            'type': 'command',
            'command': _shared_command(event),
            'timeout': timeouts.get(event, timeouts['']),
        }
        # the shell refuses for clients that do not know it; a guard that the
        # client gives up on is refused by those that do
        return found | ({'onFailure': 'block'} if event == GUARD else {})

    return _entries(handler)


def plugin_form(timeouts: Mapping[str, int]) -> Entries:
    return exec_form('python3', PLUGIN, timeouts)


def matchers(event: str) -> tuple[str, ...]:
    return (MATCHERS[event], *MORE.get(event, ()))


def _entries(handler: Callable[[str], Handler]) -> Entries:
    return {
        event: [
            ({'matcher': matcher} if matcher else {}) | {'hooks': [handler(event)]}
            for matcher in matchers(event)
        ]
        for event in MATCHERS
    }


def _words(handler: Handler) -> list[str]:
    args = handler.get('args')
    if isinstance(args, list):
        return [handler.get('command', ''), *args]
    try:
        words = shlex.split(handler.get('command', ''))
    except ValueError:
        return []
    if words[:1] == ['timeout']:
        words = words[2:]
    return words[:-3] if words[-3:] == REFUSE else words


def is_ours(handler: Any) -> bool:
    """Whether it is as we write it, now or before."""
    if not isinstance(handler, dict) or handler.get('type') != 'command':
        return False
    return is_shared(handler) or _names_launcher(handler)


def is_shared(handler: Handler) -> bool:
    """Whether it names no path of a machine."""
    command = str(handler.get('command', ''))
    return command.startswith(f'command -v {SCRIPT} ') and MISSING in command


def _names_launcher(handler: Handler) -> bool:
    words = _words(handler)
    return (
        len(words) == 5
        and words[1:3] == OPTIONS
        and words[3].replace('\\', '/').endswith(f'/{LAUNCHER}')
        and words[4] in MATCHERS
    )


def _without(groups: list[Any]) -> list[Any]:
    """The groups of others; what is empty without us goes."""
    found = []
    for group in groups:
        others = [each for each in group['hooks'] if not is_ours(each)]
        if len(others) == len(group['hooks']):
            found.append(group)
        elif others:
            found.append({**group, 'hooks': others})
    return found


def _placed(groups: list[Any], wanted: list[Any]) -> list[Any]:
    """Our groups where the first of ours stands, else at the end."""
    ours = [any(map(is_ours, group['hooks'])) for group in groups]
    place = ours.index(True) if True in ours else len(groups)
    return [*groups[:place], *wanted, *_without(groups[place:])]


def merged(settings: Settings, wanted: Entries) -> Settings:
    """With our entries, and without what we wrote before."""
    hooks = settings.get('hooks') or {}
    found = {
        event: _placed(groups, wanted.get(event, [])) for event, groups in hooks.items()
    }
    found |= {event: groups for event, groups in wanted.items() if event not in found}
    return {**settings, 'hooks': _kept(found, hooks)}


def _kept(found: Mapping[str, Any], before: Mapping[str, Any]) -> Settings:
    """An event that is empty now and was not goes."""
    return {
        event: groups
        for event, groups in found.items()
        if groups or not before.get(event)
    }


def removed(settings: Settings) -> Settings:
    """Without our entries; all others as they are."""
    hooks = settings.get('hooks') or {}
    left = _kept({event: _without(groups) for event, groups in hooks.items()}, hooks)
    if left == hooks:
        return settings
    others = {key: each for key, each in settings.items() if key != 'hooks'}
    return {**settings, 'hooks': left} if left else others


def is_our_server(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get('args') == ['mcp']


def server(script: str) -> dict[str, Any]:
    return {'type': 'stdio', 'command': script, 'args': ['mcp']}
