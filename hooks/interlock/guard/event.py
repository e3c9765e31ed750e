"""An event of an agent, whatever its client.

An adapter (`agents/`) translates what its client sends. Kinds of events, names
of tools and names of fields are those that are used here; what a client cannot
tell is missing, and never assumed.
"""

from __future__ import annotations

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
# the client waits for their answer: a failure is a refusal
GUARDS = (PRE_TOOL, CONFIG_CHANGE)

# what tools are called here; `mcp__SERVER__TOOL` are those of MCP servers
WRITE = 'Write'
EDIT = 'Edit'
NOTEBOOK = 'NotebookEdit'
# several files in one call
PATCH = 'ApplyPatch'
SHELL = 'Bash'
POWERSHELL = 'PowerShell'
AGENT = 'Agent'

# seconds that the client is told to wait; '' stands for all other events
TIMEOUTS = {SESSION_END: 2, '': 20}
# seconds after which we answer: an event that the client gives up on passes
PATIENCE = {SESSION_END: 1.0, '': 15.0}
# of a prompt that answers a menu: its number, a keyword, or its label
MAX_ANSWER = 40


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
        data: dict[str, Any],
        environ: Mapping[str, str],
        sessions: tuple[str, ...] = (),
        project: str = '',
        client: str = '',
    ) -> None:
        self.kind = kind
        # the fields of the event by the names that are used here
        self.data = data
        self.environ = environ
        # variables of the client that name the session
        self.sessions = sessions
        # where the client was started, '' if it does not say
        self.project = project
        # the name of the adapter
        self.client = client
        self.tool = self.text('tool_name')
        # what its command would do, where it had to be read
        self.effects: list[Effect] = []

    def text(self, key: str) -> str:
        value = self.data.get(key)
        return value if isinstance(value, str) else ''

    def fields(self, key: str) -> dict[str, Any]:
        value = self.data.get(key)
        return value if isinstance(value, dict) else {}

    def given(self, key: str) -> str:
        """A text that the tool is given."""
        value = self.fields('tool_input').get(key)
        return value if isinstance(value, str) else ''

    @property
    def session(self) -> str:
        """'' if nobody says which session it is."""
        # most events end before it is asked for
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
        """The command of a shell; None if it is not a text."""
        command = self.fields('tool_input').get('command')
        return command if isinstance(command, str) else None

    @property
    def response(self) -> dict[str, Any]:
        """What the tool returned, as far as the client tells it."""
        return self.fields('tool_response')

    @property
    def agent_id(self) -> str:
        """'' for the main agent of a session."""
        return self.text('agent_id')

    @property
    def agent_type(self) -> str:
        """The type of a subagent without the name of its plugin; '' for the
        main agent."""
        return self.text('agent_type').rpartition(':')[2] if self.agent_id else ''


def fold(agent: str) -> str:
    """The name of an agent as it is compared: clients are not strict."""
    return agent.strip().casefold()
