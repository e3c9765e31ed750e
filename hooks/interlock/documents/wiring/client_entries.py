"""Our entries in the settings of clients: their forms, merging and removal."""

from __future__ import annotations

import shlex

from interlock.documents.wiring.client_settings import (
    FLAT,
    GUARD,
    LAUNCHER,
    SCRIPT,
    STRICT,
)
from interlock.model import clients
from interlock.model.quick_typing import Any, Callable, Mapping, NamedTuple, Sequence

Settings = dict[str, Any]
Handler = dict[str, Any]
# event -> our groups there; in a flat list, the handlers themselves
Entries = dict[str, list[dict[str, Any]]]

_WRITES = 'Edit|Write|NotebookEdit'
_RUNS = 'Bash|PowerShell'
_AGENTS = 'Agent|Task'
_TRACKED = 'Skill|TodoWrite|TaskCreate|TaskUpdate|Read'
# the tool by which some modes return an agent's report
_HANDBACK = 'SubagentHandback'
# event -> its matcher, '' for everything
MATCHERS = {
    'SessionStart': 'startup|resume|clear|compact|fork',
    'UserPromptSubmit': '',
    'PreToolUse': f'{_WRITES}|{_RUNS}|{_AGENTS}',
    'PostToolUse': f'{_WRITES}|{_RUNS}|{_AGENTS}|{_TRACKED}|{_HANDBACK}',
    # also log builds that fail
    'PostToolUseFailure': _RUNS,
    'SubagentStop': '',
    'Stop': '',
    'PreCompact': 'manual|auto',
    'SessionEnd': '',
    'ConfigChange': '',
}
# in a separate group: beside an expression, names are read as expressions too
MORE = {GUARD: ('mcp__.*',)}
# their failure is a refusal; the client reads `onFailure` only for the first
GUARDS = (GUARD, 'ConfigChange')
OPTIONS = ['-I', '-S']
SHELL = ['/bin/sh', '-c']
MISSING = 'interlock is not installed on this machine'
SILENT = 'CLD014 Interlock gave no answer, so this is refused; a person runs: interlock doctor'
# our own refusal has given its reason; some clients let a silent failure pass
REFUSE = f"|| {{ [ $? = 2 ] || echo '{SILENT}' >&2; exit 2; }}"
# the failure of an observer is not an answer
GO_ON = '|| exit 1'
SERVER = 'interlock'

BY_DEFAULT = {
    event: (matcher, *MORE.get(event, ())) for event, matcher in MATCHERS.items()
}


class Wiring(NamedTuple):
    """How a client's settings file calls us."""

    client: str
    shape: str = STRICT
    # event of the client -> its matchers, each in a group of its own
    matchers: Mapping[str, tuple[str, ...]] = BY_DEFAULT
    guards: tuple[str, ...] = GUARDS
    # the field for the timeout, and its units per second
    waits: str = 'timeout'
    unit: int = 1
    # additional fields in the handler of a guard
    closing: Mapping[str, Any] = {}
    # additional fields in the file
    head: Mapping[str, Any] = {}
    # the answer that the shell prints for a guard that fails, '' if the agent reads a
    # text on stderr
    refusal: str = ''
    # whether the client continues if an observer is missing
    lenient: bool = True


def _on_failure(wiring: Wiring, event: str) -> str:
    """The shell code that follows our call."""
    if event not in wiring.guards:
        return '' if wiring.lenient else f' {GO_ON}'
    elif wiring.refusal:
        # the exit code refuses, whatever else was printed
        return f" || {{ echo '{wiring.refusal}'; exit 2; }}"
    return f' {REFUSE}'


def _handler(
    wiring: Wiring, event: str, script: str, timeouts: Mapping[str, int]
) -> Handler:
    """A handler with one string for any shell: the user's may not know braces."""
    script += _on_failure(wiring, event)
    # the client waits longer than we take: a call that times out is let through
    seconds = timeouts.get(event, timeouts[''])
    found = {
        'type': 'command',
        'command': shlex.join([*SHELL, script]),
        wiring.waits: seconds * wiring.unit,
    }
    return {**found, **(wiring.closing if event in wiring.guards[:1] else {})}


def machine_form(
    wiring: Wiring, python: str, launcher: str, timeouts: Mapping[str, int]
) -> Entries:
    """Entries with the paths of this machine: no PATH decides what is called."""

    def handler(event: str) -> Handler:
        call = shlex.join([python, *OPTIONS, launcher, wiring.client, event])
        return _handler(wiring, event, call, timeouts)

    return _entries(wiring, handler)


def shared_form(wiring: Wiring, timeouts: Mapping[str, int]) -> Entries:
    """Entries for every machine of a team: without paths, and a guard that is not
    installed refuses."""
    missing = f'{MISSING}: pipx install interlock-hooks'

    def handler(event: str) -> Handler:
        call = (
            f'command -v {SCRIPT} >/dev/null || echo "{missing}" >&2; '
            f'{SCRIPT} {wiring.client} {event}'
        )
        return _handler(wiring, event, call, timeouts)

    return _entries(wiring, handler)


