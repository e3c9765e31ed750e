"""What the client is told to call is called, with what it must refuse."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from interlock.doctor.canary_run import base_files, governed_by
from interlock.doctor.claude import WIRE
from interlock.doctor.claude_run import started
from interlock.doctor.claude_sources import Call, Client
from interlock.doctor.clone import scratch, workflow_bytes
from interlock.doctor.hook_places import Place
from interlock.doctor.scratch import Scratch
from interlock.documents.wiring.claude_entries import GUARDS, MATCHERS
from interlock.documents.wiring.claude_settings import (
    FOLDER,
    GUARD,
    LOCAL,
    OFF,
    covers,
    is_off,
)
from interlock.documents.wiring.hook_files import git_hook
from interlock.files.atomic_files import read
from interlock.git.repository import Repository
from interlock.git.run_command import Fed
from interlock.git.workflow_source import Governing
from interlock.guard import hook_log
from interlock.guard.dispatch import AGENTS
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.workflow.language.spec import Workflow

REFUSED = 2
EXPLAIN = 'interlock explain CLD014'
HOOK = '.git/hooks/pre-commit'
SETTINGS = f'{FOLDER}/{LOCAL}'
PAST = 'git commit --no-verify -m canary'
# who may keep the agent going, and who may speak in plain text
HOLDS = ('Stop', 'SubagentStop')
SPEAKS = ('SessionStart', 'UserPromptSubmit', 'PreCompact')
OBSERVED: Mapping[str, Mapping[str, Any]] = {
    'SessionStart': {'source': 'startup'},
    'UserPromptSubmit': {'prompt': 'canary'},
    'PostToolUse': {
        'tool_name': 'TodoWrite',
        'tool_input': {'todos': []},
        'tool_response': {},
        'tool_use_id': 'canary',
    },
    'PostToolUseFailure': {
        'tool_name': 'Bash',
        'tool_input': {'command': 'true'},
        'tool_use_id': 'canary',
        'error': 'canary',
        'is_interrupt': False,
    },
    'SubagentStop': {
        'agent_id': 'canary',
        'agent_type': '',
        'stop_hook_active': False,
        'agent_transcript_path': '',
        'last_assistant_message': '',
    },
    'Stop': {'stop_hook_active': False},
    'PreCompact': {'trigger': 'auto', 'custom_instructions': None},
    'SessionEnd': {'reason': 'other'},
}


class Violation(NamedTuple):
    event: str
    # the tool that is used for it, '' where there is none
    tool: str
    # what the refusal has to name, '' where there is nothing to refuse
    code: str
    fields: Mapping[str, Any]
    # the user is asked instead
    asks: bool = False

    @property
    def name(self) -> str:
        return f'canary {self.tool or self.event}'


def _tool(tool: str, code: str, **given: str) -> Violation:
    return Violation(
        GUARD,
        tool,
        code,
        {'tool_name': tool, 'tool_input': given, 'tool_use_id': 'canary'},
    )


def _starts(workflow: Workflow) -> Iterator[Violation]:
    """An agent of a stage works on one item, and none is named here."""
    agents = [
        spec.agent
        for kind in workflow.kinds
        for spec in kind.states.values()
        if spec.agent
    ]
    for tool in AGENTS:
        yield _tool(
            tool,
            'CLD011' if agents else '',
            prompt='canary',
            description='canary',
            subagent_type=(agents or ['canary'])[0],
        )._replace(asks=True)


def violations(top: str, workflow: Workflow) -> list[Violation]:
    hook = os.path.join(top, HOOK)
    return [
        _tool('Write', 'CLD003', file_path=hook, content='#!/bin/sh\n'),
        _tool('Edit', 'CLD003', file_path=hook, old_string='exec ', new_string='# '),
        _tool('NotebookEdit', 'CLD003', notebook_path=hook, new_source='canary'),
        *_starts(workflow),
        _tool('Bash', 'CLD001', command=PAST),
        _tool('PowerShell', 'CLD001', command=PAST),
        Violation(
            'ConfigChange',
            '',
            'CLD013',
            {'source': 'local_settings', 'file_path': os.path.join(top, SETTINGS)},
        ),
    ]


def _answer(said: Fed) -> Any:
    """What was said as JSON, None if it was not."""
    try:
        return json.loads(said.out)
    except ValueError:
        return None


def _decision(said: Fed) -> str:
    found = _answer(said)
    if not isinstance(found, dict):
        return ''
    specific = found.get('hookSpecificOutput')
    if found.get('decision') == 'block' or not isinstance(specific, dict):
        return str(found.get('decision') or '')
    return str(specific.get('permissionDecision') or '')


def _denies(said: Fed) -> bool:
    return _decision(said) in ('deny', 'block')


def _last(said: Fed) -> str:
    lines = (said.err or said.out).strip().splitlines()
    return lines[0] if lines else f'exit {said.code}, without a word'


def _refusal(wanted: Violation, said: Fed) -> Probe:
    name = wanted.name
    if not wanted.code and _is_valid(wanted.event, said):
        return Probe(name, LIVE, 'answers; there is nothing to refuse')
    elif (
        wanted.asks
        and said.code == 0
        and _decision(said) == 'ask'
        and (wanted.code in said.out)
    ):
        return Probe(name, LIVE, f'asks the user ({wanted.code})')
    elif said.code != REFUSED or not _denies(said):
        return Probe(name, DEAD, f'passed ({_last(said)})', WIRE)
    elif wanted.code not in said.out:
        what = f'refused, but not for {wanted.code}: {_last(said)}'
        return Probe(name, DEAD, what, EXPLAIN)
    return Probe(name, LIVE, f'refused ({wanted.code})')


def _is_valid(event: str, said: Fed) -> bool:
    """Whether the client would take it as an answer."""
    text = said.out.strip()
    if said.code:
        return said.code == REFUSED and event in HOLDS and _denies(said)
    elif not text:
        return True
    found = _answer(said)
    if not isinstance(found, dict):
        return event in SPEAKS and not text.startswith('{')
    specific = found.get('hookSpecificOutput', {'hookEventName': event})
    return isinstance(specific, dict) and (specific.get('hookEventName') == event)


def _worst(probes: list[Probe]) -> Probe:
    """Of several commands for one event: one that is dead, if any."""
    return next((probe for probe in probes if probe.verdict == DEAD), probes[0])


class Cage:
    """A scratch clone in which the hooks of a client are called."""

    def __init__(self, client: Client, made: Scratch, workflow: Workflow) -> None:
        self.client = client
        self.workflow = workflow
        self.made = made
        store = os.path.join(made.directory, 'state.db')
        self.environ = {**made.environ, 'INTERLOCK_STORE': f'sqlite:///{store}'}

    def _call(self, call: Call, fields: Mapping[str, Any]) -> Fed:
        return started(call, fields, self.made.top, self.environ)

    def _absent(self, event: str, name: str) -> Probe | None:
        """A client that would not call us at all."""
        off = [each.name for each in self.client.files if is_off(each.settings)]
        if off:
            what = f'`{OFF}` in {off[0]}: the client calls no hook'
            return Probe(name, DEAD, what, f'remove `{OFF}` from {off[0]}')
        elif self.client.of(event):
            return None
        was = any(each == event for each, _ in self.client.before)
        return Probe(
            name,
            DEAD if was or event in GUARDS else NOT_WIRED,
            'nothing that the client reads calls interlock',
            WIRE,
        )

    def guards(self) -> Iterator[Probe]:
        for wanted in violations(self.made.top, self.workflow):
            absent = self._absent(wanted.event, wanted.name)
            if absent is not None:
                yield absent
                continue
            if not wanted.tool:
                data = json.dumps({OFF: True}).encode()
                self.made.write({SETTINGS: data})
            yield _worst(
                [
                    _refusal(wanted, self._call(call, wanted.fields))
                    for call in self._for(wanted)
                ]
                or [
                    Probe(
                        wanted.name,
                        DEAD,
                        f'the matcher of {wanted.event} keeps {wanted.tool} from us',
                        WIRE,
                    )
                ]
            )

    def _for(self, wanted: Violation) -> list[Call]:
        """The calls that the client makes for it."""
        return [
            call
            for call in self.client.of(wanted.event)
            if not wanted.tool or covers(call.matcher, wanted.tool)
        ]

    def _failures(self) -> list[str]:
        common = os.path.join(self.made.top, '.git')
        data = read(os.path.join(hook_log.folder(common), hook_log.FAILURES))
        return (data or b'').decode(errors='replace').splitlines()

    def observers(self) -> Iterator[Probe]:
        for event in MATCHERS:
            if event in GUARDS:
                continue
            name = f'canary {event}'
            absent = self._absent(event, name)
            if absent is not None:
                yield absent
                continue
            yield _worst([self._observed(name, call) for call in self.client.of(event)])

    def _observed(self, name: str, call: Call) -> Probe:
        before = len(self._failures())
        said = self._call(call, OBSERVED[call.event])
        failed = self._failures()[before:]
        if failed or not _is_valid(call.event, said):
            what = failed[-1] if failed else _last(said)
            return Probe(name, DEAD, f'no valid answer: {what}', EXPLAIN)
        return Probe(name, LIVE, 'answers')


def canary(
    client: Client,
    repository: Repository,
    place: Place,
    governing: Governing,
    workflow: Workflow,
) -> Iterator[Probe]:
    if not client.is_wired:
        return
    governed = governed_by(governing, workflow)
    with scratch(repository, place, governing) as made:
        made.write(
            {
                **base_files(place, governed),
                made.file: workflow_bytes(governing),
                HOOK: git_hook('hook'),
            }
        )
        cage = Cage(client, made, workflow)
        yield from cage.guards()
        made.write({SETTINGS: None})
        yield from cage.observers()
