"""Programs that remove files."""

from __future__ import annotations

from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import parse
from interlock.guard.shell.state import State


def _rm(state: State, name: str, args: list[str]) -> str:
    options = parse(args)
    recursive = options.has('-r', '-R', '--recursive') or name == 'rimraf'
    for word in options.operands:
        state.removes(word, name, recursive)
    return ''


def _rmdir(state: State, name: str, args: list[str]) -> str:
    for word in parse(args).operands:
        state.removes(word, name)
    return ''


def _trash(state: State, name: str, args: list[str]) -> str:
    """Directories as well."""
    operands = parse(args).operands
    if name == 'gio':
        if operands[:1] not in (['trash'], ['remove']):
            return ''
        operands = operands[1:]
    for word in operands:
        state.removes(word, name, recursive=True)
    return ''


def _shred(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'ns', ('--iterations', '--size'), 'u')
    for word in options.operands:
        if options.has('-u', '--remove'):
            state.removes(word, name)
        else:
            state.writes(word, name)
    return ''


PROGRAMS: dict[str, Handler] = {
    'rm': _rm,
    'grm': _rm,
    'rimraf': _rm,
    'unlink': _rmdir,
    'rmdir': _rmdir,
    'trash': _trash,
    'trash-put': _trash,
    'gio': _trash,
    'shred': _shred,
    'srm': _rm,
}
