"""Programs that make a file from others: cp, mv, ln, install, rsync."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from interlock.guard.shell.effects import Unpacked
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.placeholders import ANY
from interlock.guard.shell.state import State

LONGS = ('--target-directory', '--suffix', '--mode', '--owner', '--group')


def _is_directory(target: str) -> bool:
    """By its form alone."""
    return (
        target.endswith('/')
        or target in ('.', '..', '~')
        or (target.endswith(('/.', '/..')))
    )


def _below(target: str, source: str) -> str:
    name = posixpath.basename(source.rstrip('/'))
    return target if name in ('.', '') else posixpath.join(target, name)


class Copy(NamedTuple):
    source: str
    target: str
    # the target, unless it is a directory
    into: bool = False


def copies(options: Options) -> list[Copy]:
    """Each source, with every place where it may end up."""
    into = options.values('-t', '--target-directory')
    if into:
        return [Copy(each, _below(into[-1], each)) for each in options.operands]
    *sources, target = options.operands or ['']
    below = [Copy(each, _below(target, each)) for each in sources]
    if options.has('-T', '--no-target-directory'):
        return [Copy(each, target) for each in sources]
    if len(sources) > 1 or _is_directory(target):
        return below
    return [
        found
        for each in below
        for found in (
            [each] if each.target == target else [Copy(each.source, target, True), each]
        )
    ]


def _cp(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'tS', LONGS)
    recursive = options.has('-r', '-R', '-a', '--recursive', '--archive')
    link = options.has('-l', '-s', '--link', '--symbolic-link')
    for each in copies(options):
        origin = state.copied(each.source, each.into, link)
        state.writes(each.target, name, None, recursive, origin)
    return ''


def moved(state: State, name: str, found: list[Copy]) -> None:
    """A directory moves with all that is in it."""
    for each in found:
        origin = state.copied(each.source, each.into)
        state.writes(each.target, name, None, True, origin)
    # last, for what is moved is read first
    goals: dict[str, str] = {}
    for each in found:
        goals.setdefault(each.source, each.target)
    for source, target in goals.items():
        state.removes(source, name, True, target)


def _mv(state: State, name: str, args: list[str]) -> str:
    moved(state, name, copies(parse(args, 'tS', LONGS)))
    return ''


def _ln(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'tS', LONGS)
    found = copies(options)
    if len(options.operands) == 1 and not options.has('-t'):
        source = options.operands[0]
        found = [Copy(source, _below('.', source))]
    for each in found:
        source = each.source
        if options.has('-s', '--symbolic') and source[:1] not in ('/', ANY):
            # a link leads on from where it is
            source = posixpath.join(posixpath.dirname(each.target), source)
        origin = state.copied(source, each.into, link=True)
        state.writes(each.target, name, origin=origin)
    return ''


def _install(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'tSmog', LONGS)
    if not options.has('-d', '--directory'):
        for each in copies(options):
            origin = state.copied(each.source, each.into)
            state.writes(each.target, name, origin=origin)
    return ''


RSYNC = (
    '--exclude',
    '--include',
    '--rsh',
    '--filter',
    '--files-from',
    '--exclude-from',
    '--include-from',
    '--log-file',
    '--password-file',
    '--chmod',
    '--chown',
    '--backup-dir',
    '--suffix',
    '--temp-dir',
)


def _rsync(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'efBMTs', RSYNC)
    if len(options.operands) < 2 or options.has('-n', '--dry-run'):
        return ''
    *sources, target = options.operands
    if options.has('--remove-source-files'):
        for each in sources:
            state.removes(each, name, recursive=True)
    if ':' in target.partition('/')[0]:
        return ''
    for each in sources:
        if ':' in each.partition('/')[0]:
            state.writes(target, name, None, True, Unpacked(''))
            continue
        goal = target if each.endswith('/') else _below(target, each)
        origin = state.copied(each)
        if origin is not None:
            left_out = tuple(options.values('--exclude'))
            origin = origin._replace(without=left_out)
        state.writes(goal, name, None, True, origin)
        if goal != target and not _is_directory(target):
            # a file beside which no directory is
            state.writes(target, name, None, True, state.copied(each, into=True))
    if any(flag.startswith('--del') for flag, _ in options.flags):
        state.removes(target, name, recursive=True)
    return ''


PROGRAMS: dict[str, Handler] = {
    'cp': _cp,
    'gcp': _cp,
    'mv': _mv,
    'gmv': _mv,
    'ln': _ln,
    'link': _ln,
    'install': _install,
    'ginstall': _install,
    'rsync': _rsync,
}
