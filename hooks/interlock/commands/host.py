"""Where every command starts and ends: output, errors, exit codes."""
from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any
from typing import TypeVar

import click

from interlock import __version__
from interlock.model.errors import Refusal
from interlock.report.style import paint
from interlock.report.style import wants_colour

FOUND = 1
MISCONFIGURED = 2
FAILED = 3
INTERRUPTED = 130

F = TypeVar('F', bound=Callable[..., Any])


def common(command: F) -> F:
    """The options that every command has."""
    for option in (
            click.version_option(__version__, prog_name='interlock'),
            click.option('-v', '--verbose', count=True, help='Say more.'),
            click.option('-q', '--quiet', count=True, help='Say less.'),
    ):
        command = option(command)
    return command


def colour() -> bool:
    return wants_colour(os.environ, sys.stdout.isatty())


class Gone(Exception):
    """The reader of our output went away; there is nobody left to tell."""


def out(text: str) -> None:
    if text:
        try:
            # the caller has decided on colour; click strips it in a pipe
            click.echo(text, color=True)
        except BrokenPipeError:
            # click would make the exit code of findings of it
            raise Gone from None


def err(text: str) -> None:
    click.echo(text, err=True, color=True)


def _failure() -> int:
    """A defect of ours is a refusal too, and says where the trace is."""
    trace = f'interlock {__version__}\n{traceback.format_exc()}'
    try:
        fd, path = tempfile.mkstemp(prefix='interlock-', suffix='.log')
        with open(fd, 'w', encoding='UTF-8', errors='replace') as f:
            f.write(trace)
        where = f'the trace is in {path}'
    except OSError:
        where = trace
    kind = sys.exc_info()[0]
    name = kind.__name__ if kind else 'error'
    err(f'interlock: failed ({name}), so nothing was passed; {where}')
    return FAILED


def run(command: click.Command, args: list[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        # paths need not be UTF-8, and a terminal need not be either
        if hasattr(stream, 'reconfigure'):
            stream.reconfigure(errors='backslashreplace')
    try:
        code = command.main(
            args, prog_name=command.name, standalone_mode=False,
        )
        return code if isinstance(code, int) else 0
    except click.ClickException as e:
        e.show()
        return e.exit_code
    except (click.Abort, KeyboardInterrupt):
        err('interlock: interrupted')
        return INTERRUPTED
    except Refusal as e:
        tty = wants_colour(os.environ, sys.stderr.isatty())
        err(f'interlock: {paint("refused", "error", tty)}: {e.message}')
        if e.hint:
            err(f'    next: {e.hint}')
        return MISCONFIGURED
    except Gone:
        # what is still buffered is flushed at exit, and would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception:
        return _failure()
