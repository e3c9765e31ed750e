"""Runs the commands that the client would run, with events they must refuse."""

from __future__ import annotations

import json
import os

from interlock.agents.adapter import Adapter
from interlock.agents.wiring import tool_call, tools_of, wiring_of
from interlock.doctor.client import wire
from interlock.doctor.client_sources import Client, HookCommand
from interlock.doctor.installation import Installation
from interlock.doctor.scratch_clone import (
    ScratchClone,
    governed_by,
    governing_files,
    scratch_clone,
    workflow_bytes,
)
from interlock.documents import yaml
from interlock.documents.wiring.client_settings import covers, switch
from interlock.documents.wiring.hook_files import git_hook
from interlock.files.atomic_files import read
from interlock.git.run_command import Result
from interlock.git.workflow_source import Governing
from interlock.guard import event as kinds
from interlock.guard import hook_log
from interlock.guard.decision import ASK, BLOCK, DENY
from interlock.model.clients import NAMES
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Any, Iterator, Mapping, NamedTuple
from interlock.workflow.language.spec import Workflow

REFUSALS = (DENY, BLOCK)
EXPLAIN = 'interlock explain CLD014'
HOOK = '.git/hooks/pre-commit'
# events that may keep the agent working, and events that take plain text
HOLDS = (kinds.STOP, kinds.SUBAGENT_STOP)
SPEAKS = (kinds.SESSION_START, kinds.PROMPT, kinds.PRE_COMPACT)
EVENTS = os.path.join(os.path.dirname(__file__), 'client_events.yaml')


class GuardedCall(NamedTuple):
    """An event that must be refused."""

    # the client's names; the tool is '' if the event has none
    event: str
    tool: str
    # the rule that the refusal must name, '' if there is nothing to refuse
    code: str
    fields: Mapping[str, Any]
    # the user is asked instead, if the client can do that
    asks: bool = False


def _refusable(top: str, workflow: Workflow, client: Adapter) -> Iterator[GuardedCall]:
    """The calls that must be refused, for each tool of the client."""
    states = [spec for kind in workflow.kinds for spec in kind.states.values()]
    agent = next((spec.agent for spec in states if spec.agent), '')
    values = {'{hook}': os.path.join(top, HOOK), '{agent}': agent or 'x'}
    for tool, ours, names in tools_of(client):
        given = yaml.of_file(EVENTS)['refused'].get(ours)
        if given is None:
            continue
        fields = dict(given['input'])
        for name, value in values.items():
            fields = {key: text.replace(name, value) for key, text in fields.items()}
        yield GuardedCall(
            client.called(kinds.PRE_TOOL),
            tool,
            # without agents of stages, any agent may be started
            '' if ours == kinds.AGENT and not agent else given['code'],
            tool_call(tool, names, fields),
            ours == kinds.AGENT,
        )
    event = client.called(kinds.CONFIG_CHANGE)
    if event:
        path = os.path.join(top, _own_settings(client))
        changed = {'source': 'local_settings', 'file_path': path}
        yield GuardedCall(event, '', 'CLD013', changed)


def _own_settings(client: Adapter) -> str:
    return client.own_settings or client.settings


def _first_line(said: Result) -> str:
    lines = (said.err or said.out).strip().splitlines()
    return lines[0] if lines else f'exit {said.code}, without output'


def _worst(probes: list[Probe]) -> Probe:
    """The result for an event with several commands: a dead one, if there is any."""
    return next((probe for probe in probes if probe.verdict == DEAD), probes[0])


