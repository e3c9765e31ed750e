"""Programs that make a file from others: cp, mv, ln, install, rsync."""
from __future__ import annotations

import posixpath

from interlock.claude.shell.handlers import Handler
from interlock.claude.shell.options import Options
from interlock.claude.shell.options import parse
from interlock.claude.shell.state import State

LONGS = ('--target-directory', '--suffix', '--mode', '--owner', '--group')


def _is_directory(target: str) -> bool:
    """By its form alone."""
    return target.endswith('/') or target in ('.', '..', '~') or (
        target.endswith(('/.', '/..'))
    )


def _below(target: str, source: str) -> str:
    name = posixpath.basename(source.rstrip('/'))
    return target if name in ('.', '') else posixpath.join(target, name)


def targets(options: Options) -> tuple[list[str], list[str]]:
    """The sources, and where they may end up."""
    into = options.values('-t', '--target-directory')
    if into:
        sources = options.operands
        return sources, [_below(into[-1], each) for each in sources]
    *sources, target = options.operands or ['']
    if not sources:
        return [], []
    below = [_below(target, each) for each in sources]
    if len(sources) > 1 or _is_directory(target):
        return sources, below
    if options.has('-T', '--no-target-directory'):
        return sources, [target]
    return sources, [target, *(each for each in below if each != target)]


def _cp(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'tS', LONGS)
    recursive = options.has(
        '-r', '-R', '-a', '--recursive', '--archive',
    )
    _, found = targets(options)
    state.each_writes(found, name, recursive)
    return ''


def _mv(state: State, name: str, args: list[str]) -> str:
    sources, found = targets(parse(args, 'tS', LONGS))
    for word in sources:
        state.removes(word, name, recursive=True)
    # a directory moves with all that is in it
    state.each_writes(found, name, recursive=True)
    return ''


def _ln(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'tS', LONGS)
    if len(options.operands) == 1 and not options.has('-t'):
        state.writes(_below('.', options.operands[0]), name)
        return ''
    _, found = targets(options)
    state.each_writes(found, name)
    return ''


def _install(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'tSmog', LONGS)
    if not options.has('-d', '--directory'):
        _, found = targets(options)
        state.each_writes(found, name)
    return ''


RSYNC = (
    '--exclude', '--include', '--rsh', '--filter', '--files-from',
    '--exclude-from', '--include-from', '--log-file', '--password-file',
    '--chmod', '--chown', '--backup-dir', '--suffix', '--temp-dir',
)


def _rsync(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'efBMTs', RSYNC)
    if len(options.operands) < 2 or options.has('-n', '--dry-run'):
        return ''
    *sources, target = options.operands
    if ':' in target.partition('/')[0]:
        return ''
    found = [
        target if each.endswith('/') else _below(target, each)
        for each in sources
    ]
    state.each_writes(found, name, recursive=True)
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
