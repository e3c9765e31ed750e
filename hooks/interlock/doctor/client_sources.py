"""The settings that a client reads, and the commands in them that call us."""

from __future__ import annotations

import glob
import json
import os

from interlock.agents.adapter import Adapter
from interlock.agents.wiring import sent
from interlock.documents.wiring.client_settings import calling_lines, our_calls, parsed
from interlock.files.atomic_files import read
from interlock.files.settings_record import (
    found_settings,
    key_of,
    name_in,
    recorded_calls,
    settings_files,
    users_folder,
)
from interlock.git.run_command import Result, feed
from interlock.model.clients import PREFIXES
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, Iterable, Iterator, Mapping, NamedTuple
from interlock.model.session_env import OURS

PLUGIN = 'interlock'
ENABLED = 'enabledPlugins'
WIRING = 'hooks/hooks.json'
THE_PLUGIN = 'the plugin'
SESSION = 'interlock-canary'


class SettingsFile(NamedTuple):
    name: str
    settings: dict[str, Any]
    # why the client ignores the file, '' if it reads it
    problem: str


class HookCommand(NamedTuple):
    event: str
    matcher: str
    handler: dict[str, Any]
    # the file that contains the command
    source: str
    client: Adapter
    # the root of the plugin, '' for settings
    root: str = ''

    def _words(self, project: str) -> list[str]:
        """The command with the variables expanded that the client itself expands."""
        args = self.handler.get('args')
        words = [str(self.handler['command']), *(args or ())]
        for name, value in self._given(project).items():
            words = [word.replace(f'${{{name}}}', value) for word in words]
        return ['/bin/sh', '-c', words[0]] if args is None else words

    def _given(self, project: str) -> dict[str, str]:
        """The variables that the client sets for a hook."""
        client = self.client
        return {
            **dict.fromkeys(client.projects, project),
            **dict.fromkeys(client.marks, '1'),
            **dict.fromkeys(client.sessions, SESSION),
            **(dict.fromkeys(client.plugins, self.root) if self.root else {}),
        }

    def run(
        self, fields: Mapping[str, Any], project: str, environ: Mapping[str, str]
    ) -> Result:
        """Run the command as the client would, with JSON on its input."""
        event = {
            'session_id': SESSION,
            'transcript_path': '',
            'cwd': project,
            'permission_mode': 'default',
            **fields,
        }
        kept = {
            name: value
            for name, value in environ.items()
            if not name.startswith((OURS, *PREFIXES))
        }
        kept |= self._given(project)
        data = f'{json.dumps(sent(self.client, self.event, event))}\n'.encode()
        seconds = float(self.handler.get(self.client.waits, 60)) / self.client.unit
        return feed(self._words(project), data, project, kept, seconds)


class Client(NamedTuple):
    adapter: Adapter
    top: str
    # the common git directory
    state: str
    environ: Mapping[str, str]
    files: tuple[SettingsFile, ...]
    calls: tuple[HookCommand, ...]
    # events that called us in the past: (event, name of the file with the call)
    before: frozenset[tuple[str, str]]

    @property
    def is_wired(self) -> bool:
        return bool(self.calls or self.before)

    def of(self, event: str) -> list[HookCommand]:
        return [call for call in self.calls if call.event == event]


def _commands(
    adapter: Adapter, settings: Mapping[str, Any], source: str, root: str = ''
) -> Iterator[HookCommand]:
    for event, found in our_calls(settings).items():
        for matcher, handler in found:
            yield HookCommand(event, matcher, handler, source, adapter, root)
    for line in calling_lines(settings):
        yield from _of_plugin(adapter, line, source)


def _of_plugin(adapter: Adapter, line: str, source: str) -> Iterator[HookCommand]:
    """The command in a plugin file of ours, which calls us for every event."""
    try:
        program, *args = json.loads(line[line.index('[') : line.rindex(']') + 1])
    except (ValueError, TypeError):
        return
    for event in adapter.events:
        handler = {'type': 'command', 'command': program, 'args': [*args, event]}
        yield HookCommand(event, '', handler, source, adapter)


def _plugin(
    adapter: Adapter, files: Iterable[SettingsFile], environ: Mapping[str, str]
) -> Iterator[HookCommand]:
    """The commands of the newest copy of the plugin, if it is enabled."""
    if not adapter.plugins or not any(
        name.partition('@')[0] == PLUGIN and value is True
        for file in files
        for name, value in file.settings.get(ENABLED, {}).items()
    ):
        return
    above = users_folder(environ, *adapter.users[:2])
    cache = os.path.join(above, 'plugins', 'cache')
    copies = glob.glob(f'{glob.escape(cache)}/*/{PLUGIN}/*/{WIRING}')
    for path in sorted(copies, key=os.path.getmtime)[-1:]:
        try:
            settings = parsed(read(path))
        except Unreadable:
            continue
        root = os.path.dirname(os.path.dirname(path))
        yield from _commands(adapter, settings, THE_PLUGIN, root)


def client(
    adapter: Adapter, top: str, state: str, environ: Mapping[str, str]
) -> Client:
    found = found_settings(top, environ, adapter.name)
    files = tuple(SettingsFile(*each) for each in found)
    here = {key_of(path) for path in settings_files(top, environ, adapter.name)}
    before = {
        (event, name_in(os.path.realpath(top), path))
        for path, calls in recorded_calls(state).items()
        if path in here
        for event in calls
    }
    calls = [
        call for file in files for call in _commands(adapter, file.settings, file.name)
    ]
    calls.extend(_plugin(adapter, files, environ))
    return Client(adapter, top, state, environ, files, tuple(calls), frozenset(before))
