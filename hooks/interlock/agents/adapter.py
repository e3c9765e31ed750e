"""Describes a client; most of an adapter is data.

Hooks import this module at every tool call, so it imports next to nothing.
"""

from __future__ import annotations

import os

from interlock.guard import event as kinds
from interlock.guard.decision import ASK, ASKED, BLOCK, DENY, Decision, cut
from interlock.guard.event import GUARDS, Event, Fields
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from interlock.model.quick_typing import Callable, Mapping

    Ask = Callable[[list[str], str], str]
    # tool of the client -> our name of the tool, and the names of fields that
    # differ (theirs -> ours)
    Tools = Mapping[str, tuple[str, Mapping[str, str]]]
    # kind of a decision -> the output for it (`forms.py`)
    Answers = Mapping[str, str | Mapping[str, Any]]

MCP = 'mcp__'


class Output:
    """A decision in the form that the client accepts."""

    __slots__ = ('code', 'err', 'out')

    def __init__(self, out: str = '', err: str = '', code: int = 0) -> None:
        self.out = out
        self.err = err
        self.code = code


class Adapter:
    # the name in `interlock-agent` and `init --agent`, and the name that people use
    name: ClassVar[str] = ''
    title: ClassVar[str] = ''

    # --- its input ---
    # its events -> their kinds (`guard/event.py`)
    events: ClassVar[Mapping[str, str]] = {}
    # its fields -> our names; '' drops a field
    fields: ClassVar[Mapping[str, str]] = {}
    tools: ClassVar[Tools] = {}
    # tools for which it uses our names
    same_tools: ClassVar[tuple[str, ...]] = (kinds.SHELL,)
    # the prefix of names of MCP tools
    mcp: ClassVar[str] = MCP
    # whether its input names the event
    names_events: ClassVar[bool] = True
    # a field that only another client sends -> the adapter of that client,
    # which also reads our wiring for this one
    guests: ClassVar[Mapping[str, str]] = {}

    # whether its agents may type into a running program without an event
    types: ClassVar[bool] = False

    # --- the answers that it accepts ---
    # whether it can ask the user; otherwise a question becomes a refusal
    asks: ClassVar[bool] = True
    # the output that allows a call; most clients need none
    silence: ClassVar[str] = ''
    # a form of `forms.py`, and the differences from it
    form: ClassVar[str] = 'nested'
    answers: ClassVar[Answers] = {}
    # whether a refusal also goes to stderr, with exit code 2
    exits: ClassVar[bool] = False
    # whether it treats exit code 2 with a text on stderr as a refusal
    honours_exit: ClassVar[bool] = True

    # whether its agents see what a failing guard prints on stderr; otherwise
    # the shell that starts us prints an answer
    reads_errors: ClassVar[bool] = True
    # whether it continues if an observer is missing
    lenient: ClassVar[bool] = True

    # whether an event follows a compaction; otherwise the next event restores the facts
    resumes: ClassVar[bool] = True

    # --- the variables that it sets for hooks and commands ---
    sessions: ClassVar[tuple[str, ...]] = ()
    agents: ClassVar[tuple[str, ...]] = ()
    # these show that an agent acts
    marks: ClassVar[tuple[str, ...]] = ()
    # whether its events name the directory of a command, which may be any;
    # hooks start in the directory of the session
    moves: ClassVar[bool] = False
    # these hold the directory in which it was started
    projects: ClassVar[tuple[str, ...]] = ()
    # prefixes of the names of all its variables
    prefixes: ClassVar[tuple[str, ...]] = ()
    # other variables for hooks, which say who acts or what is called
    variables: ClassVar[tuple[str, ...]] = ()

    # whether `sessions` are set in every shell; otherwise the hook records the
    # process of the client, and git's hook finds it among its ancestors
    tells_session: ClassVar[bool] = True

    # --- what it needs for tasks, which lie outside the project ---
    # the keys in its settings that lead to a list of additional working folders
    folders: ClassVar[tuple[str, ...]] = ()
    # how the user adds the folder {} if that list lacks it, and how an agent
    # {} of a task becomes known by its name
    reaching: ClassVar[str] = ''
    naming: ClassVar[str] = ''

    # --- how it is started ---
    # names of its process, and parts of the path of its script
    processes: ClassVar[tuple[str, ...]] = ()
    packages: ClassVar[tuple[str, ...]] = ()

    # programs that start it -> options that may stop its hooks, with a value
    # and without one
    programs: ClassVar[Mapping[str, tuple[str, str]]] = {}

    # --- the files that call us, or that switch us off ---
    # the file that `init` writes, and the unshared file beside it, if any
    settings: ClassVar[str] = ''
    own_settings: ClassVar[str] = ''
    # all settings files, by the end of their paths -> their shapes
    # (`documents/wiring/client_settings.py`); one `*` may stand for a name
    files: ClassVar[Mapping[str, str]] = {}
    # settings of the user: the variable that names their folder, their folder
    # in the home directory, and their names
    users: ClassVar[tuple[str, str, tuple[str, ...]]] = ('', '', ())
    # keys of settings -> the value that switches every hook off
    off: ClassVar[Mapping[str, bool]] = {}
    # for a client whose shells tell git that there are no hooks: the file of
    # variables (one of `files`) that it loads before any `.env`, from the
    # project upwards
    env_file: ClassVar[str] = ''
    # the events that call us, if not all; whether only for tools that a rule
    # could cover
    wired: ClassVar[tuple[str, ...]] = ()
    is_narrow: ClassVar[bool] = False
    # the field for the timeout, and how many of its units make a second
    waits: ClassVar[str] = 'timeout'
    unit: ClassVar[int] = 1
    # further keys of a guard's handler, which make its failure a refusal
    closing: ClassVar[Mapping[str, Any]] = {}
    # further content of the settings file
    head: ClassVar[Mapping[str, Any]] = {}
    # other names by which it calls us, and the variable of its plugins
    calls: ClassVar[tuple[str, ...]] = ()
    plugins: ClassVar[tuple[str, ...]] = ()
    # what the user must do before it calls us, as `init` prints it, and the
    # file of the user that lists what is trusted, if there is one
    trust: ClassVar[str] = ''
    trusted_in: ClassVar[str] = ''
    # whether it runs no hooks without that trust
    needs_trust: ClassVar[bool] = True

    def adjusted(self, kind: str, data: Fields) -> Fields:
        """Adjust fields, by our names, in ways that no table can describe."""
        return data

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        """The answer in the form that the client accepts. `called` is its name of
        the event; `event` is None if the event could not be read."""
        from interlock.agents.forms import FORMS, REFUSED, rendered

        found = rendered({**FORMS[self.form], **self.answers}, called, decision)
        if self.exits and decision.kind in (DENY, BLOCK):
            return Output(found.out, cut(decision.text, decision.limit), REFUSED)
        return found

    def decision_in(self, out: str, err: str, code: int) -> str:
        """How the client understands an answer: deny, ask, block or ''."""
        from interlock.agents.forms import REFUSED, decision_in

        if code:
            return DENY if code == REFUSED and err and self.honours_exit else ''
        return decision_in(out)

    def source(self, command: list[str]) -> str:
        """The text of a whole file that calls us, '' if entries in settings do.
        `command` starts us; an event follows it."""
        return ''

    def trusts(
        self, top: str, environ: Mapping[str, str], ask: Ask
    ) -> tuple[bool | None, str]:
        """Whether it runs the hooks of a project, None if that is unknown, and why.
        `ask` runs a program with some input."""
        return None, ''

    # --- shared by all adapters ---

    def kind(self, called: str) -> str:
        """The kind of an event; the client's own name if we do not know it."""
        return self.events.get(called, called)

    def called(self, kind: str) -> str:
        """The client's name of a kind of event, '' if it has none."""
        names = (name for name, each in self.events.items() if each == kind)
        return next(names, '')

    def event(self, called: str, data: Fields, environ: Mapping[str, str]) -> Event:
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

    def _translated(self, data: Fields) -> Fields:
        if self.fields:
            data = renamed(data, self.fields)
        tool, given = data.get('tool_name'), data.get('tool_input')
        if not isinstance(tool, str):
            return data
        ours, names = self.tools.get(tool, (tool, {}))
        if isinstance(given, str) and given.startswith('{'):
            given = _object(given)
        if isinstance(given, dict):
            given = renamed(given, names) if names else given
            if ours == kinds.SHELL and 'directory' not in names.values():
                # it runs where the session is, whatever this says
                given = {key: given[key] for key in given if key != 'directory'}
        if self.mcp != MCP and tool.startswith(self.mcp):
            ours = f'{MCP}{tool[len(self.mcp) :]}'
        if ours == tool and given is data.get('tool_input'):
            return data
        return {**data, 'tool_name': ours, 'tool_input': given}

    def output(self, called: str, event: Event | None, decision: Decision) -> Output:
        """The answer, with a substitute for anything that the client cannot do."""
        if decision.kind == ASK and not self.asks:
            hint = decision.hint.removeprefix(ASKED)
            hint = f'{hint}; or ' if hint else ''
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


def _object(text: str) -> Fields | str:
    """The input of a tool that a client sends as JSON in a text."""
    from interlock.model.quick_json import loads

    try:
        found = loads(text)
    except ValueError:
        return text
    return found if isinstance(found, dict) else text


def _here() -> str:
    """The directory in which the client started us; the event may name another one."""
    try:
        return os.getcwd()
    except OSError:
        return ''


def renamed(data: Fields, names: Mapping[str, str]) -> Fields:
    """The fields under our names. The client's own field counts, not one that is
    called like ours: the client ignores that one."""
    found = {key: value for key, value in data.items() if key not in names}
    own: Fields = {}
    for key, name in names.items():
        if name and key in data and not own.get(name):
            own[name] = data[key]
    return {**found, **own}


def event_name(name: str, data: Mapping[str, Any]) -> str:
    """The client's name of the event. `name` is the event that we were started for,
    '' if none was given."""
    found = data.get('hook_event_name')
    if not isinstance(found, str):
        found = ''
    if not name and not found:
        raise Refusal('the input does not name its event')
    elif name and found and name != found:
        raise Refusal(f'the hook was called for {name}, but the input is {found}')
    return name or found
