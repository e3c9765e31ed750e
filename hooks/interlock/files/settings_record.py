"""Records which settings of clients called us, outside of the tree.

Removing our entries from a file also removes the proof that they were there.
So the former entries are kept below the common git directory.
"""

from __future__ import annotations

import os

from interlock.documents.wiring.client_settings import TEXT, our_calls, parsed
from interlock.files import records
from interlock.files.atomic_files import read
from interlock.model import clients
from interlock.model.calling_files import shape_of
from interlock.model.errors import Refusal, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.documents.wiring.client_settings import Calls
    from interlock.model.quick_typing import Iterator, Mapping

RECORD = 'wired.json'


def key_of(path: str) -> str:
    """A unique name for a file, even after it is gone."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def users_folder(environ: Mapping[str, str], variable: str, folder: str) -> str:
    """The folder of a client's settings for all projects of a user."""
    home = environ.get('HOME') or os.path.expanduser('~')
    return environ.get(variable) or os.path.join(home, folder)


def project_files(top: str, client: str = '') -> Iterator[str]:
    """The settings files of a project that a client (default: any) reads."""
    for name, pattern, _ in clients.FILES:
        if client not in ('', name):
            continue
        path = os.path.join(top, pattern)
        if '*' not in pattern:
            yield path
            continue
        folder, _, end = path.rpartition('*')
        names = os.listdir(folder) if os.path.isdir(folder) else ()
        yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(end))


def settings_files(
    top: str, environ: Mapping[str, str], client: str = ''
) -> Iterator[str]:
    """All files that may call us in a project, or switch us off: clients read
    them where they were started, and nowhere above."""
    started = next(filter(None, map(environ.get, clients.PROJECTS)), top)
    for folder in dict.fromkeys((started, top)):
        yield from project_files(folder, client)
    for name, variable, folder, names in clients.USERS:
        if client in ('', name):
            above = users_folder(environ, variable, folder)
            yield from (os.path.join(above, each) for each in names)


def record_path(state: str) -> str:
    return os.path.join(state, 'interlock', RECORD)


def settings_in(path: str) -> tuple[dict[str, Any], str]:
    """The settings in a file, and why the client ignores them, '' if it does not."""
    try:
        return parsed(read(path), shape_of(path) or TEXT), ''
    except Unreadable as e:
        return {}, f'line {e.line}: {e.message}'
    except Refusal as e:
        return {}, e.message


def name_in(top: str, path: str) -> str:
    below = os.path.relpath(path, top)
    return path if below.startswith('..') else below


def found_settings(
    top: str, environ: Mapping[str, str], client: str
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The existing files that a client reads: the name that a person in the
    project would use, and `settings_in`."""
    for path in settings_files(top, environ, client):
        if os.path.lexists(path):
            yield name_in(top, path), *settings_in(path)


def calls_in(path: str) -> Calls | None:
    """Our commands that a file calls now, None if the client ignores the file."""
    settings, problem = settings_in(path)
    return None if problem else our_calls(settings)


def _parse_calls(value: Any) -> Calls:
    return {
        event: [(matcher, handler) for matcher, handler in calls]
        for event, calls in value.items()
    }


def _parse(value: Any) -> dict[str, Calls]:
    """Parse the record; values that are not lists of calls are left out."""
    found = {}
    for path, calls in value.items():
        try:
            found[path] = _parse_calls(calls)
        except records.NOT_OURS:
            continue
    return found


def recorded_calls(state: str) -> dict[str, Calls]:
    """File -> our commands that it called; {} if nothing is known."""
    try:
        return records.load(record_path(state), _parse) or {}
    except (Unreadable, Refusal):
        return {}


def remember(state: str, path: str, calls: Calls) -> None:
    """Record our commands that a file calls, if the record can be written."""
    known, path = recorded_calls(state), key_of(path)
    if known.get(path, {}) == calls:
        return
    known[path] = calls
    try:
        records.save(
            record_path(state), {each: known[each] for each in known if known[each]}
        )
    except Refusal:
        pass


def record_all(top: str, state: str) -> None:
    """Record the calls in a project's settings after they were written."""
    for path in project_files(top):
        remember(state, path, calls_in(path) or {})


def refresh(top: str, state: str, environ: Mapping[str, str]) -> None:
    """Record the calls at the start of a session; fewer calls than recorded
    are a loss and do not replace the record."""
    known = recorded_calls(state)
    for path in settings_files(top, environ):
        calls = calls_in(path)
        if calls and set(calls) >= set(known.get(key_of(path), ())):
            remember(state, path, calls)
