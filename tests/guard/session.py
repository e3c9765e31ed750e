"""A session of the client as its hooks see it: every event, in order.

What the hooks say is counted by the part of the work in which they say it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.guard.asking import SESSION, Reply, ask

ENVIRON = {'CLAUDECODE': '1', 'CLAUDE_CODE_SESSION_ID': SESSION}
Fields = dict[str, Any]


class Heard(NamedTuple):
    part: str
    event: str
    text: str


def _text(reply: Reply) -> str:
    """What the client puts into the context, in whatever form."""
    if not reply.out.startswith('{'):
        return reply.out
    return reply.context or reply.reason


class Session:
    def __init__(self, project: Path) -> None:
        self.project = project
        self.part = ''
        self.heard: list[Heard] = []
        self._agents = 0
        # the fields that tell a subagent from the main agent
        self._who: Fields = {}

    def event(self, name: str, **fields: Any) -> Reply:
        reply = ask(name, self.project, environ=ENVIRON, **{**self._who, **fields})
        self.heard.append(Heard(self.part, name, _text(reply)))
        assert reply.decision == '', reply.reason
        return reply

    def characters(self, part: str | None = None) -> int:
        return sum(
            len(each.text) for each in self.heard if part is None or each.part == part
        )

    def start(self) -> None:
        self.event('SessionStart', source='startup')

    def prompt(self, text: str) -> None:
        self.event('UserPromptSubmit', prompt=text)

    def rest(self) -> None:
        """The end of a turn."""
        self.event(
            'Stop',
            stop_hook_active=False,
            last_assistant_message='done',
            background_tasks=[],
        )

    def end(self) -> None:
        self.event('SessionEnd', reason='other')

    def use(self, tool: str, given: Fields, do: Callable[[], Fields]) -> None:
        call = {'tool_name': tool, 'tool_input': given, 'tool_use_id': 't'}
        self.event('PreToolUse', **call)
        self.event('PostToolUse', **call, tool_response=do())

    def write(self, name: str, text: str) -> None:
        path = self.project / name
        old = path.read_text(encoding='UTF-8') if path.exists() else None

        def do() -> Fields:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding='UTF-8')
            kind = 'create' if old is None else 'update'
            return {
                'type': kind,
                'filePath': str(path),
                'content': text,
                'structuredPatch': [],
                'originalFile': old,
            }

        self.use('Write', {'file_path': str(path), 'content': text}, do)

    def run(self, command: str) -> None:
        def do() -> Fields:
            done = subprocess.run(
                ('bash', '-c', command),
                cwd=self.project,
                env={**os.environ, **ENVIRON},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return {'stdout': done.stdout, 'stderr': done.stderr, 'interrupted': False}

        self.use('Bash', {'command': command, 'description': 'd'}, do)

    def delegate(self, agent: str, prompt: str, work: Callable[[], Fields]) -> None:
        """A subagent that does its work, and reports it in JSON."""

        def do() -> Fields:
            self._agents += 1
            name = f'agent-{self._agents}'
            self._who = {'agent_id': name, 'agent_type': agent}
            last = f'Done.\n\n```json\n{json.dumps(work())}\n```'
            self.event(
                'SubagentStop',
                stop_hook_active=False,
                agent_transcript_path='',
                last_assistant_message=last,
            )
            self._who = {}
            return {'status': 'completed', 'agentId': name, 'content': []}

        given = {'description': 'd', 'prompt': prompt, 'subagent_type': agent}
        self.use('Agent', given, do)
