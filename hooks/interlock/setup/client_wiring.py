"""Adds, updates and removes our entries in the files of clients."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys

from interlock.agents import adapters, launcher
from interlock.agents.adapter import Adapter
from interlock.agents.wiring import env_files, wiring_of
from interlock.documents.json import parse_object
from interlock.documents.json_edit import edited
from interlock.documents.wiring import client_entries
from interlock.documents.wiring import env_files as variables
from interlock.documents.wiring.client_entries import Settings
from interlock.documents.wiring.client_settings import (
    SCRIPT,
    TEXT,
    calls_us,
    our_calls,
    parsed,
)
from interlock.files.atomic_files import read
from interlock.files.settings_record import name_in
from interlock.git.git import Git, GitError
from interlock.git.hook_folder import told_folder, untold_path
from interlock.guard.event import TIMEOUTS
from interlock.model.calling_files import ENV, NAMING, PARAMETERS, shape_of
from interlock.model.change import Blob
from interlock.model.clients import NAMES
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import Any, Callable, Iterator
from interlock.setup.file_plan import FileStep
from interlock.setup.mcp_install_hint import MCP, install_mcp

SERVERS_FILE = '.mcp.json'
SERVERS = 'mcpServers'
NAME = 'interlock'
EXCLUDED = '"$(git rev-parse --git-path info/exclude)"'
HEADS = {key: value for each in adapters() for key, value in each.head.items()}
NEEDS = 'the server needs one more package:'
HINT = 'fix it, and run this again (interlock doctor says what is wrong)'


def settings_path(client: Adapter, top: str, shared: bool) -> str:
    """The settings file; paths of one machine belong in an unshared file, if there
    is one."""
    own = client.own_settings or client.settings
    return os.path.join(top, client.settings if shared else own)


def configured(top: str) -> Iterator[Adapter]:
    """The clients for which a project has files."""
    for client in adapters():
        places = {os.path.dirname(each) or each for each in client.files}
        if any(os.path.exists(os.path.join(top, each)) for each in places):
            yield client


def unwired(top: str) -> list[str]:
    """The names of clients that a project configures, but that do not call us."""
    return [
        client.name
        for client in configured(top)
        if not any(
            NAME.encode() in (read(settings_path(client, top, shared)) or b'')
            for shared in (True, False)
        )
    ]


def _entries(client: Adapter, shared: bool) -> client_entries.Entries:
    if shared:
        return client_entries.shared_form(wiring_of(client), TIMEOUTS)
    python, *_ = _start()
    script = os.path.abspath(launcher.__file__)
    return client_entries.machine_form(wiring_of(client), python, script, TIMEOUTS)


def _settings(path: str, top: str) -> tuple[bytes | None, dict[str, Any]]:
    """The settings in a file; raises Refusal if the client would ignore the file."""
    old = read(path)
    try:
        return old, parsed(old, shape_of(path))
    except Unreadable as e:
        name = os.path.relpath(path, top)
        raise Refusal(
            f'{name}:{e.line}: {e.message}, so the client ignores the whole file', HINT
        ) from None


def _team_shares(client: Adapter, top: str) -> bool:
    """Whether the shared settings call us in the form for teams."""
    _, found = _settings(settings_path(client, top, shared=True), top)
    return any(
        client_entries.is_shared(handler)
        for calls in our_calls(found).values()
        for _, handler in calls
    )


def settings(
    client: Adapter, top: str, shared: bool = False, folder: str = ''
) -> list[FileStep]:
    """Put our entries into one file of the project, and remove them from the other:
    with two, every event would be answered twice. `folder` holds the tasks, if it
    lies outside."""
    if client.source([]):
        return [_own_file(client, top, shared)]
    shared = shared or _team_shares(client, top)
    step = _with_entries(client, top, shared, folder)
    other = settings_path(client, top, not shared)
    gone = without_settings(other, top, folder) if other != step.path else None
    return [step] if gone is None else [step, gone]


def _own_file(client: Adapter, top: str, shared: bool) -> FileStep:
    """A whole file that belongs to us."""
    path = os.path.join(top, client.settings)
    command = [SCRIPT] if shared else [*_start(), os.path.abspath(launcher.__file__)]
    old, new = read(path), client.source([*command, client.name]).encode()
    if old == new:
        return FileStep(path, old, None, 'already calls Interlock')
    elif old is not None and NAME.encode() not in old:
        raise Refusal(
            f'{client.settings} is the plugin of another program',
            'rename that one, and run this again',
        )
    remark = 'calls Interlock for every event' if old is None else 'is updated'
    advice = _advice(client, path, top, shared)
    return FileStep(path, old, new, remark, advice=advice)


def _start() -> list[str]:
    # not resolved, because the link leads to the packages of its environment
    return [os.path.abspath(sys.executable), *client_entries.OPTIONS]


def _text(
    old: bytes | None, before: Settings, after: Settings, keys: tuple[str, ...]
) -> bytes:
    """The text of `after`, in which only our hooks, and perhaps folders, differ."""
    only = {key: each for key, each in after.items() if key not in keys[:1]}
    hooks = {**only, **{key: before[key] for key in keys[:1] if key in before}}
    new = edited(old, hooks, 'hooks')
    return new if hooks == after else edited(new, after, keys[0])


def _with_entries(client: Adapter, top: str, shared: bool, folder: str) -> FileStep:
    path = settings_path(client, top, shared)
    old, before = _settings(path, top)
    name = os.path.relpath(path, top)
    hooks = before.get('hooks', {})
    if not isinstance(hooks, dict) or not all(
        isinstance(h, list) for h in hooks.values()
    ):
        raise Refusal(f'{name}: `hooks` does not hold lists of hooks', HINT)
    entries = _entries(client, shared)
    after = {**client.head, **client_entries.merged(before, entries)}
    if folder and client.folders:
        after = client_entries.with_folder(after, client.folders, folder)
    if after == before:
        return FileStep(path, old, None, 'already calls Interlock')
    remark = (
        'calls Interlock for every event'
        if not our_calls(before)
        else "Interlock's entries are updated"
    )
    return FileStep(
        path,
        old,
        _text(old, before, after, client.folders),
        remark,
        advice=_advice(client, path, top, shared),
    )


def variable_steps(
    client: Adapter, base: str, top: str, common: str
) -> Iterator[FileStep]:
    """Let git find its hooks in the shells of a client that tells git that there are
    none: by the one file of variables that the client loads, if that file is its own,
    and by a file that git reads because of it."""
    if not client.env_file:
        return
    common, hooks = os.path.realpath(common), untold_path(top, os.environ)
    own = os.path.join(base, client.env_file)
    path = next(iter(env_files(client, base, os.environ)), own)
    old, line = read(path), variables.hooks_line(common)
    told = variables.variables(old).get(PARAMETERS, '')
    leads = bool(line) and f'{told}"'.endswith(line.partition('"')[2])
    if told_folder(top, told) == os.path.join(top, hooks):
        yield FileStep(path, old, None, 'already names the hooks of git')
        return
    elif not line:
        yield FileStep(path, old, None, f'left, because {common} contains a quote')
        return
    elif not leads and name_in(base, path) == path:
        # a line there would serve this project alone
        copy = shlex.join(('cp', path, client.env_file))
        remark = (
            f'not written, because {client.title} would no longer load {path}; to have '
            f'both: {copy}, and run this again'
        )
        yield FileStep(own, None, None, remark)
        return
    naming = os.path.join(common, NAMING)
    new = variables.naming_file(hooks)
    yield FileStep(naming, read(naming), new, 'names the hooks of git')
    if leads:
        yield FileStep(path, old, None, 'already names the hooks of git')
    elif why := _why_left(client, path, own, old):
        remark = (
            f'left, because {why}; with the following line, {client.title} adds nothing '
            f'to what it shows of commits'
        )
        yield FileStep(path, old, None, remark, shown=line)
    else:
        new, advice = variables.with_hooks(old, common), _kept_out(client.env_file, '')
        yield FileStep(path, old, new, 'leads to the hooks of git', advice=(advice,))


def _why_left(client: Adapter, path: str, own: str, old: bytes | None) -> str:
    """Why we must not change a file of variables, '' if we may."""
    if PARAMETERS in variables.variables(variables.without_hooks(old)):
        return f'it sets {PARAMETERS} already (append the value below to its own)'
    elif path != own:
        return f'{client.title} loads this file in place of {client.env_file}'
    elif _tracked(path) is not None:
        return 'git tracks it, and paths of this machine do not belong in it'
    return ''


def _without_hooks(path: str) -> FileStep | None:
    old = read(path)
    new = variables.without_hooks(old)
    if new == (old or b''):
        return None
    elif not new:
        return FileStep(path, old, None, 'nothing else was in it', gone=True)
    return FileStep(path, old, new, "without Interlock's line")


def _tracked(path: str) -> bytes | None:
    """What git would write into a file, None if it does not track the file."""
    folder, name = os.path.split(path)
    try:
        return Git(os.environ).run('-C', folder, 'cat-file', '--filters', f':./{name}')
    except GitError:
        return None


def _says_nothing(settings: bytes) -> bool:
    try:
        found = parsed(settings, '')
    except Unreadable:
        return False
    return all(not each or HEADS.get(key) == each for key, each in found.items())


def emptied(
    path: str, old: bytes | None, is_empty: Callable[[bytes], bool] = _says_nothing
) -> FileStep:
    """Remove a file that holds nothing but our entries, unless it was there before
    them: then git tracks it without any entry."""
    tracked = _tracked(path)
    if tracked is not None and is_empty(tracked):
        return FileStep(path, old, tracked, "without Interlock's entries")
    return FileStep(path, old, None, 'nothing else was in it', gone=True)


def _kept_out(name: str, otherwise: str) -> str:
    # not .gitignore, because a team may share a file of that name
    return (
        f'it names paths of this machine{otherwise}; to keep it out of git: '
        f'echo {name} >>{EXCLUDED}'
    )


def _machine_paths(path: str, top: str, options: str) -> str:
    """What to do about a file with paths of this machine in a repository."""
    if _tracked(path) is not None:
        return (
            f'it names paths of this machine, and git tracks it; to write one for the '
            f'team: interlock init {options} --shared'
        )
    name = os.path.relpath(path, top)
    return _kept_out(name, ' (--shared writes one for the team)')


def _advice(client: Adapter, path: str, top: str, shared: bool) -> tuple[str, ...]:
    found = (
        '' if shared else _machine_paths(path, top, f'--agent {client.name}'),
        client.trust,
        'an open session may have to be restarted',
        'next: interlock doctor --canary',
    )
    return tuple(filter(None, found))


def _others(data: dict[str, Any]) -> list[str]:
    """The events at which entries of other programs call us."""
    return [
        event
        for event, calls in our_calls(data).items()
        if any(
            calls_us(handler) and not client_entries.is_ours(handler)
            for _, handler in calls
        )
    ]


def _keys(path: str, top: str) -> tuple[str, ...]:
    """The keys that lead to the folders, for the client that owns the file."""
    name = os.path.relpath(path, top)
    return next((each.folders for each in adapters() if name in each.files), ())


def without_settings(path: str, top: str, folder: str = '') -> FileStep | None:
    """Remove our entries; None if the file contains none."""
    if shape_of(path) == ENV:
        return _without_hooks(path)
    elif shape_of(path) == TEXT:
        return _without_own_file(path, top)
    old, before = _settings(path, top)
    after, keys = client_entries.removed(before), _keys(path, top)
    if folder and keys and after != before:
        after = client_entries.without_folder(after, keys, folder)
    if all(key in HEADS and HEADS[key] == value for key, value in after.items()):
        # only the keys are left that every such file begins with
        after = {} if after != before else after
    others = ', '.join(_others(before))
    left = f'; left: what others wrote for {others}' if others else ''
    if after == before:
        remark = f'no entry of Interlock{left}'
        return FileStep(path, old, None, remark) if left else None
    elif not after:
        return emptied(path, old)
    return FileStep(
        path, old, _text(old, before, after, keys), f"without Interlock's entries{left}"
    )


def _without_own_file(path: str, top: str) -> FileStep | None:
    old, name = read(path), os.path.relpath(path, top)
    ours = [each for each in adapters() if each.settings == name and each.source([])]
    if not ours or old is None or NAME.encode() not in old:
        return None
    return FileStep(path, old, None, 'nothing else was in it', gone=True)


def _servers(path: str) -> tuple[bytes | None, dict[str, Any]]:
    old = read(path)
    if old is None or not old.strip():
        return old, {}
    try:
        found = parse_object(Blob('', len(old), old)).data
    except Unreadable as e:
        raise Refusal(f'{SERVERS_FILE}:{e.line}: {e.message}', HINT) from None
    if not isinstance(found.get(SERVERS, {}), dict):
        raise Refusal(f'{SERVERS_FILE}: `{SERVERS}` is not an object', HINT)
    return old, dict(found)


def _script() -> str:
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), NAME)
    found = beside if os.path.exists(beside) else shutil.which(NAME)
    if not found:
        raise Refusal(
            'no script `interlock` is installed beside the Python that runs this',
            'install interlock where every shell finds it (pipx, uv tool)',
        )
    return os.path.abspath(found)


def server(top: str, shared: bool = False) -> FileStep:
    path = os.path.join(top, SERVERS_FILE)
    old, data = _servers(path)
    servers = data.get(SERVERS, {})
    name, entry = (
        client_entries.SERVER,
        client_entries.server(NAME if shared else _script()),
    )
    have = servers.get(name)
    if have == entry:
        return FileStep(path, old, None, 'already serves the saved state')
    elif have is not None and not client_entries.is_our_server(have):
        raise Refusal(
            f'{SERVERS_FILE}: `{name}` is the server of another program',
            'rename that one, and run this again',
        )
    data[SERVERS] = {**servers, name: entry}
    found = (
        '' if shared else _machine_paths(path, top, f'--agent {NAMES[0]} --mcp'),
        '' if importlib.util.find_spec(MCP) else f'{NEEDS}\n    {install_mcp()}',
    )
    return FileStep(
        path,
        old,
        edited(old, data, SERVERS),
        'serves the saved state',
        advice=tuple(filter(None, found)),
    )


def without_server(top: str) -> FileStep | None:
    path = os.path.join(top, SERVERS_FILE)
    old, data = _servers(path)
    servers = data.get(SERVERS, {})
    if not client_entries.is_our_server(servers.get(client_entries.SERVER)):
        return None
    left = {
        name: entry for name, entry in servers.items() if name != client_entries.SERVER
    }
    after = {key: each for key, each in data.items() if key != SERVERS}
    if left:
        after = {**data, SERVERS: left}
    elif not after:
        return emptied(path, old)
    return FileStep(
        path, old, edited(old, after, SERVERS), "without Interlock's server"
    )
