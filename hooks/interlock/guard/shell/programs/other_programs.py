"""Managers of hooks, make, and archives."""

from __future__ import annotations

from interlock.guard.shell.effects import Runs, Skips, Unpacked
from interlock.guard.shell.guarded_variables import passed
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import parse
from interlock.guard.shell.path_patterns import place
from interlock.guard.shell.placeholders import ANY, shown
from interlock.guard.shell.state import State


def _manager(state: State, name: str, args: list[str]) -> str:
    """pre-commit, prek, husky, lefthook: what takes the hooks away."""
    options = parse(args, 'cCt', ('--config', '--cd', '--color'))
    words = options.operands
    if words[:1] == ['install'] and options.has(
        '-f', '-c', '--overwrite', '--force', '--config'
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
        ['disable'],
        ['uninstall'],
        ['remove'],
        ['rm'],
    ):
        state.add(Skips(f'{name} {" ".join(words[:2])}'))
    return ANY


MAKEFILES = ('GNUmakefile', 'makefile', 'Makefile')


def _make(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'CfIoWjlO', ('--directory', '--file'))
    inner = state.child()
    for word in options.values('-C', '--directory'):
        inner.enter(word)
    state.add(Runs(name, tuple(map(shown, args)), inner.directory))
    for word in options.operands:
        # a variable of make is one of the environment of what it runs
        variable, equals, value = word.partition('=')
        if not equals:
            continue
        passed(state, name, variable.rstrip('?:+'), value)
        if '-n' in value.split() and any(
            part in variable.upper() for part in ('GIT', 'COMMIT')
        ):
            state.add(Skips(f'{name} {shown(word)}'))
    for word in options.values('-f', '--file', '--makefile') or MAKEFILES:
        _recipes(inner, word)
    return ANY


def _recipes(state: State, word: str) -> None:
    """Those of a file that the line itself has written, if they tell."""
    found = place(state.cwd, word)
    text = state.shared.files.get(found.path, '') if found else ''
    if word in ('-', '/dev/stdin'):
        text = state.stdin or ''
    for line in text.split('\n'):
        if line[:1] == '\t':
            state.child().text(line.lstrip('\t @-+').replace('$$', '$'))


def _tar(state: State, name: str, args: list[str]) -> str:
    """Members that are named, and an archive that is made."""
    if args and args[0][:1] != '-':
        args = [f'-{args[0]}', *args[1:]]
    options = parse(
        args,
        'fCTXb',
        (
            '--file',
            '--directory',
            '--exclude',
            '--strip-components',
            '--transform',
            '--xform',
        ),
    )
    files = [word for word in options.values('-f', '--file') if word != '-']
    if options.has('-c', '-r', '-u', '--create', '--append', '--update'):
        state.each_writes(files, name)
        if options.has('--remove-files'):
            for word in options.operands:
                state.removes(word, name, recursive=True)
    elif options.has('-x', '--extract', '--get'):
        if options.has('-O', '--to-stdout'):
            return ANY
        inner = state.child()
        for word in options.values('-C', '--directory'):
            inner.enter(word)
        inner.each_writes(options.operands, name, recursive=True)
        if not options.operands:
            strip = ''.join(options.values('--strip-components')[-1:])
            known = files and not options.has('--transform', '--xform')
            found = place(state.cwd, files[-1]) if known else None
            inner.writes(
                '.',
                name,
                None,
                True,
                Unpacked(
                    found.path if found and not found.glob else '',
                    int(strip) if strip.isdecimal() else 0,
                ),
            )
    return ANY


def _cpio(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'DFIOCHE', ('--directory', '--file'))
    if options.has('-i', '--extract', '-r') and not options.has('-t'):
        for word in options.values('-D', '--directory'):
            state = state.in_directory(word)
        state.writes('.', name, None, True, Unpacked(''))
    return ANY


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(('pre-commit', 'prek', 'husky', 'lefthook'), _manager),
    'claude': _client,
    'make': _make,
    'gmake': _make,
    'tar': _tar,
    'gtar': _tar,
    'bsdtar': _tar,
    'cpio': _cpio,
    'pax': _cpio,
}
