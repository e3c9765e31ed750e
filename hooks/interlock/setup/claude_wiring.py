"""Our entries in the files of Claude Code: written, updated, taken out."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

from interlock.claude import launcher
from interlock.documents.json import parse_object
from interlock.documents.json_edit import edited
from interlock.documents.wiring import claude_entries
from interlock.documents.wiring.claude_settings import (
    FOLDER,
    LOCAL,
    SHARED,
    calls_us,
    our_calls,
    parsed,
    where,
)
from interlock.files.atomic_files import read
from interlock.guard.event import TIMEOUTS
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import Any
from interlock.setup.file_plan import FileStep
from interlock.setup.mcp_install_hint import MCP, install_mcp
from interlock.workflow.language.json_schema import violations

SCHEMA = 'client-settings.schema.json'
SERVERS_FILE = '.mcp.json'
SERVERS = 'mcpServers'
NAME = 'interlock'
KEEP_OUT = 'keep it out of git, or share one without them (--shared)'
HINT = 'fix it, and run this again (claude doctor says what is wrong)'


def settings_path(top: str, shared: bool) -> str:
    """Paths of one machine belong in the file that nobody shares."""
    return os.path.join(top, FOLDER, SHARED if shared else LOCAL)


def _entries(shared: bool, in_shell: bool) -> claude_entries.Entries:
    # not resolved: a link into an environment leads to its packages
    python = os.path.abspath(sys.executable)
    script = os.path.abspath(launcher.__file__)
    if shared:
        return claude_entries.shared_form(TIMEOUTS)
    elif not in_shell:
        return claude_entries.exec_form(python, script, TIMEOUTS)
    return claude_entries.shell_form(
        python, script, TIMEOUTS, shutil.which('timeout') is not None
    )


def _settings(path: str, top: str) -> tuple[bytes | None, dict[str, Any]]:
    """The settings in a file, refused where the client would drop it."""
    old = read(path)
    try:
        return old, parsed(old)
    except Unreadable as e:
        name = os.path.relpath(path, top)
        raise Refusal(
            f'{name}:{e.line}: {e.message}, so the client drops the whole file', HINT
        ) from None


def _validated(data: dict[str, Any], name: str) -> None:
    """Refuse a mistake: the client would silently drop the whole file."""
    for violation in violations(data, SCHEMA):
        raise Refusal(f'{name}: {where(violation.path)}: {violation.message}', HINT)


def _team_shares(top: str) -> bool:
    """Whether the shared settings call us in the form that a team shares."""
    _, found = _settings(settings_path(top, shared=True), top)
    return any(
        claude_entries.is_shared(handler)
        for calls in our_calls(found).values()
        for _, handler in calls
    )


def settings(top: str, shared: bool = False, in_shell: bool = False) -> list[FileStep]:
    """Our entries in one file of the project, and in no other one: with two,
    every event would be answered twice."""
    shared = shared or _team_shares(top)
    step = _with_entries(top, shared, in_shell)
    other = without_settings(settings_path(top, not shared), top)
    return [step] if other is None else [step, other]


def _with_entries(top: str, shared: bool, in_shell: bool) -> FileStep:
    path = settings_path(top, shared)
    old, before = _settings(path, top)
    after = claude_entries.merged(before, _entries(shared, in_shell))
    if after == before:
        return FileStep(path, old, None, 'calls us already')
    _validated(after, os.path.relpath(path, top))
    remark = (
        'calls us for every event'
        if not our_calls(before)
        else 'our entries are brought up to date'
    )
    return FileStep(
        path,
        old,
        edited(old, after, 'hooks'),
        remark,
        advice=(
            *(() if shared else (f'{LOCAL} names paths of this machine: {KEEP_OUT}',)),
            'next: interlock doctor --canary (a session that is open reads the '
            'settings again by itself)',
        ),
    )


def _others(data: dict[str, Any]) -> list[str]:
    """Events at which somebody else's entry calls us."""
    return [
        event
        for event, calls in our_calls(data).items()
        if any(
            calls_us(handler) and not claude_entries.is_ours(handler)
            for _, handler in calls
        )
    ]


def without_settings(path: str, top: str) -> FileStep | None:
    """None where nothing of ours is in the file."""
    old, before = _settings(path, top)
    after = claude_entries.removed(before)
    others = ', '.join(_others(before))
    left = f'; left: what others wrote for {others}' if others else ''
    if after == before:
        remark = f'nothing of ours{left}'
        return FileStep(path, old, None, remark) if left else None
    elif not after:
        return FileStep(path, old, None, 'only ours was in it', gone=True)
    return FileStep(
        path, old, edited(old, after, 'hooks'), f'without our entries{left}'
    )


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
        claude_entries.SERVER,
        claude_entries.server(NAME if shared else _script()),
    )
    have = servers.get(name)
    if have == entry:
        return FileStep(path, old, None, 'has our server already')
    elif have is not None and not claude_entries.is_our_server(have):
        raise Refusal(
            f'{SERVERS_FILE}: `{name}` is the server of another program',
            'rename that one, and run this again',
        )
    data[SERVERS] = {**servers, name: entry}
    advice = () if importlib.util.find_spec(MCP) else (f'next: {install_mcp()}',)
    return FileStep(
        path, old, edited(old, data, SERVERS), 'serves the saved state', advice=advice
    )


def without_server(top: str) -> FileStep | None:
    path = os.path.join(top, SERVERS_FILE)
    old, data = _servers(path)
    servers = data.get(SERVERS, {})
    if not claude_entries.is_our_server(servers.get(claude_entries.SERVER)):
        return None
    left = {
        name: entry for name, entry in servers.items() if name != claude_entries.SERVER
    }
    after = {key: each for key, each in data.items() if key != SERVERS}
    if left:
        after = {**data, SERVERS: left}
    elif not after:
        return FileStep(path, old, None, 'only ours was in it', gone=True)
    return FileStep(path, old, edited(old, after, SERVERS), 'without our server')
