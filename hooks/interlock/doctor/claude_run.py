"""A hook is run as the client would: its own command, JSON on its input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from interlock.doctor.claude_sources import ROOT, Call
from interlock.files.actor import AGENT, SESSIONS
from interlock.files.settings_record import PROJECT
from interlock.git.run_command import Fed, feed

SESSION = 'interlock-canary'


def _words(call: Call, project: str) -> list[str]:
    command = call.substituted(str(call.handler['command']), project)
    args = call.handler.get('args')
    if args is None:
        return ['/bin/sh', '-c', command]
    return [command, *(call.substituted(arg, project) for arg in args)]


def started(
    call: Call, fields: Mapping[str, Any], project: str, environ: Mapping[str, str]
) -> Fed:
    event = {
        'session_id': SESSION,
        'transcript_path': '',
        'cwd': project,
        'hook_event_name': call.event,
        'permission_mode': 'default',
        **fields,
    }
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith(('CLAUDE', 'INTERLOCK_SESSION'))
    }
    more = {PROJECT: project, AGENT: '1', SESSIONS[-1]: SESSION}
    if call.root:
        more[ROOT] = call.root
    return feed(
        _words(call, project),
        f'{json.dumps(event)}\n'.encode(),
        project,
        {**kept, **more},
        call.seconds,
    )
