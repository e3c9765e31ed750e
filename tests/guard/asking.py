"""An event as the client sends it, to a real process, and its answer."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from interlock.agents import launcher
from tests import forked
from tests.conftest import KEPT
from tests.hints import replay

LAUNCHER = str(Path(launcher.__file__).resolve())
COMMAND = (sys.executable, '-I', '-S', LAUNCHER, 'claude')
SESSION = '11111111-1111-4111-8111-111111111111'
OTHER = '22222222-2222-4222-8222-222222222222'


class Reply(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out) if self.out else {}
        return found

    @property
    def specific(self) -> dict[str, Any]:
        found: dict[str, Any] = self.data.get('hookSpecificOutput', {})
        return found

    @property
    def decision(self) -> str:
        """What the client makes of it: deny, ask, block or nothing."""
        found = self.specific.get('permissionDecision')
        return str(found or self.data.get('decision') or '')

    @property
    def reason(self) -> str:
        found = self.specific.get('permissionDecisionReason')
        return str(found or self.data.get('reason') or '')

    @property
    def context(self) -> str:
        return str(self.specific.get('additionalContext', ''))

    @property
    def is_silent(self) -> bool:
        return (self.code, self.out, self.err) == (0, '', '')


def send(
    name: str,
    raw: bytes,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Reply:
    done = forked.hook(
        *(['claude', name] if name else ['claude']),
        data=raw,
        cwd=cwd,
        env={**os.environ, 'CLAUDECODE': '1', **(environ or {})},
    )
    return Reply(
        done.returncode, done.stdout.decode().strip(), done.stderr.decode().strip()
    )


def _follow_hints(
    reply: Reply, cwd: Path, session: str, environ: Mapping[str, str] | None
) -> None:
    if replay.FILE not in KEPT or not reply.reason:
        return

    def refusal(command: str) -> str:
        event = {
            'session_id': session,
            'transcript_path': '',
            'cwd': str(cwd),
            'hook_event_name': 'PreToolUse',
            'tool_name': 'Bash',
            'tool_input': {'command': command},
        }
        answer = send('PreToolUse', json.dumps(event).encode() + b'\n', environ)
        return answer.reason if answer.decision == 'deny' else ''

    who = {'CLAUDECODE': '1', 'CLAUDE_CODE_SESSION_ID': session, **(environ or {})}
    agent = replay.Agent(cwd, who, refusal)
    replay.replay_reply(KEPT[replay.FILE], reply.reason, agent)


def ask(
    name: str,
    cwd: Path,
    session: str = SESSION,
    environ: Mapping[str, str] | None = None,
    **fields: Any,
) -> Reply:
    event = {
        'session_id': session,
        'transcript_path': '',
        'cwd': str(cwd),
        'hook_event_name': name,
        'permission_mode': 'default',
        **fields,
    }
    reply = send(name, json.dumps(event).encode() + b'\n', environ)
    _follow_hints(reply, cwd, session, environ)
    if reply.decision in ('deny', 'block'):
        # whichever of the three the client honours, it is refused
        assert (reply.code, reply.err) == (2, reply.reason)
    else:
        assert (reply.code, reply.err) == (0, '')
    return reply


def use(
    tool: str,
    cwd: Path,
    agent: str = '',
    session: str = SESSION,
    environ: Mapping[str, str] | None = None,
    **given: Any,
) -> Reply:
    """PreToolUse, of the main agent or of a subagent."""
    who = {'agent_id': f'agent-{agent}', 'agent_type': agent} if agent else {}
    return ask(
        'PreToolUse',
        cwd,
        session,
        environ,
        tool_name=tool,
        tool_input=given,
        tool_use_id='toolu_1',
        **who,
    )


def write(path: Path, content: str, cwd: Path | None = None, **how: Any) -> Reply:
    return use('Write', cwd or path.parent, file_path=str(path), content=content, **how)


def edit(path: Path, old: str, new: str, cwd: Path | None = None, **how: Any) -> Reply:
    return use(
        'Edit',
        cwd or path.parent,
        file_path=str(path),
        old_string=old,
        new_string=new,
        **how,
    )
