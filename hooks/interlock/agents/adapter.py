"""What an adapter says about its client; most of it is data.

Hooks import this at every tool call, so it imports next to nothing.
"""

from __future__ import annotations

import os

from interlock.guard import event as kinds
from interlock.guard.decision import ASK, BLOCK, DENY, Decision, cut
from interlock.guard.event import GUARDS, Event
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from interlock.model.quick_typing import Callable, Mapping

    # tool of the client -> the name that it has here, and the names of the
    # fields that differ (theirs -> ours)
    Ask = Callable[[list[str], str], str]
    Tools = Mapping[str, tuple[str, Mapping[str, str]]]
    # kind of a decision -> what is printed for it (`forms.py`)
    Answers = Mapping[str, str | Mapping[str, Any]]

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
    # those that it calls as we do
    same_tools: ClassVar[tuple[str, ...]] = (kinds.SHELL,)
    # how the names of tools of MCP servers begin
    mcp: ClassVar[str] = MCP
    # whether its input names the event
    names_events: ClassVar[bool] = True
    # a field that only another client sends -> the adapter of that one, which
    # reads our wiring for this client too
    guests: ClassVar[Mapping[str, str]] = {}

    # whether its agents may type into a program that runs, without an event
    types: ClassVar[bool] = False

    # --- what it takes as an answer ---
    # whether it can ask the user; else a question becomes a refusal
    asks: ClassVar[bool] = True
    # what allows; most clients take no output for it
    silence: ClassVar[str] = ''
    # a form of `forms.py`, and what differs from it
    form: ClassVar[str] = 'nested'
    answers: ClassVar[Answers] = {}
    # a refusal is also said on stderr, with exit 2
    exits: ClassVar[bool] = False
    # whether it takes exit 2 with a text on stderr for a refusal
    honours_exit: ClassVar[bool] = True

    # whether its agents read what a guard that fails says on stderr; else the
    # shell that starts us prints an answer
    reads_errors: ClassVar[bool] = True
    # whether it continues where an observer is missing
    lenient: ClassVar[bool] = True

    # whether an event follows a compaction; else the next one says what was lost
    resumes: ClassVar[bool] = True

    # --- what it sets in the environment of hooks and commands ---
    sessions: ClassVar[tuple[str, ...]] = ()
    agents: ClassVar[tuple[str, ...]] = ()
    # that an agent acts at all
    marks: ClassVar[tuple[str, ...]] = ()
    # its events say where a command runs, which may be anywhere; hooks are started
    # where the session is
    moves: ClassVar[bool] = False
    # where it was started
    projects: ClassVar[tuple[str, ...]] = ()
    # how the names of all of its variables begin
    prefixes: ClassVar[tuple[str, ...]] = ()
    # others that it tells hooks, and that say who acts or what is called
    variables: ClassVar[tuple[str, ...]] = ()

    # whether `sessions` name the session in every shell; else the hook records
    # the process of the client, and git's hook finds it among its ancestors
    tells_session: ClassVar[bool] = True

    # --- what it needs for tasks, which lie outside of the project ---
    # the keys of its settings that lead to a list of folders in which it works too
    folders: ClassVar[tuple[str, ...]] = ()
    # what the user does where they do not list the folder {}, and how an agent {} of
    # a task becomes known by its name
    reaching: ClassVar[str] = ''
    naming: ClassVar[str] = ''

    # --- what it is started as ---
    # names of its process, and parts of the path of a script that is it
    processes: ClassVar[tuple[str, ...]] = ()
    packages: ClassVar[tuple[str, ...]] = ()

    # programs that start it -> options, with a value and without one, that may
    # keep its hooks from running
    programs: ClassVar[Mapping[str, tuple[str, str]]] = {}

    # --- the files that call us, and those that switch us off ---
    # what `init` writes, and the file beside it that is not shared, if any
    settings: ClassVar[str] = ''
    own_settings: ClassVar[str] = ''
    # all that it reads, by the end of their paths -> their shapes
    # (`documents/wiring/client_settings.py`); one `*` may stand for a name
    files: ClassVar[Mapping[str, str]] = {}
    # of the user: the variable that names their folder, the folder in the home
    # directory, and their names
    users: ClassVar[tuple[str, str, tuple[str, ...]]] = ('', '', ())
    # keys of settings -> the value that switches every hook off
    off: ClassVar[Mapping[str, bool]] = {}
    # its events that we are called for, if not all; whether only for the tools
    # that a rule could speak of
    wired: ClassVar[tuple[str, ...]] = ()
    is_narrow: ClassVar[bool] = False
    # the field that says how long it waits, and its parts of a second
    waits: ClassVar[str] = 'timeout'
    unit: ClassVar[int] = 1
    # what else a guard's handler says, so that its failure refuses
    closing: ClassVar[Mapping[str, Any]] = {}
    # what the file says besides
    head: ClassVar[Mapping[str, Any]] = {}
    # other names by which it calls us, and the variable of its plugins
    calls: ClassVar[tuple[str, ...]] = ()
    plugins: ClassVar[tuple[str, ...]] = ()
    # what the user has to do before it calls us, as `init` says it, and the file
    # among the user's that names what is trusted, if there is one
    trust: ClassVar[str] = ''
    trusted_in: ClassVar[str] = ''
    # whether it runs no hook without it
    needs_trust: ClassVar[bool] = True

    def adjusted(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """What no table can say about the fields, by their names here."""
        return data

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        """The form that the client honours; `called` is its name of the event,
        and `event` is None where it could not be read."""
        from interlock.agents.forms import FORMS, REFUSED, rendered

        found = rendered({**FORMS[self.form], **self.answers}, called, decision)
        if self.exits and decision.kind in (DENY, BLOCK):
            return Output(found.out, cut(decision.text, decision.limit), REFUSED)
        return found

    def decision_in(self, out: str, err: str, code: int) -> str:
        """What the client makes of an answer: deny, ask, block or ''."""
        from interlock.agents.forms import REFUSED, decision_in

        if code:
            return DENY if code == REFUSED and err and self.honours_exit else ''
        return decision_in(out)

    def source(self, command: list[str]) -> str:
        """The text of a file of its own that calls us, '' where entries in
        settings do; `command` starts us, an event follows it."""
        return ''

    def trusts(
        self, top: str, environ: Mapping[str, str], ask: Ask
    ) -> tuple[bool | None, str]:
        """Whether it runs the hooks of a project, None if that is unknown, and
        why; `ask` runs a program with some input."""
        return None, ''

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
            self.sessions,
            next(filter(None, map(environ.get, self.projects)), '')
            or (_here() if self.moves else ''),
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


def _here() -> str:
    """Where the client started us: the event may tell where a command runs."""
    try:
        return os.getcwd()
    except OSError:
        return ''


def renamed(data: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A field that already has our name stays as it is."""
    found = {key: value for key, value in data.items() if key not in names}
    for key, name in names.items():
        if name and key in data:
            found.setdefault(name, data[key])
    return found


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