class ClientTrial:
    """Calls the hooks of a client in a scratch clone."""

    def __init__(self, client: Client, clone: ScratchClone, workflow: Workflow) -> None:
        self.client = client
        self.adapter = client.adapter
        self.wiring = wiring_of(client.adapter)
        self.workflow = workflow
        self.clone = clone
        store = os.path.join(clone.directory, 'state.db')
        self.environ = {**clone.environ, 'INTERLOCK_STORE': f'sqlite:///{store}'}

    def _name(self, what: str) -> str:
        """The name of a probe; it leaves out the client that was supported first."""
        own = self.adapter.name
        return f'canary {what}' if own == NAMES[0] else f'canary {own} {what}'

    def _run(self, call: HookCommand, fields: Mapping[str, Any]) -> Result:
        return call.run(fields, self.clone.top, self.environ)

    def _decision(self, said: Result) -> str:
        return self.adapter.decision_in(said.out.strip(), said.err, said.code)

    def _is_valid(self, event: str, said: Result) -> bool:
        """Whether the client would accept this output as an answer."""
        text, kind = said.out.strip(), self.adapter.kind(event)
        if said.code:
            return kind in HOLDS and self._decision(said) in REFUSALS
        elif not text.startswith('{'):
            return not text or kind in SPEAKS
        try:
            found = json.loads(text)
        except ValueError:
            return False
        own = {'hookEventName': event}
        specific = found.get('hookSpecificOutput', own)
        return isinstance(specific, dict) and specific.get('hookEventName') == event

    def _refusal(self, wanted: GuardedCall, said: Result) -> Probe:
        name, code = self._name(wanted.tool or wanted.event), wanted.code
        decision = self._decision(said)
        if not code and self._is_valid(wanted.event, said):
            return Probe(name, LIVE, 'answers; there is nothing to refuse')
        elif wanted.asks and decision == ASK and code in said.out:
            return Probe(name, LIVE, f'asks the user ({code})')
        elif decision not in REFUSALS:
            what = f'passed ({_first_line(said)})'
            return Probe(name, DEAD, what, wire(self.client))
        elif code not in said.out:
            what = f'refused, but not for {code}: {_first_line(said)}'
            return Probe(name, DEAD, what, EXPLAIN)
        return Probe(name, LIVE, f'refused ({code})')

    def _absent(self, event: str, what: str) -> Probe | None:
        """A probe for a client that would not call us at all, None if it would."""
        name = self._name(what)
        for file in self.client.files:
            off = switch(file.settings)
            if off:
                what = f'`{off}` in {file.name}: the client does not call hooks'
                return Probe(name, DEAD, what, f'remove `{off}` from {file.name}')
        if self.client.of(event):
            return None
        was = any(each == event for each, _ in self.client.before)
        verdict = DEAD if was or event in self.wiring.guards else NOT_WIRED
        what = 'nothing that the client reads calls interlock'
        return Probe(name, verdict, what, wire(self.client))

    def guards(self) -> Iterator[Probe]:
        for wanted in _refusable(self.clone.top, self.workflow, self.adapter):
            if not wanted.tool:
                data = json.dumps(self.adapter.off).encode()
                self.clone.write({_own_settings(self.adapter): data})
            what = wanted.tool or wanted.event
            yield self._absent(wanted.event, what) or self._guarded(wanted)

    def _guarded(self, wanted: GuardedCall) -> Probe:
        calls = [
            call
            for call in self.client.of(wanted.event)
            if not wanted.tool or covers(call.matcher, wanted.tool)
        ]
        if not calls:
            what = f'the matcher of {wanted.event} does not match {wanted.tool}'
            return Probe(self._name(wanted.tool), DEAD, what, wire(self.client))
        return _worst(
            [self._refusal(wanted, self._run(call, wanted.fields)) for call in calls]
        )

    def _failures(self) -> list[str]:
        folder = hook_log.folder(
            os.path.join(self.clone.top, '.git'), self.adapter.name
        )
        data = read(os.path.join(folder, hook_log.FAILURES))
        return (data or b'').decode(errors='replace').splitlines()

    def observers(self) -> Iterator[Probe]:
        for event in self.wiring.matchers:
            if event not in self.wiring.guards:
                yield self._absent(event, event) or _worst(
                    [self._observed(call) for call in self.client.of(event)]
                )

    def _observed(self, call: HookCommand) -> Probe:
        name = self._name(call.event)
        before = len(self._failures())
        said = self._run(
            call, yaml.of_file(EVENTS)['observed'][self.adapter.kind(call.event)]
        )
        failed = self._failures()[before:]
        if failed or not self._is_valid(call.event, said):
            what = failed[-1] if failed else _first_line(said)
            return Probe(name, DEAD, f'no valid answer: {what}', EXPLAIN)
        return Probe(name, LIVE, 'answers')


def canary(
    client: Client, place: Installation, governing: Governing, workflow: Workflow
) -> Iterator[Probe]:
    if not client.is_wired:
        return
    governed = governed_by(governing, workflow)
    with scratch_clone(place, governing) as clone:
        clone.write(
            {
                **governing_files(place, governed),
                clone.file: workflow_bytes(governing),
                HOOK: git_hook('hook'),
            }
        )
        trial = ClientTrial(client, clone, workflow)
        yield from trial.guards()
        clone.write({_own_settings(client.adapter): None})
        yield from trial.observers()
