"""What an adapter says about its client; most of it is data.

Hooks import this at every tool call, so it imports next to nothing.
"""

from __future__ import annotations

from interlock.guard.decision import ASK, DENY, Decision
from interlock.guard.event import GUARDS, Event
from interlock.model.errors import Refusal
from interlock.model.session_env import OURS, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    # tool of the client -> the name that it has here, and the names of the
    # fields that differ (theirs -> ours)
    Tools = Mapping[str, tuple[str, Mapping[str, str]]]

MCP = 'mcp__'


class Output:
    """A decision in the form that the client honours."""

    __slots__ = ('code', 'err', 'out')

    def __init__(self, out: str = '', err: str = '', code: int = 0) -> None:
        self.out = out
        self.err = err
        self.code = code


class Adapter:
    # as `interlock-agent` and `init --agent` know it, and as people do
    name: ClassVar[str] = ''
    title: ClassVar[str] = ''

    # --- what it sends ---
    # its events -> their kinds (`guard/event.py`)
    events: ClassVar[Mapping[str, str]] = {}
    # its fields -> the names that are used here; '' drops one
    fields: ClassVar[Mapping[str, str]] = {}
    tools: ClassVar[Tools] = {}
    # how the names of tools of MCP servers begin
    mcp: ClassVar[str] = MCP
    # a field that only another client sends -> the adapter of that one, which
    # reads our wiring for this client too
    guests: ClassVar[Mapping[str, str]] = {}

    # --- what it takes as an answer ---
    # whether it can ask the user; else a question becomes a refusal
    asks: ClassVar[bool] = True
    # what allows; most clients take no output for it
    silence: ClassVar[str] = ''

    # whether an event follows a compaction; else the next one says what was lost
    resumes: ClassVar[bool] = True

    # --- what it sets in the environment of hooks and commands ---
    sessions: ClassVar[tuple[str, ...]] = ()
    agents: ClassVar[tuple[str, ...]] = ()
    # that an agent acts at all
    marks: ClassVar[tuple[str, ...]] = ()
    # where it was started
    projects: ClassVar[tuple[str, ...]] = ()
    # how the names of all of its variables begin
    prefixes: ClassVar[tuple[str, ...]] = ()
    # others that it tells hooks, and that say who acts or what is called
    variables: ClassVar[tuple[str, ...]] = ()

    # whether `sessions` name the session in every shell; else the hook records
    # the process of the client, and git's hook finds it among its ancestors
    tells_session: ClassVar[bool] = True

    # --- what it is started as ---
    # names of its process, and parts of the path of a script that is it
    processes: ClassVar[tuple[str, ...]] = ()
    packages: ClassVar[tuple[str, ...]] = ()

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """What no table can say about the fields, by their names here."""
        return data

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        """The form that the client honours; `called` is its name of the event,
        and `event` is None where it could not be read."""
        raise NotImplementedError

    # --- the same for all of them ---

    def kind(self, called: str) -> str:
        """The kind of an event; its own name where we do not know it."""
        return self.events.get(called, called)

    def event(
        self, called: str, data: dict[str, Any], environ: Mapping[str, str]
    ) -> Event:
        kind = self.kind(called)
        data = self.adjusted(kind, self._translated(data))
        return Event(
            kind,
            data,
            environ,
            _first(environ, (OURS, *self.sessions)),
            next(filter(None, map(environ.get, self.projects)), ''),
            self.name,
        )

    def _translated(self, data: dict[str, Any]) -> dict[str, Any]:
        if self.fields:
            data = renamed(data, self.fields)
        tool, given = data.get('tool_name'), data.get('tool_input')
        if not isinstance(tool, str):
            return data
        elif tool in self.tools:
            ours, names = self.tools[tool]
            if isinstance(given, dict) and names:
                given = renamed(given, names)
            return {**data, 'tool_name': ours, 'tool_input': given}
        elif self.mcp != MCP and tool.startswith(self.mcp):
            return {**data, 'tool_name': f'{MCP}{tool[len(self.mcp) :]}'}
        return data

    def output(self, called: str, event: Event | None, decision: Decision) -> Output:
        """An answer, with what a client cannot do turned into what it can."""
        if decision.kind == ASK and not self.asks:
            hint = f'{decision.hint}; ' if decision.hint else ''
            decision = Decision(
                DENY,
                f'{decision.message}; only the user can decide that',
                decision.code,
                f'{hint}ask the user to do it outside of the session',
                decision.limit,
            )
        elif not decision.kind and self.kind(called) in GUARDS:
            return Output(self.silence)
        return self.answer(called, event, decision)


def renamed(data: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A field that already has our name stays as it is."""
    found = {key: value for key, value in data.items() if key not in names}
    for key, name in names.items():
        if name and key in data:
            found.setdefault(name, data[key])
    return found


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    """The first session that a variable names."""
    return next(filter(None, (identity(environ.get(name)) for name in names)), '')


def event_name(name: str, data: Mapping[str, Any]) -> str:
    """The event by the name that the client gives it; `name` is the one that
    we were started for, '' if none."""
    found = data.get('hook_event_name')
    if not isinstance(found, str):
        found = ''
    if not name and not found:
        raise Refusal('the input does not name its event')
    elif name and found and name != found:
        raise Refusal(f'the hook was called for {name}, but the input is {found}')
    return name or found