def _entries(wiring: Wiring, handler: Callable[[str], Handler]) -> Entries:
    if wiring.shape == FLAT:
        return {event: [handler(event)] for event in wiring.matchers}
    return {
        event: [
            ({'matcher': matcher} if matcher else {}) | {'hooks': [handler(event)]}
            for matcher in matchers
        ]
        for event, matchers in wiring.matchers.items()
    }


def _words(handler: Handler) -> list[str]:
    """The words of the call, without the shell code around it."""
    args = handler.get('args')
    command = handler.get('command', '')
    if isinstance(args, list):
        return [command, *args]
    try:
        words = shlex.split(command)
        if words[:2] == SHELL and len(words) == 3:
            words = shlex.split(words[2])
    except ValueError:
        return []
    return words[2:] if words[:1] == ['timeout'] else words


def is_ours(handler: Any) -> bool:
    """Whether we wrote this handler, in the present or an older form."""
    if not isinstance(handler, dict) or handler.get('type', 'command') != 'command':
        return False
    return is_shared(handler) or _names_launcher(handler)


def is_shared(handler: Handler) -> bool:
    """Whether the handler names no path of this machine."""
    command = str(handler.get('command', ''))
    return 'command -v ' in command and MISSING in command


def _names_launcher(handler: Handler) -> bool:
    words = _words(handler)
    words = words[: words.index('||')] if '||' in words else words
    path, event = [*words, '', '', '', ''][3].replace('\\', '/'), words[-1:]
    # the launcher for a single client is not given the client's name
    ours = path.endswith(f'/{LAUNCHER}') and words[4:5] and words[4] in clients.NAMES
    older = any(path.endswith(f'/{each}') for each in clients.CALLS)
    return (
        words[1:3] == OPTIONS
        and len(words) == (6 if ours else 5)
        and bool(ours or older)
        and event[0] in clients.EVENTS
    )


def _inner(group: dict[str, Any]) -> list[Any]:
    """The handlers of a group; a handler may be without a group."""
    found = group.get('hooks', [group])
    return found if isinstance(found, list) else []


def _without(groups: list[Any]) -> list[Any]:
    """The groups of others; groups that are empty without us are removed."""
    found = []
    for group in groups:
        inner = _inner(group)
        others = [each for each in inner if not is_ours(each)]
        if len(others) == len(inner):
            found.append(group)
        elif others:
            found.append({**group, 'hooks': others})
    return found


def _placed(groups: list[Any], wanted: list[Any]) -> list[Any]:
    """Our groups where our first one is, else at the end."""
    ours = [any(map(is_ours, _inner(group))) for group in groups]
    place = ours.index(True) if True in ours else len(groups)
    return [*groups[:place], *wanted, *_without(groups[place:])]


def merged(settings: Settings, wanted: Entries) -> Settings:
    """The settings with our new entries in place of the old ones."""
    hooks = settings.get('hooks') or {}
    found = {
        event: _placed(groups, wanted.get(event, [])) for event, groups in hooks.items()
    }
    found |= {event: groups for event, groups in wanted.items() if event not in found}
    return {**settings, 'hooks': _kept(found, hooks)}


def _kept(found: Mapping[str, Any], before: Mapping[str, Any]) -> Settings:
    """Drop events that have become empty."""
    return {
        event: groups
        for event, groups in found.items()
        if groups or not before.get(event)
    }


def removed(settings: Settings) -> Settings:
    """The settings without our entries; all others stay."""
    hooks = settings.get('hooks') or {}
    left = _kept({event: _without(groups) for event, groups in hooks.items()}, hooks)
    if left == hooks:
        return settings
    others = {key: each for key, each in settings.items() if key != 'hooks'}
    return {**settings, 'hooks': left} if left else others


def with_folder(settings: Settings, keys: Sequence[str], folder: str) -> Settings:
    """The settings with a folder in the list at a path of keys."""
    key, *rest = keys
    if rest:
        inner = settings.get(key) or {}
        return {**settings, key: with_folder(inner, rest, folder)}
    listed = settings.get(key) or []
    return settings if folder in listed else {**settings, key: [*listed, folder]}


def without_folder(settings: Settings, keys: Sequence[str], folder: str) -> Settings:
    """The settings without the folder; empty values are removed."""
    key, *rest = keys
    before = settings.get(key)
    left: Any
    if rest:
        left = without_folder(before, rest, folder) if isinstance(before, dict) else {}
    else:
        left = [each for each in before or () if each != folder]
    if not before or left == before:
        return settings
    others = {name: each for name, each in settings.items() if name != key}
    return {**settings, key: left} if left else others


def is_our_server(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get('args') == ['mcp']


def server(script: str) -> dict[str, Any]:
    return {'type': 'stdio', 'command': script, 'args': ['mcp']}
