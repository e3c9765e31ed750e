"""How a client is wired, and what it would send, for `init` and `doctor`."""

from __future__ import annotations

import json
import os

from interlock.agents.adapter import Adapter
from interlock.documents.wiring.client_entries import SILENT, Wiring
from interlock.files.atomic_files import read
from interlock.files.settings_record import users_folder
from interlock.guard.decision import DENY, Decision
from interlock.guard.event import GUARDS, PRE_TOOL
from interlock.model.calling_files import ENV_FILE
from interlock.model.quick_typing import Any, Iterator, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.agents.adapter import Ask


def wiring_of(client: Adapter) -> Wiring:
    guards = [name for name, kind in client.events.items() if kind in GUARDS]
    found = Wiring(
        client.name,
        client.files[_pattern(client)],
        # the guard that runs before a tool comes first
        guards=tuple(sorted(guards, key=lambda name: client.kind(name) != PRE_TOOL)),
        waits=client.waits,
        unit=client.unit,
        closing=client.closing,
        head=client.head,
        refusal='' if client.reads_errors else _refusal(client),
        lenient=client.lenient,
    )
    if client.is_narrow:
        return found
    return found._replace(matchers=dict.fromkeys(client.wired or client.events, ('',)))


def _refusal(client: Adapter) -> str:
    """A refusal in the client's form, for a shell that cannot start us."""
    return client.output(client.called(PRE_TOOL), None, Decision(DENY, SILENT)).out


def _pattern(client: Adapter) -> str:
    """The pattern of the file that we write, among the settings files of the client."""
    if client.settings in client.files:
        return client.settings
    folder = os.path.dirname(client.settings)
    return next(each for each in client.files if os.path.dirname(each) == folder)


def trusts(
    client: Adapter, top: str, environ: Mapping[str, str], ask: Ask
) -> tuple[bool | None, str]:
    """Whether it runs the hooks of a project, None if that is unknown, and why."""
    if not client.trusted_in:
        return client.trusts(top, environ, ask)
    path = os.path.join(users_folder(environ, *client.users[:2]), client.trusted_in)
    text = (read(path) or b'').decode(errors='replace')
    if not text:
        return False if client.needs_trust else None, f'{path} trusts no folder yet'
    named = any(
        json.dumps(each, ensure_ascii=ascii) in text
        for each in (top, os.path.realpath(top))
        for ascii in (True, False)
    )
    is_trusted = named and 'trust' in text.lower()
    return is_trusted, f'{path} {"names" if is_trusted else "does not name"} {top}'


def env_files(client: Adapter, top: str, environ: Mapping[str, str]) -> list[str]:
    """The existing files of variables, in the order in which the client looks for
    them; it loads only the first."""
    folders = [os.path.abspath(top)]
    while folders[-1] != os.path.dirname(folders[-1]):
        folders.append(os.path.dirname(folders[-1]))
    folders.append(users_folder(environ, '', ''))
    names = (client.env_file, ENV_FILE) if client.env_file else ()
    found = (os.path.join(folder, name) for folder in folders for name in names)
    return list(dict.fromkeys(filter(os.path.exists, found)))


def _theirs(names: Mapping[str, str], data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields under the client's names."""
    back: dict[str, str] = {}
    for theirs, ours in names.items():
        back.setdefault(ours, theirs)
    return {back.get(key, key): value for key, value in data.items()}


def tools_of(client: Adapter) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Its tools: their names, our names, and the names of their fields."""
    for name in client.same_tools:
        yield name, name, {}
    for theirs, (ours, names) in client.tools.items():
        yield theirs, ours, names


def tool_call(
    tool: str, names: Mapping[str, str], given: Mapping[str, str]
) -> dict[str, Any]:
    """The fields of a call of the client's tool; `given` uses our names."""
    return {
        'tool_name': tool,
        'tool_input': _theirs(names, given),
        'tool_use_id': 'canary',
    }


def sent(client: Adapter, name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """An event as the client would send it; `data` uses our names."""
    found = dict(data)
    if client.names_events:
        found['hook_event_name'] = name
    return _theirs(client.fields, found)
