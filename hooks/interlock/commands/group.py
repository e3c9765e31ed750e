"""The command line: one group, whose commands are imported when used."""
from __future__ import annotations

import importlib

import click

from interlock import __version__

# command -> its help in one line, so that a list needs no import; the module
# of the same name holds it as `command`
COMMANDS = {
    'agents': 'Agents of a task: add one, see whether they are done.',
    'approve':
        'Approve what TASK waits for: its plan, its changes, or its scope.',
    'audit': "Judge every commit of a history (default: all of HEAD's).",
    'check': 'Judge a change and refuse what it breaks.',
    'checkpoint': 'Name the commit of TASK that the user is to review.',
    'commit-stage':
        'End STAGE of ITEM: update its records, check, and commit.',
    'contracts': 'Seal, verify and restore contracts.',
    'doctor':
        'Is the gate live? With --canary, try to break every rule.',
    'document': 'Check, write and resume from handoff documents.',
    'evidence': 'Record what was tried: tests and builds of a stage.',
    'explain':
        'Say what a rule demands and why; without a code list them all.',
    'gate': 'May TASK enter STATE? Every condition, whether it holds or not.',
    'handoff': 'Write, move and repair the handoff of an item.',
    'hook': 'Judge the staged change, as a git hook does.',
    'init': 'Write a workflow file and wire the hooks; never overwrites.',
    'lock': 'Who may change a task, or the main worktree, now.',
    'mcp':
        'Serve the saved state to other clients (MCP on stdin and stdout).',
    'menu': 'Show what may be done with ITEM now, and do what is chosen.',
    'post-commit':
        'Log the commit in the trail of its task, as a git hook does.',
    'pre-push': "Judge what a push brings, as git's hook of that name.",
    'pre-receive':
        "Judge a push before a server accepts it, as git's hook of that name.",
    'prepare-commit-msg':
        'Write whose work a commit is into its message, as a git hook does.',
    'present': 'Show the user what TASK asks approval for.',
    'registry': 'Ask and change the registry: rows and entries together.',
    'resolve': 'Offer remedies for what is wrong in the working tree.',
    'resume': 'Say where work on ITEM goes on, and whether it may.',
    'state':
        'Save the state of a session, and give it back to the next one.',
    'status':
        'Show the items by stage, their age, and what is wrong with them.',
    'task': 'Start, choose, check, adopt and end tasks.',
    'trail': 'Log what is done for a task, and see whether all of it is.',
    'transition': 'Move TASK to STATE, if its gate is open.',
    'uninstall': 'Take out what init wrote, and nothing else.',
    'verify-state': 'Is the state of ITEM whole, so that work may go on?',
    'verify-update':
        'Has the agent written the state of ITEM that it reports?',
}


class LazyGroup(click.Group):
    """Importing every command would cost more than most of them take."""

    table = COMMANDS
    prefix = ''

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.table)

    def get_command(
            self,
            ctx: click.Context,
            name: str,
    ) -> click.Command | None:
        if name not in self.table:
            return None
        module = importlib.import_module(
            f'interlock.commands.{self.prefix}{name.replace("-", "_")}',
        )
        command: click.Command = module.command
        return command

    def format_commands(
            self,
            ctx: click.Context,
            formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section('Commands'):
            formatter.write_dl(sorted(self.table.items()))


@click.group(
    'interlock',
    cls=LazyGroup,
    context_settings={'help_option_names': ['-h', '--help']},
)
@click.version_option(__version__, prog_name='interlock')
def cli() -> None:
    """Keep what a project says about its work in step with its repository.

    A change in which registry, handoffs, contracts, stages and commits
    disagree is refused, with what is wrong and the command that comes next.
    """
