"""Claude Code, whose names of events, tools and fields are used everywhere."""

from __future__ import annotations

from interlock.agents.adapter import Adapter, Output
from interlock.guard import event as kinds
from interlock.guard.decision import Decision
from interlock.guard.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.agents.adapter import Tools

EVENTS = {
    kind: kind
    for kind in (
        kinds.SESSION_START,
        kinds.PROMPT,
        kinds.PRE_TOOL,
        kinds.POST_TOOL,
        kinds.FAILED_TOOL,
        kinds.SUBAGENT_STOP,
        kinds.STOP,
        kinds.PRE_COMPACT,
        kinds.SESSION_END,
        kinds.CONFIG_CHANGE,
    )
}
# older clients call it so
SAME_TOOLS = (
    kinds.WRITE,
    kinds.EDIT,
    kinds.NOTEBOOK,
    kinds.AGENT,
    kinds.SHELL,
    kinds.POWERSHELL,
)
TOOLS: Tools = {'Task': (kinds.AGENT, {})}
OFF = {'disableAllHooks': True}
# since 2.1.295; it also closes on what the client gives up on
CLOSING = {'onFailure': 'block'}
PROGRAMS = {'claude': ('--settings --setting-sources', '--bare')}
GUESTS = {'timestamp': 'copilot'}


class Claude(Adapter):
    name = 'claude'
    title = 'Claude Code'

    events = EVENTS
    tools = TOOLS
    same_tools = SAME_TOOLS

    # it reads the settings of this client, and sends what this one never does
    guests = GUESTS

    sessions = ('CLAUDE_CODE_SESSION_ID',)
    marks = ('CLAUDECODE',)
    prefixes = ('CLAUDE',)
    projects = ('CLAUDE_PROJECT_DIR',)
    variables = (
        'CLAUDE_CODE_ENTRYPOINT',
        'CLAUDE_PLUGIN_ROOT',
        'CLAUDE_ENV_FILE',
        'CLAUDE_SESSION_ID',
        'CLAUDE_AGENT_ID',
    )

    programs = PROGRAMS
    settings = '.claude/settings.json'
    own_settings = '.claude/settings.local.json'
    files = dict.fromkeys((settings, own_settings), 'strict')
    users = ('CLAUDE_CONFIG_DIR', '.claude', ('settings.json',))
    off = OFF
    closing = CLOSING
    calls = ('interlock-claude', 'interlock/claude/launcher.py')
    plugins = ('CLAUDE_PLUGIN_ROOT',)
    processes = ('claude',)
    packages = ('@anthropic-ai/claude-code',)

    def answer(self, called: str, event: Event | None, decision: Decision) -> Output:
        """A refusal takes three forms: the client may honour any one of them."""
        from interlock.agents.forms import nested_and_refused

        return nested_and_refused(called, decision)

    def decision_in(self, out: str, err: str, code: int) -> str:
        from interlock.agents.forms import REFUSED, in_nested

        found = in_nested(out)
        is_refused = code == REFUSED and bool(err)
        return found if is_refused or found == 'ask' else ''


ADAPTER = Claude()


def script() -> None:
    """`interlock-claude [EVENT]`."""
    import sys

    from interlock.agents.respond import main

    raise SystemExit(main([ADAPTER.name, *sys.argv[1:]]))
