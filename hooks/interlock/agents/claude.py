"""Claude Code, whose names of events, tools and fields are ours as well."""

from __future__ import annotations

from interlock.agents.adapter import Adapter
from interlock.guard import event as kinds
from interlock.guard.decision import ASK, PLAIN


class Claude(Adapter):
    name = 'claude'
    title = 'Claude Code'

    events = {kind: kind for kind in kinds.KINDS}
    # the name in older versions
    tools = {'Task': (kinds.AGENT, {})}
    same_tools = (
        *(kinds.WRITE, kinds.EDIT, kinds.NOTEBOOK, kinds.AGENT),
        *(kinds.SHELL, kinds.POWERSHELL),
    )

    # Copilot also reads these settings, and sends a field that Claude Code never does
    guests = {'timestamp': 'copilot'}

    answers = {PLAIN: 'TEXT'}
    exits = True

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

    folders = ('permissions', 'additionalDirectories')
    reaching = 'if `cd` does not last, the user restarts it with claude --add-dir {}'
    naming = '.claude/agents/{0}.md must define it as `name: {0}`; subagent_type {0} starts it'

    programs = {'claude': ('--settings --setting-sources', '--bare --safe-mode')}
    settings = '.claude/settings.json'
    own_settings = '.claude/settings.local.json'
    files = dict.fromkeys((settings, own_settings), 'strict')
    users = ('CLAUDE_CONFIG_DIR', '.claude', ('settings.json',))
    off = {'disableAllHooks': True}
    # since 2.1.295; it also refuses if the hook times out
    closing = {'onFailure': 'block'}
    is_narrow = True
    calls = ('interlock-claude', 'interlock/claude/launcher.py')
    plugins = ('CLAUDE_PLUGIN_ROOT',)
    processes = ('claude',)
    packages = ('@anthropic-ai/claude-code',)

    def decision_in(self, out: str, err: str, code: int) -> str:
        """A refusal counts only in all three forms: the client may honour any one."""
        from interlock.agents.forms import REFUSED, decision_in

        found = decision_in(out)
        is_refused = code == REFUSED and bool(err)
        return found if is_refused or found == ASK else ''


ADAPTER = Claude()


def script() -> None:
    """`interlock-claude [EVENT]`."""
    import sys

    from interlock.agents.respond import main

    raise SystemExit(main([ADAPTER.name, *sys.argv[1:]]))
