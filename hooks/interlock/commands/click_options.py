"""What all commands share: their options, their groups, how they are run."""

from __future__ import annotations

import contextlib
import functools
import os
import time
from contextlib import AbstractContextManager

import click

from interlock import __version__
from interlock.model.fixes import nearest
from interlock.model.quick_typing import Any, Callable, NamedTuple, TypeVar
from interlock.report.terminal import INTERRUPTED, err, guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.project.project import Project
    from interlock.tasks.workplace import LockedTask, Workplace

# how many seconds a command waits for another one by default
WAIT = 10.0

# the most that --wait may be; timers cannot be set for much longer
DAY = 24 * 60 * 60

# by which a shell asks for completions
COMPLETE = '_INTERLOCK_COMPLETE'

F = TypeVar('F', bound=Callable[..., Any])
C = TypeVar('C', bound=click.Command)

version = click.version_option(__version__, prog_name='interlock')


class Options(NamedTuple):
    """The values of the options that commands share."""

    config: str = ''
    wait: float = WAIT
    verbose: int = 0
    quiet: int = 0

    @property
    def verbosity(self) -> int:
        return self.verbose - self.quiet

    def project(self, reads: bool = False) -> AbstractContextManager[Project]:
        """The project, which no other command changes until the block ends."""
        from interlock.project.project import open_project

        return open_project(self.config, self.wait, reads)

    def tasks(self, reads: bool = False) -> AbstractContextManager[Workplace]:
        from interlock.tasks.workplace import open_workplace

        return open_workplace(self.config, self.wait, reads)

    def task(
        self, name: str, reads: bool = False
    ) -> AbstractContextManager[LockedTask]:
        from interlock.tasks.workplace import open_task

        return open_task(self.config, self.wait, name, reads)


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
                f'{value} is not a number of seconds: {least}, at most {DAY}.',
                param,
                ctx,
            )
        return found


def decorated(command: F, *options: Callable[[F], F]) -> F:
    for option in options:
        command = option(command)
    return command


def _say_more(options: Options, is_governed: bool, seconds: float) -> None:
    """By which workflow, about which items, and how long it took."""
    took = f'{seconds * 1000:.0f} ms'
    by = ''
    if is_governed:
        from interlock.model.errors import Refusal
        from interlock.project.project import governing

        # what is wrong with it, the command says
        with contextlib.suppress(Refusal):
            by = f'by {governing(options.config)}, '
    err(f'interlock: {by}in {took}')


def common(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of every command, and pass them on as `Options`."""

    @functools.wraps(command)
    def with_options(*args: Any, **given: Any) -> int:
        shared = {name: given.pop(name) for name in Options._fields if name in given}
        options = Options(**shared)
        started = time.monotonic()
        try:
            return command(options, *args, **given)
        finally:
            if options.verbosity > 0:
                _say_more(options, 'config' in shared, time.monotonic() - started)

    return decorated(
        with_options,
        version,
        click.option('-v', '--verbose', count=True, help='Print more.'),
        click.option('-q', '--quiet', count=True, help='Print less.'),
    )


def governed(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a command that reads the workflow."""
    option = click.option(
        '--config', default='', metavar='FILE', help='Use this workflow file.'
    )
    return option(common(command))


def waiting(seconds: float = WAIT) -> Callable[[F], F]:
    return click.option(
        '--wait',
        type=Seconds(),
        default=seconds,
        metavar='SECONDS',
        show_default=True,
        help='Wait up to this long for another command to finish.',
    )


def writes(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a command that changes state."""
    return waiting()(governed(command))


def _as_json(ctx: click.Context, param: click.Parameter, given: bool) -> None:
    if given:
        ctx.params['form'] = 'json'


def formats(*names: str) -> Callable[[F], F]:
    """Add --format, whose default is the first name, and --json."""
    form = click.option(
        '--format',
        'form',
        type=click.Choice(names),
        default=names[0],
        # before --json, which replaces it
        is_eager=True,
        help='Print the result in this format.',
    )
    short = click.option(
        '--json',
        is_flag=True,
        expose_value=False,
        callback=_as_json,
        help='Short for --format json.',
    )
    return lambda command: form(short(command))


def example(*lines: str) -> Callable[[C], C]:
    """Show how a command is called, below its help."""

    def add(command: C) -> C:
        # after \b click does not wrap
        command.epilog = '\n  '.join(['\b\nExamples:', *lines])
        return command

    return add


HELP = '--help'
# what commands are called elsewhere
MEANT = {'help': (HELP,), 'lint': ('check',), 'list': ('show', 'status')}


class HelpfulGroup(click.Group):
    """Names the nearest command where there is none of a name."""

    def meant(self, ctx: click.Context, name: str) -> str:
        """What somebody may have meant who knows other programs, or ''."""
        known = self.list_commands(ctx)
        others = (each for each in MEANT.get(name, ()) if each in (*known, HELP))
        return next(others, '') or nearest(name, known)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith('-') and self.get_command(ctx, name) is None:
            near = self.meant(ctx, name)
            meant = f'; did you mean `{ctx.command_path} {near}`?' if near else '.'
            ctx.fail(f"No such command '{name}'{meant}")
        return super().resolve_command(ctx, args)


def group(name: str) -> Callable[[Callable[..., None]], click.Group]:
    return lambda function: click.group(name, cls=HelpfulGroup)(version(function))


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
    if COMPLETE in os.environ:
        # shells are asked in words of ours
        from interlock.commands.setup import completion  # noqa: F401

    return guarded(lambda: _parsed(command, args))
