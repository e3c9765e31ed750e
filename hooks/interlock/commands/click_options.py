"""The parts that all commands share: options, groups, and how commands are run."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from contextlib import AbstractContextManager

import click

from interlock import __version__
from interlock.model.errors import Refusal
from interlock.model.fixes import nearest, ours
from interlock.model.quick_typing import Any, Callable, NamedTuple, Sequence, TypeVar
from interlock.report.terminal import INTERRUPTED, err, guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.project.project import Project
    from interlock.tasks.workplace import LockedTask, Workplace

# how many seconds a command waits for another one by default
WAIT = 10.0

# the longest --wait; timers cannot be set for much longer
DAY = 24 * 60 * 60

# the variable with which a shell asks for completions
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
    """Seconds up to a day; `nan` fails every comparison, so it is refused."""

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


def option(form: str, text: str, **more: Any) -> Callable[[F], F]:
    """Add an option in the form of the help: `-o --output FILE`, `--set VALUE...`.

    Without a value it is a flag. A word in small letters names its argument.
    """
    words = form.removesuffix('...').split()
    names = [word for word in words if word.startswith('-') or word.islower()]
    value = ' '.join(word for word in words if word not in names)
    if not value and 'type' not in more:
        return click.option(*names, is_flag=True, help=text, **more)
    elif form.endswith('...'):
        more['multiple'] = True
    elif not more.keys() & {'type', 'required', 'nargs'}:
        more.setdefault('default', '')
    return click.option(*names, metavar=value or None, help=text, **more)


def _say_more(options: Options, is_governed: bool, seconds: float) -> None:
    """Print the workflow, the items, and how long the command took."""
    took = f'{seconds * 1000:.0f} ms'
    by = ''
    if is_governed:
        from interlock.model.errors import Refusal
        from interlock.project.project import governing_text

        # the command itself reports what is wrong
        with contextlib.suppress(Refusal):
            by = f'by {governing_text(options.config)}, '
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
    return option('--config FILE', 'Use this workflow file.')(common(command))


def waiting(seconds: float = WAIT) -> Callable[[F], F]:
    return option(
        '--wait SECONDS',
        'Wait up to this long for another command to finish.',
        type=Seconds(),
        default=seconds,
        show_default=True,
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
        # parsed before --json, which replaces it
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
        # click does not wrap the text after \b
        command.epilog = '\n  '.join(['\b\nExamples:', *lines])
        return command

    return add


HELP = '--help'
# the message of click about a word too many
EXTRA = 'Got unexpected extra argument'
MEAN = 'did you mean'
# names that other programs have for our commands
MEANT = {'help': (HELP,), 'lint': ('check',), 'list': ('show', 'status')}


# more characters than any sentence has
WHOLE = 1000


class HelpfulGroup(click.Group):
    """Suggests the nearest command for an unknown name."""

    def meant(self, ctx: click.Context, name: str) -> str:
        """The command that users of other programs may mean by a name, or ''."""
        known = self.list_commands(ctx)
        others = (each for each in MEANT.get(name, ()) if each in (*known, HELP))
        return next(others, '') or nearest(name, known)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith('-') and self.get_command(ctx, name) is None:
            near = self.meant(ctx, name)
            meant = f'; {MEAN} `{ctx.command_path} {near}`?' if near else '.'
            ctx.fail(f"No such command '{name}'{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        # click cuts a sentence that is longer than a line
        said = {
            name: command.get_short_help_str(WHOLE)
            for name, command in sorted(self.commands.items())
        }
        with formatter.section('Commands'):
            formatter.write_dl(list(said.items()))


def group(name: str) -> Callable[[Callable[..., None]], click.Group]:
    return lambda function: click.group(name, cls=HelpfulGroup)(version(function))


def _again(command: click.Command, args: Sequence[str], word: str, near: str) -> str:
    """The same command with the intended word, '' if the word was not typed."""
    names = 0
    while isinstance(command, click.Group) and names < len(args):
        found = command.get_command(click.Context(command), args[names])
        if found is None:
            break
        command, names = found, names + 1
    for at in range(names, len(args)):
        # also in `--stage=WORD` and `--set WORD=VALUE`
        parts = args[at].split('=')
        if word == args[at] or word in parts:
            parts = [near if part == word else part for part in parts]
            new = near if word == args[at] else '='.join(parts)
            return ours(*args[:at], new, *args[at + 1 :])
    return ''


def _takes_operands(context: click.Context | None) -> bool:
    params = context.command.params if context else ()
    return any(isinstance(each, click.Argument) for each in params)


def _parsed(command: click.Command, args: list[str] | None) -> int:
    try:
        code = command.main(args, prog_name=command.name, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as e:
        if (
            isinstance(e, click.UsageError)
            and e.message.startswith(EXTRA)
            and _takes_operands(e.ctx)
        ):
            quotes = 'a name with spaces needs quotes'
            e = click.UsageError(f'{e.message}; {quotes}', e.ctx)
        e.show()
        return e.exit_code
    except Refusal as e:
        if e.meant is not None:
            typed = sys.argv[1:] if args is None else args
            e.hint = _again(command, typed, *e.meant) or e.hint
            if MEAN not in e.message:
                e.message += f'; {MEAN} `{e.meant[1]}`?'
        raise
    except click.Abort:
        err('interlock: interrupted')
        return INTERRUPTED


def run(command: click.Command, args: list[str] | None = None) -> int:
    if COMPLETE in os.environ:
        # imported here: it teaches shells our own words
        from interlock.commands.setup import completion  # noqa: F401

    return guarded(lambda: _parsed(command, args))
