"""The command line: one group, whose commands are imported when used."""
from __future__ import annotations

import importlib

import click

from interlock import __version__

# command -> its help in one line, so that a list needs no import; the module
# of the same name holds it as `command`
COMMANDS = {
    'audit': "Judge every commit of a history (default: all of HEAD's).",
    'check': 'Judge a change and refuse what it breaks.',
    'contracts': 'Seal, verify and restore contracts.',
    'explain':
        'Say what a rule demands and why; without a code list them all.',
    'hook': 'Judge the staged change, as a git hook does.',
    'init': 'Write a workflow file and wire the hooks; never overwrites.',
    'registry': 'Ask and change the registry: rows and entries together.',
    'status':
        'Show the items by stage, their age, and what is wrong with them.',
    'verify-state': 'Is the state of ITEM whole, so that work may go on?',
}


class LazyGroup(click.Group):
    """Importing every command would cost more than most of them take."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(
            self,
            ctx: click.Context,
            name: str,
    ) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(
            f'interlock.commands.{name.replace("-", "_")}',
        )
        command: click.Command = module.command
        return command

    def format_commands(
            self,
            ctx: click.Context,
            formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section('Commands'):
            formatter.write_dl(sorted(COMMANDS.items()))


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
