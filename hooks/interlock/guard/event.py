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
# whoever waits for their answer: to fail is to refuse
GUARDS = (PRE_TOOL, CONFIG_CHANGE)


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
        """The type of a subagent, '' for the main agent; of a plugin's agent
        its name alone."""
        if not self.agent_id:
            return ''
        return self.text('agent_type').rpartition(':')[2]

    @property
    def tool(self) -> str:
        return self.text('tool_name')

    def given(self, key: str) -> str:
        """A text that the tool is given."""
        value = self.fields('tool_input').get(key)
        return value if isinstance(value, str) else ''


def fold(agent: str) -> str:
    """The name of an agent as it is compared: clients are not strict."""
    return agent.strip().casefold()


def parse(name: str, raw: bytes, environ: Mapping[str, str]) -> Event:
    """The event; `name` is the one we were started for, '' if none."""
    try:
        data = loads(raw.decode(errors='replace'))
    except ValueError:
        raise Refusal('what the client sent is no JSON') from None
    if not isinstance(data, dict):
        raise Refusal('what the client sent is no JSON object')
    found = data.get('hook_event_name')
    if not isinstance(found, str):
        found = ''
    if not name and not found:
        raise Refusal('nobody says which event this is')
    elif name and found and name != found:
        raise Refusal(f'this is called for {name}, and the event is {found}')
    return Event(name or found, data, environ)
