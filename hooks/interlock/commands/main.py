"""The command line: one group, whose commands are imported when used."""
from __future__ import annotations

import importlib

import click

from interlock import __version__
from interlock.commands.host import run

# command -> the module of the same name, which holds it as `command`
COMMANDS = (
    'audit',
    'check',
    'explain',
    'hook',
    'init',
    'registry',
    'status',
)


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
        module = importlib.import_module(f'interlock.commands.{name}')
        command: click.Command = module.command
        return command


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


def main() -> None:
    raise SystemExit(run(cli))
