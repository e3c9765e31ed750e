"""Output, errors, next commands and exit codes of every command."""

from __future__ import annotations

import io
import os
import sys

from interlock import __version__
from interlock.git.git_paths import top_of
from interlock.model.errors import Busy, Denied, Refusal
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import seen_from
from interlock.model.quick_typing import Callable, Iterable, Mapping

# git starts hooks at the top, and names the directory of the user here
PREFIX = 'GIT_PREFIX'
CODES = {'error': '31', 'warning': '33', 'info': '36', 'ok': '32'}


def wants_colour(environ: Mapping[str, str], terminal: bool) -> bool:
    if environ.get('FORCE_COLOR', '') not in {'', '0'}:
        return True
    elif environ.get('NO_COLOR', ''):
        return False
    return terminal and environ.get('TERM') != 'dumb'


def paint(text: str, style: str, colour: bool) -> str:
    return f'\033[{CODES[style]};1m{text}\033[m' if colour else text


FOUND = 1
MISCONFIGURED = 2
FAILED = 3
BUSY = 75
INTERRUPTED = 130


def colour() -> bool:
    return wants_colour(os.environ, sys.stdout.isatty())


class OutputClosed(Exception):
    """The reader of our output has gone (a broken pipe)."""


def out(text: str) -> None:
    if text:
        try:
            sys.stdout.write(f'{text}\n')
            sys.stdout.flush()
        except BrokenPipeError:
            raise OutputClosed from None


def _broken(line: str, width: int, indent: int) -> list[str]:
    """The line, broken at spaces."""
    # imported here, because only a terminal needs it
    import re

    lines = ['']
    for word in re.findall(' *[^ ]+', line):
        longer = lines[-1] + word
        # the codes of colours take no room
        shown = re.sub('\033\\[[0-9;]*m', '', longer)
        if len(shown) > width and lines[-1].strip():
            lines.append(' ' * indent + word.lstrip())
        else:
            lines[-1] = longer
    return lines


def fitted(text: str, indent: int = 0, is_error: bool = False) -> str:
    """Wrap a text to the terminal; a program gets it in one line.

    Words are not broken, so that paths can be copied. A command stays in one line.
    """
    stream = sys.stderr if is_error else sys.stdout
    if not stream.isatty():
        return text
    import shutil

    width = shutil.get_terminal_size().columns
    return '\n'.join(
        each for line in text.split('\n') for each in _broken(line, width, indent)
    )


def err(text: str) -> None:
    sys.stderr.write(f'{text}\n')
    sys.stderr.flush()


def _directory(top: str) -> str:
    """The user's directory below the top; '' at the top or outside."""
    if not top:
        return ''
    here, top = os.path.realpath(os.curdir), os.path.realpath(top)
    if here == top:
        return os.environ.get(PREFIX, '').strip('/')
    below = os.path.relpath(here, top)
    return '' if below.startswith(os.pardir) else below


def localized(fix: Fix, top: str) -> Fix:
    return seen_from(fix, _directory(top))


def all_localized(findings: Iterable[Finding], top: str) -> list[Finding]:
    return [finding._replace(fix=localized(finding.fix, top)) for finding in findings]


def hint_here(hint: str, paths: tuple[str, ...]) -> str:
    """The hint of a refusal, for the user's directory."""
    top = top_of(os.path.realpath(os.curdir)) if paths else ''
    return localized(Fix('', hint, paths), top).command


def say_problem(problem: Refusal, head: str = '') -> None:
    """Print what is wrong, and the next command."""
    err(fitted(f'interlock: {head}{problem.message}', 4, is_error=True))
    if problem.hint:
        err(f'    next: {hint_here(problem.hint, problem.paths)}')


def out_json(value: object, indent: int | None = 2) -> None:
    import json

    out(json.dumps(value, ensure_ascii=False, indent=indent))


def say_outcome(said: Iterable[str], warnings: Iterable[str]) -> None:
    """Print what an operation did, and its warnings."""
    for warning in warnings:
        err(fitted(f'interlock: warning: {warning}', 4, is_error=True))
    for sentence in said:
        err(sentence)


class _Closed(io.RawIOBase):
    """Standard input that was closed, which differs from an empty one."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise Refusal(
            'standard input is closed, so it cannot be read',
            'run this again with standard input open',
        )


def _open_streams() -> None:
    """Open the standard streams that were closed when we started.

    Otherwise the next opened file gets their number, and git writes to it.
    """
    for number, name in enumerate(('stdin', 'stdout', 'stderr')):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            # opens the lowest free number
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if number:
            stream = open(os.devnull, 'w', encoding='UTF-8')
        else:
            stream = io.TextIOWrapper(io.BufferedReader(_Closed()))
        setattr(sys, name, stream)


def _failure() -> int:
    """Report a bug in Interlock, and where its traceback is."""
    import tempfile
    import traceback

    trace = f'interlock {__version__}\n{traceback.format_exc()}'
    try:
        fd, path = tempfile.mkstemp(prefix='interlock-', suffix='.log')
        with open(fd, 'w', encoding='UTF-8', errors='replace') as f:
            f.write(trace)
        where = f'the trace is in {path}'
    except OSError as e:
        where = f'no trace could be written ({e.strerror})'
    kind, value, _ = sys.exc_info()
    name = kind.__name__ if kind else 'error'
    why = str(value).partition('\n')[0]
    err(f'interlock: failed ({name}: {why}), so nothing was passed; {where}')
    return FAILED


def _code(refusal: Refusal) -> int:
    if isinstance(refusal, Denied):
        return FOUND
    return BUSY if isinstance(refusal, Busy) else MISCONFIGURED


def _refuse_deleted_directory() -> None:
    try:
        os.getcwd()
    except FileNotFoundError:
        raise Refusal('the current directory was deleted', 'cd ..') from None


def guarded(command: Callable[[], int]) -> int:
    """Run a command and return its exit code, whatever happens."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        # neither paths nor terminals have to use UTF-8
        if hasattr(stream, 'reconfigure'):
            stream.reconfigure(errors='backslashreplace')
    try:
        _refuse_deleted_directory()
        return command()
    except KeyboardInterrupt:
        err('interlock: interrupted')
        return INTERRUPTED
    except Refusal as e:
        tty = wants_colour(os.environ, sys.stderr.isatty())
        # an existing commit is not refused, even if its last step must wait
        word = 'busy' if isinstance(e, Busy) else 'refused'
        say_problem(e, f'{paint(word, "error", tty)}: ')
        return _code(e)
    except OutputClosed:
        # buffered output is flushed at exit, and would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception:
        return _failure()
