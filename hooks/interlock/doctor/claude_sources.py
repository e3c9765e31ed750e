"""What the client reads, and what of it leads to us."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from interlock.documents.wiring.claude_settings import our_calls, parsed
from interlock.files.atomic_files import read
from interlock.files.settings_record import (
    key_of,
    recorded,
    settings_files,
    users_folder,
)
from interlock.model.errors import Refusal, Unreadable

PLUGIN = 'interlock'
ENABLED = 'enabledPlugins'
WIRING = 'hooks/hooks.json'
ROOT = 'CLAUDE_PLUGIN_ROOT'
THE_PLUGIN = 'the plugin'


class File(NamedTuple):
    """A file of settings that is there."""

    path: str
    # as a person in the project would write it
    name: str
    settings: dict[str, Any]
    # why the client drops it, '' if it does not
    problem: str


class Call(NamedTuple):
    event: str
    matcher: str
    handler: dict[str, Any]
    # the file that says so
    source: str
    # of the plugin, '' for settings
    root: str = ''

    def substituted(self, text: str, project: str) -> str:
        """As the client does it, in arguments and in the shell's words."""
        return text.replace('${CLAUDE_PROJECT_DIR}', project).replace(
            f'${{{ROOT}}}', self.root or f'${{{ROOT}}}'
        )

    @property
    def seconds(self) -> float:
        return float(self.handler.get('timeout', 60))


class Client(NamedTuple):
    top: str
    # the common git directory
    state: str
    environ: Mapping[str, str]
    files: tuple[File, ...]
    calls: tuple[Call, ...]
    # events that called us once: (event, name of the file that said so)
    before: frozenset[tuple[str, str]]

    @property
    def is_wired(self) -> bool:
        return bool(self.calls or self.before)

    def of(self, event: str) -> list[Call]:
        return [call for call in self.calls if call.event == event]


def _name(path: str, top: str) -> str:
    below = os.path.relpath(path, top)
    return path if below.startswith('..') else below


def _files(top: str, environ: Mapping[str, str]) -> Iterator[File]:
    for path in settings_files(top, environ):
        name = _name(path, top)
        try:
            data = read(path)
            settings = parsed(data)
        except Unreadable as e:
            yield File(path, name, {}, f'line {e.line}: {e.message}')
        except Refusal as e:
            yield File(path, name, {}, e.message)
        else:
            if data is not None:
                yield File(path, name, settings, '')


def _is_enabled(files: Iterable[File]) -> bool:
    return any(
        name.partition('@')[0] == PLUGIN and value is True
        for file in files
        for name, value in file.settings.get(ENABLED, {}).items()
    )


def _plugin(environ: Mapping[str, str]) -> Iterator[Call]:
    """What the newest copy of the plugin is wired by."""
    cache = os.path.join(users_folder(environ), 'plugins', 'cache')
    copies = glob.glob(f'{glob.escape(cache)}/*/{PLUGIN}/*/{WIRING}')
    for path in sorted(copies, key=os.path.getmtime)[-1:]:
        root = os.path.dirname(os.path.dirname(path))
        try:
            calls = our_calls(parsed(read(path)))
        except Unreadable:
            continue
        for event, found in calls.items():
            for matcher, handler in found:
                yield Call(event, matcher, handler, THE_PLUGIN, root)


def _calls(files: Iterable[File], environ: Mapping[str, str]) -> Iterator[Call]:
    for file in files:
        for event, calls in our_calls(file.settings).items():
            for matcher, handler in calls:
                yield Call(event, matcher, handler, file.name)
    if _is_enabled(files):
        yield from _plugin(environ)


def client(top: str, state: str, environ: Mapping[str, str]) -> Client:
    files = tuple(_files(top, environ))
    known = recorded(state)
    here = {key_of(path) for path in settings_files(top, environ)}
    return Client(
        top,
        state,
        environ,
        files,
        tuple(_calls(files, environ)),
        frozenset(
            (event, _name(path, os.path.realpath(top)))
            for path, calls in known.items()
            if path in here
            for event in calls
        ),
    )
