"""The command line: one group, whose commands are imported when used."""

from __future__ import annotations

import importlib

import click

from interlock import __version__
from interlock.commands.click_options import HelpfulGroup

# section -> its commands, each with its help in one line, so that listing them
# imports none; a command is `command` in the module of its name, in the folder
# of its section
SECTIONS = {
    'everyday': {
        'check': 'Judge a change and refuse what it breaks.',
        'status': 'Show the items by stage, their age, and what is wrong with them.',
        'audit': "Judge every commit of a history (default: all of HEAD's).",
        'explain': 'Explain what a rule demands and why; without a code, list all '
        'rules.',
    },
    'items': {
        'registry': 'Query and change the registry: rows and entries together.',
        'handoff': 'Write, move and repair the handoff of an item.',
        'contracts': 'Seal, verify and restore contracts.',
        'evidence': 'Record what was tried: tests and builds of a stage.',
        'verify-state': 'Check that the records of ITEM are sound, so that work can '
        'continue.',
        'verify-update': 'Check that the agent wrote the state of ITEM that it '
        'reports.',
        'commit-stage': 'End STAGE of ITEM: update its records, check, and commit.',
        'menu': 'Show what can be done with ITEM now, and do what is chosen.',
        'resume': 'Show where work on ITEM continues, and whether it may.',
        'resolve': 'Offer remedies for what is wrong in the working tree.',
    },
    'tasks': {
        'task': 'Start, choose, check, adopt and end tasks.',
        'lock': 'Take, give back and show the locks of tasks and of the main worktree.',
        'gate': 'Show every condition for TASK to enter STATE, whether it holds or '
        'not.',
        'transition': 'Move TASK to STATE, if its gate is open.',
        'checkpoint': 'Name the commit of TASK that the user is to review.',
        'push': 'Push the branch of TASK, with proof that its lock is held.',
        'present': 'Show the user what TASK asks approval for.',
        'approve': 'Approve what TASK waits for: its plan, its changes, or its scope.',
        'agents': 'Add agents to a task, and check whether they are done.',
        'trail': 'Log what is done for a task, and check that the log is complete.',
    },
    'documents': {
        'document': 'Check, write and resume from handoff documents.',
        'state': 'Save the state of a session, and give it back to the next one.',
        'mcp': 'Serve the saved state to other clients (MCP on stdin and stdout).',
    },
    'setup': {
        'init': 'Write a workflow file and wire the hooks; never overwrite.',
        'config': 'Show, check and explain the workflow file.',
        'uninstall': 'Remove what init wrote, and nothing else.',
        'demo': 'Show bad commits, a push and tool calls being refused.',
        'completion': 'Complete commands and options in your shell.',
        'doctor': 'Check that the gate is live; with --canary, try to break every '
        'rule.',
    },
    'hooks': {
        'hook': 'Judge the staged change, as a git hook does.',
        'pre-push': 'Judge what a push brings, as the git hook of that name.',
        'pre-receive': 'Judge a push before a server accepts it, as the git hook of that name.',
        'prepare-commit-msg': 'Add trailers to a message that say whose commit it is, '
        'as a git hook does.',
        'post-commit': 'Log the commit in the trail of its task, as a git hook does.',
    },
}
COMMANDS = {
    name: text for section in SECTIONS.values() for name, text in section.items()
}
FOLDERS = {name: folder for folder in SECTIONS for name in SECTIONS[folder]}


# what the sections are called in the help
TITLES = {
    'everyday': 'Everyday',
    'items': 'State of items',
    'tasks': 'Tasks and locks',
    'documents': 'Handoff documents and saved state',
    'setup': 'Setup',
    'hooks': 'Called by hooks',
}


class Interlock(HelpfulGroup):
    """Imports a command when it is used: importing all takes longer than most."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(
            f'interlock.commands.{FOLDERS[name]}.{name.replace("-", "_")}'
        )
        command: click.Command = module.command
        return self.with_examples(command, ctx)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        for name, commands in SECTIONS.items():
            with formatter.section(TITLES[name]):
                formatter.write_dl(list(commands.items()))


@click.group(
    'interlock', cls=Interlock, context_settings={'help_option_names': ['-h', '--help']}
)
@click.version_option(__version__, prog_name='interlock')
def cli() -> None:
    """Keep what a project says about its work in step with its repository.

    A change in which registry, handoffs, contracts, stages and commits
    disagree is refused, with what is wrong and the command that comes next.
    """
