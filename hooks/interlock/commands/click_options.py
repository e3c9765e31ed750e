"""Commands that click parses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from interlock import __version__
from interlock.report.terminal import INTERRUPTED, err, guarded

# seconds that a command waits for another one, unless told otherwise
WAIT = 10.0

# the longest that anybody may wait; a timer cannot be set for much longer
DAY = 24 * 60 * 60

F = TypeVar('F', bound=Callable[..., Any])


class Seconds(click.FloatRange):
    """Up to a day; `nan` is neither less nor more than anything."""

    def __init__(self, min_open: bool = False) -> None:
        super().__init__(0, DAY, min_open=min_open)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        found = super().convert(value, param, ctx)
        if found != found:
            least = 'more than 0' if self.min_open else 'at least 0'
            self.fail(
                f'{value} is no number of seconds: {least}, at most {DAY}.', param, ctx
            )
        return found


def common(command: F) -> F:
    """The options that every command has."""
    for option in (
        click.version_option(__version__, prog_name='interlock'),
        click.option('-v', '--verbose', count=True, help='Say more.'),
        click.option('-q', '--quiet', count=True, help='Say less.'),
    ):
        command = option(command)
    return command


def writes(command: F) -> F:
    """The options of every command that changes state."""
    for option in (
        click.option(
            '--wait',
            type=Seconds(),
            default=WAIT,
            metavar='SECONDS',
            show_default=True,
            help='How long to wait for another command.',
        ),
        click.option('--config', default='', metavar='FILE', help='The workflow.'),
    ):
        command = option(command)
    return common(command)


def _parsed(command: click.Command, args: list[str] | None) -> int:
    try:
        code = command.main(args, prog_name=command.name, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as e:
        e.show()
        return e.exit_code
    except click.Abort:
        err('interlock: interrupted')
        return INTERRUPTED


def run(command: click.Command, args: list[str] | None = None) -> int:
    return guarded(lambda: _parsed(command, args))
