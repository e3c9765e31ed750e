"""What the shell does itself: directories, variables, eval."""

from __future__ import annotations

from interlock.guard.shell.effects import Poses, Skips
from interlock.guard.shell.guarded_variables import changed, is_posing, removed
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import parse
from interlock.guard.shell.placeholders import ANY, SOME, shown
from interlock.guard.shell.state import State
from interlock.guard.shell.variables import value

# what hooks start: a function of the same name takes its place
STARTED = (
    'interlock',
    'git',
    'pre-commit',
    'prek',
    'lefthook',
    'husky',
    'npx',
    'python',
    'node',
    'command',
    'exec',
    'exit',
)


def _cd(state: State, name: str, args: list[str]) -> str:
    targets = [word for word in args if word == '-' or word[:1] != '-']
    target = targets[0] if targets else value(state, 'HOME')
    before = state.cwd
    if name == 'pushd' and targets:
        state.stack.append(before)
    if target == '-':
        target = state.variables.get('OLDPWD', ANY)
    state.enter(target)
    state.variables['OLDPWD'] = before
    return ''


def _popd(state: State, _: str, __: list[str]) -> str:
    state.cwd = state.stack.pop() if state.stack else ANY
    return ''


def _pwd(state: State, _: str, __: list[str]) -> str:
    return f'{state.cwd}\n'


def _declare(state: State, name: str, args: list[str]) -> str:
    """export, declare, typeset, local, readonly."""
    options = parse([word for word in args if word[:1] != '+'], '', ())
    exports = name == 'export' or options.has('-x')
    # an export that is taken back hides the variable from programs
    functions = exports and options.has('-f')
    hides = options.has('-n') if name == 'export' else '+x' in args
    for word in options.operands:
        variable, equals, text = word.partition('=')
        if equals:
            state.variables[variable] = text
        if functions and word.startswith(STARTED):
            state.add(Skips(f'{name} -f {word}'))
        elif hides:
            sign = '-n' if name == 'export' else '+x'
            removed(state, variable, f'{name} {sign}')
        elif exports:
            state.exported.add(variable)
            known = text if equals else state.value(variable)
            if known is not None and (equals or not is_posing(variable)):
                changed(state, variable, known, name)
        elif equals and is_posing(variable):
            state.add(Poses(variable, name))
    return ''


def _unset(state: State, _: str, args: list[str]) -> str:
    for word in parse(args).operands:
        state.variables[word] = ''
        state.arrays.pop(word, None)
        removed(state, word, 'unset')
    return ''


def _alias(state: State, _: str, args: list[str]) -> str:
    for word in args:
        name, equals, text = word.partition('=')
        if equals:
            state.aliases[name] = text
    return ''


def _eval(state: State, _: str, args: list[str]) -> str:
    return state.text(' '.join(args))


def _trap(state: State, _: str, args: list[str]) -> str:
    operands = parse(args).operands
    if len(operands) > 1 and operands[0] != '-':
        state.child().text(operands[0])
    return ''


def _read(state: State, _: str, args: list[str]) -> str:
    """The variables get a line of what is fed, if there is but one."""
    options = parse(args, 'adinNptu')
    lines = (state.stdin or ANY).strip('\n').split('\n')
    found = lines[0] if len(lines) == 1 and lines[0] != SOME else ANY
    names = options.operands
    for name in names:
        state.variables[name] = found if len(names) == 1 else ANY
    for name in options.values('-a'):
        state.arrays[name] = [ANY]
    return ''


def _mapfile(state: State, _: str, args: list[str]) -> str:
    for name in parse(args, 'dnOsuCc').operands:
        state.arrays[name] = (state.stdin or ANY).strip('\n').split('\n')
    return ''


def _shift(state: State, _: str, args: list[str]) -> str:
    count = int(args[0]) if args and args[0].isdecimal() else 1
    if '@' in state.arrays:
        state.arrays['@'] = state.arrays['@'][count:]
    return ''


def _set(state: State, _: str, args: list[str]) -> str:
    if '--' in args:
        state.arrays['@'] = args[args.index('--') + 1 :]
    letters = ''.join(word for word in args if word[:1] == '-')
    if 'allexport' in args or 'a' in letters:
        state.exports_all = True
    return ''


def _source(state: State, name: str, args: list[str]) -> str:
    """A script is as unknown as any program; a stream is not even that."""
    if args and ANY in args[0]:
        state.unknown(f'`{name} {shown(args[0])}` runs what is not here')
    elif args[:1] == ['/dev/stdin']:
        return state.text(state.stdin or ANY)
    elif args:
        state.script(args[0])
    return ''


def _nothing(_: State, __: str, ___: list[str]) -> str:
    return ''


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(('cd', 'chdir', 'pushd'), _cd),
    **dict.fromkeys(('export', 'declare', 'typeset', 'local', 'readonly'), _declare),
    **dict.fromkeys(
        (
            ':',
            'true',
            'false',
            'test',
            '[',
            '[[',
            'exit',
            'return',
            'break',
            'continue',
            'wait',
            'let',
            'shopt',
            'ulimit',
            'umask',
            'hash',
            'type',
            'getopts',
            'jobs',
            'bg',
            'fg',
            'disown',
            'kill',
            'sleep',
            'unalias',
            'history',
            'logout',
            'times',
            'dirs',
            'caller',
            'bind',
        ),
        _nothing,
    ),
    'popd': _popd,
    'pwd': _pwd,
    'unset': _unset,
    'unsetenv': _unset,
    'alias': _alias,
    'eval': _eval,
    'trap': _trap,
    'read': _read,
    'mapfile': _mapfile,
    'readarray': _mapfile,
    'shift': _shift,
    'set': _set,
    'source': _source,
    '.': _source,
}
