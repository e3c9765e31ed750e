"""Shells, and programs that get their arguments from a stream."""

from __future__ import annotations

import posixpath

from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.placeholders import ANY, SOME, is_known
from interlock.guard.shell.programs.commit_wrappers import passes_on
from interlock.guard.shell.state import Level, State

SHELLS = (
    'sh',
    'bash',
    'zsh',
    'dash',
    'ksh',
    'mksh',
    'ash',
    'fish',
    'rbash',
    'csh',
    'tcsh',
    'elvish',
    'nu',
    'xonsh',
    'pwsh',
    'powershell',
)
# more items than this are any
ITEMS = 60


def _shell(state: State, name: str, args: list[str]) -> str:
    options = parse(
        [word for word in args if word[:1] != '+'],
        'oO',
        ('--rcfile', '--init-file', '--command'),
        first=True,
    )
    inner = state.child()
    inner.functions, inner.aliases = {}, {}
    if name in ('pwsh', 'powershell'):
        # each of its options may be cut short
        text = ' '.join(word for word in args if word[:1] != '-')
        return inner.text(text) if len(args) > 1 else ANY
    operands = options.operands
    with Level(state):
        if options.has('-c', '--command'):
            return _text(inner, options)
        if operands and operands[0] != '-' and not options.has('-s'):
            return _script(inner, name, operands)
        inner.arrays['@'] = operands
        return _stream(inner, name)


def _text(state: State, options: Options) -> str:
    given = options.values('--command')
    words = [*given, *options.operands] if any(given) else options.operands
    if not words:
        return ''
    state.arrays['@'] = words[2:]
    return state.text(words[0])


def _script(state: State, name: str, operands: list[str]) -> str:
    if operands[0] == '/dev/stdin':
        return _stream(state, name)
    if ANY in operands[0]:
        state.unknown(f'`{name}` runs a script that is not named here')
    state.arrays['@'] = operands[1:]
    if not state.script(operands[0]):
        base = posixpath.basename(operands[0])
        passes_on(state, base, operands[1:])
    return ANY


def _stream(state: State, name: str) -> str:
    fed = state.stdin
    if fed is None or fed == SOME:
        # a terminal, or a file: a script like any other
        return ANY
    state.stdin = None
    if fed.strip() == ANY:
        state.unknown(f'`{name}` runs what another command prints')
        return ANY
    return state.text(fed)


def _items(state: State, options: Options) -> list[str]:
    fed = state.stdin
    if fed is None or fed == SOME or options.has('-a', '--arg-file'):
        return [ANY]
    lines = fed.replace('\0', '\n').split('\n')
    if not options.has('-I', '-i', '-0', '--null', '-d', '--delimiter'):
        lines = fed.split()
    found = [line for line in lines if line]
    return found if len(found) <= ITEMS else [ANY]


def _xargs(state: State, _: str, args: list[str]) -> str:
    options = parse(
        args,
        'InPLsdEa',
        (
            '--max-args',
            '--max-procs',
            '--max-lines',
            '--max-chars',
            '--delimiter',
            '--arg-file',
            '--replace',
        ),
        'i',
        first=True,
    )
    words = options.operands
    items = _items(state, options)
    marks = options.values('-I', '--replace', '-i')
    inner = state.child()
    inner.stdin = None
    if not marks:
        return inner.run([*words, *items]) if words else ' '.join(items)
    mark = marks[-1] or '{}'
    for item in items:
        inner.run([word.replace(mark, item) for word in words])
    return ANY


def _parallel(state: State, _: str, args: list[str]) -> str:
    options = parse(args, 'jNIaCSPn', ('--jobs', '--arg-file'), first=True)
    words, items = options.operands, [ANY]
    if ':::' in words:
        at = words.index(':::')
        words, items = words[:at], words[at + 1 :]
    elif state.stdin is not None and is_known(state.stdin):
        items = state.stdin.split('\n')[:ITEMS]
    for item in items:
        text = ' '.join(words) if words else '{}'
        text = text if '{' in text else f'{text} {{}}'
        state.child().text(text.replace('{}', item))
    return ANY


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(SHELLS, _shell),
    'xargs': _xargs,
    'parallel': _parallel,
}
