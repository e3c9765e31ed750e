"""An event of an agent, the same for every client.

An adapter (`agents/`) translates the client's own format into the kinds of
events, the names of tools and the names of fields that are used here. A field
that a client does not send is missing; it is never assumed.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.guard.shell.effects import Effect
    from interlock.model.quick_typing import Mapping

SESSION_START = 'SessionStart'
PROMPT = 'UserPromptSubmit'
PRE_TOOL = 'PreToolUse'
POST_TOOL = 'PostToolUse'
FAILED_TOOL = 'PostToolUseFailure'
SUBAGENT_STOP = 'SubagentStop'
STOP = 'Stop'
PRE_COMPACT = 'PreCompact'
SESSION_END = 'SessionEnd'
CONFIG_CHANGE = 'ConfigChange'
KINDS = (
    *(SESSION_START, PROMPT, PRE_TOOL, POST_TOOL, FAILED_TOOL, SUBAGENT_STOP),
    *(STOP, PRE_COMPACT, SESSION_END, CONFIG_CHANGE),
)
# the client waits for the answer to these: if we fail, the call is refused
GUARDS = (PRE_TOOL, CONFIG_CHANGE)

# our names of tools; tools of MCP servers are `mcp__SERVER__TOOL`
WRITE = 'Write'
EDIT = 'Edit'
NOTEBOOK = 'NotebookEdit'
# writes several files in one call
PATCH = 'ApplyPatch'
# each tool that writes one file, and the field that names it
FILE_FIELDS = {WRITE: 'file_path', EDIT: 'file_path', NOTEBOOK: 'notebook_path'}
SHELL = 'Bash'
POWERSHELL = 'PowerShell'
AGENT = 'Agent'

# how many seconds the client is told to wait; '' stands for all other events
TIMEOUTS = {SESSION_END: 2, '': 20}
# after how many seconds we answer: if the client stops waiting, the call passes
PATIENCE = {SESSION_END: 1.0, '': 15.0}
# the longest prompt that answers a menu by a number, a keyword or a label
MAX_ANSWER = 40

SCHEME = 'file:'

# the fields of an event, of a tool's input, or of a tool's result
Fields = dict[str, 'Any']


class Event:
    __slots__ = (
        'client',
        'data',
        'effects',
        'environ',
        'kind',
        'project',
        'sessions',
        'tool',
    )

    def __init__(
        self,
        kind: str,
        data: Fields,
        environ: Mapping[str, str],
        sessions: tuple[str, ...] = (),
        project: str = '',
        client: str = '',
    ) -> None:
        self.kind = kind
        # the fields of the event, by our names
        self.data = data
        self.environ = environ
        # variables of the client that hold the session id
        self.sessions = sessions
        # the directory in which the client was started, '' if it does not say
        self.project = project
        # the name of the adapter
        self.client = client
        self.tool = self.text('tool_name')
        # the effects of its command, if the command had to be read
        self.effects: list[Effect] = []

    def text(self, key: str) -> str:
        value = self.data.get(key)
        return value if isinstance(value, str) else ''

    def fields(self, key: str) -> Fields:
        value = self.data.get(key)
        return value if isinstance(value, dict) else {}

    def given(self, key: str) -> str:
        """A text field of the tool's input."""
        value = self.fields('tool_input').get(key)
        return value if isinstance(value, str) else ''

    @property
    def session(self) -> str:
        """The session id, '' if it is unknown."""
        # most events are answered before the session id is needed
        from interlock.model.session_env import session_of

        return session_of(self.environ, self.sessions, self.data.get('session_id'))

    @property
    def cwd(self) -> str:
        return self.text('cwd')

    @property
    def prompt(self) -> str:
        return self.text('prompt')

    @property
    def command(self) -> str | None:
        """The command for a shell; None if it is not a text."""
        command = self.fields('tool_input').get('command')
        return command if isinstance(command, str) else None

    @property
    def written_paths(self) -> list[str]:
        """The files as the tool names them; none for a tool that writes no file."""
        if self.tool == PATCH:
            from interlock.guard.tool_writes import patched

            return [each.path for each in patched(self, lambda path: None)]
        field = FILE_FIELDS.get(self.tool)
        path = self.given(field) if field else ''
        return [path] if path else []

    @property
    def response(self) -> Fields:
        """The result of the tool, as far as the client sends it."""
        return self.fields('tool_response')

    @property
    def agent_id(self) -> str:
        """The id of a subagent, '' for the main agent of a session."""
        return self.text('agent_id')

    @property
    def agent_type(self) -> str:
        """The type of a subagent without the name of its plugin, '' for the main
        agent."""
        return self.text('agent_type').rpartition(':')[2] if self.agent_id else ''


def readings(name: str) -> list[str]:
    """A name as given, and as clients and servers may read it: without blanks, with
    `~` as the home directory, and with a URL as a path."""
    path = name.strip()
    if path.startswith(SCHEME):
        from urllib.parse import unquote

        path = unquote(path.removeprefix(SCHEME))
        path = path.removeprefix('//').removeprefix('localhost')
    return list(dict.fromkeys((name, os.path.expanduser(path))))


def fold(agent: str) -> str:
    """The name of an agent for comparison, because clients vary its spelling."""
    return agent.strip().casefold()
