"""Calls what the client is told to call, with what it must refuse."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from interlock.doctor.claude import WIRE
from interlock.doctor.claude_sources import Client, HookCommand
from interlock.doctor.installation import Installation
from interlock.doctor.scratch_clone import (
    ScratchClone,
    governed_by,
    governing_files,
    scratch_clone,
    workflow_bytes,
)
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
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Any, NamedTuple
from interlock.workflow.language.spec import Workflow

REFUSED = 2
EXPLAIN = 'interlock explain CLD014'
HOOK = '.git/hooks/pre-commit'
SETTINGS = f'{FOLDER}/{LOCAL}'
PAST_HOOKS = 'git commit --no-verify -m canary'
# events that may keep the agent going, and that may be answered in plain text
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


class GuardedCall(NamedTuple):
    """An event that must be refused."""

    event: str
    # the tool that is used for it, '' where there is none
    tool: str
    # the rule that the refusal has to name, '' where there is nothing to refuse
    code: str
    fields: Mapping[str, Any]
    # the user is asked instead
    asks: bool = False

    @property
    def name(self) -> str:
        return f'canary {self.tool or self.event}'


def _tool(tool: str, code: str, **given: str) -> GuardedCall:
    fields = {'tool_name': tool, 'tool_input': given, 'tool_use_id': 'canary'}
    return GuardedCall(GUARD, tool, code, fields)


def _agent_starts(workflow: Workflow) -> Iterator[GuardedCall]:
    """An agent of a stage works on one item, and none is named here."""
    states = [spec for kind in workflow.kinds for spec in kind.states.values()]
    agents = [spec.agent for spec in states if spec.agent]
    for tool in ('Agent', 'Task'):
        yield _tool(
            tool,
            'CLD011' if agents else '',
            prompt='canary',
            description='canary',
            subagent_type=(agents or ['canary'])[0],
        )._replace(asks=True)


def _refusable(top: str, workflow: Workflow) -> list[GuardedCall]:
    hook, settings = os.path.join(top, HOOK), os.path.join(top, SETTINGS)
    changed = {'source': 'local_settings', 'file_path': settings}
    return [
        _tool('Write', 'CLD003', file_path=hook, content='#!/bin/sh\n'),
        _tool('Edit', 'CLD003', file_path=hook, old_string='exec ', new_string='# '),
        _tool('NotebookEdit', 'CLD003', notebook_path=hook, new_source='canary'),
        *_agent_starts(workflow),
        _tool('Bash', 'CLD001', command=PAST_HOOKS),
        _tool('PowerShell', 'CLD001', command=PAST_HOOKS),
        GuardedCall('ConfigChange', '', 'CLD013', changed),
    ]


def _json(said: Fed) -> Any:
    """The answer as JSON, None if it is not."""
    try:
        return json.loads(said.out)
    except ValueError:
        return None


def _decision(said: Fed) -> str:
    found = _json(said)
    if not isinstance(found, dict):
        return ''
    specific = found.get('hookSpecificOutput')
    if found.get('decision') == 'block' or not isinstance(specific, dict):
        return str(found.get('decision') or '')
    return str(specific.get('permissionDecision') or '')


def _denies(said: Fed) -> bool:
    return said.code == REFUSED and _decision(said) in ('deny', 'block')


def _first_line(said: Fed) -> str:
    lines = (said.err or said.out).strip().splitlines()
    return lines[0] if lines else f'exit {said.code}, without a word'


def _is_valid(event: str, said: Fed) -> bool:
    """Whether the client would take it as an answer."""
    text, found = said.out.strip(), _json(said)
    if said.code:
        return event in HOLDS and _denies(said)
    elif not isinstance(found, dict):
        return not text or (event in SPEAKS and not text.startswith('{'))
    specific = found.get('hookSpecificOutput', {'hookEventName': event})
    return isinstance(specific, dict) and specific.get('hookEventName') == event


def _refusal(wanted: GuardedCall, said: Fed) -> Probe:
    name, code = wanted.name, wanted.code
    asked = said.code == 0 and _decision(said) == 'ask' and code in said.out
    if not code and _is_valid(wanted.event, said):
        return Probe(name, LIVE, 'answers; there is nothing to refuse')
    elif wanted.asks and asked:
        return Probe(name, LIVE, f'asks the user ({code})')
    elif not _denies(said):
        return Probe(name, DEAD, f'passed ({_first_line(said)})', WIRE)
    elif code not in said.out:
        what = f'refused, but not for {code}: {_first_line(said)}'
        return Probe(name, DEAD, what, EXPLAIN)
    return Probe(name, LIVE, f'refused ({code})')


def _worst(probes: list[Probe]) -> Probe:
    """Of several commands for one event: one that is dead, if any."""
    return next((probe for probe in probes if probe.verdict == DEAD), probes[0])


class ClientTrial:
    """Calls the hooks of a client in a scratch clone."""

    def __init__(self, client: Client, clone: ScratchClone, workflow: Workflow) -> None:
        self.client = client
        self.workflow = workflow
        self.clone = clone
        store = os.path.join(clone.directory, 'state.db')
        self.environ = {**clone.environ, 'INTERLOCK_STORE': f'sqlite:///{store}'}

    def _run(self, call: HookCommand, fields: Mapping[str, Any]) -> Fed:
        return call.run(fields, self.clone.top, self.environ)

    def _absent(self, event: str, name: str) -> Probe | None:
        """A client that would not call us at all."""
        off = [each.name for each in self.client.files if is_off(each.settings)]
        if off:
            what = f'`{OFF}` in {off[0]}: the client calls no hook'
            return Probe(name, DEAD, what, f'remove `{OFF}` from {off[0]}')
        elif self.client.of(event):
            return None
        was = any(each == event for each, _ in self.client.before)
        verdict = DEAD if was or event in GUARDS else NOT_WIRED
        what = 'nothing that the client reads calls interlock'
        return Probe(name, verdict, what, WIRE)

    def guards(self) -> Iterator[Probe]:
        for wanted in _refusable(self.clone.top, self.workflow):
            if not wanted.tool:
                data = json.dumps({OFF: True}).encode()
                self.clone.write({SETTINGS: data})
            yield self._absent(wanted.event, wanted.name) or self._guarded(wanted)

    def _guarded(self, wanted: GuardedCall) -> Probe:
        calls = [
            call
            for call in self.client.of(wanted.event)
            if not wanted.tool or covers(call.matcher, wanted.tool)
        ]
        if not calls:
            what = f'the matcher of {wanted.event} keeps {wanted.tool} from us'
            return Probe(wanted.name, DEAD, what, WIRE)
        return _worst(
            [_refusal(wanted, self._run(call, wanted.fields)) for call in calls]
        )

    def _failures(self) -> list[str]:
        common = os.path.join(self.clone.top, '.git')
        data = read(os.path.join(hook_log.folder(common, 'claude'), hook_log.FAILURES))
        return (data or b'').decode(errors='replace').splitlines()

    def observers(self) -> Iterator[Probe]:
        for event in MATCHERS:
            if event not in GUARDS:
                name = f'canary {event}'
                yield self._absent(event, name) or _worst(
                    [self._observed(name, call) for call in self.client.of(event)]
                )

    def _observed(self, name: str, call: HookCommand) -> Probe:
        before = len(self._failures())
        said = self._run(call, OBSERVED[call.event])
        failed = self._failures()[before:]
        if failed or not _is_valid(call.event, said):
            what = failed[-1] if failed else _first_line(said)
            return Probe(name, DEAD, f'no valid answer: {what}', EXPLAIN)
        return Probe(name, LIVE, 'answers')


def canary(
    client: Client,
    repository: Repository,
    place: Installation,
    governing: Governing,
    workflow: Workflow,
) -> Iterator[Probe]:
    if not client.is_wired:
        return
    governed = governed_by(governing, workflow)
    with scratch_clone(repository, place, governing) as clone:
        clone.write(
            {
                **governing_files(place, governed),
                clone.file: workflow_bytes(governing),
                HOOK: git_hook('hook'),
            }
        )
        trial = ClientTrial(client, clone, workflow)
        yield from trial.guards()
        clone.write({SETTINGS: None})
        yield from trial.observers()
