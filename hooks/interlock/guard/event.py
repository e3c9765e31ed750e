"""An event as the client sends it."""

from __future__ import annotations

from interlock.model.errors import Refusal
from interlock.model.quick_json import loads
from interlock.model.session_env import SESSIONS, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

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
# the client waits for their answer: a failure is a refusal
GUARDS = (PRE_TOOL, CONFIG_CHANGE)

# seconds that the client is told to wait; '' stands for all other events
TIMEOUTS = {SESSION_END: 2, '': 20}
# seconds after which we answer: an event that the client gives up on passes
PATIENCE = {SESSION_END: 1.0, '': 15.0}


class Event:
    __slots__ = ('data', 'environ', 'name')

    def __init__(
        self, name: str, data: dict[str, Any], environ: Mapping[str, str]
    ) -> None:
        self.name = name
        self.data = data
        self.environ = environ

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
    def tool(self) -> str:
        return self.text('tool_name')

    @property
    def session(self) -> str:
        for name in SESSIONS:
            found = identity(self.environ.get(name))
            if found:
                return found
        return identity(self.data.get('session_id'))

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


def parse(name: str, raw: bytes, environ: Mapping[str, str]) -> Event:
    """The event; `name` is the one we were started for, '' if none."""
    try:
        data = loads(raw.decode(errors='replace'))
    except ValueError:
        raise Refusal('the input is not JSON') from None
    if not isinstance(data, dict):
        raise Refusal('the input is not a JSON object')
    found = data.get('hook_event_name')
    if not isinstance(found, str):
        found = ''
    if not name and not found:
        raise Refusal('the input does not name its event')
    elif name and found and name != found:
        raise Refusal(f'the hook was called for {name}, but the input is {found}')
    return Event(name or found, data, environ)
