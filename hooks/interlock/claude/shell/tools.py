"""Managers of hooks, make, and archives."""
from __future__ import annotations

from interlock.claude.shell.effects import Runs
from interlock.claude.shell.effects import Skips
from interlock.claude.shell.handlers import Handler
from interlock.claude.shell.marks import ANY
from interlock.claude.shell.marks import shown
from interlock.claude.shell.options import parse
from interlock.claude.shell.state import State


def _manager(state: State, name: str, args: list[str]) -> str:
    """pre-commit, prek, husky, lefthook: what takes the hooks away."""
    options = parse(args, 'cCt', ('--config', '--cd', '--color'))
    words = options.operands
    if words[:1] == ['install'] and options.has(
            '-f', '-c', '--overwrite', '--force', '--config',
    ):
        state.unknown(f'`{name} install` may put other hooks in their place')
    if words[:1] in (['uninstall'], ['uninit']):
        state.add(Skips(f'{name} {words[0]}'))
    return ANY


def _client(state: State, name: str, args: list[str]) -> str:
    """Another Claude Code, or the plugins of this one."""
    options = parse(args, '', ('--settings', '--setting-sources'))
    if options.has('--settings', '--setting-sources', '--bare'):
        state.unknown(f'`{name}` is started with other settings')
    words = options.operands
    if words[:1] in (['plugin'], ['plugins']) and words[1:2] in (
            ['disable'], ['uninstall'], ['remove'], ['rm'],
    ):
        state.add(Skips(f'{name} {" ".join(words[:2])}'))
    return ANY


def _make(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'CfIoWjlO', ('--directory', '--file'))
    inner = state.child()
    for word in options.values('-C', '--directory'):
        inner.enter(word)
    state.add(Runs(name, tuple(map(shown, args)), inner.directory))
    return ANY


def _tar(state: State, name: str, args: list[str]) -> str:
    """Members that are named, and an archive that is made."""
    if args and args[0][:1] != '-':
        args = [f'-{args[0]}', *args[1:]]
    options = parse(
        args, 'fCTXb', ('--file', '--directory', '--exclude'),
    )
    files = [
        word for word in options.values('-f', '--file') if word != '-'
    ]
    if options.has('-c', '-r', '-u', '--create', '--append', '--update'):
        state.each_writes(files, name)
    elif options.has('-x', '--extract', '--get'):
        inner = state.child()
        for word in options.values('-C', '--directory'):
            inner.enter(word)
        inner.each_writes(options.operands, name, recursive=True)
    return ANY


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(('pre-commit', 'prek', 'husky', 'lefthook'), _manager),
    'claude': _client,
    'make': _make,
    'gmake': _make,
    'tar': _tar,
    'gtar': _tar,
    'bsdtar': _tar,
}
